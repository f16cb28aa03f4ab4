"""PrivBayes: a Bayesian network under differential privacy."""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Floats, Schema, Table
from riskkit.generators.engines import noisy_counts
from riskkit.generators.engines.leave_one_out import in_turn
from riskkit.generators.engines.network import (
    Compact,
    CountLogSums,
    check_network,
    compact,
    grow,
    joint_counts,
    leave_out,
)
from riskkit.generators.engines.noisy_counts import Conditional, Exponential, Replayed
from riskkit.generators.engines.noisy_releases import DOMAIN, NETWORKS, ROWS, NoisyReleases, Spending, ways
from riskkit.parameters import CheckedPlugin, parameter
from riskkit.table.encode import bin_columns
from riskkit.table.noisy_counts import LAPLACE, Family, NoisyCounts

CELLS = 10_000_000
"""A noisy table must have fewer cells than this: every cell of the domain needs its own noise, held by a row or not."""


@dataclass(frozen=True)
class PrivBayes(CheckedPlugin):
    """Releases rows of a Bayesian network whose structure and counts are differentially private.

    **Guarantee.** Two tables are neighbours when one row of the one is replaced by any other row (replace-one). The
    number of rows is therefore public, and so is the frozen domain: levels, bounds, bins. For neighbours, no outcome of
    a fit is more than ``e^epsilon`` times as likely under one as under the other, and whatever is sampled from a fit
    inherits that, however many rows and releases.

    **Structure**, with ``share`` of epsilon: the first column is drawn uniformly; each of the ``d - 1`` others is
    picked, together with its parents, by the exponential mechanism on mutual information, with an equal part of the
    budget: chance proportional to ``exp(part I / (2 S))``. ``S`` is the most that ``I`` (nats) can move between
    neighbours of ``n`` rows: ``ln(n)/n + (n-1)/n ln(n/(n-1))`` where all columns are binary, for then every pick has a
    binary column on one side; else ``2/n ln((n+1)/2) + (n-1)/n ln((n+1)/(n-1))``. A set of two parents is never binary.

    **Counts**, with the rest: ``d - k`` joint tables of a column and its ``k`` parents. A replaced row moves two cells
    of a table by one, so the L1 sensitivity is 2 and every cell of the domain gets Laplace noise of scale
    ``2 (d - k) / ((1 - share) epsilon)`` in rows. The first ``k + 1`` columns to join share one table. Negative cells
    are raised to a millionth of a row, and what is left is normalised; that needs no data and costs nothing.

    Noise is drawn in double precision, whose last bits an attacker who saw the noisy counts themselves might use;
    releases never show them.

    **A fit without a row** is the training that would have been, had the row not been there: the same random numbers,
    from the first, met by the other table. The noise belongs to the training, so neither the structure nor the noisy
    counts may be kept and only a one taken off: with other information another network can win, whose counts get other
    noise. Over the random numbers, such a fit has the law of a fit to the shorter table. It shares them with the fit it
    came from, so the two are no independent trainings.

    References
    ----------
    .. [1] Zhang, Cormode, Procopiuc, Srivastava, Xiao 2017, PrivBayes: private data release via Bayesian networks,
       ACM TODS 42(4):25, https://doi.org/10.1145/3134428 (the sensitivity of I, the split, the first k + 1 columns)
    .. [2] DataSynthesizer issue 34: noise meant for shares must not be put on counts, which are n times as sensitive.
    """

    name: ClassVar[str] = "privbayes"
    title: ClassVar[str] = "PrivBayes (differentially private)"
    card: ClassVar[str] = (
        "Picks a Bayesian network by the exponential mechanism on mutual information, adds Laplace noise to the counts "
        "of each column with its parents, and draws rows along the network. Both the fit and each release are random; "
        "a fit on a thousand rows of 15 columns takes milliseconds, and the guarantee (epsilon, for one row replaced "
        "by another) covers all releases of one fit, not of several. The method of Zhang and others 2017 "
        "(ACM TODS 42(4):25), written anew under the licence of this program; the number of rows and the domain of "
        "every column count as public."
    )
    guarantee: ClassVar[str] = "replace-one"
    protected_by: ClassVar[Mapping[str, str]] = {"epsilon": "lowered"}

    epsilon: float = noisy_counts.epsilon()
    degree: int = parameter(
        2,
        label="Parents of a column",
        help="How many other columns a column depends on; fewer than the table has. More parents need larger counts.",
        low=1,
        high=3,
        unit="columns",
    )
    share: float = parameter(
        0.5,
        label="Budget for the structure",
        help="Which part of epsilon is spent on choosing the network; the rest is spent on the counts.",
        low=0.05,
        high=0.95,
    )
    bins: int = noisy_counts.bins()

    def losses(self, relation: str, rows: int, columns: int) -> tuple[tuple[str, float], ...]:
        """What one person costs, step by step, in the noise that a fit to so many rows really adds.

        A replaced row moves two cells of every table of counts, a row more or less one. Picks of the exponential
        mechanism: :func:`pick_loss`. See :class:`riskkit.questions.promises.LossDeclared`.
        """
        tables = max(columns - min(self.degree, columns - 1), 1)
        scale = laplace_scale((1 - self.share) * self.epsilon, tables)
        part = self.epsilon_of_pick(columns)
        counts = [("laplace", 1 / scale)] * (tables if relation == "add-one" else 2 * tables)
        picks = [("selection", pick_loss(part, relation, rows))] * (columns - 1 if columns > 2 else 0)
        return (*picks, *counts)

    def epsilon_of_pick(self, columns: int) -> float:
        """The part of epsilon that each pick of a column with its parents has."""
        return self.share * self.epsilon / max(columns - 1, 1)

    def has_law(self, table: Table, n: int) -> bool:
        """Whether the chances of whole releases of ``n`` rows are worked out: few networks, values and rows."""
        sizes = bin_columns(table, self.bins)[1]
        is_small = len(sizes) > self.degree or len(sizes) == 1
        is_small = is_small and ways(len(sizes), self.degree) <= NETWORKS
        return is_small and math.prod(sizes) <= DOMAIN and 1 <= n <= ROWS and len(table) > 1

    def releases(self, table: Table, n: int, drawn: int, rng: np.random.Generator) -> NoisyReleases:
        """All releases of ``n`` rows where they are few, else so many ``drawn`` of fits to that table, with their law.

        Ask :meth:`has_law` first.
        """
        columns = len(bin_columns(table, self.bins)[1])
        tables = max(columns - min(self.degree, columns - 1), 1)
        scale = laplace_scale((1 - self.share) * self.epsilon, tables)
        spent = Spending(self.degree, self.bins, self.epsilon_of_pick(columns), scale, noisy_counts.FLOOR, sensitivity)
        return NoisyReleases.draw(table, spent, n, drawn, rng)

    def fit(self, table: Table, rng: np.random.Generator) -> FittedPrivBayes:
        """Choose the network and make the noisy counts; all the noise comes from ``rng``.

        Raises
        ------
        DesignError
            The table has no rows, no column to model, no more columns than the degree, or joint tables too large to
            give every cell its noise.
        """
        codes, sizes = bin_columns(table, self.bins)
        check_network(self.name, self.degree, len(table), sizes, CELLS)
        columns = compact(codes, sizes)
        return _train(self, table.schema, sizes, columns, CountLogSums.count(columns, sizes, self.degree + 1), rng)


