"""DCR: how near is the nearest released row?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Floats
from riskkit.released._distances import dcr
from riskkit.table.points import RowPoints


@dataclass(frozen=True)
class Dcr:
    """Less the distance to the closest released row.

    References
    ----------
    .. [1] Chen et al., GAN-Leaks (CCS 2020), the full black-box attack.
    """

    name: ClassVar[str] = "dcr"
    title: ClassVar[str] = "Distance to the closest row"
    card: ClassVar[str] = (
        "Scores a record higher the closer its nearest released row is. Needs nothing but the release, and costs "
        "one search. Finds copies and near copies; blind where a method leaks only through properties of many rows "
        "at once."
    )
    needs_reference: ClassVar[bool] = False
    is_distance: ClassVar[bool] = True
    near: ClassVar[int] = 1

    def score(
        self,
        release: RowPoints,
        targets: RowPoints,
        reference: RowPoints | None,  # noqa: ARG002  the shape of every attack here
        rng: np.random.Generator,  # noqa: ARG002
    ) -> Floats:
        """(n_targets,) higher means nearer. Draws nothing at random."""
        return dcr(release, targets)


PLUGIN = Dcr
