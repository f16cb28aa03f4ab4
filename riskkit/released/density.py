"""Density: how thickly do released rows lie around a record?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from riskkit.core import Floats
from riskkit.released._attack import DENSITY_ROWS, FileAttack, Sight, some
from riskkit.released._densities import kernels
from riskkit.table.points import pool_rare


@dataclass(frozen=True)
class Density(FileAttack):
    """Log-density of the release at the record: Gaussian kernels, full covariance, Silverman's bandwidth.

    A record that the released rows cannot reach (a level they never show, a column constant in them) has a very low
    density, the lower the farther off it lies.

    References
    ----------
    .. [1] Hilprecht, Härterich and Bernau, Monte Carlo and reconstruction membership inference attacks against
       generative models (PoPETs 2019), compares with it.
    """

    name: ClassVar[str] = "density"
    title: ClassVar[str] = "Density of the release"
    card: ClassVar[str] = (
        "Scores a record higher the more densely released rows lie around it. Needs nothing but the release. Finds "
        "methods that pile rows up where the real rows were; takes every record in a crowd for a member, because "
        "it does not know where people are dense anyway."
    )

    def judge(self, sight: Sight) -> Floats:
        """(n_targets,) log-density. Draws at random only which rows of a large release count."""
        rows, asked = pool_rare([some(sight.release, DENSITY_ROWS, sight.rng), sight.targets], [sight.release])
        return kernels(rows.matrix()).log_density(asked.matrix())


PLUGIN = Density
