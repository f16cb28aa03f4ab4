"""MST: a tree of noisy pairs under differential privacy."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np

from riskkit.core import Floats, Ints, Table
from riskkit.generators.engines import noisy_counts
from riskkit.generators.engines.network import (
    Compact,
    check_network,
    compact,
    joint_counts,
    log_share_of_bin,
)
from riskkit.generators.engines.noisy_counts import Conditional, Exponential, Replayed, rho_of_delta
from riskkit.generators.engines.tree_fit import Noisy, fit_tree, noisy, on_simplex, root_tree, rows_of
from riskkit.table.encode import bin_columns, from_bins
from riskkit.table.noisy_counts import Family, NoisyCounts

CELLS = 10_000_000
"""A noisy table must have fewer cells than this: every cell of the domain needs its own noise, held by a row or not."""
SEEN = 3.0
"""A level whose noisy count is below so many standard deviations of the noise is put together with others like it."""


@dataclass(frozen=True)
class Mst(noisy_counts.AddOnePrivate):
    """Releases rows along a tree of columns that was chosen, and whose counts were taken, under differential privacy.

    **Guarantee.** Two tables are neighbours when the one has a row more (add-one). The frozen domain (levels, bounds,
    bins) is public and never taken from the rows; the number of rows is not public. Releases come from a fit alone,
    so what holds of a fit holds however many rows and releases are drawn from it.

    **Budget.** ``rho`` is the most zero-concentrated privacy loss that keeps the promise of epsilon and delta
    [2]_. A third each goes to

    - the counts of the ``d`` columns: normal noise of ``sqrt(3 d / (2 rho))`` rows on every cell. A row lies in one
      cell of each column, so all of them together are a Gaussian mechanism of ``mu = sqrt(2 rho / 3)``, exactly;
    - the tree: ``d - 1`` pairs, each picked among those that join two parts by the exponential mechanism with
      ``epsilon = sqrt(8 rho / (3 (d - 1)))``. A pair weighs as many rows as its counts are away from those of two
      independent columns, in L1; one row moves that by 1 at most;
    - the counts of these pairs: normal noise of ``sqrt(3 (d - 1) / (2 rho))`` rows, again ``mu = sqrt(2 rho / 3)``.

    Levels of which the first noisy counts see next to nothing are put together before pairs are looked at, and drawn
    evenly. Then the law of rows along the tree is found that agrees best with all noisy counts; rows are drawn from it.

    Noise is drawn in double precision, whose last bits an attacker who saw the noisy counts themselves might use;
    releases never show them.

    References
    ----------
    .. [1] McKenna, Miklau and Sheldon 2021, Winning the NIST contest: a scalable and general approach to
       differentially private synthetic data, Journal of Privacy and Confidentiality 11(3).
    .. [2] Canonne, Kamath and Steinke 2020, The discrete Gaussian for differential privacy, NeurIPS.
    """

    name: ClassVar[str] = "mst"
    title: ClassVar[str] = "MST (differentially private)"
    card: ClassVar[str] = (
        "Adds normal noise to the counts of every column, picks a tree of pairs by the exponential mechanism, adds "
        "normal noise to their counts, and draws rows along the tree that agrees best. Both the fit and each release "
        "are random; a fit on a thousand rows of 15 columns takes a tenth of a second, and the guarantee (epsilon and "
        "delta, for one row more or less) covers all releases of one fit, not of several. The method of McKenna and "
        "others 2021, written anew under the licence of this program; the domain of every column counts as public."
    )

    def budget(self, columns: int) -> Budget:
        """The noise of a fit to a table of so many columns."""
        rho = rho_of_delta(self.epsilon, self.delta)
        return Budget(
            math.sqrt(3 * columns / (2 * rho)),
            math.sqrt(8 * rho / (3 * max(columns - 1, 1))),
            math.sqrt(3 * max(columns - 1, 1) / (2 * rho)),
        )

    def losses(self, relation: str, rows: int, columns: int) -> tuple[tuple[str, float], ...]:  # noqa: ARG002
        """What one person costs, step by step, in the noise that a fit really adds.

        See :class:`riskkit.questions.promises.LossDeclared`. A row that is replaced leaves one cell of each table and
        enters another, and moves the weight of a pair by 2.
        """
        budget = self.budget(columns)
        moved, weighed = (1.0, 1.0) if relation == "add-one" else (math.sqrt(2.0), 2.0)
        first = ("gaussian", moved * math.sqrt(columns) / budget.own)
        if columns < 2:
            return (first,)
        picks = [("selection", weighed * budget.pick)] * (columns - 1 if columns > 2 else 0)
        return (first, *picks, ("gaussian", moved * math.sqrt(columns - 1) / budget.pair))

    def fit(self, table: Table, rng: np.random.Generator) -> FittedMst:
        """Count, choose and count again; all the noise comes from ``rng``.

        Raises
        ------
        DesignError
            The table has no rows, no column to model, or pairs too large to give every cell its noise.
        """
        codes, sizes = bin_columns(table, self.bins)
        check_network(self.name, min(1, len(sizes) - 1), len(table), sizes, CELLS)
        columns, budget = compact(codes, sizes), self.budget(len(sizes))
        first = [noisy(joint_counts(columns, (j,), sizes), budget.own, rng) for j in range(len(sizes))]
        merged = [Merged.merge(each) for each in first]
        own = [levels.counts(each) for levels, each in zip(merged, first, strict=True)]
        columns = np.array([levels.place[column] for levels, column in zip(merged, columns, strict=True)])
        sizes = tuple(levels.size for levels in merged)
        total = rows_of(own)
        alone = [on_simplex(each, total) for each in own]
        pick = Exponential(budget.pick, 1.0, rng)
        edges = root_tree(len(sizes), tree(len(sizes), strengths(columns, sizes, alone, total), pick))
        pairs = [noisy(joint_counts(columns, (a, b), sizes), budget.pair, rng) for a, b in edges.tolist()]
        total = rows_of([*own, *pairs])
        shares, joints = fit_tree(edges, sizes, own, pairs, total)
        least = noisy_counts.FLOOR / total
        conditionals = [Conditional.condition((0,), np.maximum(shares[0], least))]
        conditionals += [
            Conditional.condition((above, below), np.maximum(joint, least))
            for (above, below), joint in zip(edges.tolist(), joints, strict=True)
        ]
        drawn = Drawn(tuple(first), tuple(pairs), tuple(pick.made), budget.pick)
        return FittedMst(table.schema, self.bins, sizes, tuple(conditionals), tuple(merged), drawn)


@dataclass(frozen=True, slots=True)
class Budget:
    """Standard deviation, in rows, of the noise on columns and on pairs; the epsilon of picking one pair."""

    own: float
    pick: float
    pair: float


def strength(
    columns: Compact, pair: tuple[int, int], sizes: tuple[int, ...], alone: Sequence[Floats], total: float
) -> float:
    """How many rows the counts of a pair are away from those of two independent columns, in L1."""
    expected = np.outer(alone[pair[0]], alone[pair[1]]) / total
    return float(np.abs(joint_counts(columns, pair, sizes) - expected).sum())


def strengths(
    columns: Compact, sizes: tuple[int, ...], alone: Sequence[Floats], total: float
) -> dict[tuple[int, int], float]:
    """The weight of every pair that can be picked (:func:`strength`)."""
    return {pair: strength(columns, pair, sizes, alone, total) for pair in combinations(range(len(sizes)), 2)}


def tree(columns: int, weights: dict[tuple[int, int], float], pick: Callable[[Floats], int]) -> list[tuple[int, int]]:
    """A spanning tree, pair by pair: each joins two parts that were not joined yet."""
    part, pairs = list(range(columns)), []
    for _ in range(columns - 1):
        weight = [-math.inf if part[a] == part[b] else weight for (a, b), weight in weights.items()]
        a, b = list(weights)[pick(np.array(weight))]
        part = [part[a] if each == part[b] else each for each in part]
        pairs.append((a, b))
    return pairs


@dataclass(frozen=True, slots=True, eq=False)
class Merged:
    """The levels of a column, those that noisy counts hardly see put together.

    ``place`` gives each level its place; ``members`` are the levels of the last place where several share it, or empty.
    """

    place: Ints
    members: Ints

    @classmethod
    def merge(cls, measured: Noisy) -> Merged:
        """From the noisy counts of a column; nothing else of the table is looked at."""
        is_seen = measured.counts >= SEEN * measured.sd
        rare = np.flatnonzero(~is_seen)
        if len(rare) < 2:
            return cls(np.arange(len(is_seen)), np.empty(0, dtype=np.int64))
        place = np.where(is_seen, np.cumsum(is_seen) - 1, is_seen.sum())
        return cls(place, rare)

    @property
    def size(self) -> int:
        """How many places there are."""
        return int(self.place.max()) + 1

    def counts(self, measured: Noisy) -> Noisy:
        """The noisy counts of the places: noise of levels put together adds up."""
        counts = np.bincount(self.place, measured.counts, self.size).astype(np.float64)
        return Noisy(counts, np.sqrt(np.bincount(self.place, measured.sd**2, self.size)))

    def levels(self, place: Ints, rng: np.random.Generator) -> Ints:
        """(n,) a level for each place; those put together are equally likely."""
        level = np.empty(self.size, dtype=np.int64)
        level[self.place] = np.arange(len(self.place))
        drawn: Ints = level[place]
        if len(self.members):
            is_rare = place == self.size - 1
            drawn[is_rare] = rng.choice(self.members, int(is_rare.sum()))
        return drawn

    def log_share(self, level: Ints) -> Floats:
        """(n,) logarithm of the chance of each level given its place."""
        if not len(self.members):
            return np.zeros(len(level))
        return np.where(self.place[level] == self.size - 1, -math.log(len(self.members)), 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """Everything a fit drew at random: noisy counts of all levels and of the pairs of the tree, and what it picked.

    ``picks`` are positions among all pairs; each was picked by the exponential mechanism of ``epsilon``.
    """

    own: tuple[Noisy, ...]
    pairs: tuple[Noisy, ...]
    picks: tuple[int, ...]
    epsilon: float


@dataclass(frozen=True, slots=True, eq=False)
class FittedMst(noisy_counts.NoisyNetwork):
    """The noisy tree: ``sizes`` and ``conditionals``, parents first, are of the places of ``merged`` levels."""

    merged: tuple[Merged, ...]
    drawn: Drawn

    def sample(self, n: int, rng: np.random.Generator) -> Table:
        """``n`` rows drawn along the tree; a number is uniform among the values of its bin."""
        drawn = zip(self.merged, self.draw(n, rng), strict=True)
        codes = np.array([levels.levels(place, rng) for levels, place in drawn])
        return from_bins(codes.T, self.schema, self.bins, rng)

    def log_prob(self, table: Table) -> Floats:
        """(n,) natural logarithm of the probability of each row given the tree and noise of this fit."""
        codes = bin_columns(table, self.bins)[0].T.astype(np.int64)
        total = log_share_of_bin(codes, self.schema, self.bins)
        for levels, column in zip(self.merged, codes, strict=True):
            total += levels.log_share(column)
        return self.add_log_prob(total, self._places(codes).astype(np.int64))

    def families(self) -> tuple[Family, ...]:
        """The pairs of the tree, each sorted; see :class:`riskkit.table.noisy_counts.MarginalsPicked`."""
        return tuple(tuple(sorted(each.family)) for each in self.conditionals[1:])

    def noisy_counts(self) -> tuple[NoisyCounts, ...]:
        """The noisy counts of the columns, and of the pairs of the tree."""
        return tuple(NoisyCounts(each.counts, each.sd) for each in (*self.drawn.own, *self.drawn.pairs))

    def exact_counts(self, table: Table) -> tuple[Floats, ...]:
        """The same cells counted in another table, without noise."""
        codes, sizes = bin_columns(table, self.bins)
        columns = compact(codes, sizes)
        own = [joint_counts(columns, (j,), sizes) for j in range(len(sizes))]
        places = self._places(columns)
        families = [each.family for each in self.conditionals[1:]]
        return (*own, *(joint_counts(places, family, self.sizes) for family in families))

    def log_picks(self, table: Table) -> float:
        """The log probability that a fit to that table would pick this tree, given the noisy counts of the columns."""
        own = [levels.counts(each) for levels, each in zip(self.merged, self.drawn.own, strict=True)]
        total = rows_of(own)
        alone = [on_simplex(each, total) for each in own]
        weights = strengths(self._places(compact(*bin_columns(table, self.bins))), self.sizes, alone, total)
        again = Replayed(self.drawn.epsilon, 1.0, iter(self.drawn.picks))
        tree(len(self.sizes), weights, again)
        return again.log_chance

    def _places(self, columns: Compact) -> Compact:
        """(d, n) the place of each row's level."""
        return np.array([levels.place[column] for levels, column in zip(self.merged, columns, strict=True)])


PLUGIN = Mst
