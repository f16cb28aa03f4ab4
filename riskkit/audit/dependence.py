"""Which pairs of columns belong together in the real table and no longer in the release, or only there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from riskkit.core import Column, Floats, Ints, Table
from riskkit.seeds import stream
from riskkit.stats.dependence import associations, largest_by_chance

COLUMNS = 30
"""Columns that are looked at, at most: their pairs grow with the square."""
BINS = 8
"""Groups of a number or date, with as many real rows in each."""
LEVELS = 11
"""Levels of a category that stand for themselves; the others are one."""


@dataclass(frozen=True, slots=True)
class PairOfColumns:
    """Two columns with their association in the real table and in the release, 0 to 1."""

    first: str
    second: str
    real: float
    released: float

    @property
    def change(self) -> float:
        """Released less real: below 0 where dependence was lost, above 0 where it was invented."""
        return self.released - self.real


@dataclass(frozen=True, slots=True, eq=False)
class Dependence:
    """Associations of all pairs of ``columns`` in both tables, (k, k).

    ``noise`` is the change that another sample of the real population, as large as the release, would exceed at any
    pair once in 20. ``total`` columns could have been looked at.
    """

    columns: tuple[str, ...]
    real: Floats
    released: Floats
    noise: float
    total: int

    def pairs(self) -> tuple[PairOfColumns, ...]:
        """Every pair, the largest loss first and the largest invention last."""
        first, second = np.triu_indices(len(self.columns), 1)
        every = [
            PairOfColumns(self.columns[a], self.columns[b], float(self.real[a, b]), float(self.released[a, b]))
            for a, b in zip(first, second, strict=True)
        ]
        return tuple(sorted(every, key=lambda pair: (pair.change, pair.first, pair.second)))

    def is_beyond_chance(self, pair: PairOfColumns) -> bool:
        """Whether its change is larger than another sample of the population would show."""
        return abs(pair.change) > self.noise


def dependence(real: Table, released: Table) -> Dependence | None:
    """The dependence of the columns that attacks use, in both tables; None where there are no two of them, or no rows.

    Numbers and dates are cut where the real table has equal shares of rows, rare levels of a category are put together;
    a missing value is a level of its own.
    """
    every = real.schema.modelled
    columns = every[:COLUMNS]
    if len(columns) < 2 or not (len(real) and len(released)):
        return None
    coded = [_group_codes(column, real, released) for column in columns]
    levels = [1 + max(int(part.max()) for part in pair) for pair in coded]
    of_real, of_released = (np.column_stack([pair[side] for pair in coded]) for side in (0, 1))
    return Dependence(
        columns=tuple(column.name for column in columns),
        real=associations(of_real, levels),
        released=associations(of_released, levels),
        noise=largest_by_chance(of_real, levels, len(released), stream(0, "dependence", "halves")),
        total=len(every),
    )


def _group_codes(column: Column, real: Table, released: Table) -> tuple[Ints, Ints]:
    """The group of each row of both tables, from 0."""
    values = [_values(column, table) for table in (real, released)]
    if column.is_numeric:
        known = values[0][np.isfinite(values[0])]
        cuts = np.unique(np.quantile(known, np.arange(1, BINS) / BINS)) if len(known) else np.empty(0)
        return _bins(values[0], cuts), _bins(values[1], cuts)
    often = np.argsort(-np.bincount(values[0].astype(np.int64), minlength=len(column.levels)), kind="stable")
    group = np.full(len(often), LEVELS, dtype=np.int64)
    group[often[:LEVELS]] = np.arange(min(LEVELS, len(often)))
    return group[values[0].astype(np.int64)], group[values[1].astype(np.int64)]


def _bins(values: Floats, cuts: Floats) -> Ints:
    """The bin of each number; what is missing is one more."""
    bins = np.searchsorted(cuts, values, side="left")
    return np.where(np.isfinite(values), bins, len(cuts) + 1).astype(np.int64)


def _values(column: Column, table: Table) -> Floats:
    if column.is_numeric:
        place = [other.name for other in table.schema.numeric].index(column.name)
        return table.numbers[:, place]
    place = [other.name for other in table.schema.categorical].index(column.name)
    return np.asarray(table.codes[:, place], dtype=np.float64)
