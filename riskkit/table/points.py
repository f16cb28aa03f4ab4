"""Rows as points: what every attack on a released file measures, whether it was given tables or plain arrays.

A person may carry a bag of rows of a second table. Bags are rows of one table, those of a bag side by side and in an
order that follows from their content, or from the column of a date where their order is kept. To take some people is to
take where their bags begin and end; no child is copied for it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from riskkit.core import Codes, Floats, Ints, Table
from riskkit.errors import DesignError
from riskkit.table import large
from riskkit.table.encode import scale_column


@dataclass(frozen=True, slots=True, eq=False)
class Bags:
    """``rows`` are children; the bag of person i is the ``size[i]`` of them from ``first[i]`` on, none where it is 0.

    ``ordered`` where the children of a person stand in the order of a date.
    """

    rows: RowPoints
    first: Ints
    size: Ints
    ordered: bool = False

    @classmethod
    def build(cls, children: RowPoints, owner: Ints, people: int, order: Floats | None = None) -> Bags:
        """The bags of so many people.

        Parameters
        ----------
        children
            The rows of the second table.
        owner : (n_children,)
            Whose each is, as a number from 0 to less than ``people``.
        order : (n_children,), optional
            What children of a person are ordered by before their content, a missing value last: days, say.
        """
        content = [*children.codes.T[::-1], *children.numbers.T[::-1]]
        first = [] if order is None else [np.where(np.isnan(order), np.inf, order)]
        rows = np.lexsort([*content, *first, owner])
        size = np.bincount(owner, minlength=people).astype(np.int64)
        return cls(children.rows(rows), np.cumsum(size) - size, size, order is not None)

    def __len__(self) -> int:
        return len(self.size)

    def take(self, index: Ints) -> Bags:
        """The bags of these people, in this order."""
        return replace(self, first=self.first[index], size=self.size[index])

    def plus(self, other: Bags) -> Bags:
        """These bags and then those."""
        first = np.concatenate([self.first, other.first + len(self.rows)])
        return replace(self, rows=self.rows.plus(other.rows), first=first, size=np.concatenate([self.size, other.size]))

    @property
    def places(self) -> Ints:
        """(n_children,) where in ``rows`` the children of all these people stand, person by person."""
        before = np.cumsum(self.size) - self.size
        return np.repeat(self.first - before, self.size) + np.arange(int(self.size.sum()))

    @property
    def owner(self) -> Ints:
        """(n_children,) the place of the person of each child of :attr:`places`."""
        return np.repeat(np.arange(len(self)), self.size)

    def pack(self) -> Bags:
        """The same bags with no children beside theirs; one that several people share is there for each of them."""
        return replace(self, rows=self.rows.rows(self.places), first=np.cumsum(self.size) - self.size)

    def with_bags(self, people: Ints, bags: Bags) -> Bags:
        """The same with other bags for these people."""
        first, size = self.first.copy(), self.size.copy()
        first[people], size[people] = bags.first + len(self.rows), bags.size
        return replace(self, rows=self.rows.plus(bags.rows), first=first, size=size)

    def rank(self) -> Ints:
        """(n,) the place of each bag among the different ones, by content alone; equal bags share it."""
        numbers = self.rows.numbers + 0.0  # -0.0 and 0.0 are one number
        content = np.hstack([numbers, self.rows.codes.astype(np.float64)])
        kinds = (
            np.unique(content, axis=0, return_inverse=True)[1].reshape(-1) if content.size else np.zeros(len(content))
        )
        listed = kinds[self.places].tolist()
        ends = np.cumsum(self.size).tolist()
        bags = [tuple(listed[end - size : end]) for end, size in zip(ends, self.size.tolist(), strict=True)]
        place = {bag: index for index, bag in enumerate(sorted(set(bags)))}
        return np.array([place[bag] for bag in bags], dtype=np.int64)

    def features(self, matrix: Floats) -> Floats:
        """(n, 2 * width + 1) of each bag the mean and the mean square of the columns (n_rows, width) of its children,
        and the logarithm of 1 and how many they are; an empty bag has the means of all."""
        rows, owner = self.places, self.owner
        columns = np.hstack([matrix, matrix**2])[rows]
        out = np.tile(columns.mean(axis=0) if len(columns) else np.zeros(2 * matrix.shape[1]), (len(self), 1))
        some = np.flatnonzero(self.size)
        if len(some):
            begin = np.flatnonzero(np.concatenate([[True], owner[1:] != owner[:-1]]))
            out[some] = np.add.reduceat(columns, begin, axis=0) / self.size[some, None]
        return np.hstack([out, np.log1p(self.size)[:, None]])


Texts = npt.NDArray[np.object_]

DECIMALS = 9
"""Decimals to which numbers come back from standard deviations: what was lost on the way is rounded off."""
OF_A_DEVIATION = 12
"""Numbers are one value where they agree to so many decimals of a standard deviation, whatever sums lost on the way."""


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class RowPoints:
    """Rows with a distance between them: the root of squared differences of numbers plus 1 for each code that differs.

    ``numbers`` is (n, n_numbers) float64 without gaps. ``codes`` is (n, n_codes) int32, each at least 0 and below its
    column's entry in ``sizes``. A value that is missing is its column's mean among the numbers and a code of its own
    beside them, so two missing values agree and one is at least 1 away from any number. ``scales`` are the mean and
    the unit of each number column, by which :meth:`raw` has the table's own units again; empty where ``numbers`` are as
    they were given. ``levels`` are the texts of the first columns of codes, where there are any. ``texts`` (n, n_texts)
    are free texts of each row, no part of any distance; None where there are none. ``children`` are the rows of a
    second table that belong to each row, likewise.
    """

    numbers: Floats
    codes: Codes
    sizes: tuple[int, ...]
    scales: tuple[tuple[float, float], ...] = ()
    levels: tuple[tuple[str, ...], ...] = ()
    texts: Texts | None = None
    children: Bags | None = None

    def __len__(self) -> int:
        return len(self.numbers)

    def rows(self, index: npt.ArrayLike) -> RowPoints:
        """The points at these positions (k,), in this order."""
        places = np.asarray(index)
        chosen = places if places.size else places.astype(np.int64)  # an empty list is no float array here
        texts = None if self.texts is None else self.texts[chosen]
        children = None if self.children is None else self.children.take(chosen)
        numbers, codes = large.take_rows(self.numbers, chosen), large.take_rows(self.codes, chosen)
        return replace(self, numbers=numbers, codes=codes, texts=texts, children=children)

    def plus(self, other: RowPoints) -> RowPoints:
        """These points and then those."""
        numbers, codes = large.join_rows([self.numbers, other.numbers]), large.join_rows([self.codes, other.codes])
        texts = None if self.texts is None or other.texts is None else np.vstack([self.texts, other.texts])
        bags = None if self.children is None or other.children is None else self.children.plus(other.children)
        return replace(self, numbers=numbers, codes=codes, texts=texts, children=bags)

    def raw(self) -> RowPoints:
        """The same rows with numbers in the table's own units, a missing one the mean; equal numbers are equal."""
        if not self.scales:
            return self
        mean, unit = np.array(self.scales).T
        return RowPoints(np.round(self.numbers * unit + mean, DECIMALS), self.codes, self.sizes)

    def matrix(self) -> Floats:
        """(n, width) the same points with straight-line distances: numbers, then each code one-hot over the root of 2.

        Every level keeps its dimension, so columns of zeros and collinear columns are usual.
        """
        width = self.numbers.shape[1] + sum(self.sizes)
        out = np.zeros((len(self), width))
        out[:, : self.numbers.shape[1]] = self.numbers
        starts = self.numbers.shape[1] + np.cumsum([0, *self.sizes])[:-1]
        rows = np.arange(len(self))
        for position, start in enumerate(starts):
            out[rows, start + self.codes[:, position]] = np.sqrt(0.5)
        return out


