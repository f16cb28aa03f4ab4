"""Coarser values of one column: numbers and dates into bins, rare levels into one. All of it reads the release alone.

Only the released values are looked at, so what is released afterwards says nothing of the real table that the release
did not say before.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from riskkit.core import MISSING, Bools, Column, Floats, Ints, Kind, Table
from riskkit.errors import ParameterError, nearest
from riskkit.phrases import phrase
from riskkit.table.kinds.dates import write_day
from riskkit.table.text import TextTable

BINS, WIDTH, RARE = "bins", "width", "rare"
HOW = (BINS, WIDTH, RARE)
FORM = "COLUMN=bins:N, COLUMN=width:W or COLUMN=rare:N"
"""How a coarsening is written."""
KINDS = {Kind.NUMERIC: phrase("numeric"), Kind.CATEGORICAL: phrase("categorical"), Kind.DATE: phrase("date")}
"""What a column that can be made coarser is."""
OTHER = "other"
"""What pooled levels are called where the column has no such level yet."""


@dataclass(frozen=True, slots=True)
class Coarsening:
    """How the values of one column are made coarser.

    ``bins`` makes ``size`` bins that hold about as many rows each, ``width`` bins as wide as ``size`` (of dates: days);
    both are for numbers and dates. ``rare`` makes one level of all that stand in fewer than ``size`` rows.

    Raises :class:`ParameterError` where the size is out of range.
    """

    column: str
    how: str
    size: float

    def __post_init__(self) -> None:
        if self.how not in HOW:
            raise ParameterError.phrase("A column is made coarser by {how}; write {form}.", how=tuple(HOW), form=FORM)
        if not (np.isfinite(self.size) and self.size > 0):
            raise ParameterError.phrase(
                "{column}: the size after {how}: is a number above 0.", column=self.column, how=self.how
            )
        if self.how in (BINS, RARE) and (self.size < 2 or self.size != int(self.size)):
            raise ParameterError.phrase(
                "{column}: the size after {how}: is a whole number of 2 or more.", column=self.column, how=self.how
            )

    @classmethod
    def parse(cls, text: str) -> Coarsening:
        """The coarsening that is written so; a name may hold an equals sign.

        Raises
        ------
        ParameterError
            It is written otherwise.
        """
        column, _, rest = text.rpartition("=")
        how, _, size = rest.partition(":")
        try:
            amount = float(size)
        except ValueError:
            raise ParameterError.phrase("A coarsening is written {form}.", form=FORM) from None
        return cls(column, how.strip(), amount)

    def __str__(self) -> str:
        return f"{self.column}={self.how}:{self.size:g}"

    def fits(self, column: Column) -> bool:
        """Whether a column of that kind can be made coarser so."""
        return column.is_numeric == (self.how != RARE)


@dataclass(frozen=True, slots=True)
class CoarsenedColumn:
    """What a coarsening does to a column of a release.

    ``before`` and ``after`` count its different values, ``changed`` the rows whose value is another one, ``fewest`` the
    rows of the rarest value that is left. ``moved`` is by how much a number that changed moved, in the middle; None of
    categories.
    """

    coarsening: Coarsening
    before: int
    after: int
    changed: int
    rows: int
    fewest: int
    moved: float | None


def coarsen_column(text: TextTable, table: Table, coarsening: Coarsening) -> tuple[TextTable, CoarsenedColumn]:
    """The release with that column made coarser, and what that does.

    Parameters
    ----------
    text : TextTable
        The release as it was read.
    table : Table
        The same rows, typed.

    Raises
    ------
    ParameterError
        The column is not in use, or of a kind that cannot be made coarser so.
    """
    column = next((modelled for modelled in table.schema.modelled if modelled.name == coarsening.column), None)
    if column is None or coarsening.column not in text.columns:
        raise ParameterError.phrase(
            "No column {column!r} is in use in this release{near}. Choose one of {names}.",
            column=coarsening.column,
            near=nearest(coarsening.column, [modelled.name for modelled in table.schema.modelled]),
            names=tuple(modelled.name for modelled in table.schema.modelled),
        )
    if not coarsening.fits(column):
        other = f"{RARE}:N" if not column.is_numeric else f"{BINS}:N or {WIDTH}:W"
        raise ParameterError.phrase(
            "{column} is {kind}: it is made coarser by {other}.",
            column=column.name,
            kind=KINDS.get(column.kind, str(column.kind)),
            other=other,
        )
    texts = np.array(text.column(column.name).to_pylist(), dtype=object)
    new, groups, moved = (
        _number_bins(texts, table, column, coarsening)
        if column.is_numeric
        else _level_bins(texts, table, column, coarsening)
    )
    there = groups >= 0
    sizes = np.unique(groups[there], return_counts=True)[1]
    effect = CoarsenedColumn(
        coarsening,
        before=_different(table, column),
        after=len(sizes),
        changed=int((new != texts).sum()),
        rows=len(texts),
        fewest=int(sizes.min()) if len(sizes) else 0,
        moved=moved,
    )
    return text.with_column(column.name, pa.chunked_array([pa.array(new.tolist(), pa.string())])), effect


def groups_of(table: Table, column: Column, coarsening: Coarsening) -> Ints:
    """(n,) the group that each row has in that column afterwards, -1 where its value is missing."""
    if column.is_numeric:
        values = _values(table, column)
        is_there = ~np.isnan(values)
        groups = np.full(len(values), -1, dtype=np.int64)
        known = values[is_there]
        if len(known):
            groups[is_there] = (
                bins(known, int(coarsening.size)) if coarsening.how == BINS else strips(known, coarsening.size)
            )
        return groups
    codes = _codes(table, column)
    lacks = _missing(codes, column)
    named = [code for code, level in enumerate(column.levels) if level == _pool(column)]
    counts = np.bincount(codes[~lacks], minlength=len(column.levels))
    pooled = np.isin(codes, rare(counts, int(coarsening.size), always=named)) & ~lacks
    return np.where(lacks, -1, np.where(pooled, named[0] if named else len(column.levels), codes))


def _pool(column: Column) -> str:
    """What the level of all rare ones is called in that column."""
    return next((level for level in column.levels if level.strip().lower() == OTHER), OTHER)


def _values(table: Table, column: Column) -> Floats:
    """(n,) the numbers of that column, NaN where missing."""
    position = next(place for place, numeric in enumerate(table.schema.numeric) if numeric.name == column.name)
    return table.numbers[:, position]


def _codes(table: Table, column: Column) -> Ints:
    position = next(place for place, category in enumerate(table.schema.categorical) if category.name == column.name)
    codes: Ints = table.codes[:, position].astype(np.int64)
    return codes


def _different(table: Table, column: Column) -> int:
    """How many different values it has, missing ones left out."""
    if column.is_numeric:
        values = _values(table, column)
        return len(np.unique(values[~np.isnan(values)]))
    codes = _codes(table, column)
    return len(np.unique(codes[~_missing(codes, column)]))


def _missing(codes: Ints, column: Column) -> Bools:
    lacks: Bools = np.array([level == MISSING for level in column.levels], dtype=np.bool_)[codes]
    return lacks


# --------------------------------------------------------------------------------------------------------------
# Numbers and dates


def _number_bins(
    texts: np.ndarray, table: Table, column: Column, coarsening: Coarsening
) -> tuple[np.ndarray, Ints, float]:
    """New texts, the bin of each row (-1 where missing), and how far a changed number moved in the middle."""
    values, groups = _values(table, column), groups_of(table, column, coarsening)
    is_there = ~np.isnan(values)
    if not is_there.any():
        return texts, groups, 0.0
    new, written = texts.copy(), np.full(len(values), np.nan)
    for group in np.unique(groups[is_there]):
        rows = np.flatnonzero(groups == group)
        if coarsening.how == BINS:
            middle = rows[np.argsort(values[rows], kind="stable")[(len(rows) - 1) // 2]]
            new[rows], written[rows] = texts[middle], values[middle]
        else:
            lowest = _middle(int(group), coarsening.size, column)
            new[rows], written[rows] = _text(lowest, column), lowest
    changed = is_there & (written != values)
    return new, groups, float(np.median(np.abs(written - values)[changed])) if changed.any() else 0.0


def bins(values: Floats, count: int) -> Ints:
    """(n,) the bin of each value: at most ``count`` that hold about as many values each; equal ones stay together."""
    edges = np.unique(np.quantile(values, np.arange(1, count) / count, method="inverted_cdf"))
    return np.searchsorted(edges, values, side="left").astype(np.int64)


def strips(values: Floats, width: float) -> Ints:
    """(n,) the strip of each value: strip 3 of width 10 goes from 30 to 40, without 40."""
    return np.floor(values / width + 1e-9).astype(np.int64)


def _middle(strip: int, width: float, column: Column) -> float:
    """The middle of a strip, as exact as the column is written; rounded down, so that it stays within."""
    unit = 1.0 if column.date_format else 10.0**-column.decimals
    return float(np.floor((strip + 0.5) * width / unit + 1e-9) * unit)


def _text(value: float, column: Column) -> str:
    if column.date_format:
        return write_day(value, column.date_format)
    written = f"{value:.{column.decimals}f}"
    return written.replace(".", ",") if column.commas == "decimal" else written


# --------------------------------------------------------------------------------------------------------------
# Categories


def _level_bins(
    texts: np.ndarray, table: Table, column: Column, coarsening: Coarsening
) -> tuple[np.ndarray, Ints, None]:
    """New texts, the level of each row (-1 where missing), and nothing: levels do not move."""
    codes, groups, new = _codes(table, column), groups_of(table, column, coarsening), texts.copy()
    moved = groups[(groups != codes) & (groups >= 0)]
    if len(moved):
        new[groups == moved[0]] = _pool(column)
    return new, groups, None


def rare(counts: Ints, fewest: int, always: list[int] | None = None) -> Ints:
    """The levels that become one: those with fewer rows than ``fewest``, and the next ones until all have as many.

    ``counts`` (k,) are the rows of each level; ``always`` are the levels that are the pool already. Empty where every
    level has rows enough.
    """
    pool = {level for level in always or () if counts[level]}
    order = [int(level) for level in np.argsort(counts, kind="stable") if counts[level] and int(level) not in pool]
    few = [level for level in order if counts[level] < fewest]
    if not few:
        return np.empty(0, dtype=np.int64)
    pool |= set(few)
    for level in order[len(few) :]:
        if sum(int(counts[member]) for member in pool) >= fewest:
            break
        pool.add(level)
    return np.array(sorted(pool), dtype=np.int64)
