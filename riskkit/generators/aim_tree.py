"""AIM on a tree: counts are taken where the law of rows so far errs most, under differential privacy."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np

from riskkit.core import Floats, Table
from riskkit.generators.engines import noisy_counts
from riskkit.generators.engines.network import (
    Compact,
    check_network,
    compact,
    joint_counts,
)
from riskkit.generators.engines.noisy_counts import Conditional, Exponential, Replayed, rho_of_delta
from riskkit.generators.engines.tree_fit import Forest, Noisy, fit_forest, noisy, parts, rows_of, together
from riskkit.table.encode import bin_columns
from riskkit.table.noisy_counts import Family, NoisyCounts

CELLS = 10_000_000
"""A column must have fewer values than this: each needs its own noise, held by a row or not."""
PAIR = 100_000
"""Pairs of more cells are never counted."""
COUNTED = 0.9
"""The part of a round's budget that goes to its counts; the rest goes to its pick."""
ROUNDS = 16
"""Rounds for each column, were no round ever given more than the first."""
WEIGHT = {1: 0.5, 2: 1.0}
"""Weights of a column and of a pair: a pair shares twice as many columns with the workload of all pairs."""
MEAN_SIZE = math.sqrt(2 / math.pi)
"""The mean size of normal noise, in standard deviations."""