def _train(
    generator: PrivBayes,
    schema: Schema,
    sizes: tuple[int, ...],
    columns: Compact,
    sums: CountLogSums,
    rng: np.random.Generator,
) -> FittedPrivBayes:
    """The training on these codes with the noise that ``rng`` holds; draws from it."""
    start, d = copy.deepcopy(rng), len(sizes)
    degree = min(generator.degree, d - 1)
    pick = Exponential(generator.epsilon_of_pick(d), sensitivity(sums.rows, max(sizes) <= 2), rng)
    parents, joined = grow(sums, degree, int(rng.integers(d)), pick)
    scale = laplace_scale((1 - generator.share) * generator.epsilon, d - degree)
    families = [joined[: degree + 1], *((*parents[column], column) for column in joined[degree + 1 :])]
    counts = [noisy(columns, family, sizes, scale, rng) for family in families]
    first, *others = (np.maximum(each, noisy_counts.FLOOR) for each in counts)
    out = _first(families[0], first)
    out += [Conditional.condition(family, each) for family, each in zip(families[1:], others, strict=True)]
    drawn = Drawn(tuple(families), tuple(counts), scale, tuple(pick.made))
    return FittedPrivBayes(schema, generator.bins, sizes, tuple(out), generator, columns, sums, start, drawn)


def sensitivity(n: int, binary: bool) -> float:
    """The most that mutual information, in nats, can move when one of ``n`` rows is replaced.

    ``binary`` says that one of the two sides has at most two values.
    """
    if n < 2:
        return 0.0
    if binary:
        return math.log(n) / n + (n - 1) / n * math.log(n / (n - 1))
    return 2 / n * math.log((n + 1) / 2) + (n - 1) / n * math.log((n + 1) / (n - 1))