def values_of(parts: Sequence[RowPoints]) -> tuple[list[Ints], list[Ints]]:
    """Of each column of numbers, and of codes, the number of each row's value, part after part; equal values share it.

    Numbers are compared exactly, as values.
    """
    numbers, codes = (
        [np.concatenate(column) for column in zip(*(array.T for array in arrays), strict=True)]
        for arrays in ([part.numbers for part in parts], [part.codes for part in parts])
    )
    exact = [np.unique(np.round(column, OF_A_DEVIATION) + 0.0, return_inverse=True)[1] for column in numbers]
    return exact, [column.astype(np.int64) for column in codes]


def points_of(tables: Sequence[Table]) -> tuple[RowPoints, ...]:
    """Tables of one schema as points: numbers in standard deviations of the joint schema, categories as codes.

    Raises
    ------
    DesignError
        The schema has no column to measure.
    """
    schema = tables[0].schema
    if not schema.modelled:
        raise DesignError.phrase(
            "No column is left to compare rows by. Give at least one column a role on the Data page."
        )
    sizes = tuple(len(column.levels) for column in schema.categorical)
    with_gaps = [position for position, column in enumerate(schema.numeric) if column.has_missing]
    scales = tuple((column.mean, column.sd) for column in schema.numeric)
    levels = tuple(column.levels for column in schema.categorical)
    fill = np.zeros(len(schema.numeric))
    return tuple(
        replace(_fill_missing(scaled_columns(table), table.codes, sizes, fill, with_gaps), scales=scales, levels=levels)
        for table in tables
    )


def scaled_columns(table: Table) -> Floats:
    """(n, n_numeric) the numbers, less the column's mean, in its standard deviations; missing stays missing."""
    out: Floats = large.empty((len(table), len(table.schema.numeric)), np.float64)
    for position, column in enumerate(table.schema.numeric):
        for block in large.blocks(len(table)):
            out[block, position] = scale_column(table.numbers[block, position], column, "standard")
    return out