@dataclass(frozen=True)
class AimTree(noisy_counts.AddOnePrivate):
    """AIM, with the pairs that it counts held to a tree.

    **Method.** All columns are counted once, with noise. Then round after round a column or a pair is picked by the
    exponential mechanism and counted, and the law of rows is found that agrees best with all noisy counts. A candidate
    weighs as many rows as the law so far is away from its exact counts, in L1, less what the noise of a new count
    would be away, in mean. Where a count moves the law by less than its noise would, the next rounds are four times
    as dear: half the noise, twice the epsilon of the pick. The workload is all pairs of columns.

    **What it is not.** The published method counts tables of three columns as well and lets tables overlap in cycles.
    Here a pair is a candidate only if it was counted before or joins two trees. Whatever is counted is so a forest,
    whose law is exact and fast; what columns say of each other beyond the tree is lost, as with ``mst``.

    **Guarantee.** Two tables are neighbours when the one has a row more (add-one). The frozen domain (levels, bounds,
    bins) is public and never taken from the rows; the number of rows is not public. Releases come from a fit alone,
    so what holds of a fit holds however many rows and releases are drawn from it.

    **Budget.** ``rho`` is the most zero-concentrated privacy loss that keeps the promise of epsilon and delta. The
    first counts take a sixteenth of ``.9 rho``. Each round pays ``1 / (2 sd^2)`` for its counts and
    ``epsilon^2 / 8`` for its pick, nine to one, and the last round takes what is left, so that all of ``rho`` is spent.
    How much a round takes depends on noisy counts alone.

    Noise is drawn in double precision, whose last bits an attacker who saw the noisy counts themselves might use;
    releases never show them.

    References
    ----------
    .. [1] McKenna, Mullins, Sheldon and Miklau 2022, AIM: an adaptive and iterative mechanism for differentially
       private synthetic data, Proceedings of the VLDB Endowment 15(11).
    .. [2] Smith and Thakurta 2022, Fully adaptive composition for Gaussian differential privacy, arXiv 2210.17520.
    """

    name: ClassVar[str] = "aim_tree"
    title: ClassVar[str] = "AIM on a tree (differentially private)"
    card: ClassVar[str] = (
        "Counts the columns, then round after round the column or pair on which the law of rows so far errs most, and "
        "adds normal noise to every count; rows are drawn along the tree that agrees best. Both the fit and each "
        "release are random, and the guarantee (epsilon and delta, for one row more or less) covers all releases of "
        "one fit, not of several. After McKenna and others 2022, held to trees of pairs: not the whole method, which "
        "counts three columns at a time and cycles. The domain of every column counts as public."
    )

    def budget(self, columns: int) -> Budget:
        """What a fit to so many columns has, and what its first counts and rounds take of it."""
        rho = rho_of_delta(self.epsilon, self.delta)
        return Budget(rho, COUNTED * rho / ROUNDS, rho / (ROUNDS * columns))

    def losses(self, relation: str, rows: int, columns: int) -> tuple[tuple[str, float], ...]:  # noqa: ARG002
        """What one person costs: one normal step, however the rounds share the budget.

        Normal noise on counts of which a person moves one cell is Gaussian privacy of ``mu = 1 / sd``. A pick of
        ``epsilon`` is one of ``mu = sqrt(pi / 8) epsilon``: whatever is picked, the logit of its chance lies within one
        interval of that length, and the normal quantile of a chance moves by ``sqrt(2 pi) / 4`` of its logit at most.
        Steps whose sizes are chosen as it goes compose to ``mu^2``, the sum of their squares, where that sum is fixed
        beforehand [2]_; it is, for picks get one tenth of whatever the rounds take together. A row that is replaced
        leaves one cell of each table and enters another, and moves the weight of a pair by 2.
        """
        budget = self.budget(columns)
        picks = (1 - COUNTED) * (budget.rho - budget.first)
        counts = budget.rho - picks
        moved, weighed = (1.0, 1.0) if relation == "add-one" else (2.0, 4.0)
        return (("gaussian", math.sqrt(2 * moved * counts + math.pi * weighed * picks)),)

    def fit(self, table: Table, rng: np.random.Generator) -> FittedAimTree:
        """Count, choose, count again; all the noise comes from ``rng``.

        Raises
        ------
        DesignError
            The table has no rows, no column to model, or a column of too many values to give each its noise.
        """
        codes, sizes = bin_columns(table, self.bins)
        check_network(self.name, 0, len(table), sizes, CELLS)
        exact, budget = Exact(compact(codes, sizes), sizes), self.budget(len(sizes))
        sd = math.sqrt(len(sizes) / (2 * budget.first))
        taken: list[tuple[Family, Noisy]] = [((j,), noisy(exact.counts((j,)), sd, rng)) for j in range(len(sizes))]
        known, rounds = dict(taken), list[Round]()
        law, left, part = EstimatedLaw.estimate(known, sizes), budget.rho - budget.first, budget.round
        is_last = False
        while not is_last:
            is_last = left <= 2 * part
            part = left if is_last else part
            left -= part
            sd, epsilon = math.sqrt(1 / (2 * COUNTED * part)), math.sqrt(8 * (1 - COUNTED) * part)
            candidates = open_to(sizes, law.forest)
            chosen = Exponential(epsilon, 1.0, rng)(weights(exact, law, candidates, sd))
            family = candidates[chosen]
            rounds.append(Round(law, sd, epsilon, chosen))
            seen = noisy(exact.counts(family), sd, rng)
            taken.append((family, seen))
            known[family] = together(known[family], seen) if family in known else seen
            before, law = law, EstimatedLaw.estimate(known, sizes)
            moved = float(np.abs(law.counts(family) - before.counts(family)).sum())
            part = next_part(part, moved, sd, seen.counts.size)
        drawn = Drawn(tuple(taken), tuple(rounds))
        return FittedAimTree(table.schema, self.bins, sizes, conditionals(law), drawn)


@dataclass(frozen=True, slots=True)
class Budget:
    """Zero-concentrated privacy: all there is, what the first counts take together, and what the first round takes."""

    rho: float
    first: float
    round: float


def next_part(part: float, moved: float, sd: float, cells: int) -> float:
    """What the next round takes: four times as much where the law moved by no more than the noise would move it."""
    return 4 * part if moved <= MEAN_SIZE * sd * cells else part


class Exact:
    """The exact counts of a table, each family counted once."""

    def __init__(self, columns: Compact, sizes: tuple[int, ...]) -> None:
        self.columns, self.sizes = columns, sizes
        self.counted: dict[Family, Floats] = {}

    def counts(self, family: Family) -> Floats:
        """How many rows hold each combination of codes of these columns, one axis a column."""
        if family not in self.counted:
            self.counted[family] = joint_counts(self.columns, family, self.sizes)
        return self.counted[family]


