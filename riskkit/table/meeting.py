"""Columns whose real and released values hardly meet: where both files may write the same value in two ways.

A copied row that is written otherwise is seen by nobody, so such a column stands in the way of every statement that
there is no leak.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from riskkit.core import Bools, Codes, Column, Floats, Table
from riskkit.errors import Gravity, Problem

LEAST = 0.5
"""The share of a column's released values that must stand among the real ones."""


@dataclass(frozen=True, slots=True)
class Apart:
    """A column, and the share of its released values that are values of the real table too."""

    column: str
    shared: float


def apart(real: Table, release: Table) -> tuple[Apart, ...]:
    """The modelled columns of which less than :data:`LEAST` of the released values are met in the real table.

    A category meets where it is a category of some real row; a number where it lies between the smallest and the
    largest real one. Missing values meet missing values.
    """
    shares = [(column.name, _shared(column, real, release)) for column in real.schema.modelled]
    return tuple(Apart(name, share) for name, share in shares if share < LEAST)


def meeting_problems(columns: Sequence[Apart], file: str) -> list[Problem]:
    """A question about each such column: nobody but the steward knows whether both files mean the same."""
    do = "Write the same value alike in both files; until then it cannot be shown that there is no leak."
    return [
        Problem(
            Gravity.QUESTION,
            "values_apart",
            f"{one.shared:.0%} of the released values are met in the real file; it may write them in another way.",
            do,
            file,
            one.column,
        )
        for one in columns
    ]


def _shared(column: Column, real: Table, release: Table) -> float:
    schema = real.schema
    if column.is_numeric:
        at = schema.numeric.index(column)
        return share_of_numbers(real.numbers[:, at], release.numbers[:, at])
    at = schema.categorical.index(column)
    return share_of_codes(real.codes[:, at], release.codes[:, at])


def share_of_codes(real: Codes, release: Codes) -> float:
    """The share of released codes (n,) of a column that some real row has; 1 of an empty release."""
    return float(np.isin(release, np.unique(real)).mean()) if len(release) else 1.0


def share_of_numbers(real: Floats, release: Floats) -> float:
    """The share of released numbers (n,) of a column from the least to the largest real one; 1 of an empty release."""
    return float(_numbers_met(real, release).mean()) if len(release) else 1.0


def _numbers_met(real: Floats, release: Floats) -> Bools:
    known = real[~np.isnan(real)]
    missing = np.isnan(release)
    has_missing = len(known) < len(real)
    if not len(known):
        return missing if has_missing else np.zeros(len(release), dtype=bool)
    inside: Bools = (release >= known.min()) & (release <= known.max())
    return np.where(missing, has_missing, inside)
