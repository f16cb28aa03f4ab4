"""The rows of a release that look most like one person of the real table. They describe; they prove nothing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from riskkit.core import Bools, Table
from riskkit.errors import DesignError
from riskkit.phrases import phrase
from riskkit.table.neighbours import nearest
from riskkit.table.points import points_of


@dataclass(frozen=True, slots=True)
class Near:
    """A released row: its number, its distance from the person, and the columns in which both have the same value."""

    row: int
    distance: float
    same: tuple[str, ...]


def nearest_released(real: Table, release: Table, row: int, k: int = 5) -> list[Near]:
    """The ``k`` rows of the release nearest to that row of the real table, or all where it has fewer.

    Distance is the root of squared differences of numbers, in standard deviations, plus 1 for each category that
    differs.

    Raises
    ------
    DesignError
        The release has no rows, or the real table no such row.
    """
    if not 0 <= row < len(real) or not len(release):
        raise DesignError(phrase("There is no row {row} in the real table, or the release is empty.", row=row))
    person = real.rows([row])
    query, among = points_of((person, release))
    distance, places = nearest(query, among, min(k, len(release)))
    return [
        Near(int(place), float(far), same_values(person, release, int(place)))
        for far, place in zip(distance[0], places[0], strict=True)
    ]


def same_values(person: Table, release: Table, place: int) -> tuple[str, ...]:
    """The columns in which that row of the release has the person's value; missing equals missing."""
    codes: Bools = person.codes[0] == release.codes[place]
    numbers: Bools = (person.numbers[0] == release.numbers[place]) | (
        np.isnan(person.numbers[0]) & np.isnan(release.numbers[place])
    )
    schema = person.schema
    held = {column.name for column, same in zip(schema.categorical, codes, strict=True) if same}
    held |= {column.name for column, same in zip(schema.numeric, numbers, strict=True) if same}
    return tuple(column.name for column in schema.modelled if column.name in held)