@dataclass(frozen=True, slots=True, eq=False)
class EstimatedLaw:
    """How many rows there are by all noisy counts so far, and the law of rows that agrees best with them."""

    total: float
    forest: Forest

    @classmethod
    def estimate(cls, known: Mapping[Family, Noisy], sizes: tuple[int, ...]) -> EstimatedLaw:
        """From the noisy counts of all columns and of some pairs; nothing else of the table is looked at."""
        total = rows_of(list(known.values()))
        pairs = {(family[0], family[1]): each for family, each in known.items() if len(family) == 2}
        return cls(total, fit_forest(sizes, [known[j,] for j in range(len(sizes))], pairs, total))

    def counts(self, family: Family) -> Floats:
        """The rows that it expects in each cell."""
        shares = self.forest.shares[family[0]] if len(family) == 1 else self.forest.pair(family[0], family[1])
        return self.total * shares


def open_to(sizes: tuple[int, ...], forest: Forest) -> list[Family]:
    """What can be counted next: every column, pairs counted before, and pairs that join two trees."""
    joined = {frozenset(edge) for edge in forest.joints}
    tree = {column: index for index, part in enumerate(parts(len(sizes), forest.joints)) for column in part}
    small = [pair for pair in combinations(range(len(sizes)), 2) if sizes[pair[0]] * sizes[pair[1]] <= PAIR]
    pairs = [(a, b) for a, b in small if tree[a] != tree[b] or frozenset((a, b)) in joined]
    return [*((j,) for j in range(len(sizes))), *pairs]


def weights(exact: Exact, law: EstimatedLaw, candidates: list[Family], sd: float) -> Floats:
    """What each candidate weighs: the rows by which the law errs on it, less those by which a new count would."""
    out = np.empty(len(candidates))
    for index, family in enumerate(candidates):
        counts = exact.counts(family)
        error = float(np.abs(counts - law.counts(family)).sum())
        out[index] = WEIGHT[len(family)] * (error - MEAN_SIZE * sd * counts.size)
    return out


def conditionals(law: EstimatedLaw) -> tuple[Conditional, ...]:
    """The law, parents first."""
    least, children = noisy_counts.FLOOR / law.total, {below for _, below in law.forest.joints}
    roots = [j for j in range(len(law.forest.shares)) if j not in children]
    out = [Conditional.condition((root,), np.maximum(law.forest.shares[root], least)) for root in roots]
    out += [Conditional.condition(edge, np.maximum(joint, least)) for edge, joint in law.forest.joints.items()]
    return tuple(out)


@dataclass(frozen=True, slots=True, eq=False)
class Round:
    """One round: the law before it, its noise in rows, the epsilon of its pick, and the position picked."""

    law: EstimatedLaw
    sd: float
    epsilon: float
    pick: int


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """Everything a fit drew at random: noisy counts in the order in which they were taken, and its rounds."""

    taken: tuple[tuple[Family, Noisy], ...]
    rounds: tuple[Round, ...]


@dataclass(frozen=True, slots=True, eq=False)
class FittedAimTree(noisy_counts.NoisyNetwork):
    """The noisy forest."""

    drawn: Drawn

    def families(self) -> tuple[Family, ...]:
        """The columns and pairs that were counted, each sorted.

        See :class:`riskkit.table.noisy_counts.MarginalsPicked`.
        """
        return tuple(tuple(sorted(family)) for family, _ in self.drawn.taken)

    def noisy_counts(self) -> tuple[NoisyCounts, ...]:
        """The noisy counts, in the order in which they were taken."""
        return tuple(NoisyCounts(each.counts, each.sd) for _, each in self.drawn.taken)

    def exact_counts(self, table: Table) -> tuple[Floats, ...]:
        """The same cells counted in another table, without noise."""
        exact = Exact(compact(*bin_columns(table, self.bins)), self.sizes)
        return tuple(exact.counts(family) for family, _ in self.drawn.taken)

    def log_picks(self, table: Table) -> float:
        """The log probability that a fit to that table would pick the same, given all noisy counts before each."""
        exact, chance = Exact(compact(*bin_columns(table, self.bins)), self.sizes), 0.0
        for each in self.drawn.rounds:
            again = Replayed(each.epsilon, 1.0, iter((each.pick,)))
            again(weights(exact, each.law, open_to(self.sizes, each.law.forest), each.sd))
            chance += again.log_chance
        return chance


PLUGIN = AimTree
