"""Bayesian network: every column leans on one or a few others."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence, Sized
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from riskkit.core import Codes, Floats, Ints, Schema, Table
from riskkit.generators.engines.leave_one_out import in_turn
from riskkit.generators.engines.network import (
    Compact,
    CountLogSums,
    Parents,
    check_network,
    chow_liu,
    compact,
    greedy,
    grow,
    is_dense,
    leave_out,
    log_share_of_bin,
    order,
    parent_codes,
    sums_without,
)
from riskkit.generators.engines.ratios import (
    Ratio,
    RecordCell,
    TreeLaw,
    TreeShares,
    places_of,
    refuse_all_rows,
)
from riskkit.generators.engines.ratios_drawn import NearbyRows, drawn_near, log_shares
from riskkit.parameters import CheckedPlugin, parameter
from riskkit.table.encode import bin_columns, from_bins
from riskkit.table.noisy_counts import Family

CELLS = 2**62
"""The codes of a column and its parents together must be fewer than this."""
NOBODY = np.empty(0, dtype=np.int32)
"""The codes of no row."""


@dataclass(frozen=True)
class BayesNet(CheckedPlugin):
    """Learns a network of the columns by mutual information and draws rows from it, parents first.

    Numbers are put in equal bins of their domain. With degree 1 it is the Chow-Liu tree: of all trees over the columns,
    the one with the largest sum of mutual information makes the table most likely. With a degree of ``k`` it is the
    greedy network of PrivBayes without its noise: the first column is the root, and at every step the column and the
    ``k`` columns already in the network that share most information are joined. More parents never share less, so
    every column that can has exactly ``k``. Of equal choices the first in file order is taken; nothing is random.

    Nothing is smoothed unless asked: a pair of values that no row holds is never released by a tree. Two parents may
    meet in a release though no row holds both of their values; their child is then uniform over its domain, which is
    what an ever smaller pseudo-count would give.

    References
    ----------
    .. [1] Chow and Liu 1968, Approximating discrete probability distributions with dependence trees,
       https://doi.org/10.1109/TIT.1968.1054142
    .. [2] Zhang, Cormode, Procopiuc, Srivastava, Xiao 2017, PrivBayes: private data release via Bayesian networks,
       https://doi.org/10.1145/3134428
    """

    name: ClassVar[str] = "bayesnet"
    title: ClassVar[str] = "Bayesian network"
    card: ClassVar[str] = (
        "Links the columns to the tree that makes the table most likely (Chow and Liu 1968) or, with a degree above 1, "
        "to the greedy network of PrivBayes without noise (Zhang and others 2017), counts each column given its "
        "parents and draws rows along the network. Fitting has no randomness, each release draws anew; for a thousand "
        "rows of 15 columns both take milliseconds, and the time of a fit grows with the number of sets of degree + 1 "
        "columns. Keeps the strongest dependences and adds no noise: a combination that only one person has is "
        "released about as often as in the table and, without a pseudo-count, only if that person is in the table. Our "
        "own code, under the licence of this program."
    )
    certified: ClassVar[bool] = True
    protected_by: ClassVar[Mapping[str, str]] = {"smoothing": "raised", "bins": "lowered", "degree": "lowered"}

    bins: int = parameter(
        10,
        label="Bins of a number",
        help="Each number's domain is cut into this many parts of equal width. More bins follow the table closer.",
        low=2,
        high=100,
        unit="bins",
    )
    degree: int = parameter(
        1,
        label="Parents of a column",
        help="How many other columns a column may depend on; fewer than the table has. 1 is the Chow-Liu tree.",
        low=1,
        high=3,
        unit="columns",
    )
    smoothing: float = parameter(
        0.0,
        label="Pseudo-count",
        help="Added to every count, so that values of the domain that no row holds are released too. 0 adds nothing.",
        low=0.0,
        high=100.0,
        unit="rows",
    )

    def fit(self, table: Table, rng: np.random.Generator) -> FittedBayesNet:  # noqa: ARG002  nothing is drawn here
        """Settle the network and count. Draws nothing at random.

        Raises
        ------
        DesignError
            The table has no rows, no column to model, or no more columns than the degree.
        """
        codes, sizes = bin_columns(table, self.bins)
        check_network(self.name, self.degree, len(table), sizes, CELLS)
        columns = compact(codes, sizes)
        sums = CountLogSums.count(columns, sizes, self.degree + 1)
        return _count(self, table.schema, sizes, columns, sums, _parents(self, sums))


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """One column given its parents, as counts and as the rows behind them.

    The parents' values are one code, as :func:`riskkit.generators.engines.network.joint` makes it. Where their joint
    domain is too large to hold, ``keys`` are the parent codes that occur, and a code's place among them stands for it;
    else ``keys`` is None and the code stands for itself. ``cells`` are the occurring values of place times ``size``
    plus own code, ascending, and ``tally`` how many rows have each. ``rows`` holds the column's code in every row of
    the table, rows of one place together: those of place ``s`` begin at ``starts[s]``.
    """

    size: int
    weight: float
    keys: Ints | None
    cells: Ints
    tally: Ints
    starts: Ints
    rows: npt.NDArray[np.integer]

    @classmethod
    def count(cls, code: Compact, size: int, above: Ints, codes: int, smoothing: float = 0.0) -> Node:
        """Count a column of ``size`` codes given (n,) parent codes below ``codes``."""
        keys = None
        if not is_dense(codes * size, len(code)):
            keys, above = np.unique(above, return_inverse=True)
            codes = len(keys)
        rows = np.empty(len(code), dtype=np.min_scalar_type(size))
        if is_dense(codes * size, len(code)):
            from riskkit.generators.engines.graph_kernels import tally

            cells, tally, starts = tally(code, above, size, codes, rows)
        else:
            cells, tally = np.unique(above * size + code, return_counts=True)
            starts = np.zeros(codes + 1, dtype=np.int64)
            np.cumsum(np.bincount(above, minlength=codes), out=starts[1:])
            rows[:] = np.repeat(cells % size, tally)
        return cls(size, smoothing * size, keys, cells, tally, starts, rows)

    def span(self, above: Ints) -> tuple[Ints, Ints, Ints]:
        """(n,) the place, the first row and the number of rows of each parent code; a new one's place is after all."""
        if self.keys is None:
            first = self.starts.take(above)
            return above, first, self.starts[1:].take(above) - first
        place = np.minimum(np.searchsorted(self.keys, above), len(self.keys) - 1)
        below = np.where(self.keys[place] == above, np.diff(self.starts)[place], 0)
        return np.where(self.keys[place] == above, place, len(self.keys)), self.starts[place], below

    def draw(self, above: Ints, uniform: Floats) -> npt.NDArray[np.integer]:
        """(n,) one code for each parent code, for draws that are uniform on [0, 1).

        The answer is the code of a random row among those that hold the parent code, or of a random pseudo-row.
        """
        _, first, below = self.span(above)
        if not self.weight and below.all():
            first += (uniform * below).astype(np.int64)
            return self.rows.take(first)
        weight = np.where(below > 0, self.weight, self.weight or 1.0)
        drawn = uniform * (below + weight)
        of_row = self.rows[np.minimum(first + drawn.astype(np.int64), len(self.rows) - 1)]
        pseudo = np.clip((drawn - below) * (self.size / np.maximum(weight, 1e-300)), 0, self.size - 1)
        return np.where(drawn < below, of_row, pseudo.astype(np.int64))

    def counts(self, above: Ints, code: Ints) -> tuple[Ints, Ints]:
        """(n,) how many rows hold each code together with its parent code, and how many hold the parent code."""
        place, _, below = self.span(above)
        cell = place * self.size + code
        position = np.minimum(np.searchsorted(self.cells, cell), len(self.cells) - 1)
        return np.where(self.cells[position] == cell, self.tally[position], 0), below

    def log_prob(self, above: Ints, code: Ints) -> Floats:
        """(n,) logarithm of the share of each code among the rows and pseudo-rows that hold its parent code."""
        if self.keys is None and (len(self.starts) - 1) * self.size < len(code):
            cells = np.divmod(np.arange((len(self.starts) - 1) * self.size), self.size)
            return self._log_prob(*cells).take(above * self.size + code)
        return self._log_prob(above, code)

    def _log_prob(self, above: Ints, code: Ints) -> Floats:
        count, below = self.counts(above, code)
        weight = np.where(below > 0, self.weight, self.weight or 1.0)
        with np.errstate(divide="ignore"):
            share: Floats = np.log((count + weight / self.size) / (below + weight))
        return share

    def without(self, above: int, code: int) -> Node:
        """The same column less one row that has these codes."""
        place = above if self.keys is None else int(self.keys.searchsorted(above))
        tally, starts = self.tally.copy(), self.starts.copy()
        tally[self.cells.searchsorted(place * self.size + code)] -= 1
        first, end = starts[place], starts[place + 1]
        gone = first + self.rows[first:end].searchsorted(code)
        starts[place + 1 :] -= 1
        rows = np.concatenate([self.rows[:gone], self.rows[gone + 1 :]])
        return Node(self.size, self.weight, self.keys, self.cells, tally, starts, rows)


