"""Monte Carlo: how much of the release lies within the usual nearest distance?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Floats
from riskkit.released._distances import mc
from riskkit.table.points import RowPoints


@dataclass(frozen=True)
class Mc:
    """The share of released rows within the median of the targets' distances to their closest released row.

    References
    ----------
    .. [1] Hilprecht, Haerterich and Bernau, Monte Carlo and reconstruction membership inference (PETS 2019).
    """

    name: ClassVar[str] = "mc"
    title: ClassVar[str] = "Monte Carlo"
    card: ClassVar[str] = (
        "Scores a record higher the more released rows lie within a radius that is set by all targets: the median "
        "of their distances to the closest released row. Needs the release and many targets at once, so a score "
        "holds for this set of targets alone. Finds places that a release fills too densely; blind to half of all "
        "targets, whose score is 0."
    )
    needs_reference: ClassVar[bool] = False
    scores_together: ClassVar[bool] = True
    near: ClassVar[int] = 1

    def score(
        self,
        release: RowPoints,
        targets: RowPoints,
        reference: RowPoints | None,  # noqa: ARG002  the shape of every attack here
        rng: np.random.Generator,  # noqa: ARG002
    ) -> Floats:
        """(n_targets,) share between 0 and 1; the radius is set by all targets. Draws nothing at random."""
        return mc(release, targets)


PLUGIN = Mc