def points_of_arrays(arrays: Sequence[npt.ArrayLike]) -> tuple[RowPoints, ...]:
    """Plain arrays (n, d) as points, numbers just as they are; a NaN is a missing value.

    Raises
    ------
    DesignError
        An array is not two-dimensional, widths differ, or a value is infinite or no number.
    """
    matrices = [_numbers(array) for array in arrays]
    if len({array.shape[1] for array in matrices}) > 1:
        widths = ", ".join(str(array.shape[1]) for array in matrices)
        raise DesignError(f"The arrays have {widths} columns; give arrays of one width.")
    everything = np.vstack(matrices)
    gaps = np.isnan(everything)
    mean = np.array([_mean(column[~gap]) for column, gap in zip(everything.T, gaps.T, strict=True)])
    with_gaps = np.flatnonzero(gaps.any(axis=0)).tolist()
    return tuple(
        _fill_missing(array, np.empty((len(array), 0), dtype=np.int32), (), mean, with_gaps) for array in matrices
    )


def _mean(known: Floats) -> float:
    """The mean, rounded once: the same bytes in every order of the rows; 0 of nothing."""
    return math.fsum(known) / max(1, len(known))


def _numbers(array: npt.ArrayLike) -> Floats:
    try:
        out = np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DesignError("An array holds something that is no number; encode categories as numbers first.") from error
    if out.ndim != 2:
        raise DesignError(f"An array has {out.ndim} dimensions; give (rows, columns).")
    if np.isinf(out).any():
        raise DesignError("An array holds an infinite value; leave it out or mark it as missing (NaN).")
    return out


def _fill_missing(
    numbers: Floats, codes: Codes, sizes: tuple[int, ...], fill: Floats, with_gaps: Sequence[int]
) -> RowPoints:
    """Points whose missing numbers are filled, with a code beside them that says so."""
    values = large.empty(numbers.shape, np.float64)
    every = large.empty((len(numbers), codes.shape[1] + len(with_gaps)), np.int32)
    for block in large.blocks(len(numbers)):
        gaps = np.isnan(numbers[block])
        values[block] = np.where(gaps, fill, numbers[block])
        every[block, : codes.shape[1]] = codes[block]
        every[block, codes.shape[1] :] = gaps[:, list(with_gaps)]
    return RowPoints(values, every, (*sizes, *[2] * len(with_gaps)))


WIDTH = 160
"""Numbers and levels of categories that are told apart."""


def width(points: RowPoints) -> int:
    """How many numbers and levels the columns have together."""
    return int(points.numbers.shape[1]) + sum(points.sizes)


def pool_rare(parts: Sequence[RowPoints], by: Sequence[RowPoints], most: int = WIDTH) -> tuple[RowPoints, ...]:
    """The same rows, each level that is rare in its column taken for one and the same.

    The most frequent levels are kept, whatever their column, so many that all numbers and levels, each column's pooled
    one among them, are no more than ``most``; each column keeps at least its most frequent level, and none but that
    which no row has. Where they are no
    more to begin with, or there are numbers only, the parts come back as they are.

    Parameters
    ----------
    parts
        Points of one layout.
    by
        The rows whose levels are counted: of that layout, and chosen without a look at who was in.
    """
    first = parts[0]
    if width(first) <= most or not first.sizes:
        return tuple(parts)
    counts = [
        np.bincount(np.concatenate([rows.codes[:, position] for rows in by]), minlength=size)
        for position, size in enumerate(first.sizes)
    ]
    new = _level_codes(counts, most - first.numbers.shape[1])
    sizes = tuple(int(codes.max()) + 1 for codes in new)
    return tuple(replace(part, codes=_recode(part.codes, new), sizes=sizes) for part in parts)


def _level_codes(counts: Sequence[Ints], most: int) -> list[Codes]:
    """The new code of every level of each column: levels that are kept in their order, then all others as one."""
    column = np.repeat(np.arange(len(counts)), [len(each) for each in counts])
    level = np.concatenate([np.arange(len(each)) for each in counts])
    often = np.concatenate(counts)
    order = np.lexsort((level, column, -often))
    is_top = np.zeros(len(order), dtype=bool)
    is_top[order[np.unique(column[order], return_index=True)[1]]] = True  # each column's most frequent
    rest = order[~is_top[order] & (often[order] > 0)]  # levels that no row has are all alike
    is_top[rest[: max(most - 2 * len(counts), 0)]] = True
    out = []
    for position in range(len(counts)):
        kept = is_top[column == position]
        codes = np.cumsum(kept) - 1
        out.append(np.where(kept, codes, kept.sum()).astype(np.int32))
    return out


def _recode(codes: Codes, new: Sequence[Codes]) -> Codes:
    return np.column_stack([names[codes[:, position]] for position, names in enumerate(new)]).astype(np.int32)
