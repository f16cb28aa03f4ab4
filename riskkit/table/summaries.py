"""A table in a fixed number of figures: what its columns are like one by one, and how they go together.

Every table of a schema has the same figures in the same order: bins and levels are those of the frozen domain.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from riskkit.core import Floats, Ints, Schema, Table
from riskkit.table.encode import bin_columns, layout, onehot, scale_column, width

FLAT = 1e-12
"""A dimension with less than this share of its mean square as variance does not vary but for rounding."""


def figures(table: Table) -> Floats:
    """(3 d,) three figures a column, in file order.

    Of a number the mean, median and variance (n - 1) of what is not missing, 0 where nothing is; of a category the most
    frequent code, the least frequent one of those that occur (of equals the lowest), and how many occur.

    References
    ----------
    .. [1] Stadler, Oprisanu, Troncoso 2022, Synthetic data: anonymisation groundhog day, the naive feature set,
       https://arxiv.org/abs/2011.07018
    """
    return np.concatenate(
        [
            _number_summaries(table.numbers[:, block.source])
            if block.column.is_numeric
            else _code_summaries(np.bincount(table.codes[:, block.source], minlength=len(block.column.levels)))
            for block in layout(table.schema)
        ]
        or [np.zeros(0)]
    )


def _number_summaries(values: Floats) -> Floats:
    known = values[~np.isnan(values)]
    if not len(known):
        return np.zeros(3)
    return np.array([known.mean(), np.median(known), known.var(ddof=1) if len(known) > 1 else 0.0])


def _code_summaries(counts: Ints) -> Floats:
    occurs = counts > 0
    least = np.where(occurs, counts, counts.sum() + 1).argmin()
    return np.array([counts.argmax(), least, occurs.sum()], dtype=np.float64)


def histograms(table: Table, bins: int = 10) -> Floats:
    """(levels and bins of all columns,) how many rows have each, in file order.

    A number is counted in ``bins`` equal widths of the column's domain, fewer where it has fewer values, and missing
    ones beside them.
    """
    codes, sizes = bin_columns(table, bins)
    starts = np.cumsum([0, *sizes])
    counts = np.bincount((codes + starts[:-1]).ravel(), minlength=starts[-1])
    return counts.astype(np.float64)


def correlations(table: Table) -> Floats:
    """(w (w - 1) / 2,) Pearson's correlation of every two of the ``w`` dimensions of the one-hot form.

    The form is that of :func:`riskkit.table.encode.onehot` without first levels, the order row by row above the
    diagonal. What does not vary in this table correlates with nothing: 0. Everything comes from one Gram matrix, of
    which only the entries that are not zero are added up.
    """
    from riskkit.table import _kernels

    size = width(table.schema)
    out = np.empty(size * (size - 1) // 2)
    if len(table):
        _kernels.pearson_of(_gram(table, size), FLAT, out)
    else:
        out[:] = 0.0
    return out


def _gram(table: Table, size: int) -> Floats:
    """(size + 1, size + 1) the Gram matrix of the one-hot form and, last, of a dimension of ones; upper triangle."""
    from riskkit.table import _kernels

    if table.relaxed is not None:
        rows = np.hstack([onehot(table, scale="standard"), np.ones((len(table), 1))])
        gram: Floats = rows.T @ rows
        return gram
    starts, places = _places(table.schema)
    dense = np.ones((len(table), len(places)))
    position = 0
    for column, values in zip(table.schema.numeric, table.numbers.T, strict=True):
        missing = np.isnan(values)
        dense[:, position] = scale_column(np.where(missing, column.mean, values), column, "standard")
        position += 1
        if column.has_missing:
            dense[:, position] = missing
            position += 1
    out = np.empty((size + 1, size + 1))
    _kernels.gram_of(table.codes, starts, dense, places, out)
    return out


@lru_cache(maxsize=64)
def _places(schema: Schema) -> tuple[Ints, Ints]:
    """Where each category starts in the one-hot form, and where the numbers and the last dimension, of ones, are."""
    blocks = layout(schema)
    starts = [block.start for block in blocks if not block.column.is_numeric]
    numbers = [place for b in blocks if b.column.is_numeric for place in range(b.start, b.start + b.width)]
    return np.array(starts, dtype=np.int64), np.array([*numbers, width(schema)], dtype=np.int64)
