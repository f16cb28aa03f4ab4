"""SUDA2: minimal sample uniques, the smallest sets of columns by which a row is the only one of its kind.

Manning, Haglin and Keane (2008), *A recursive search algorithm for statistical disclosure assessment*; scores of
Elliot, Manning and Ford (2002); the share of uniques that are right of Skinner and Elliot (2002). A row that is unique
by some columns is unique by these and any others, so it is left out of every larger count: the rows to look at melt
away.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from riskkit.core import Floats, Ints

Bits = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class MinimalUniques:
    """Which rows are unique by which columns, and by none of fewer of these.

    ``subsets`` are the sets of columns by which some row is, and ``rows`` of each are these rows, ascending.
    ``columns`` counts all columns, ``n`` all rows.
    """

    subsets: tuple[tuple[int, ...], ...]
    rows: tuple[Ints, ...]
    columns: int
    n: int

    def score(self) -> Floats:
        """(n,) SUDA scores: a set of k of K columns counts (K - k)!, for it leaves so many ways to larger ones."""
        return self._sum(lambda subset: math.factorial(self.columns - len(subset)))

    def smallest(self) -> Ints:
        """(n,) columns of the smallest set by which a row is unique; 0 where none is."""
        out = np.full(self.n, self.columns + 1, dtype=np.int64)
        for subset, rows in zip(self.subsets, self.rows, strict=True):
            out[rows] = np.minimum(out[rows], len(subset))
        return np.where(out > self.columns, 0, out)

    def contributions(self) -> Floats:
        """(columns,) the share of all scores that sets with that column have; they add to more than 1."""
        out = np.zeros(self.columns)
        total = 0.0
        for subset, rows in zip(self.subsets, self.rows, strict=True):
            own = float(math.factorial(self.columns - len(subset))) * len(rows)
            out[list(subset)] += own
            total += own
        return out / total if total else out

    def of_row(self, row: int) -> tuple[tuple[int, ...], ...]:
        """The sets by which that row is unique, the smallest first."""
        places = ((np.searchsorted(rows, row), rows) for rows in self.rows)
        there = (place < len(rows) and rows[place] == row for place, rows in places)
        own = [subset for subset, is_there in zip(self.subsets, there, strict=True) if is_there]
        return tuple(sorted(own, key=lambda subset: (len(subset), subset)))

    def _sum(self, worth: Callable[[tuple[int, ...]], float]) -> Floats:
        out = np.zeros(self.n)
        for subset, rows in zip(self.subsets, self.rows, strict=True):
            out[rows] += worth(subset)
        return out


def count_sets(columns: int, most: int) -> int:
    """Sets of at most so many of the columns: what the search looks at."""
    return sum(math.comb(columns, size) for size in range(1, min(most, columns) + 1))


def minimal_uniques(levels: Ints, most: int) -> MinimalUniques:
    """The minimal uniques by at most ``most`` columns.

    Parameters
    ----------
    levels : (n, columns)
        Non-negative numbers of values.
    """
    n, columns = levels.shape
    order = np.argsort([len(np.unique(column)) for column in levels.T], kind="stable")  # many values melt rows soonest
    search = _Lattice(np.ascontiguousarray(levels[:, order].T), min(most, columns))
    for column in range(columns):
        search.add(0, column, np.arange(n), np.zeros(n, dtype=np.int64), np.zeros(-(-n // 8), dtype=np.uint8), 1)
    named = [
        (tuple(sorted(int(order[column]) for column in range(columns) if mask >> column & 1)), rows)
        for mask, rows in search.minimal.items()
    ]
    named.sort(key=lambda pair: (len(pair[0]), pair[0]))
    return MinimalUniques(tuple(subset for subset, _ in named), tuple(rows for _, rows in named), columns, n)


class _Lattice:
    """The walk over all sets, so that every smaller set comes before it: the last column first, then lower ones."""

    def __init__(self, levels: Ints, most: int) -> None:
        self.levels, self.most = levels, most
        self.counts = [int(column.max(initial=0)) + 1 for column in levels]
        self.unique: dict[int, Bits] = {}
        self.minimal: dict[int, Ints] = {}

    def add(self, mask: int, column: int, rows: Ints, classes: Ints, unique: Bits, size: int) -> None:
        """Part the classes of these rows, none of which is unique by the set ``mask``, by one more column."""
        keys = classes * self.counts[column] + self.levels[column][rows]
        classes, count = _dense(keys)
        is_alone = count[classes] == 1
        alone, own = rows[is_alone], mask | 1 << column
        minimal = alone
        for other in range(column + 1, len(self.levels)):
            if mask >> other & 1 and len(minimal):
                minimal = minimal[~_has(self.unique[own & ~(1 << other)], minimal)]
        if len(minimal):
            self.minimal[own] = minimal
        if size == self.most:
            return
        unique = unique.copy()
        np.bitwise_or.at(unique, alone >> 3, (1 << (alone & 7)).astype(np.uint8))
        self.unique[own] = unique
        rows, classes = rows[~is_alone], classes[~is_alone]
        for lower in range(column):
            self.add(own, lower, rows, classes, unique, size + 1)


def _dense(keys: Ints) -> tuple[Ints, Ints]:
    """(n,) classes of equal keys, and (classes,) the rows of each; a class may be empty."""
    width = int(keys.max(initial=-1)) + 1
    if width <= 4 * len(keys) + 1_000:
        return keys, np.bincount(keys, minlength=width)
    _, classes, count = np.unique(keys, return_inverse=True, return_counts=True)
    return classes.astype(np.int64), count


def _has(unique: Bits, rows: Ints) -> npt.NDArray[np.bool_]:
    """Which of these rows are marked."""
    marked: npt.NDArray[np.bool_] = (unique[rows >> 3] >> (rows & 7).astype(np.uint8) & 1).astype(np.bool_)
    return marked


def share_right(uniques: int, pairs: int, fraction: float) -> float:
    """How often a match on a unique row is right: the DIS of Skinner and Elliot (2002).

    Parameters
    ----------
    uniques, pairs
        Rows that are alone in their class, and classes of two rows.
    fraction
        The share of the population that is in the table.
    """
    right = uniques * fraction
    wrong = 2 * pairs * (1 - fraction)
    return right / (right + wrong) if right + wrong > 0 else 0.0


def dis_scores(score: Floats, uniques: int, pairs: int, columns: int, fraction: float) -> Floats:
    """(n,) DIS-SUDA: that share spread over the rows by their scores, between 0 and 1; as sdcMicro spreads it."""
    whole = share_right(uniques, pairs, fraction)
    out = np.zeros(len(score))
    there = score > 0
    if not there.any() or whole <= 0:
        return out
    power = 1 + (8 - columns) / 20
    raised = score[there] ** power
    out[there] = 1 / (1 + (uniques / whole - uniques) / (raised * (1 / raised).sum()))
    return out
