"""Bayesian network: a tree in which every column leans on one other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from scipy import sparse

from riskkit.core import Codes, Floats, Ints, Schema, Table
from riskkit.errors import DesignError
from riskkit.parameters import check_parameters, parameter
from riskkit.table.encode import bin_edges, binned, from_bins

ROOT = -1
"""The parent of the column that has none."""

DENSE = 256
"""Up to this many codes over all columns a dense product of the one-hot codes is faster than a sparse one."""

DECIMALS = 12
"""Mutual information is compared to this many decimals (nats); the rest is rounding of the logarithms."""


@dataclass(frozen=True)
class BayesNet:
    """Learns the Chow-Liu tree of the table by maximum likelihood and draws rows from it, parents first.

    Numbers are put in equal bins of their domain. Of all trees over the columns, the one with the largest sum of
    mutual information makes the table most likely. Nothing is smoothed: a pair of values that no row holds is never
    released.

    References
    ----------
    .. [1] Chow and Liu 1968, Approximating discrete probability distributions with dependence trees,
       https://doi.org/10.1109/TIT.1968.1054142
    """

    name: ClassVar[str] = "bayesnet"
    title: ClassVar[str] = "Bayesian network (Chow-Liu tree)"
    card: ClassVar[str] = (
        "Links the columns to the tree that makes the table most likely (Chow and Liu 1968), counts each column "
        "given its parent and draws rows along the tree. Fitting has no randomness, each release draws anew; both "
        "take milliseconds for a thousand rows. Keeps the strongest dependences, adds no noise, so a combination "
        "that only one person has is released with that person's frequency, and never without them."
    )

    bins: int = parameter(
        10,
        label="Bins of a number",
        help="Each number's domain is cut into this many parts of equal width. More bins follow the table closer.",
        low=2,
        high=100,
        unit="bins",
    )

    def __post_init__(self) -> None:
        check_parameters(self)

    def fit(self, table: Table, rng: np.random.Generator) -> FittedBayesNet:  # noqa: ARG002  nothing is drawn here
        """Settle the tree and count. Draws nothing at random.

        Raises
        ------
        DesignError
            The table has no rows, or no column to model.
        """
        if not len(table) or not table.schema.modelled:
            raise DesignError(
                "The bayesnet generator needs at least one row and one column with the role known or secret."
            )
        codes, sizes = binned(table, self.bins)
        parents = chow_liu(mutual_information(codes, sizes))
        nodes = tuple(
            Node.of(codes[:, j], sizes[j], *((codes[:, parent], sizes[parent]) if parent != ROOT else (None, 1)))
            for j, parent in enumerate(parents)
        )
        return FittedBayesNet(table.schema, self.bins, parents, nodes)


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """One column given its parent, as counts and as the rows behind them.

    ``counts`` is (parent codes, own codes); the root has the single parent code 0. ``rows`` holds the column's code in
    every row of the table, rows of one parent code together: those of code ``s`` begin at ``starts[s]``.
    """

    counts: Ints
    starts: Ints
    rows: npt.NDArray[np.integer]

    @classmethod
    def of(cls, code: Codes, size: int, parent: Codes | None = None, parents: int = 1) -> Node:
        """Count a column of ``size`` codes given a parent of ``parents`` codes."""
        cell = code if parent is None else parent.astype(np.int64) * size + code
        flat = np.bincount(cell, minlength=parents * size)
        counts = flat.reshape(parents, size)
        own = np.arange(size, dtype=np.min_scalar_type(size))
        starts = np.concatenate([[0], np.cumsum(counts.sum(axis=1))])
        return cls(counts, starts, np.repeat(np.tile(own, parents), flat))

    def draw(self, parent: Ints, uniform: Floats) -> Ints:
        """(n,) one code for each parent code, for draws that are uniform on [0, 1).

        The answer is the code of a random row among those that hold the parent code. A parent code without rows
        would read its neighbour's, but cannot occur: the parent was itself drawn from the same rows.
        """
        first = self.starts[parent]
        at = first + (uniform * (self.starts[parent + 1] - first)).astype(np.int64)
        return self.rows[at].astype(np.int64)

    def log_prob(self, parent: Ints, code: Ints) -> Floats:
        """(n,) logarithm of the share of each code among the rows that hold its parent's; -inf where no row does."""
        below = np.maximum(self.counts.sum(axis=1, keepdims=True), 1)
        with np.errstate(divide="ignore"):
            table: Floats = np.log(self.counts / below)
        return table[parent, code]


