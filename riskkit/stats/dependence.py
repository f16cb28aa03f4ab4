"""Dependence of every pair of columns of a table, and how far two samples of one population differ in it by chance."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from riskkit.core import Floats, Ints

SPLITS = 19
"""Times that rows are dealt into two parts: a difference beyond them all is met by chance once in 20."""
DEALT = 10_000
"""Rows that are dealt, at most; the difference is scaled to the rows there are."""
AT_ONCE = 20_000
"""Rows that are counted at once, which bounds the memory."""


def associations(codes: Ints, levels: Sequence[int]) -> Floats:
    """Bias-corrected Cramér's V of every pair of columns (Bergsma 2013): 0 independent, 1 one decides the other.

    Levels that no row has do not count. A column with one level depends on nothing: 0. The diagonal is 1.

    Parameters
    ----------
    codes : (n, k)
        The level of each row in each column, from 0.
    levels : (k,)
        How many levels each column can have.

    Returns
    -------
    (k, k), symmetric.
    """
    return _cramers_v(_counts(codes, levels), len(codes), levels)


def largest_by_chance(codes: Ints, levels: Sequence[int], others: int, rng: np.random.Generator) -> float:
    """The difference of two associations that a second sample of ``others`` rows exceeds at any pair once in 20.

    The rows are dealt into two parts 19 times, halves, or ``others`` rows and the rest where those are fewer. Of each
    deal the largest difference at any pair is taken, scaled to a sample of all rows beside one of ``others``; of these
    the largest is returned. So the chance that a sample of the same population goes beyond it is 1 in 20, for all pairs
    together.
    """
    dealt = min(len(codes), DEALT)
    if dealt < 4 or others < 1:
        return 1.0
    rows = codes if dealt == len(codes) else codes[rng.permutation(len(codes))[:dealt]]
    whole, part = _counts(rows, levels), min(others, dealt // 2)
    largest = 0.0
    for _ in range(SPLITS):
        first = _counts(rows[rng.permutation(dealt)[:part]], levels)
        apart = _cramers_v(first, part, levels) - _cramers_v(whole - first, dealt - part, levels)
        largest = max(largest, float(np.abs(apart).max()))
    scale = math.sqrt((1 / len(codes) + 1 / others) / (1 / part + 1 / (dealt - part)))
    return min(largest * scale, 1.0)


def _counts(codes: Ints, levels: Sequence[int]) -> Floats:
    """(L, L) rows that have both of two levels, over the levels of all columns one after the other."""
    starts = np.concatenate([[0], np.cumsum(levels)[:-1]]).astype(np.int64)
    total = np.zeros((sum(levels), sum(levels)))
    for begin in range(0, len(codes), AT_ONCE):
        part = codes[begin : begin + AT_ONCE] + starts
        has = np.zeros((len(part), sum(levels)), dtype=np.float32)  # exact: no count of a part reaches 2^24
        np.put_along_axis(has, part, 1.0, axis=1)
        total += has.T @ has
    return total


def _cramers_v(counts: Floats, rows: int, levels: Sequence[int]) -> Floats:
    starts = np.concatenate([[0], np.cumsum(levels)[:-1]]).astype(np.int64)
    each = np.diag(counts)
    expected = np.outer(each, each)
    cells = np.divide(counts**2, expected, out=np.zeros_like(counts), where=expected > 0)
    square = np.add.reduceat(np.add.reduceat(cells, starts, axis=0), starts, axis=1) - 1
    there = np.add.reduceat((each > 0).astype(np.float64), starts)
    free, spare = there - 1, max(rows - 1, 1)
    corrected = np.maximum(square - np.outer(free, free) / spare, 0.0)
    width = free - free**2 / spare
    most = np.minimum.outer(width, width)
    v = np.sqrt(np.divide(corrected, most, out=np.zeros_like(corrected), where=most > 1e-12))
    np.fill_diagonal(v, 1.0)
    return np.asarray(np.minimum(v, 1.0), dtype=np.float64)