@dataclass(frozen=True, eq=False)
class FittedBayesNet:
    """The network and its counts.

    ``parents`` has one entry a modelled column in file order: the positions of its parents, none for the root.
    ``columns`` (d, n), ``sizes`` and ``sums`` are what the network was settled by.
    """

    schema: Schema
    generator: BayesNet
    sizes: tuple[int, ...]
    columns: Compact
    sums: CountLogSums
    parents: Parents
    nodes: tuple[Node, ...]

    def sample(self, n: int, rng: np.random.Generator) -> Table:
        """``n`` rows drawn along the network; a number is uniform among the values of its bin."""
        uniform = rng.random((len(self.nodes), n))
        drawn = self.walk(uniform, NOBODY)
        return from_bins((self.draw(uniform) if drawn is None else drawn).T, self.schema, self.generator.bins, rng)

    def families(self) -> tuple[Family, ...]:
        """The columns with their parents, each sorted; see :class:`riskkit.table.noisy_counts.MarginalsPicked`."""
        return tuple(tuple(sorted((*above, column))) for column, above in enumerate(self.parents))

    def draw(self, uniform: Floats) -> Codes:
        """(d, n) one code for each uniform draw, node by node, parents first."""
        out = np.empty(uniform.shape, dtype=np.int32)
        for j in order(self.parents):
            out[j] = self.nodes[j].draw(parent_codes(out, self.parents[j], self.sizes), uniform[j])
        return out

    @property
    def is_flat(self) -> bool:
        """Whether compiled code can draw: nothing is smoothed, and every joint domain is small enough to hold."""
        return not any(node.weight or node.keys is not None for node in self.nodes)

    @cached_property
    def flat(self) -> tuple[Ints, Ints, Ints, Compact]:
        """The starts and the rows of all nodes, each one column after the other, with where each column begins."""
        starts, rows = [node.starts for node in self.nodes], [node.rows for node in self.nodes]
        return _offsets(starts), np.concatenate(starts), _offsets(rows), np.concatenate(rows)

    def walk(self, uniform: Floats, gone: Codes) -> Codes | None:
        """(d, n) the codes that :meth:`draw` gives, by compiled code; None where only the nodes themselves can.

        ``gone`` are the codes of a row that is not to be drawn, or :data:`NOBODY`. Only the nodes can where two
        parents meet for the first time.
        """
        if not self.is_flat:
            return None
        from riskkit.generators.engines.graph_kernels import walk

        out = np.empty(uniform.shape, dtype=np.int32)
        done = walk(uniform, *_way(self.parents), np.asarray(self.sizes), *self.flat, gone, out)
        return out if done else None

    def log_prob(self, table: Table) -> Floats:
        """(n,) natural logarithm of the probability of each row; a number has 1/k of its bin of k values."""
        codes = bin_columns(table, self.generator.bins)[0].T.astype(np.int64)
        total: Floats = log_shares(self, codes).sum(axis=0) + log_share_of_bin(codes, self.schema, self.generator.bins)
        return total

    def ratios(self) -> NetworkRatios:
        """What released rows say of each record; exact for a tree that is the same without the record."""
        shares = shares_of(self.parents, self.sizes, self.nodes)
        without = sums_without(self.columns, self.sizes, self.sums)

        def keeps(rows: int | Ints) -> bool:
            left = _parents(self.generator, without(rows)) if isinstance(rows, int) else self.without(rows).parents
            return left == self.parents

        return NetworkRatios(self.parents, self.sizes, self.columns, self.nodes, keeps, shares)

    def drawn_near(self, rows: int | Ints, count: int, rng: np.random.Generator) -> NearbyRows:
        """Rows drawn near that record, or near a person's, and what they say: where no exact law is known."""
        without = self.without(rows)
        outside = without.count() if isinstance(without, FittedWithoutRow) else without
        return drawn_near(self, outside, np.atleast_1d(rows).tolist(), count, rng)

    @in_turn
    def without(self, row: int) -> FittedBayesNet | FittedWithoutRow:
        """The fit of the same table less that row, structure included, without counting it again.

        Raises
        ------
        DesignError
            It is the only row.
        """
        check_network(BayesNet.name, self.generator.degree, self.sums.rows - 1, self.sizes, CELLS)
        columns, sums = leave_out(self.columns, self.sizes, self.sums, row)
        parents = _parents(self.generator, sums)
        if parents == self.parents and self.is_flat:
            return FittedWithoutRow(self, row, columns, sums)
        return _count(self.generator, self.schema, self.sizes, columns, sums, parents, (self, row))


