"""NNDR: is one released row much nearer than any other?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Floats
from riskkit.released._distances import nndr
from riskkit.table.points import RowPoints


@dataclass(frozen=True)
class Nndr:
    """Less the ratio of the distances to the nearest and the second nearest released row.

    References
    ----------
    .. [1] Zhao et al., CTAB-GAN (ACML 2021), which reports the ratio as a privacy figure.
    """

    name: ClassVar[str] = "nndr"
    title: ClassVar[str] = "Nearest over second nearest"
    card: ClassVar[str] = (
        "Scores a record higher the nearer one released row is compared with the next, whatever the spacing of "
        "rows there. Needs nothing but the release, of two rows or more. Finds single copies in sparse places; "
        "blind where a record was copied twice with a little noise, because the second is then as near as the "
        "first."
    )
    needs_reference: ClassVar[bool] = False
    near: ClassVar[int] = 2
    is_distance: ClassVar[bool] = True

    def score(
        self,
        release: RowPoints,
        targets: RowPoints,
        reference: RowPoints | None,  # noqa: ARG002  the shape of every attack here
        rng: np.random.Generator,  # noqa: ARG002
    ) -> Floats:
        """(n_targets,) between -1, two rows equally near, and 0, a copy. Draws nothing at random."""
        return nndr(release, targets)


PLUGIN = Nndr
