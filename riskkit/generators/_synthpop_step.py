"""One column of sequential trees: how it is learnt, drawn and weighed, given the columns before it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from riskkit.core import Bools, Column, Floats, Ints
from riskkit.generators._cart import Task, Tree, TreeFeatures, grown, in_units, whole_numbers
from riskkit.table.encode import to_domain

HEAP = 0.7
"""A number that more than this share of the known rows hold (no income, no child) is never smoothed."""


@dataclass(frozen=True, eq=False)
class Step:
    """How one column is drawn.

    ``values`` (n,) are those of the training rows, NaN where a number is missing; ``features`` is how many features
    the columns before it have. ``missing`` says in which rows a number is missing, None where the column cannot be.
    ``leaves`` has its values, None where the table has none.
    """

    column: Column
    values: Floats
    features: int
    missing: Tree | None = None
    leaves: Tree | None = None

    @classmethod
    def learnt(cls, column: Column, values: Floats, shown: TreeFeatures, features: int, minimum: int) -> Step:
        """Grow the column's trees on the features of the columns before it."""
        empty = cls(column, values, features)
        missing = grown(shown, empty._whether_missing(minimum)) if column.is_numeric and column.has_missing else None
        leaves = grown(shown, empty._values(minimum)) if empty._held.any() else None
        return replace(empty, missing=missing, leaves=leaves)

    def without(self, row: int, shown: TreeFeatures, minimum: int) -> Step:
        """The same less one training row; ``shown`` still holds it."""
        missing, leaves = self.missing, self.leaves
        if missing is not None:
            missing = grown(shown, self._whether_missing(minimum), missing, row)
        if leaves is not None:
            is_last = self._held[row] and self._held.sum() == 1
            leaves = None if is_last else grown(shown, self._values(minimum), leaves, row)
        return replace(self, values=np.delete(self.values, row), missing=missing, leaves=leaves)

    @property
    def _held(self) -> Bools:
        held: Bools = ~np.isnan(self.values)
        return held

    def _whether_missing(self, minimum: int) -> Task:
        """What the tree of missing numbers learns."""
        every = np.ones(len(self.values), dtype=bool)
        return Task(np.isnan(self.values).astype(np.int64), 2, every, self.features, minimum)

    def _values(self, minimum: int) -> Task:
        """What the tree of values learns."""
        if self.column.is_numeric:
            return Task(whole_numbers(self.values, self.column), 0, self._held, self.features, minimum)
        return Task(self.values.astype(np.int64), len(self.column.levels), self._held, self.features, minimum)

    @cached_property
    def _counted(self) -> tuple[Floats, Ints]:
        """The numbers of the table, sorted, and how many rows hold each."""
        distinct, count = np.unique(self.values[self._held], return_counts=True)
        return distinct, count

    @property
    def distinct(self) -> Floats:
        """The sorted numbers of the table."""
        return self._counted[0]

    @cached_property
    def heap(self) -> float:
        """The number that most rows hold, NaN where there is none."""
        distinct, count = self._counted
        return float(distinct[count.argmax()]) if count.max() > HEAP * count.sum() else np.nan

    @cached_property
    def bandwidth(self) -> float:
        """The spread of the smoothing noise; the heap has none."""
        held = self.values[self._held]
        return bandwidth(held[held != self.heap])

    def draw(self, shown: Floats, rank_at: Ints, smoothing: str, rng: np.random.Generator) -> Floats:
        """(n,) values of the column for rows of which the features before it are ``shown``."""
        n = shown.shape[1]
        values = np.full(n, np.nan) if self.leaves is None else self.values[_rows(self.leaves, shown, rank_at, rng)]
        if self.column.is_numeric and smoothing != "none" and self.leaves is not None:
            values = np.where(values == self.heap, values, self._smoothed(values, smoothing, rng))
        if self.missing is not None:
            values = np.where(np.isnan(self.values[_rows(self.missing, shown, rank_at, rng)]), np.nan, values)
        return values

    def _smoothed(self, values: Floats, smoothing: str, rng: np.random.Generator) -> Floats:
        """The numbers moved at random, inside the domain and on its decimals."""
        low, high = self.column.low, self.column.high
        if smoothing == "density":
            moved = values + self.bandwidth * rng.standard_normal(len(values))
            # What falls out of the domain is mirrored at its edge: clipping would heap it there.
            return to_domain(np.where(moved > high, 2 * high - moved, low + np.abs(moved - low)), self.column)
        half_way = (self.distinct[1:] + self.distinct[:-1]) / 2
        edges = np.concatenate([self.distinct[:1], half_way, self.distinct[-1:]])
        places = np.searchsorted(self.distinct, values)
        return to_domain(edges[places] + rng.random(len(values)) * (edges[places + 1] - edges[places]), self.column)

    @cached_property
    def _by_leaf(self) -> tuple[Floats, Floats]:
        """The values of the training rows, and whether they are missing, sorted within each leaf."""
        parts = []
        for tree, own in ((self.leaves, self.values), (self.missing, np.isnan(self.values).astype(np.float64))):
            if tree is None:
                parts.append(own[:0])
                continue
            leaf = np.repeat(tree.first[tree.feature < 0], (tree.end - tree.first)[tree.feature < 0])
            ordered = own[tree.rows]
            parts.append(ordered[np.lexsort((ordered, leaf))])
        return parts[0], parts[1]

    def shares(self, values: Floats, shown: Floats, rank_at: Ints, smoothing: str) -> Floats:
        """(n,) the chance of each value given the features before it."""
        from riskkit.generators._share_kernels import count_equal

        share: Floats = np.zeros(len(values))
        if self.leaves is not None:
            leaf = self.leaves.leaves(shown, rank_at)
            first, end = self.leaves.first[leaf], self.leaves.end[leaf]
            if self.column.is_numeric and smoothing != "none":
                share = self._smoothed_shares(values, leaf, smoothing)
            else:
                share = count_equal(self._by_leaf[0], first, end, values) / (end - first)
        missing = np.isnan(values)
        if self.missing is None:
            share[missing] = 0.0
            return share
        leaf = self.missing.leaves(shown, rank_at)
        first, end = self.missing.first[leaf], self.missing.end[leaf]
        absent = count_equal(self._by_leaf[1], first, end, np.ones(len(values))) / (end - first)
        share[missing] = 0.0
        share *= 1 - absent
        share[missing] = absent[missing]
        return share

    def _smoothed_shares(self, values: Floats, leaf: Ints, smoothing: str) -> Floats:
        """(n,) the chance of each number in its leaf, worked out once for rows with the same number and leaf."""
        from riskkit.generators._share_kernels import noised_shares, smoothed_shares

        assert self.leaves is not None
        pairs, own = np.unique(np.stack([leaf.astype(np.float64), values]), axis=1, return_inverse=True)
        of = pairs[0].astype(np.int64)
        values, distinct, asked = (in_units(part, self.column) for part in (self._by_leaf[0], self.distinct, pairs[1]))
        heap, *ends = in_units(np.array([self.heap, self.column.low, self.column.high]), self.column)
        where = values, self.leaves.first[of], self.leaves.end[of], asked
        if smoothing == "gap":
            share = smoothed_shares(*where, distinct, heap, np.array(ends))
        else:
            share = noised_shares(*where, self.bandwidth * 10.0**self.column.decimals, heap, np.array(ends))
        of_pairs: Floats = np.where(to_domain(pairs[1], self.column) == pairs[1], share, 0.0)
        return of_pairs[own]


def _rows(tree: Tree, shown: Floats, rank_at: Ints, rng: np.random.Generator) -> Ints:
    """(n,) a random training row of the leaf of each row shown."""
    leaf = tree.leaves(shown, rank_at)
    first = tree.first[leaf]
    rows: Ints = tree.rows[first + (rng.random(shown.shape[1]) * (tree.end[leaf] - first)).astype(np.int64)]
    return rows


def bandwidth(values: Floats) -> float:
    """Silverman's rule of thumb for a normal kernel, 0 without spread."""
    if len(values) < 2:
        return 0.0
    quarter, three_quarters = np.quantile(values, (0.25, 0.75))
    spread = min(filter(None, (float(values.std(ddof=1)), float(three_quarters - quarter) / 1.34)), default=0.0)
    return float(0.9 * spread * len(values) ** -0.2)
