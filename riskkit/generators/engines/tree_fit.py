"""The tree network that agrees best with noisy counts of its columns and pairs, in the sense of least squares."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from riskkit.core import Floats, Ints

STEPS = 2_000
"""Steps of descent at most."""
LEAST = 1e-6
"""A descent ends after several steps in a row that each gain less than this part of the squares."""
LOWEST = 0.01
"""Shares below this are this where a descent begins: from near 0 it comes back slowly."""


@dataclass(frozen=True, slots=True)
class Noisy:
    """Noisy counts of one table, and the standard deviation of the noise on each of its cells (the same shape)."""

    counts: Floats
    sd: Floats


def noisy(counts: Floats, sd: float, rng: np.random.Generator) -> Noisy:
    """Counts, each with normal noise."""
    return Noisy(counts + rng.normal(0.0, sd, counts.shape), np.full(counts.shape, sd))


def rows_of(measured: Sequence[Noisy]) -> float:
    """How many rows there are, from noisy tables of all of them: their sums, weighed by precision; at least 1."""
    weight = np.array([1 / (each.sd**2).sum() for each in measured])
    sums = np.array([each.counts.sum() for each in measured])
    return max(float(weight @ sums / weight.sum()), 1.0)


def on_simplex(measured: Noisy, total: float) -> Floats:
    """The counts of that total, none negative, that are nearest to noisy ones, each cell weighed by its precision."""
    variance = measured.sd**2
    order = np.argsort(-measured.counts / variance)
    counts, spread = measured.counts[order], variance[order]
    level = (np.cumsum(counts) - total) / np.cumsum(spread)
    kept = np.flatnonzero(counts - spread * level > 0)[-1]
    nearest: Floats = np.maximum(measured.counts - variance * level[kept], 0.0)
    return nearest


def root_tree(columns: int, pairs: Sequence[tuple[int, int]]) -> Ints:
    """(m, 2) the edges of a tree, parent before child, from column 0 down."""
    left, reached, edges = list(pairs), [0], []
    for above in reached:
        for pair in [pair for pair in left if above in pair]:
            below = pair[0] + pair[1] - above
            edges.append((above, below))
            reached.append(below)
            left.remove(pair)
    assert len(reached) == columns
    return np.array(edges, dtype=np.int64).reshape(-1, 2)


def fit_tree(
    edges: Ints, sizes: tuple[int, ...], own: Sequence[Noisy], pairs: Sequence[Noisy], total: float
) -> tuple[list[Floats], list[Floats]]:
    """The shares of every column and of every edge (parent by child) of the tree that agrees best with noisy counts.

    Shares are positive, sum to 1 and agree with each other: along a tree such shares are those of one law of rows.

    References
    ----------
    .. [1] McKenna, Sheldon and Miklau 2019, Graphical-model based estimation and inference for differential privacy,
       ICML (proximal descent in the space of potentials).
    """
    from riskkit.generators.engines.graph_kernels import descend

    widths = np.asarray(sizes, dtype=np.int64)
    node_at = np.concatenate([[0], np.cumsum(widths)])
    edge_at = np.concatenate([[0], np.cumsum(widths[edges].prod(axis=1))]).astype(np.int64)
    own_counts = np.concatenate([each.counts for each in own])
    own_weight = np.concatenate([0.5 / each.sd**2 for each in own])
    pair_counts = np.concatenate([np.empty(0), *(each.counts.ravel() for each in pairs)])
    pair_weight = np.concatenate([np.empty(0), *(0.5 / each.sd.ravel() ** 2 for each in pairs)])
    potential = np.log(np.maximum(np.concatenate([on_simplex(each, total) / total for each in own]), LOWEST))
    joint, single = np.empty(len(pair_counts)), np.empty(len(own_counts))
    descend(
        edges,
        widths,
        edge_at,
        node_at,
        total,
        pair_counts,
        pair_weight,
        own_counts,
        own_weight,
        np.zeros(len(pair_counts)),
        potential,
        joint,
        single,
        STEPS,
        LEAST,
    )
    tables = [
        joint[start:end].reshape(sizes[above], sizes[below])
        for (above, below), (start, end) in zip(edges.tolist(), pairwise(edge_at), strict=True)
    ]
    return [single[start:end] for start, end in pairwise(node_at)], tables


@dataclass(frozen=True, slots=True, eq=False)
class Forest:
    """A law of rows along trees of columns that know nothing of each other.

    ``shares`` are those of each column; ``joints`` those of each edge (parent, child), parents before children.
    """

    shares: tuple[Floats, ...]
    joints: dict[tuple[int, int], Floats]

    def pair(self, a: int, b: int) -> Floats:
        """The shares of two columns, one axis each, that are joined by an edge or lie in different trees."""
        if (a, b) in self.joints:
            return self.joints[a, b]
        if (b, a) in self.joints:
            return self.joints[b, a].T
        return np.outer(self.shares[a], self.shares[b])


def fit_forest(
    sizes: tuple[int, ...], own: Sequence[Noisy], pairs: dict[tuple[int, int], Noisy], total: float
) -> Forest:
    """The law along these pairs, of which none closes a circle, that agrees best with noisy counts (:func:`fit_tree`).

    ``pairs`` are counted with one axis for each column, in the order of the key.
    """
    shares = [on_simplex(each, total) / total for each in own]
    joints: dict[tuple[int, int], Floats] = {}
    for part in parts(len(sizes), pairs):
        if len(part) == 1:
            continue
        place = {column: position for position, column in enumerate(part)}
        inside = [(place[a], place[b]) for a, b in pairs if a in place]
        edges = root_tree(len(part), inside)
        named = [(part[above], part[below]) for above, below in edges.tolist()]
        held = [pairs[edge] if edge in pairs else transpose_pair(pairs[edge[::-1]]) for edge in named]
        part_shares, tables = fit_tree(edges, tuple(sizes[j] for j in part), [own[j] for j in part], held, total)
        for column, share in zip(part, part_shares, strict=True):
            shares[column] = share
        joints |= dict(zip(named, tables, strict=True))
    return Forest(tuple(shares), joints)


def parts(columns: int, pairs: Iterable[tuple[int, int]]) -> list[list[int]]:
    """The columns of each tree, in order."""
    part = list(range(columns))
    for a, b in pairs:
        part = [part[a] if each == part[b] else each for each in part]
    return [[column for column in range(columns) if part[column] == each] for each in dict.fromkeys(part)]


def transpose_pair(measured: Noisy) -> Noisy:
    """Noisy counts of a pair, the other column first."""
    return Noisy(np.ascontiguousarray(measured.counts.T), np.ascontiguousarray(measured.sd.T))


def together(measured: Noisy, again: Noisy) -> Noisy:
    """Two noisy counts of the same cells as one: their mean, weighed by precision."""
    weight = 1 / measured.sd**2, 1 / again.sd**2
    both = weight[0] + weight[1]
    return Noisy((weight[0] * measured.counts + weight[1] * again.counts) / both, 1 / np.sqrt(both))
