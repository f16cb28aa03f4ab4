"""On which columns do the rows of many releases agree with a record, for many records?

Releases are turned once into places (small whole numbers, column by column), so that a record asks of a column only
whether a place lies within two ends. Every row then becomes a word of one bit a column, and an answer that is a sum
over sets of columns is a sum over rows of what each word is worth: one look-up a row, however many sets are asked.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from riskkit.core import Bools, Floats, Ints, Schema, Table
from riskkit.table.encode import layout

WIDEST = 15
"""The most columns whose sets are all asked together."""
NARROW, GROUPS = 12, 12
"""Of a wider table so many groups of so many columns are drawn, and the sets within each are asked."""
MISSING_PLACE = -1

Places = npt.NDArray[np.integer]
"""(d, n) or (releases, d, n) where each value lies."""
Words = npt.NDArray[np.int16]


@dataclass(frozen=True, eq=False)
class Agreement:
    """What it takes to agree with each of some records.

    A category agrees where it is equal. A number agrees where it is as far from its column's mean as the record's or
    further, on the record's side; a missing one where it is missing. ``groups`` are the columns that are looked at
    together, by their place in file order.
    """

    records: Table
    groups: tuple[tuple[int, ...], ...]

    @classmethod
    def group(cls, records: Table, rng: np.random.Generator) -> Agreement:
        """One group of all columns, or of more than :data:`WIDEST` several drawn ones that hold every column."""
        columns = len(records.schema.modelled)
        if columns <= WIDEST:
            return cls(records, (tuple(range(columns)),))
        order = np.concatenate([rng.permutation(columns) for _ in range(-(-GROUPS * NARROW // columns) + 1)])
        drawn = [sorted(set(order[index * NARROW : (index + 1) * NARROW].tolist())) for index in range(GROUPS)]
        whole = -(-columns // NARROW)
        rest = [sorted(range(columns)[index * NARROW : (index + 1) * NARROW]) for index in range(whole)]
        return cls(records, tuple(dict.fromkeys(tuple(group) for group in (*drawn, *rest))))

    @property
    def schema(self) -> Schema:
        """The schema of the records."""
        return self.records.schema

    @cached_property
    def values(self) -> tuple[Floats, ...]:
        """For each numeric column (n_different,) the sorted different values that the records have."""
        return tuple(np.unique(column[~np.isnan(column)]) for column in self.records.numbers.T)

    @cached_property
    def kind(self) -> npt.DTypeLike:
        """The smallest type that holds every place."""
        levels = [len(column.levels) for column in self.schema.categorical]
        most = max([*levels, *(2 * len(values) + 2 for values in self.values)], default=1)
        return np.int16 if most < 2**15 else np.int32

    def places(self, release: Table) -> Places:
        """(d, n) the code of a category; of a number twice its rank among the records' values, odd where it is one."""
        blocks = layout(self.schema)
        out = np.empty((len(blocks), len(release)), dtype=self.kind)
        for index, block in enumerate(blocks):
            if not block.column.is_numeric:
                out[index] = release.codes[:, block.source]
                continue
            numbers, values = release.numbers[:, block.source], self.values[block.source]
            rank = np.searchsorted(values, numbers)
            out[index] = 2 * rank + (values.take(rank, mode="clip") == numbers if len(values) else 0)
            out[index, np.isnan(numbers)] = MISSING_PLACE
        return out

    @cached_property
    def outward(self) -> Bools:
        """(records, n_numeric) whether a number agrees where it is at least the record's, else at most."""
        return self.records.numbers >= [column.mean for column in self.schema.numeric]

    @cached_property
    def bits(self) -> tuple[Ints, ...]:
        """For each group (d,) the bit of every category, then of every number; -1 where it is not in the group."""
        kinds = np.array([block.column.is_numeric for block in layout(self.schema)], dtype=bool)
        order = np.argsort(kinds, kind="stable").tolist()
        return tuple(np.array([group.index(c) if c in group else -1 for c in order]) for group in self.groups)

    @cached_property
    def ends(self) -> tuple[Places, Places]:
        """(records, d) the lowest and the highest place that agrees with each record."""
        blocks = layout(self.schema)
        low, high = (np.empty((len(self.records), len(blocks)), dtype=self.kind) for _ in range(2))
        for index, block in enumerate(blocks):
            if not block.column.is_numeric:
                low[:, index] = high[:, index] = self.records.codes[:, block.source]
                continue
            own, values = self.records.numbers[:, block.source], self.values[block.source]
            place = 2 * np.searchsorted(values, own) + 1
            outward, gone = self.outward[:, block.source], np.isnan(own)
            low[:, index] = np.where(gone, MISSING_PLACE, np.where(outward, place, 0))
            high[:, index] = np.where(gone, MISSING_PLACE, np.where(outward, 2 * len(values), place))
        return low, high

    def words(self, record: int, places: Places) -> tuple[Words, ...]:
        """For each group (releases, n) one word a row, of (releases, d, n) places."""
        from riskkit.table import _kernels

        out = []
        for group in self.groups:
            words = np.empty((len(places), places.shape[2]), dtype=np.int16)
            columns = np.array(group, dtype=np.int64)
            _kernels.words_of(places, self.ends[0][record], self.ends[1][record], columns, words)
            out.append(words)
        return tuple(out)

    def words_of_rows(self, record: int, release: Table) -> tuple[Words, ...]:
        """For each group (n,) the same words of one release that only this record is asked about."""
        from riskkit.table import _kernels

        own = self.records.codes[record], self.records.numbers[record], self.outward[record]
        out = tuple(np.empty(len(release), dtype=np.int16) for _ in self.groups)
        for bits, words in zip(self.bits, out, strict=True):
            _kernels.words_of_rows(release.codes, release.numbers, *own, bits, words)
        return out


@dataclass(frozen=True, slots=True, eq=False)
class CountSums:
    """The sum and the sum of squares of the count of each set over some releases; for each group (sets,)."""

    releases: int
    total: tuple[Floats, ...]
    squares: tuple[Floats, ...]

    @classmethod
    def count(cls, words: tuple[Words, ...], groups: tuple[tuple[int, ...], ...]) -> CountSums:
        """Count the words of every set, one release after the other."""
        from riskkit.table import _kernels

        total, squares = (tuple(np.zeros(2 ** len(group)) for group in groups) for _ in range(2))
        for own, sums, of_squares in zip(words, total, squares, strict=True):
            _kernels.sums_of_counts(own, sums, of_squares)
        return cls(len(words[0]), total, squares)


def worth_of_words(weight: Floats) -> Floats:
    """(sets,) what a row of each word adds to an answer that gives each set's count this weight."""
    from riskkit.table import _kernels

    worth: Floats = weight.copy()
    _kernels.subsets(worth)
    return worth


def answers(words: tuple[Words, ...], worth: tuple[Floats, ...]) -> Floats:
    """(releases,) the sum over groups and rows of what each word is worth."""
    from riskkit.table import _kernels

    out = np.zeros(len(words[0]))
    for own, worths in zip(words, worth, strict=True):
        _kernels.scores_of(own, worths, out)
    return out
