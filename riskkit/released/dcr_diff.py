"""DCR difference: is the nearest released row nearer than the nearest row of other people?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Floats
from riskkit.released._distances import dcr_diff, needed
from riskkit.table.points import RowPoints


@dataclass(frozen=True)
class DcrDiff:
    """The distance to the closest reference row less that to the closest released row.

    References
    ----------
    .. [1] Chen et al., GAN-Leaks (CCS 2020), the calibrated attack.
    """

    name: ClassVar[str] = "dcr-diff"
    title: ClassVar[str] = "Distance less distance to the reference"
    card: ClassVar[str] = (
        "Scores a record higher the closer its nearest released row is, compared with its nearest reference row. "
        "Needs the release and reference rows of the same population, and costs two searches. Corrects for records "
        "that are near everything; blind where a method leaks only through properties of many rows at once."
    )
    needs_reference: ClassVar[bool] = True
    near: ClassVar[int] = 1
    near_people: ClassVar[int] = 1
    is_distance: ClassVar[bool] = True

    def score(
        self,
        release: RowPoints,
        targets: RowPoints,
        reference: RowPoints | None,
        rng: np.random.Generator,  # noqa: ARG002
    ) -> Floats:
        """(n_targets,) higher means nearer to the release than to the reference. Draws nothing at random."""
        return dcr_diff(release, targets, needed(reference, self.title))


PLUGIN = DcrDiff
