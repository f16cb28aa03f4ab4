"""Bayesian network: a tree in which every column leans on one other."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from scipy import sparse

from riskkit.core import Codes, Floats, Ints, Schema, Table, check_parameters, parameter
from riskkit.errors import DesignError
from riskkit.table.encode import bin_edges, binned, from_bins

ROOT = -1
"""The parent of the column that has none."""

DENSE = 1_000
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
        pairs = pair_counts(codes, sizes)
        parents = chow_liu(mutual_information(pairs, sizes))
        starts = np.concatenate([[0], np.cumsum(sizes)])
        block = [slice(first, last) for first, last in pairwise(starts)]
        nodes = tuple(
            Node.of(pairs[block[parent], block[j]] if parent != ROOT else np.diag(pairs[block[j], block[j]])[None])
            for j, parent in enumerate(parents)
        )
        return FittedBayesNet(table.schema, self.bins, parents, nodes)


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """The counts of one column given its parent, as one running total.

    The cells of the (parent codes, ``size``) table of counts lie one after the other; ``running`` has a leading 0
    and then the total up to and including each cell. The root has a single parent code, 0.
    """

    size: int
    running: Ints

    @classmethod
    def of(cls, counts: npt.NDArray[np.float64]) -> Node:
        """The node for a (parent codes, own codes) table of counts."""
        return cls(counts.shape[1], np.concatenate([[0], np.cumsum(counts.ravel())]).astype(np.int64))

    def draw(self, parent: Ints, uniform: Floats) -> Ints:
        """(n,) one code for each parent code, for draws that are uniform on [0, 1).

        A draw picks one of the rows that hold the parent code; its own code is the answer. So a cell without rows is
        never picked. A parent code without rows would fall into its neighbour's cells, but cannot occur: the parent
        was drawn from the same rows.
        """
        first = self.running[parent * self.size]
        rows = self.running[(parent + 1) * self.size] - first
        cell = np.searchsorted(self.running, first + (uniform * rows).astype(np.int64), side="right") - 1
        code: Ints = cell - parent * self.size
        return code

    def log_prob(self, parent: Ints, code: Ints) -> Floats:
        """(n,) logarithm of the share of each code among the rows that hold its parent's; -inf where no row does."""
        cell = parent * self.size + code
        count = self.running[cell + 1] - self.running[cell]
        rows = self.running[(parent + 1) * self.size] - self.running[parent * self.size]
        share: Floats = np.where(count > 0, count / np.maximum(rows, 1), 0.0)
        with np.errstate(divide="ignore"):
            log: Floats = np.log(share)
        return log


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


def pair_counts(codes: Codes, sizes: tuple[int, ...]) -> Floats:
    """How many rows hold each pair of codes of each pair of columns.

    Returns (k, k) for the ``k = sum(sizes)`` codes of all columns in order, from one product of the one-hot codes with
    themselves; the diagonal holds the counts of the single codes.
    """
    at = codes + np.cumsum((0, *sizes[:-1]))
    n, k = len(codes), sum(sizes)
    if k > DENSE:
        ones = np.ones(at.size)
        hot = sparse.csr_matrix((ones, at.ravel(), np.arange(0, at.size + 1, at.shape[1])), shape=(n, k))
        return np.asarray((hot.T @ hot).todense())
    dense = np.zeros((n, k), dtype=np.float32 if n < 2**24 else np.float64)  # counts are exact in either
    dense[np.arange(n)[:, None], at] = 1.0
    product: Floats = (dense.T @ dense).astype(np.float64)
    return product


def mutual_information(pairs: Floats, sizes: tuple[int, ...]) -> Floats:
    """(d, d) mutual information in nats of every pair of columns, for the counts of :func:`pair_counts`."""
    starts = np.cumsum((0, *sizes[:-1]))
    n = pairs[: sizes[0], : sizes[0]].sum()
    terms = pairs * np.log(np.maximum(pairs, 1.0))
    total = np.add.reduceat(np.add.reduceat(terms, starts, axis=0), starts, axis=1)
    own = np.diag(total)  # the off-diagonal cells of a column's own block are 0
    information: Floats = np.log(n) + (total - own[:, None] - own) / n
    return information


def chow_liu(information: Floats) -> tuple[int, ...]:
    """The parents of the maximum spanning tree, grown from the first column.

    Of equal edges the one whose new column comes first is taken, then the one whose tree column joined first. Equal
    means equal to :data:`DECIMALS` decimals: two copies of a column must not be told apart by the rounding of a sum.
    """
    weight = np.round(information, DECIMALS)
    d = len(weight)
    parents = np.full(d, ROOT)
    best = np.full(d, -np.inf)
    outside = np.ones(d, dtype=bool)
    new = 0
    for _ in range(d - 1):
        outside[new] = False
        closer = outside & (weight[new] > best)
        best[closer], parents[closer] = weight[new][closer], new
        new = int(np.where(outside, best, -np.inf).argmax())
    return tuple(int(parent) for parent in parents)


def order(parents: tuple[int, ...]) -> list[int]:
    """The columns such that each comes after its parent."""
    out = [j for j, parent in enumerate(parents) if parent == ROOT]
    for column in out:
        out += [j for j, parent in enumerate(parents) if parent == column]
    return out


PLUGIN = BayesNet
