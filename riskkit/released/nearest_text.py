"""Nearest text: how few letters must change until a free text of the record is a released one?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Floats
from riskkit.parameters import check_parameters, parameter
from riskkit.released._caps import some
from riskkit.released._distances import RELEASED, at_least
from riskkit.released._edits import nearest_shares
from riskkit.released._texts import texts_of
from riskkit.table.points import RowPoints


@dataclass(frozen=True)
class NearestText:
    """Less the smallest share of letters to change between the record's free text and a released one.

    The share is the edit distance over the length of the longer text, between 0 and 1; of several columns of free text
    the mean, each compared with released texts of its own column. A text that is missing is near none.

    References
    ----------
    .. [1] When tables leak: attacking string memorization in LLM-based tabular data generation (LevAtt, 2025).
    """

    name: ClassVar[str] = "nearest-text"
    title: ClassVar[str] = "Nearest released text"
    card: ClassVar[str] = (
        "Counts the letters that must change until a record's free text is a released one, as a share of the longer "
        "text. Needs a column that is kept as text, and nothing but the release. Finds texts that are copied whole or "
        "nearly; blind to a phrase within an otherwise new text. Slow, so at most a number of released rows, drawn at "
        "random, and the first letters of each text are compared."
    )
    needs_reference: ClassVar[bool] = False
    reads_text: ClassVar[bool] = True
    needs_text: ClassVar[bool] = True
    is_distance: ClassVar[bool] = True
    in_all: ClassVar[bool] = False
    """Most tables have no free text; an audit of one that has asks it."""

    rows: int = parameter(
        5_000,
        label="Released rows",
        help="Most released rows that are compared with, drawn at random where there are more.",
        low=1,
        high=1_000_000,
        unit="rows",
    )
    letters: int = parameter(
        200, label="Letters", help="First letters of each text that are compared.", low=1, high=10_000, unit="letters"
    )

    def __post_init__(self) -> None:
        check_parameters(self)

    def score(
        self,
        release: RowPoints,
        targets: RowPoints,
        reference: RowPoints | None,  # noqa: ARG002  the shape of every attack here
        rng: np.random.Generator,
    ) -> Floats:
        """(n_targets,) between -1 and 0, higher means nearer. Draws released rows where there are many."""
        at_least(1, release, RELEASED, self.title)
        asked = texts_of(targets, self.title)
        released = texts_of(some(release, self.rows, rng), self.title)
        columns = zip(asked.T, released.T, strict=True)
        shares = [nearest_shares(*([text[: self.letters] for text in side] for side in sides)) for sides in columns]
        return -np.asarray(np.mean(shares, axis=0), dtype=np.float64)


PLUGIN = NearestText