def pick_loss(part: float, relation: str, rows: int) -> float:
    """The epsilon that a pick keeps whose part of the budget is ``part``, whatever the table.

    That is ``part`` itself where a row is replaced. For a row more or less the number of rows changes too, and with it
    the sensitivity. With ``g(c) = c ln c - (c-1) ln(c-1)``, a row that is one of ``b`` with its values on both sides,
    of ``a`` and ``c`` with those of either, moves ``n I`` by ``g(n) + g(b) - g(a) - g(c)``, which lies within
    ``2 g((n+1)/2)`` whatever the table, for ``a + c <= n + b`` and g is concave; all else moves with ``I``, which lies
    between 0 and ``ln n`` (``ln 2`` for two values). The larger of the two kinds of columns is taken.
    """
    if relation != "add-one":
        return part
    if rows < 3:
        return part / 2 * math.log(2) / min(sensitivity(2, False), sensitivity(2, True))
    half = (rows + 1) / 2
    moved = 2 * (half * math.log(half) - (half - 1) * math.log(half - 1))
    widest = 0.0
    for binary, most in ((False, math.log(rows)), (True, math.log(2))):
        longer, shorter = rows * sensitivity(rows, binary), (rows - 1) * sensitivity(rows - 1, binary)
        widest = max(widest, moved / longer + most * (rows - 1) * abs(1 / shorter - 1 / longer))
    return part / 2 * widest


def laplace_scale(epsilon: float, tables: int) -> float:
    """The scale of the noise on each cell, in rows, for ``tables`` tables of counts that share ``epsilon``."""
    return 2.0 * tables / epsilon


def noisy(
    columns: Compact, family: tuple[int, ...], sizes: tuple[int, ...], scale: float, rng: np.random.Generator
) -> Floats:
    """The joint counts of some columns, one axis a column, each with Laplace noise."""
    counts = joint_counts(columns, family, sizes)
    return counts + rng.laplace(0.0, scale, counts.size).reshape(counts.shape)


def _first(family: tuple[int, ...], table: Floats) -> list[Conditional]:
    """The first columns to join, each given all before it, from the one noisy table they share."""
    axes = range(1, table.ndim + 1)
    return [Conditional.condition(family[:k], table.sum(axis=tuple(range(k, table.ndim)))) for k in axes]


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """Everything a fit drew at random: noisy ``counts`` of the columns of each of ``families``, and what it picked.

    ``scale`` is that of the noise, in rows; ``picks`` are positions as :func:`riskkit.generators.engines.network.grow`
    shows them.
    """

    families: tuple[tuple[int, ...], ...]
    counts: tuple[Floats, ...]
    scale: float
    picks: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class FittedPrivBayes(noisy_counts.NoisyNetwork):
    """The noisy network.

    ``conditionals`` come parents first. ``columns`` (d, n), ``sizes`` and ``sums`` are what it was trained on,
    ``start`` is the random generator as it was before the training.
    """

    generator: PrivBayes
    columns: Compact
    sums: CountLogSums
    start: np.random.Generator
    drawn: Drawn

    def families(self) -> tuple[Family, ...]:
        """The columns with their parents, each sorted; see :class:`riskkit.table.noisy_counts.MarginalsPicked`."""
        return tuple(tuple(sorted(family)) for family in self.drawn.families)

    def noisy_counts(self) -> tuple[NoisyCounts, ...]:
        """The noisy counts, as they were before negative ones were raised."""
        return tuple(NoisyCounts(each, np.full(each.shape, self.drawn.scale), LAPLACE) for each in self.drawn.counts)

    def exact_counts(self, table: Table) -> tuple[Floats, ...]:
        """The same cells counted in another table, without noise."""
        columns = compact(*bin_columns(table, self.generator.bins))
        return tuple(joint_counts(columns, family, self.sizes) for family in self.drawn.families)

    def log_picks(self, table: Table) -> float:
        """The log probability that a fit to that table would pick this network; the first column is drawn evenly."""
        d, degree = len(self.sizes), min(self.generator.degree, len(self.sizes) - 1)
        sums = CountLogSums.count(compact(*bin_columns(table, self.generator.bins)), self.sizes, degree + 1)
        moved = sensitivity(sums.rows, max(self.sizes) <= 2)
        again = Replayed(self.generator.epsilon_of_pick(d), moved, iter(self.drawn.picks))
        grow(sums, degree, self.drawn.families[0][0], again)
        return again.log_chance

    @in_turn
    def without(self, row: int) -> FittedPrivBayes:
        """The same training without that row: its random numbers are drawn again, its information is not counted anew.

        Raises
        ------
        DesignError
            It is the only row.
        """
        check_network(PrivBayes.name, self.generator.degree, self.sums.rows - 1, self.sizes, CELLS)
        columns, sums = leave_out(self.columns, self.sizes, self.sums, row)
        return _train(self.generator, self.schema, self.sizes, columns, sums, copy.deepcopy(self.start))


PLUGIN = PrivBayes