@dataclass(frozen=True, slots=True, eq=False)
class FittedWithoutRow:
    """The fit of a table less one row that left the network as it was: the counts of the whole table and that row.

    Drawing from the whole table's rows and passing over that one costs less than new counts; :meth:`count` makes
    them.
    """

    whole: FittedBayesNet
    row: int
    columns: Compact
    sums: CountLogSums

    @property
    def parents(self) -> Parents:
        """The network, which is that of the whole table."""
        return self.whole.parents

    def count(self) -> FittedBayesNet:
        """The same fit with counts of its own."""
        whole = self.whole
        return _count(
            whole.generator, whole.schema, whole.sizes, self.columns, self.sums, whole.parents, (whole, self.row)
        )

    def sample(self, n: int, rng: np.random.Generator) -> Table:
        """``n`` rows drawn along the network; a number is uniform among the values of its bin."""
        whole = self.whole
        uniform = rng.random((len(whole.nodes), n))
        drawn = whole.walk(uniform, whole.columns[:, self.row].astype(np.int32))
        if drawn is None:
            drawn = self.count().draw(uniform)
        return from_bins(drawn.T, whole.schema, whole.generator.bins, rng)

    def log_prob(self, table: Table) -> Floats:
        """(n,) natural logarithm of the probability of each row; a number has 1/k of its bin of k values."""
        return self.count().log_prob(table)

    @in_turn
    def without(self, row: int) -> FittedBayesNet | FittedWithoutRow:
        """The fit of the same table less that row as well."""
        return self.count().without(row)