@dataclass(frozen=True, slots=True, eq=False)
class FittedBayesNet:
    """The tree and its counts.

    ``parents`` has one entry a modelled column in file order: the position of its parent, or -1 for the root.
    """

    schema: Schema
    bins: int
    parents: tuple[int, ...]
    nodes: tuple[Node, ...]

    def sample(self, n: int, rng: np.random.Generator) -> Table:
        """``n`` rows drawn along the tree; a number is uniform among the values of its bin."""
        uniform = rng.random((len(self.nodes), n))
        drawn: dict[int, Ints] = {ROOT: np.zeros(n, dtype=np.int64)}
        for j in order(self.parents):
            drawn[j] = self.nodes[j].draw(drawn[self.parents[j]], uniform[j])
        codes = np.stack([drawn[j] for j in range(len(self.nodes))], axis=1).astype(np.int32)
        return from_bins(codes, self.schema, self.bins, rng)

    def log_prob(self, table: Table) -> Floats:
        """(n,) natural logarithm of the probability of each row; a number has 1/k of its bin of k values."""
        codes, _ = binned(table, self.bins)
        total = np.zeros(len(table))
        root = np.zeros(len(table), dtype=np.int64)
        for j, (parent, column) in enumerate(zip(self.parents, self.schema.modelled, strict=True)):
            above = root if parent == ROOT else codes[:, parent].astype(np.int64)
            total += self.nodes[j].log_prob(above, codes[:, j].astype(np.int64))
            if column.is_numeric:
                values = np.round(np.diff(bin_edges(column, self.bins)) * 10.0**column.decimals)
                total -= np.log(np.append(values, 1.0))[codes[:, j]]  # the last code, missing, is one value
        return total


def mutual_information(codes: Codes, sizes: tuple[int, ...]) -> Floats:
    """(d, d) mutual information in nats of every pair of columns, from the joint counts of all pairs.

    The counts are one product of the one-hot codes with themselves. ``codes`` is (n, d), column j below ``sizes[j]``.
    """
    starts = np.cumsum((0, *sizes[:-1]))
    sums = _dense_sums if sum(sizes) <= DENSE else _sparse_sums
    total = sums(codes + starts, starts, sum(sizes))
    own = np.diag(total)  # a column meets itself only on the diagonal, which holds its own counts
    information: Floats = np.log(len(codes)) + (total - own[:, None] - own) / len(codes)
    return information


def _dense_sums(at: Ints, starts: Ints, k: int) -> Floats:
    """(d, d) sum of ``c log c`` over the joint counts of each pair; ``at`` is where the (n, k) one-hot codes are 1."""
    hot = np.zeros((len(at), k), dtype=np.float32 if len(at) < 2**24 else np.float64)  # counts are exact in either
    hot[np.arange(len(at))[:, None], at] = 1.0
    terms = _c_log_c((hot.T @ hot).astype(np.float64))
    sums: Floats = np.add.reduceat(np.add.reduceat(terms, starts, axis=0), starts, axis=1)
    return sums


def _sparse_sums(at: Ints, starts: Ints, k: int) -> Floats:
    """The same as :func:`_dense_sums` by a sparse product: columns of many levels share few of their pairs."""
    ones = np.ones(at.size)
    hot = sparse.csr_array((ones, at.ravel(), np.arange(0, at.size + 1, at.shape[1])), shape=(len(at), k))
    product = sparse.csr_array(hot.T @ hot)
    product.data = _c_log_c(product.data.astype(np.float64))
    column = np.searchsorted(starts, np.arange(k), side="right") - 1
    member = sparse.csr_array((np.ones(k), (np.arange(k), column)), shape=(k, len(starts)))
    sums: Floats = sparse.csr_array(member.T @ product @ member).toarray()
    return sums


def _c_log_c(counts: Floats) -> Floats:
    """``c log c``, 0 where c is 0."""
    terms: Floats = counts * np.log(np.maximum(counts, 1.0))
    return terms


def chow_liu(information: Floats) -> tuple[int, ...]:
    """The parents of the maximum spanning tree, grown from the first column.

    Of equal edges the one whose new column comes first is taken, then the one whose tree column joined first. Equal
    means equal to :data:`DECIMALS` decimals: two copies of a column must not be told apart by the rounding of a sum.
    """
    weight = np.round(information, DECIMALS).tolist()
    parents, best = [ROOT] * len(weight), [-np.inf] * len(weight)
    outside = list(range(1, len(weight)))
    new = 0
    while outside:
        for j in outside:
            if weight[new][j] > best[j]:
                best[j], parents[j] = weight[new][j], new
        new = max(outside, key=best.__getitem__)
        outside.remove(new)
    return tuple(parents)


def order(parents: tuple[int, ...]) -> list[int]:
    """The columns such that each comes after its parent."""
    out = [j for j, parent in enumerate(parents) if parent == ROOT]
    for column in out:
        out += [j for j, parent in enumerate(parents) if parent == column]
    return out


PLUGIN = BayesNet
