"""People in groups by the values of a column: the levels of a category, four bands of a number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from riskkit.core import MISSING, Column, Floats, Ints, Kind, Schema, Table
from riskkit.table.features import Secret

BANDS = (0.25, 0.5, 0.75)
"""A number is cut into four groups at these shares of its members."""
FEW_LEVELS = 12
"""Levels of a category by which people are grouped without being asked."""
NOBODY = "missing"
"""The group of those without a value."""


@dataclass(frozen=True, slots=True, eq=False)
class Grouping:
    """The groups of one column: their ``names`` by number, and for each table the number (n,) of every row's."""

    by: str
    names: tuple[str, ...]
    is_banded: bool
    number: Mapping[str, Ints]


def grouped(by: str, tables: Mapping[str, Table], first: str) -> Grouping:
    """The groups of that column; bands of a number are cut by those of the table ``first``.

    Raises
    ------
    DesignError
        There is no such column, or it is not in use.
    """
    own = Secret.of(tables[first], by)
    column = own.column
    if not column.is_numeric:
        names = tuple(level or NOBODY for level in column.levels)
        return Grouping(by, names, False, {of: _codes(Secret.of(table, by)) for of, table in tables.items()})
    there = own.values[own.present]
    cuts = np.unique(np.quantile(there, BANDS)) if len(there) else np.empty(0)
    number = {of: _bands(Secret.of(table, by).values, cuts) for of, table in tables.items()}
    return Grouping(by, (*_band_names(cuts, column), NOBODY), True, number)


def guessed(schema: Schema, most: int) -> tuple[str, ...]:
    """The columns by which people are grouped where nobody said: categories of few levels and numbers, at most so many.

    Categories come first, each kind in file order.
    """
    few = [
        column.name
        for column in schema.categorical
        if 2 <= sum(level != MISSING for level in column.levels) <= FEW_LEVELS
    ]
    return tuple([*few, *(column.name for column in schema.numeric)][:most])


def _codes(own: Secret) -> Ints:
    return own.codes.astype(np.int64)


def _band_names(cuts: Floats, column: Column) -> Sequence[str]:
    """The name of each band."""
    ends = [_written(cut, column) for cut in cuts]
    middle = [f"above {low} to {high}" for low, high in pairwise(ends)]
    return [f"up to {ends[0]}", *middle, f"above {ends[-1]}"] if ends else ["any"]


def _bands(values: Floats, cuts: Floats) -> Ints:
    """(n,) the number of the band of each number; the last, beyond all bands, where there is none."""
    place = np.searchsorted(cuts, np.nan_to_num(values), side="left")
    return np.where(np.isnan(values), len(cuts) + 1, place).astype(np.int64)


def _written(cut: float, column: Column) -> str:
    """The end of a band as its column is read."""
    if column.kind is Kind.DATE:
        return str(np.datetime64(round(cut), "D"))
    return f"{cut:.{column.decimals}f}"


def named(grouping: Grouping, of: str) -> npt.NDArray[np.str_]:
    """(n,) the name of the group of every row of that table."""
    return np.asarray(grouping.names, dtype=np.str_)[grouping.number[of]]