@lru_cache(maxsize=256)
def _way(parents: Parents) -> tuple[Ints, Ints, Ints]:
    """The columns with parents first; where each one's parents begin; and all parents, one column after the other."""
    every = np.array([parent for own in parents for parent in own], dtype=np.int64)
    return np.array(order(parents), dtype=np.int64), _offsets(parents), every


def _offsets(parts: Sequence[Sized]) -> Ints:
    """Where each part begins when they are laid one after the other, and where the last one ends."""
    return np.cumsum([0, *map(len, parts)], dtype=np.int64)


def _parents(generator: BayesNet, sums: CountLogSums) -> Parents:
    """The network these sums lead to."""
    return chow_liu(sums.pairs()) if generator.degree == 1 else grow(sums, generator.degree, 0, greedy)[0]


def _count(
    generator: BayesNet,
    schema: Schema,
    sizes: tuple[int, ...],
    columns: Compact,
    sums: CountLogSums,
    parents: Parents,
    before: tuple[FittedBayesNet, int] | None = None,
) -> FittedBayesNet:
    """That network with its counts; ``before`` is the fit with one row more, and that row.

    A column that keeps its parents keeps its counts but for one cell.
    """
    row = [] if before is None else before[0].columns[:, before[1]].tolist()
    nodes = []
    for j, own in enumerate(parents):
        if before is not None and before[0].parents[j] == own:
            above = 0
            for parent in own:
                above = above * sizes[parent] + row[parent]
            nodes.append(before[0].nodes[j].without(above, row[j]))
        else:
            domain = math.prod(sizes[parent] for parent in own)
            code = parent_codes(columns, own, sizes)
            nodes.append(Node.count(columns[j], sizes[j], code, domain, generator.smoothing))
    return FittedBayesNet(schema, generator, sizes, columns, sums, parents, tuple(nodes))


