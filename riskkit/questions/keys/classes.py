"""Equivalence classes: rows that agree in every key, how large they are, and what they say of a secret (k, l, t).

A missing value is a value like any other, and two missing ones are equal. Numbers are equal where they are the very
same; nothing is rounded.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from riskkit.core import Floats, Ints, Table
from riskkit.mend.coarsening import BINS, RARE, Coarsening, groups_of


def levels_of(tables: Sequence[Table], names: Sequence[str]) -> list[Ints]:
    """Of each table (rows, names) the number of each value among those of its column in all of these tables.

    Numbers of a numeric column are in the order of its values; missing ones come last.
    """
    schema = tables[0].schema
    places = {column.name: (False, place) for place, column in enumerate(schema.categorical)}
    places |= {column.name: (True, place) for place, column in enumerate(schema.numeric)}
    columns = []
    for is_numeric, place in (places[name] for name in names):
        values = [table.numbers[:, place] if is_numeric else table.codes[:, place] for table in tables]
        columns.append(np.unique(np.concatenate(values), return_inverse=True)[1].astype(np.int64))
    joined = np.stack(columns, axis=1) if columns else np.zeros((sum(map(len, tables)), 0), dtype=np.int64)
    return np.split(joined, np.cumsum([len(table) for table in tables])[:-1])


def classes_of(levels: Ints) -> Ints:
    """(n,) the class of each row of (n, k) levels: a number from 0 that rows share if they agree in every column."""
    classes = np.zeros(len(levels), dtype=np.int64)
    for column in levels.T:
        classes = join(classes, column)
    return classes


def join(classes: Ints, column: Ints) -> Ints:
    """(n,) classes parted by one more column of levels."""
    pairs = classes * (column.max(initial=0) + 1) + column
    return np.unique(pairs, return_inverse=True)[1].astype(np.int64)


def sizes_of(classes: Ints) -> Ints:
    """(n,) how many rows the class of each row has."""
    return np.bincount(classes)[classes].astype(np.int64) if len(classes) else classes


@dataclass(frozen=True, slots=True)
class Diversity:
    """What classes say of a secret.

    ``distinct`` are the fewest different values in a class (distinct l-diversity), ``entropy`` the least effective
    number of values, exp of the entropy in nats (entropy l-diversity), ``closeness`` the largest distance of a class
    from the whole table (t-closeness): half the sum of differences of shares for a category, the ordered distance of
    Li, Li and Venkatasubramanian (2007) for a number. ``told`` are the rows whose class has one value of it.
    """

    distinct: int
    entropy: float
    closeness: float
    told: int


def diversity(classes: Ints, secret: Ints, *, is_ordered: bool) -> Diversity:
    """The same of (n,) classes and (n,) levels of a secret, in the order of its values where it ``is_ordered``."""
    values = np.unique(secret, return_inverse=True)[1].astype(np.int64)
    count = int(values.max()) + 1
    pairs, rows = np.unique(classes * count + values, return_counts=True)
    own, value = pairs // count, pairs % count
    size = np.bincount(classes)
    share = rows / size[own]
    distinct = np.bincount(own, minlength=len(size))
    entropy = np.exp(np.bincount(own, weights=-share * np.log(share), minlength=len(size)))
    whole = np.bincount(values) / len(values)
    apart = _order_distance(own, value, share, whole) if is_ordered else _category_distance(own, value, share, whole)
    return Diversity(
        int(distinct.min()), float(entropy.min()), float(apart.max(initial=0.0)), int(size[distinct == 1].sum())
    )


def _category_distance(own: Ints, value: Ints, share: Floats, whole: Floats) -> Floats:
    """(classes,) half the sum of differences; that of a value which a class lacks is its share of the table."""
    there = np.abs(share - whole[value]) - whole[value]
    return np.asarray((np.bincount(own, weights=there) + 1) / 2)


def _order_distance(own: Ints, value: Ints, share: Floats, whole: Floats) -> Floats:
    """(classes,) the mean distance of cumulative shares; a class's own is constant between two of its values."""
    count = len(whole)
    if count < 2:
        return np.zeros(int(own.max(initial=-1)) + 1)
    last = np.append(np.diff(own) != 0, True)
    begins = np.append(True, last[:-1])
    cumulative = np.cumsum(share)
    own_share = cumulative - (cumulative - share)[begins][np.cumsum(begins) - 1]
    until = np.where(last, count - 1, np.append(value[1:], count - 1))
    total = np.cumsum(whole)
    areas = _between(total, value, until, own_share)
    areas[begins] += _between(total, np.zeros(int(begins.sum()), dtype=np.int64), value[begins], 0.0)
    return np.asarray(np.bincount(own, weights=areas) / (count - 1))


