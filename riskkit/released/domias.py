"""DOMIAS: do released rows lie more thickly around a record than people do?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from riskkit.core import Floats
from riskkit.parameters import parameter
from riskkit.released._attack import FileAttack, Sight
from riskkit.released._densities import FLOOR_ROWS, density_ratio


@dataclass(frozen=True)
class Domias(FileAttack):
    """Log-density of the release less that of the reference, both by Gaussian kernels.

    The published floor of the reference's density, 1e-20, is here a number of reference rows, so that neither the
    units nor the number of columns decide whether it drowns the density or does nothing.

    References
    ----------
    .. [1] van Breugel, Sun, Qian and van der Schaar, Membership inference attacks against synthetic data through
       overfitting detection (AISTATS 2023).
    """

    name: ClassVar[str] = "domias"
    title: ClassVar[str] = "Density ratio (DOMIAS)"
    card: ClassVar[str] = (
        "Scores a record higher the more densely released rows lie around it, compared with people of the "
        "population. Needs reference rows of the same population. Finds local overfitting, even without any near "
        "copy; weak on tables of many columns, where no density is known well."
    )
    needs_reference: ClassVar[bool] = True

    floor: float = parameter(
        FLOOR_ROWS,
        label="Floor",
        help="How many reference rows' worth of density is added to the reference's own; 0 for none.",
        low=0,
        high=1e6,
        unit="rows",
    )

    def judge(self, sight: Sight) -> Floats:
        """(n_targets,) log-density ratio. Draws at random only which rows of a large table count."""
        return density_ratio(sight.release, sight.targets, sight.others, self.floor, sight.rng)


PLUGIN = Domias
