"""Rare levels of a wide table taken as one: so that what learns from every level costs no more than so many.

Distances between rows need none of it: they compare codes, however many there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from riskkit.core import Codes, Ints
from riskkit.table.points import RowPoints

WIDTH = 160
"""Numbers and levels of categories that are told apart."""


def width(points: RowPoints) -> int:
    """How many numbers and levels the columns have together."""
    return int(points.numbers.shape[1]) + sum(points.sizes)


def pooled(parts: Sequence[RowPoints], by: Sequence[RowPoints], most: int = WIDTH) -> tuple[RowPoints, ...]:
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
    new = _renamed(counts, most - first.numbers.shape[1])
    sizes = tuple(int(codes.max()) + 1 for codes in new)
    return tuple(replace(part, codes=_recoded(part.codes, new), sizes=sizes) for part in parts)


def _renamed(counts: Sequence[Ints], most: int) -> list[Codes]:
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


def _recoded(codes: Codes, new: Sequence[Codes]) -> Codes:
    return np.column_stack([names[codes[:, position]] for position, names in enumerate(new)]).astype(np.int32)
