"""Tables as matrices and distances, all fitted once on the joint schema.

Nothing here looks at the rows to settle a scale: the domain of the schema is frozen, so the same record has the
same coordinates in every world. How large a table becomes when each category is a dimension is looked at first.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np

from riskkit.core import Codes, Column, Floats, Ints, Schema, Table
from riskkit.errors import DesignError, Gravity, Problem
from riskkit.phrases import phrase

MOST_COLUMNS = 5_000
"""How many dimensions the one-hot form may have."""
MOST_CELLS = 250_000_000
"""How many numbers it may have, rows times dimensions: 2 GB of them."""
DO = phrase("Group its values, leave the column out, or take a random part of the rows.")


def dimensions(column: Column, *, drop_first: bool = True) -> int:
    """How many dimensions a column in use is encoded as.

    A number is one, two where the column has missing values; a category is one for each level, less the first where
    that is dropped.
    """
    if column.is_numeric:
        return 1 + column.has_missing
    return max(len(column.levels) - drop_first, 0)


def refuse_too_large(schema: Schema, rows: int, size: int) -> None:
    """Refuse to encode so many rows in so many dimensions.

    Raises
    ------
    DesignError
        They are too many; names the column with most levels, and says what to do.
    """
    if rows * size <= MOST_CELLS and (size <= MOST_COLUMNS or size <= MOST_COLUMNS + len(schema.modelled)):
        return  # the limit is for a form without the first levels: with them it has so many columns more
    widest = _widest(schema)
    raise DesignError.phrase(
        "With a column for each category the table has {rows:,} rows and {size:,} columns, {needed:,.1f} GB of "
        "numbers; at most {most:,} columns and {room:,.1f} GB are encoded. Column {name!r} has most levels: "
        "{levels:,}. {do}",
        rows=rows,
        size=size,
        needed=_gigabytes(rows * size),
        most=MOST_COLUMNS,
        room=_gigabytes(MOST_CELLS),
        name=widest.name,
        levels=len(widest.levels),
        do=DO,
    )


def width_problems(schema: Schema, rows: int, file: str) -> list[Problem]:
    """What to say of a file whose table is too large for the methods that encode it whole."""
    size = sum(dimensions(column, drop_first=False) for column in schema.modelled)
    if rows * size <= MOST_CELLS:
        return []
    widest = _widest(schema)
    what = phrase(
        "Methods that make a column of each category would need {needed:,.1f} GB for this table; they refuse more than "
        "{most:,.1f} GB. This column has most levels: {levels:,}.",
        needed=_gigabytes(rows * size),
        most=_gigabytes(MOST_CELLS),
        levels=len(widest.levels),
    )
    return [Problem(Gravity.WARNING, "too_wide", what, DO, file, widest.name, count=len(widest.levels))]


def _widest(schema: Schema) -> Column:
    return max(schema.modelled, key=lambda column: len(column.levels))


def _gigabytes(cells: int) -> float:
    return 8 * cells / 1e9


Scale = Literal["raw", "minmax", "standard"]
Metric = Literal["mixed", "euclidean", "raw"]


@dataclass(frozen=True, slots=True)
class OneHotBlock:
    """Where one column lies in the one-hot matrix.

    ``start`` is its first dimension and ``width`` their number: a number is one dimension (two where the column
    has missing values: the value, filled with the column's mean, and whether it is missing); a category is one
    for each level, less the first where that is dropped. ``source`` is its position in codes or numbers.
    """

    column: Column
    source: int
    start: int
    width: int


@lru_cache(maxsize=64)
def layout(schema: Schema, drop_first: bool = True) -> tuple[OneHotBlock, ...]:
    """The blocks of the one-hot matrix, in file order."""
    blocks: list[OneHotBlock] = []
    start = n_categorical = n_numeric = 0
    for column in schema.modelled:
        size = dimensions(column, drop_first=drop_first)
        blocks.append(OneHotBlock(column, n_numeric if column.is_numeric else n_categorical, start, size))
        n_numeric, n_categorical = n_numeric + column.is_numeric, n_categorical + (not column.is_numeric)
        start += size
    return tuple(blocks)


def width(schema: Schema, *, drop_first: bool = True) -> int:
    """How many dimensions the one-hot matrix has."""
    return sum(block.width for block in layout(schema, drop_first))


def onehot(table: Table, *, scale: Scale = "raw", drop_first: bool = True) -> Floats:
    """The table as a real matrix: numbers scaled, each category a dimension of zeros and ones.

    Parameters
    ----------
    scale
        ``raw`` keeps numbers as they are, ``minmax`` maps the column's domain to [0, 1], ``standard`` subtracts
        its mean and divides by its standard deviation. Zeros and ones are never scaled.
    drop_first
        Leave out the first level of each category, so that the dimensions are linearly independent.

    Returns
    -------
    (n, width) float64. A table with a relaxed form gives that form.

    Raises
    ------
    DesignError
        It would be too large (:mod:`riskkit.table.encode`); nothing is encoded then.
    """
    size = width(table.schema, drop_first=drop_first)
    refuse_too_large(table.schema, len(table), size)
    if table.relaxed is not None:
        return _from_relaxed(table, scale, drop_first)
    out = np.zeros((len(table), size))
    rows = np.arange(len(table))
    for block in layout(table.schema, drop_first):
        if block.column.is_numeric:
            values = table.numbers[:, block.source]
            if block.column.has_missing:
                missing = np.isnan(values)
                out[:, block.start + 1] = missing
                values = np.where(missing, block.column.mean, values)
            out[:, block.start] = scale_column(values, block.column, scale)
        else:
            codes = table.codes[:, block.source] - int(drop_first)
            inside = codes >= 0
            out[rows[inside], block.start + codes[inside]] = 1.0
    return out


def scale_column(values: Floats, column: Column, scale: Scale) -> Floats:
    """(n,) numbers of a column on that scale; a column without spread becomes 0."""
    if scale == "raw":
        return values
    origin, unit = (column.low, column.high - column.low) if scale == "minmax" else (column.mean, column.sd)
    return (values - origin) / unit if unit > 0 else np.zeros_like(values)


def _from_relaxed(table: Table, scale: Scale, drop_first: bool) -> Floats:
    """The relaxed form on another scale, the dropped level put back as what is left of 1."""
    assert table.relaxed is not None
    out = np.empty((len(table), width(table.schema, drop_first=drop_first)))
    for block, stored in zip(layout(table.schema, drop_first), layout(table.schema), strict=True):
        values = table.relaxed[:, stored.start : stored.start + stored.width]
        target = out[:, block.start : block.start + block.width]
        if block.column.is_numeric:
            target[:] = values
            target[:, 0] = scale_column(values[:, 0], block.column, scale)
        else:
            target[:, int(not drop_first) :] = values
            if not drop_first:
                target[:, 0] = 1.0 - values.sum(axis=1)
    return out


def from_one_hot(matrix: Floats, schema: Schema) -> Table:
    """The nearest valid rows to a raw-scale, first-level-dropped one-hot matrix (n, width).

    A category is the level with the largest weight (the dropped level weighs what is left of 1); a number is
    rounded to the column's decimals and clipped to its domain, and missing where its indicator is above one half.
    """
    return from_blocks([(0, matrix)], len(matrix), schema)


def from_blocks(blocks: Iterable[tuple[int, Floats]], n: int, schema: Schema) -> Table:
    """What :func:`from_one_hot` makes of a matrix that comes in blocks: where each starts, and its rows."""
    from riskkit.table import _kernels

    codes, places, plain_places = (
        np.empty((n, len(schema.categorical)), dtype=np.int32),
        _level_blocks(schema),
        _plain(schema),
    )
    plain = np.empty((len(plain_places), n))
    for start, matrix in blocks:
        end = start + len(matrix)
        _kernels.nearest_levels(matrix, places, codes[start:end])
        plain[:, start:end] = matrix[:, plain_places].T
    values, missing = plain[: len(schema.numeric)], plain[len(schema.numeric) :]
    low, high, alike = _domains(schema)
    for decimals, columns in alike:
        values[columns] = np.round(values[columns], decimals)
    np.clip(values, low, high, out=values)
    holes = [source for source, column in enumerate(schema.numeric) if column.has_missing]
    for source, indicator in zip(holes, missing, strict=True):
        values[source, indicator > 0.5] = np.nan
    return Table(schema, codes, values.T)


@lru_cache(maxsize=64)
def _plain(schema: Schema) -> Ints:
    """The dimensions of numbers, then those that say whether one is missing."""
    blocks = [block for block in layout(schema) if block.column.is_numeric]
    indicators = [block.start + 1 for block in blocks if block.column.has_missing]
    return np.array([block.start for block in blocks] + indicators, dtype=np.int64)


@lru_cache(maxsize=64)
def _domains(schema: Schema) -> tuple[Floats, Floats, tuple[tuple[int, slice | Ints], ...]]:
    """(n_numeric, 1) the ends of each number's domain, and which columns have so many decimals."""
    low, high = (
        np.array([getattr(column, end) for column in schema.numeric], dtype=float)[:, None] for end in ("low", "high")
    )
    decimals = np.array([column.decimals for column in schema.numeric], dtype=np.int64)
    alike: list[tuple[int, slice | Ints]] = [(int(d), np.flatnonzero(decimals == d)) for d in np.unique(decimals)]
    return low, high, tuple(alike if len(alike) != 1 else [(alike[0][0], slice(None))])


@lru_cache(maxsize=64)
def _level_blocks(schema: Schema) -> Ints:
    """(n_categorical, 2) where each category lies in the one-hot matrix, first level dropped, and its width."""
    blocks = [block for block in layout(schema) if not block.column.is_numeric]
    return np.array([(block.start, block.width) for block in blocks], dtype=np.int64).reshape(-1, 2)


def to_domain(values: Floats, column: Column) -> Floats:
    """(n,) numbers rounded to the column's decimals and clipped to its domain; NaN stays NaN."""
    return np.clip(np.round(values, column.decimals), column.low, column.high)


def labels(table: Table, *, scale: Scale = "raw") -> Floats:
    """(n, d) one dimension a column in file order: numbers scaled, categories as their code.

    With ``minmax`` codes are divided by the last code, with ``standard`` they are left as they are. Missing numbers
    are the column's mean.
    """
    out = np.empty((len(table), len(table.schema.modelled)))
    for position, block in enumerate(layout(table.schema)):
        column = block.column
        if column.is_numeric:
            values = table.numbers[:, block.source]
            out[:, position] = scale_column(np.where(np.isnan(values), column.mean, values), column, scale)
        else:
            last = max(len(column.levels) - 1, 1) if scale == "minmax" else 1
            out[:, position] = table.codes[:, block.source] / last
    return out


def bin_columns(table: Table, bins: int) -> tuple[Codes, tuple[int, ...]]:
    """Every column as codes: categories as they are, numbers in ``bins`` equal widths of their domain.

    A column with missing numbers has one bin more, the last. Returns (n, d) codes in file order, column by
    column in memory, and the number of codes of each column; :func:`from_bins` goes back.
    """
    out = np.empty((len(table.schema.modelled), len(table)), dtype=np.int32)
    sizes: list[int] = []
    for position, block in enumerate(layout(table.schema)):
        column = block.column
        if column.is_numeric:
            edges = bin_edges(column, bins)
            values = table.numbers[:, block.source]
            out[position] = np.searchsorted(edges[1:-1], values, side="right")
            if column.has_missing:
                out[position, np.isnan(values)] = len(edges) - 1
            sizes.append(len(edges) - 1 + column.has_missing)
        else:
            out[position] = table.codes[:, block.source]
            sizes.append(len(column.levels))
    return out.T, tuple(sizes)


@lru_cache(maxsize=1024)
def bin_edges(column: Column, bins: int) -> Floats:
    """(bins + 1,) the edges of ``bins`` equal widths over the column's domain; fewer where the column has fewer values.

    The values of a column are multiples of its last decimal, so edges lie half a step outside them and every bin
    holds whole steps.
    """
    step = 10.0**-column.decimals
    values = round((column.high - column.low) / step) + 1
    edges = column.low - step / 2 + np.linspace(0.0, float(values), min(bins, values) + 1).round() * step
    edges.flags.writeable = False  # every caller is given the same array
    return edges


@dataclass(frozen=True, slots=True)
class Bins:
    """The bins of all numbers of a schema, one after the other.

    ``low`` and ``width`` are the lower edge and the width of every bin; the last bin of a number is the missing one,
    NaN. The first bin of each number is at ``first`` (n_numeric, 1). ``numeric`` and ``categorical`` are the positions
    of the columns in file order, ``bounds`` (2, n_numeric, 1) the domains.
    """

    low: Floats
    width: Floats
    first: Ints
    numeric: Ints
    categorical: Ints
    bounds: Floats
    decimals: tuple[int, ...]

    @classmethod
    def lay_out(cls, schema: Schema, bins: int) -> Bins:
        """Lay out the bins of a schema."""
        edges = [bin_edges(column, bins) for column in schema.numeric]
        is_numeric = np.array([column.is_numeric for column in schema.modelled], dtype=bool)
        return cls(
            np.concatenate([[], *(np.append(own[:-1], np.nan) for own in edges)]),
            np.concatenate([[], *(np.append(np.diff(own), np.nan) for own in edges)]),
            np.cumsum([0, *map(len, edges)], dtype=np.int64)[:-1, None],
            np.flatnonzero(is_numeric),
            np.flatnonzero(~is_numeric),
            np.array([[[c.low] for c in schema.numeric], [[c.high] for c in schema.numeric]]).reshape(2, -1, 1),
            tuple(column.decimals for column in schema.numeric),
        )


all_bins = lru_cache(maxsize=64)(Bins.lay_out)


def from_bins(codes: Codes | Ints, schema: Schema, bins: int, rng: np.random.Generator) -> Table:
    """Rows for binned codes (n, d); a number is drawn uniformly among the values of its bin.

    Quickest where ``codes`` lie column by column in memory.
    """
    all_of = all_bins(schema, bins)
    cells = codes.T[all_of.numeric] + all_of.first
    drawn = rng.random(cells.shape)
    drawn *= all_of.width.take(cells)
    drawn += all_of.low.take(cells)
    for values, decimals in zip(drawn, all_of.decimals, strict=True):
        values.round(decimals, out=values)
    drawn.clip(*all_of.bounds, out=drawn)
    drawn += 0.0  # no zero has a sign
    return Table(schema, np.ascontiguousarray(codes.T[all_of.categorical].T, dtype=np.int32), drawn.T)


def distances(targets: Table, table: Table, metric: Metric = "mixed") -> Floats:
    """(n_targets, n) distance from each target to each row.

    ``mixed`` is Gower's: the mean over columns of 0/1 for categories and the share of the domain for numbers; two
    missing values agree, one missing value is as far as can be. ``euclidean`` is the straight line between min-max
    scaled one-hot rows, ``raw`` the one between one-hot rows whose numbers are in their own units. A relaxed table is
    measured by its nearest valid rows in ``mixed``, as it is in the other two.
    """
    out = np.zeros((len(targets), len(table)))
    if metric != "mixed":
        scale: Scale = "raw" if metric == "raw" else "minmax"
        left = onehot(targets, scale=scale, drop_first=False)
        right = onehot(table, scale=scale, drop_first=False)
        for position, row in enumerate(left):
            out[position] = np.sqrt(((right - row) ** 2).sum(axis=1))
        return out
    for position, column in enumerate(table.schema.categorical):
        if len(column.levels) > 1:
            out += targets.codes[:, [position]] != table.codes[:, position]
    for position, column in enumerate(table.schema.numeric):
        a, b = targets.numbers[:, [position]], table.numbers[:, position]
        if column.high > column.low:
            gap = np.abs(a - b) / (column.high - column.low)
            gap[np.isnan(gap)] = 1.0
            gap[np.isnan(a) & np.isnan(b)] = 0.0
            out += gap
    return out / max(len(table.schema.modelled), 1)
