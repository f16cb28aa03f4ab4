"""A classification or regression tree that is a function of its table, and the same tree less one row.

Splits are those of CART: the least Gini impurity, or the least variance. Of equally good splits the first column's is
taken, and of that column's the lowest cut. A cut lies half way between the two neighbouring numbers of the node, or
between the ranks of two neighbouring levels. So what grows below a node depends on the rows of that node alone, and a
row that is left out changes nothing where it is not, but for the order of levels.

Category levels enter by their rank (:func:`level_scores`). Sums are of whole numbers:
numbers count in units of their last decimal, or in 2^40 parts of their domain where that has more units.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from riskkit.core import Bools, Column, Floats, Ints

FINEST = 2.0**40
"""A number's domain has at most so many parts when variances are compared."""
OFF = 1e-3
"""Within so many of its last decimals a number is written with them."""


@dataclass(frozen=True, eq=False)
class TreeFeatures:
    """The training rows as trees are shown them: ``values`` (features, n), the features of one column after another.

    A category is one feature, its code; ``levels`` says how many it has, 0 for other features. A number is one, in
    units of its last decimal, and
    one that can be missing has a second that says so; the first is then the mean of the frozen domain.
    """

    values: Floats
    levels: tuple[int, ...]

    @cached_property
    def rank_at(self) -> Ints:
        """(features,) where the ranks of each category begin when they are laid one after the other; -1 for others."""
        ends = np.cumsum((0, *self.levels))[:-1]
        return np.where(np.asarray(self.levels, dtype=np.int64) > 0, ends, -1).astype(np.int64)

    @cached_property
    def codes(self) -> Ints:
        """(features, n) the values as whole numbers; they stand for categories alone."""
        return np.where(self.rank_at[:, None] >= 0, self.values, 0.0).astype(np.int64)

    @cached_property
    def key(self) -> Ints:
        """(features, n) for each number its place among those of its feature; 0 for categories."""
        out = np.zeros(self.values.shape, dtype=np.int64)
        for index, levels in enumerate(self.levels):
            if not levels:
                out[index] = np.unique(self.values[index], return_inverse=True)[1]
        return out

    @cached_property
    def order(self) -> Ints:
        """(features, n) the rows in the order of each feature; of a category as they are."""
        return np.argsort(self.key, axis=1, kind="stable")


def features_of(column: Column, values: Floats) -> tuple[Floats, tuple[int, ...]]:
    """(1 or 2, n) what trees are shown of one column, and the levels of each feature."""
    if not column.is_numeric:
        return values[None], (len(column.levels),)
    missing = np.isnan(values)
    asked = in_units(np.where(missing, column.mean, values), column)
    if column.has_missing:
        return np.stack([asked, missing.astype(np.float64)]), (0, 0)
    return asked[None], (0,)


def in_units(values: Floats, column: Column) -> Floats:
    """(n,) numbers in units of their last decimal: whole where they are written with it, so that halves are exact."""
    scaled = values * 10.0**column.decimals
    whole = np.rint(scaled)
    units: Floats = np.where(np.abs(scaled - whole) < OFF, whole, scaled)
    return units


def whole_numbers(values: Floats, column: Column) -> Ints:
    """(n,) numbers in units of their last decimal, or in :data:`FINEST` parts of the frozen domain; 0 where missing."""
    width = column.high - column.low
    units = min(width * 10.0**column.decimals, FINEST) / width if width > 0 else 0.0
    away = np.where(np.isnan(values), 0.0, values - column.low)
    return np.rint(away * units).astype(np.int64)


@dataclass(frozen=True, eq=False)
class Tree:
    """One tree, its nodes in the order in which one walks through it, left before right.

    ``feature`` (nodes,) is what a node splits by, -1 for a leaf, ``right`` its child to the right; that to the left is
    the next node. ``below`` and ``above`` are the codes or numbers next to its cut, ``first`` and ``end`` where its
    rows lie in ``rows``, which has the training rows of each leaf together, ascending. ``ranks`` are those of the
    levels of every category that it is shown.
    """

    feature: Ints
    right: Ints
    below: Floats
    above: Floats
    first: Ints
    end: Ints
    rows: Ints
    ranks: Ints

    def cut(self, rank_at: Ints) -> Floats:
        """(nodes,) rows go to the left up to this rank or number."""
        ranks = np.where(self.feature >= 0, rank_at[self.feature] if len(rank_at) else -1, -1)
        out = self.below + (self.above - self.below) / 2
        out = np.where(out < self.above, out, self.below)  # neighbours in double precision
        is_category = ranks >= 0
        own = ranks[is_category]
        low, high = (self.ranks[own + side[is_category].astype(np.int64)] for side in (self.below, self.above))
        out[is_category] = (low + high) / 2
        return out

    def leaves(self, shown: Floats, rank_at: Ints) -> Ints:
        """(n,) the leaf of each row; ``shown`` (features, n) has the features of the columns before this one."""
        from riskkit.generators.engines.cart_kernels import fall

        if len(self.feature) == 1:
            return np.zeros(shown.shape[1], dtype=np.int64)
        return fall(self.feature, self.right, self.cut(rank_at), self.ranks, rank_at, shown)  # type: ignore[no-any-return]


