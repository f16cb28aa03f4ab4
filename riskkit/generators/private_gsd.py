"""Private-GSD: all pairs counted under differential privacy, and rows that are changed until they agree with them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Floats, Ints, Schema, Table
from riskkit.generators.engines.network import check_network, compact, joint_counts
from riskkit.generators.engines.noisy_counts import AddOnePrivate, rho_of_delta
from riskkit.generators.engines.tree_fit import Noisy, noisy, rows_of
from riskkit.parameters import parameter
from riskkit.table.encode import bin_columns, from_bins
from riskkit.table.noisy_counts import Family, NoisyCounts, pairs

CELLS = 50_000_000
"""All noisy tables must have fewer cells than this together: every cell needs its own noise, held by a row or not."""


@dataclass(frozen=True)
class PrivateGsd(AddOnePrivate):
    """Releases rows that were changed, value by value, until all their pairs of columns agree with noisy counts.

    **Guarantee.** As that of :class:`riskkit.generators.mst.Mst`: for one row more or less, with a public domain, and
    for all releases of one fit.

    **Budget.** All of ``rho``, the most zero-concentrated privacy loss that keeps the promise of epsilon and delta,
    goes to the counts of all ``p = d (d - 1) / 2`` pairs of columns: normal noise of ``sqrt(p / (2 rho))`` rows on
    every cell. A row lies in one cell of each pair, so all of them together are a Gaussian mechanism of
    ``mu = sqrt(2 rho)``, exactly. Nothing is picked.

    **Search.** ``rows`` rows begin at random. A change gives one row another value in one column: one of the domain, or
    that of another row, by equal chances. It stays where the sum of the squared errors of all pairs falls. The source
    tries some hundred changes at once and keeps the best; here each is tried by itself, which takes the same downward
    steps with fewer trials thrown away. A release draws from the rows that are left, with replacement.

    References
    ----------
    .. [1] Liu, Tang, Vietri and Wu 2023, Generating private synthetic data with genetic algorithms, ICML,
       arXiv 2306.03257.
    """

    name: ClassVar[str] = "private_gsd"
    title: ClassVar[str] = "Private-GSD (differentially private)"
    card: ClassVar[str] = (
        "Adds normal noise to the counts of all pairs of columns, then changes rows that began at random, value by "
        "value, until their pairs agree with these counts; releases are drawn from the rows. Both the fit and each "
        "release are random; a fit on a thousand rows of 15 columns takes a quarter of a second, and the guarantee "
        "(epsilon and delta, for one row more or less) covers all releases of one fit, not of several. After Liu and "
        "others 2023; the domain of every column counts as public."
    )
    rows: int = parameter(
        1_000,
        label="Rows that are changed",
        help="How many rows are fitted to the noisy counts. Releases are drawn from these rows.",
        low=10,
        high=20_000,
        unit="rows",
    )
    tries: int = parameter(
        100,
        label="Changes tried per value",
        help="How many changes are tried for each value of these rows. More agree better with the noisy counts.",
        low=1,
        high=1_000,
    )

    def noise(self, columns: int) -> float:
        """Standard deviation, in rows, of the noise of a fit to a table of so many columns."""
        return math.sqrt(len(pairs(columns)) / (2 * rho_of_delta(self.epsilon, self.delta)))

    def losses(self, relation: str, rows: int, columns: int) -> tuple[tuple[str, float], ...]:  # noqa: ARG002
        """What one person costs, in the noise that a fit really adds.

        See :class:`riskkit.questions.promises.LossDeclared`. A row that is replaced leaves one cell of each pair and
        enters another.
        """
        moved = 1.0 if relation == "add-one" else math.sqrt(2.0)
        return (("gaussian", moved * math.sqrt(len(pairs(columns))) / self.noise(columns)),)

    def fit(self, table: Table, rng: np.random.Generator) -> FittedPrivateGsd:
        """Count, then change rows; all the noise comes from ``rng``.

        Raises
        ------
        DesignError
            The table has no rows, no column to model, or pairs too large to give every cell its noise.
        """
        codes, sizes = bin_columns(table, self.bins)
        families = pairs(len(sizes))
        check_network(self.name, min(1, len(sizes) - 1), len(table), sizes, CELLS // len(families))
        columns, sd = compact(codes, sizes), self.noise(len(sizes))
        measured = [noisy(joint_counts(columns, family, sizes), sd, rng) for family in families]
        return FittedPrivateGsd(table.schema, self.bins, sizes, self.evolve(measured, sizes, rng), tuple(measured))

    def evolve(self, measured: list[Noisy], sizes: tuple[int, ...], rng: np.random.Generator) -> Ints:
        """(rows, d) codes whose pairs agree with noisy counts of them; nothing else of the table is looked at."""
        from riskkit.generators.engines.graph_kernels import change_rows

        d = len(sizes)
        if d == 1:  # beside a column that never changes it is a pair
            return self.evolve(measured, (*sizes, 1), rng)[:, :1]
        widths = np.asarray(sizes)
        codes = rng.integers(0, widths, (self.rows, d))
        starts, steps = np.zeros((d, d), dtype=np.int64), np.ones((d, d), dtype=np.int64)
        ends = np.cumsum([each.counts.size for each in measured])
        for (a, b), end in zip(pairs(d), ends.tolist(), strict=True):
            starts[a, b] = starts[b, a] = end - sizes[a] * sizes[b]
            steps[b, a] = sizes[b]
        columns = compact(codes.astype(np.int32), sizes)
        share = self.rows / rows_of(measured)
        errors = [
            joint_counts(columns, pair, sizes).ravel() - share * each.counts.ravel()
            for pair, each in zip(pairs(d), measured, strict=True)
        ]
        error = np.concatenate(errors)
        for _ in range(self.tries):
            row, other = rng.integers(0, self.rows, (2, codes.size))
            column = rng.integers(0, d, codes.size)
            other[rng.random(codes.size) < 0.5] = -1
            change_rows(codes, starts, steps, error, row, column, rng.integers(0, widths[column]), other)
        return codes


@dataclass(frozen=True, slots=True, eq=False)
class FittedPrivateGsd:
    """The rows that agree with the noisy counts, as ``codes`` (rows, d), and the counts of each pair."""

    schema: Schema
    bins: int
    sizes: tuple[int, ...]
    codes: Ints
    measured: tuple[Noisy, ...]

    def sample(self, n: int, rng: np.random.Generator) -> Table:
        """``n`` of the rows, with replacement; a number is uniform among the values of its bin."""
        return from_bins(self.codes[rng.integers(0, len(self.codes), n)], self.schema, self.bins, rng)

    def families(self) -> tuple[Family, ...]:
        """All pairs; see :class:`riskkit.table.noisy_counts.MarginalsPicked`."""
        return pairs(len(self.sizes))

    def noisy_counts(self) -> tuple[NoisyCounts, ...]:
        """The noisy counts of the pairs."""
        return tuple(NoisyCounts(each.counts, each.sd) for each in self.measured)

    def exact_counts(self, table: Table) -> tuple[Floats, ...]:
        """The same cells counted in another table, without noise."""
        columns = compact(*bin_columns(table, self.bins))
        return tuple(joint_counts(columns, family, self.sizes) for family in self.families())

    def log_picks(self, table: Table) -> float:  # noqa: ARG002  part of the interface
        """Nothing is picked."""
        return 0.0


PLUGIN = PrivateGsd
