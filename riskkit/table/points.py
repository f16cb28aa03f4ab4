"""Rows as points: what every attack on a released file measures, whether it was given tables or plain arrays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from riskkit.core import Codes, Floats, Ints, Table
from riskkit.errors import DesignError
from riskkit.phrases import phrase
from riskkit.table import large
from riskkit.table.bags import Bags
from riskkit.table.encode import scaled

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
        children = None if self.children is None else self.children.of_people(chosen)
        numbers, codes = large.taken(self.numbers, chosen), large.taken(self.codes, chosen)
        return replace(self, numbers=numbers, codes=codes, texts=texts, children=children)

    def plus(self, other: RowPoints) -> RowPoints:
        """These points and then those."""
        numbers, codes = large.joined([self.numbers, other.numbers]), large.joined([self.codes, other.codes])
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
        raise DesignError(
            phrase("No column is left to compare rows by. Give at least one column a role on the Data page.")
        )
    sizes = tuple(len(column.levels) for column in schema.categorical)
    with_gaps = [position for position, column in enumerate(schema.numeric) if column.has_missing]
    scales = tuple((column.mean, column.sd) for column in schema.numeric)
    levels = tuple(column.levels for column in schema.categorical)
    fill = np.zeros(len(schema.numeric))
    return tuple(
        replace(_filled(scaled_columns(table), table.codes, sizes, fill, with_gaps), scales=scales, levels=levels)
        for table in tables
    )


def scaled_columns(table: Table) -> Floats:
    """(n, n_numeric) the numbers, less the column's mean, in its standard deviations; missing stays missing."""
    out: Floats = large.empty((len(table), len(table.schema.numeric)), np.float64)
    for position, column in enumerate(table.schema.numeric):
        for block in large.blocks(len(table)):
            out[block, position] = scaled(table.numbers[block, position], column, "standard")
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
    return tuple(_filled(array, np.empty((len(array), 0), dtype=np.int32), (), mean, with_gaps) for array in matrices)


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


def _filled(numbers: Floats, codes: Codes, sizes: tuple[int, ...], fill: Floats, with_gaps: Sequence[int]) -> RowPoints:
    """Points whose missing numbers are filled, with a code beside them that says so."""
    values = large.empty(numbers.shape, np.float64)
    every = large.empty((len(numbers), codes.shape[1] + len(with_gaps)), np.int32)
    for block in large.blocks(len(numbers)):
        gaps = np.isnan(numbers[block])
        values[block] = np.where(gaps, fill, numbers[block])
        every[block, : codes.shape[1]] = codes[block]
        every[block, codes.shape[1] :] = gaps[:, list(with_gaps)]
    return RowPoints(values, every, (*sizes, *[2] * len(with_gaps)))
