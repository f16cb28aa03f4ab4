"""Levenshtein: how few letters must change until the record, written as text, is a released row?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Floats
from riskkit.parameters import check_parameters, parameter
from riskkit.released._caps import some
from riskkit.released._distances import RELEASED, at_least
from riskkit.released._edits import nearest_texts
from riskkit.table.points import RowPoints


@dataclass(frozen=True)
class Levenshtein:
    """Less the edit distance from the record's text to the nearest released row's, both written as a line of a file.

    References
    ----------
    .. [1] When tables leak: attacking string memorization in LLM-based tabular data generation (LevAtt, 2025).
    .. [2] Myers 1999, A fast bit-vector algorithm for approximate string matching based on dynamic programming,
       Journal of the ACM 46:395-415. Hyyro 2003, A bit-vector algorithm for computing Levenshtein and Damerau edit
       distances, Nordic Journal of Computing 10:29-39.
    """

    name: ClassVar[str] = "levenshtein"
    title: ClassVar[str] = "Letters that differ (Levenshtein)"
    card: ClassVar[str] = (
        'Writes records and released rows as lines of a file and says "in" where few letters must change. Needs '
        "nothing but the release. Finds what a language model repeats letter by letter: a number with one digit "
        "changed is near, however large the digit. Slow, so it is asked by name alone."
    )
    needs_reference: ClassVar[bool] = False
    reads_text: ClassVar[bool] = True
    in_all: ClassVar[bool] = False
    """Every pair of texts is compared: minutes for large files."""

    rows: int = parameter(
        10_000,
        label="Released rows",
        help="Most released rows that are compared with, drawn at random where there are more.",
        low=1,
        high=1_000_000,
        unit="rows",
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
        """(n_targets,) less the fewest letters."""
        at_least(1, release, RELEASED, self.title)
        return -nearest_texts(texts(targets), texts(some(release, self.rows, rng))).astype(np.float64)


def texts(points: RowPoints) -> list[str]:
    """A line for each row: its values with commas, numbers in the table's own units, free texts last."""
    raw = points.raw()
    columns = [[f"{value:.10g}" for value in column] for column in raw.numbers.T.tolist()]
    for place, codes in enumerate(points.codes.T.tolist()):
        levels = points.levels[place] if place < len(points.levels) else ()
        # codes without levels: of plain arrays, or whether a number is missing
        columns.append([levels[code] if levels else str(code) for code in codes])
    columns += [] if points.texts is None else points.texts.T.tolist()
    return [",".join(line) for line in zip(*columns, strict=True)] if columns else [""] * len(points)


PLUGIN = Levenshtein