def _between(total: Floats, start: Ints, end: Ints, level: Floats | float) -> Floats:
    """The sum of ``|level - total|`` over the places from ``start`` to before ``end``; ``total`` never falls."""
    sums = np.append(0.0, np.cumsum(total))
    cross = np.clip(np.searchsorted(total, level), start, end)
    below = level * (cross - start) - (sums[cross] - sums[start])
    above = (sums[end] - sums[cross]) - level * (end - cross)
    return np.asarray(below + above)


# What would raise k: each key, and each two of them, made coarser as :mod:`riskkit.mend.coarsening` does it.


GRAINS = (20, 10, 5, 3)
"""Bins of a number or a date that are tried."""
FEWEST = (10, 50, 200)
"""Rows below which levels of a category are put together."""
MOST_KEYS = 8
"""Keys that are made coarser, those of most different values."""


@dataclass(frozen=True, slots=True)
class Coarser:
    """One way to make keys coarser, as ``riskkit mend`` takes it, and what the table is then.

    ``smallest`` is k, ``alone`` the rows that are alone in their class, ``classes`` how many classes are left.
    """

    coarsen: tuple[str, ...]
    smallest: int
    alone: int
    classes: int


def coarser(table: Table, keys: Sequence[str], most: int) -> tuple[Coarser, ...]:
    """The ways that leave the largest k, then the fewest rows alone, then the most classes; at most so many."""
    levels = levels_of([table], keys)[0]
    different = [len(np.unique(column)) for column in levels.T]
    tried = sorted(range(len(keys)), key=lambda place: (-different[place], place))[:MOST_KEYS]
    ways = {place: list(_ways(table, keys[place], different[place])) for place in tried}
    ways_tried = [_judge(levels, {place: way}) for place in tried for way in ways[place]]
    for first, second in combinations(sorted(tried), 2):
        rest = classes_of(np.delete(levels, (first, second), axis=1))
        for half_way, column in ways[first]:
            half = join(rest, column)
            ways_tried += [_way((half_way, other), join(half, more)) for other, more in ways[second]]
    ways_tried.sort(key=lambda way: (-way.smallest, way.alone, -way.classes, way.coarsen))
    return tuple(ways_tried[:most])


def _judge(levels: Ints, ways: dict[int, tuple[Coarsening, Ints]]) -> Coarser:
    changed = levels.copy()
    for place, (_, column) in ways.items():
        changed[:, place] = column
    return _way(tuple(coarsening for coarsening, _ in ways.values()), classes_of(changed))


def _way(coarsenings: Sequence[Coarsening], classes: Ints) -> Coarser:
    sizes = sizes_of(classes)
    return Coarser(
        tuple(map(str, coarsenings)), int(sizes.min()), int((sizes == 1).sum()), int(classes.max(initial=-1)) + 1
    )


def _ways(table: Table, name: str, different: int) -> Iterator[tuple[Coarsening, Ints]]:
    """Each way that changes the column, with the level of each row then."""
    column = table.schema.column(name)
    before = different
    for size in GRAINS if column.is_numeric else FEWEST:
        if column.is_numeric and size >= different:
            continue
        coarsening = Coarsening(name, BINS if column.is_numeric else RARE, size)
        groups = groups_of(table, column, coarsening)
        levels = np.unique(groups, return_inverse=True)[1].astype(np.int64)
        after = int(levels.max(initial=-1)) + 1
        if after < before:
            yield coarsening, levels
        before = after


# SUDA2: minimal sample uniques, the smallest sets of columns by which a row is the only one of its kind.
#
# Manning, Haglin and Keane (2008), *A recursive search algorithm for statistical disclosure assessment*; scores of
# Elliot, Manning and Ford (2002); the share of uniques that are right of Skinner and Elliot (2002). A row that is
# unique by some columns is unique by these and any others, so it is left out of every larger count: the rows to look
# at melt away.


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