MESSAGES = 1 << 16
"""Messages along a tree whose tables have more cells than this in all cost more than rows drawn for each record."""


@dataclass(frozen=True, eq=False)
class NetworkRatios:
    """The ratios of every record of a counted network.

    ``columns`` (d, n) are the codes of the table, ``keeps`` says whether the table less a row, or less some, has the
    same network, and ``shares`` are the counts of a tree as shares.
    """

    parents: Parents
    sizes: tuple[int, ...]
    columns: Compact
    nodes: Sequence[Node]
    keeps: Callable[[int | Ints], bool]
    shares: TreeShares | None

    @cached_property
    def _counts(self) -> tuple[Ints, Ints, Ints]:
        """(d, n) each row's code of the parents; how many rows have it and the column's; how many have it."""
        over, both, above = np.empty((3, *self.columns.shape), dtype=np.int64)
        for j, node in enumerate(self.nodes):
            over[j] = parent_codes(self.columns, self.parents[j], self.sizes)
            both[j], above[j] = node.counts(over[j], self.columns[j].astype(np.int64))
        return over, both, above

    def ratio(self, rows: int | Ints) -> Ratio:
        """The ratio of one record: a row, or the rows of a person; chances to be reached that are not known are 0.

        Raises
        ------
        DesignError
            It is the whole table: there is no fit without it.
        """
        own = np.atleast_1d(rows)
        refuse_all_rows(self.columns.shape[1], len(own))
        over, both, above = (counted[:, own].tolist() for counted in self._counts)
        code, cells = self.columns[:, own].tolist(), []
        for j, node in enumerate(self.nodes):
            places = places_of(over[j], code[j], both[j], above[j], node.size, node.weight / node.size)
            reach: tuple[float, ...] = (1.0,)
            if parents := self.parents[j]:
                marginal = self.shares.marginal[parents[0]] if self.shares else None
                reach = tuple(0.0 if marginal is None else float(marginal[place.value]) for place in places)
            cells.append(RecordCell((*parents, j), places, reach))
        law = TreeLaw(self.shares, tuple(cell.places for cell in cells)) if self.shares and self.keeps(rows) else None
        return Ratio(tuple(cells), law)


def shares_of(parents: Parents, sizes: tuple[int, ...], nodes: Sequence[Node]) -> TreeShares | None:
    """The counts of a tree as shares; None where a column has two parents or the tables are large."""
    wide = [sizes[own[0]] * size if own else size for own, size in zip(parents, sizes, strict=True)]
    if max(map(len, parents)) > 1 or sum(wide) > MESSAGES:
        return None
    return TreeShares(
        parents, tuple(_table(node, sizes[own[0]] if own else 1) for node, own in zip(nodes, parents, strict=True))
    )


def _table(node: Node, above: int) -> Floats:
    """(above, size) shares of a column's values given each value of its parent."""
    over, code = np.divmod(np.arange(above * node.size), node.size)
    both, held = node.counts(over, code)
    weight = np.where(held > 0, node.weight, node.weight or 1.0)
    shares: Floats = (both + weight / node.size) / (held + weight)
    return shares.reshape(above, node.size)


PLUGIN = BayesNet
