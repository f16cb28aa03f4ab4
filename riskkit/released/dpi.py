"""DPI: of the nearest rows, how many were released?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Floats
from riskkit.parameters import check_parameters, parameter
from riskkit.released._distances import dpi, needed
from riskkit.table.points import RowPoints


@dataclass(frozen=True)
class Dpi:
    """The share of released rows among the nearest of release and reference together.

    References
    ----------
    .. [1] Ward, Wang and Cheng, Data plagiarism index (2024).
    """

    name: ClassVar[str] = "dpi"
    title: ClassVar[str] = "Released rows among the nearest"
    card: ClassVar[str] = (
        "Scores a record higher the larger the share of released rows among its nearest rows, those of release and "
        "reference together; the share itself, before any curve that would round it. Needs the release and "
        "reference rows of the same population. Strong where a release crowds around its members; coarse, because "
        "only few different scores are possible."
    )
    needs_reference: ClassVar[bool] = True
    k: int = parameter(
        20,
        label="Nearest rows",
        help="How many of the nearest rows of release and reference together are looked at.",
        low=1,
        high=1000,
        unit="rows",
    )

    def __post_init__(self) -> None:
        check_parameters(self)

    @property
    def near(self) -> int:
        """How many of the nearest released rows it looks up."""
        return self.k + 1

    @property
    def near_people(self) -> int:
        """How many of the nearest rows of the people compared with it looks up."""
        return self.k + 1

    def score(
        self,
        release: RowPoints,
        targets: RowPoints,
        reference: RowPoints | None,
        rng: np.random.Generator,  # noqa: ARG002
    ) -> Floats:
        """(n_targets,) share between 0 and 1. Draws nothing at random."""
        return dpi(release, targets, needed(reference, self.title), self.k)


PLUGIN = Dpi