@dataclass(frozen=True, slots=True)
class Task:
    """What a tree learns: ``answer`` (n,) whole numbers, or classes below ``classes`` where that is not 0.

    It is learnt from the rows ``held`` (n,), by the first ``features`` that are shown.
    """

    answer: Ints
    classes: int
    held: Bools
    features: int
    minimum: int


def grow_tree(shown: TreeFeatures, task: Task, before: Tree | None = None, gone: int = -1) -> Tree:
    """The tree of all rows held; or less the row ``gone``, with its rows counted anew, out of the tree ``before``.

    Both are the same to the last bit.
    """
    from riskkit.generators.engines.cart_kernels import grow

    members = np.flatnonzero(task.held)
    if before is not None and not task.held[gone]:
        return replace(before, rows=before.rows - (before.rows > gone))
    levels = shown.levels[: task.features]
    ranks = _ranks(shown, task, members, gone)
    with_ranks = _with_ranks(shown, levels, ranks)
    moved: list[int] = []
    key_before = with_ranks[:0]
    place = np.zeros(0, dtype=np.int64)
    old = _NOTHING
    if before is not None:
        members = members[members != gone]
        moved = [
            category for category in _categories(levels) if _is_moved(members, category, shown, before.ranks, ranks)
        ]
        if moved:
            key_before = _with_ranks(shown, levels, before.ranks)
        place = np.zeros(len(task.held), dtype=np.int64)
        place[before.rows] = np.arange(len(before.rows))
        old = before.feature, before.right, before.below, before.above, before.first, before.end, before.rows
    orders = _orders(shown, levels, with_ranks, members)
    made = grow(
        orders,
        shown.values,
        with_ranks,
        task.answer,
        task.classes,
        task.minimum,
        old,
        place,
        gone,
        np.asarray(moved, dtype=np.int64),
        key_before,
    )
    rows = made[-1] if gone < 0 else made[-1] - (made[-1] > gone)
    feature, right, below, above, first, end, _ = made
    return Tree(feature, right, below, above, first, end, rows, ranks)


_NOTHING = (
    np.empty(0, dtype=np.int64),
    np.empty(0, dtype=np.int64),
    np.empty(0),
    np.empty(0),
    np.empty(0, dtype=np.int64),
    np.empty(0, dtype=np.int64),
    np.empty(0, dtype=np.int64),
)


def _orders(shown: TreeFeatures, levels: Sequence[int], key: Ints, members: Ints) -> Ints:
    """(features + 1, n) these rows in the order of each feature, and ascending."""
    held = np.zeros(shown.values.shape[1], dtype=bool)
    held[members] = True
    orders = np.empty((len(levels) + 1, len(members)), dtype=np.int64)
    orders[-1] = members
    for index, count in enumerate(levels):
        if count:
            orders[index] = members[np.argsort(key[index, members], kind="stable")]
        else:
            orders[index] = shown.order[index][held[shown.order[index]]]
    return orders


def _categories(levels: Sequence[int]) -> list[int]:
    return [position for position, count in enumerate(levels) if count]


def _ranks(shown: TreeFeatures, task: Task, members: Ints, gone: int) -> Ints:
    """The rank of every level of every category that is shown, one category after the other."""
    parts = [np.empty(0, dtype=np.int64)]
    for category in _categories(shown.levels[: task.features]):
        count = shown.levels[category]
        scores = level_scores(shown.codes[category], count, task, members, gone)
        rank = np.empty(count, dtype=np.int64)
        rank[np.argsort(scores, kind="stable")] = np.arange(count)
        parts.append(rank)
    return np.concatenate(parts)


def level_scores(codes: Ints, levels: int, task: Task, members: Ints, gone: int = -1) -> Floats:
    """(levels,) what the levels of a category are ordered by: the answer of their rows, ``members`` but ``gone``."""
    from riskkit.generators.engines.cart_kernels import class_scores, level_counts, mean_scores

    if not task.classes:
        return mean_scores(codes, levels, task.answer, members, gone)  # type: ignore[no-any-return]
    return class_scores(level_counts(codes, levels, task.answer, task.classes, members, gone))  # type: ignore[no-any-return]


def _with_ranks(shown: TreeFeatures, levels: Sequence[int], ranks: Ints) -> Ints:
    """(features, n) the keys of these features, those of categories by these ranks."""
    out = shown.key[: len(levels)].copy()
    for category in _categories(levels):
        out[category] = ranks[shown.rank_at[category] + shown.codes[category]]
    return out


def _is_moved(members: Ints, position: int, shown: TreeFeatures, before: Ints, after: Ints) -> bool:
    """Whether levels that these rows have are in another order than before."""
    start, count = shown.rank_at[position], shown.levels[position]
    present = np.flatnonzero(np.bincount(shown.codes[position, members], minlength=count))
    old, new = before[start : start + count][present], after[start : start + count][present]
    return bool((np.diff(new[np.argsort(old)]) < 0).any())
