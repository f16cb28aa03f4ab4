"""The tree network that agrees best with noisy counts of its columns and pairs, in the sense of least squares."""

from __future__ import annotations

from collections.abc import Sequence
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


def rooted(columns: int, pairs: Sequence[tuple[int, int]]) -> Ints:
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
    The noise has one standard deviation in all cells of all pairs.

    References
    ----------
    .. [1] McKenna, Sheldon and Miklau 2019, Graphical-model based estimation and inference for differential privacy,
       ICML (proximal descent in the space of potentials).
    """
    from riskkit.generators._tree_kernels import descend

    widths = np.asarray(sizes, dtype=np.int64)
    node_at = np.concatenate([[0], np.cumsum(widths)])
    edge_at = np.concatenate([[0], np.cumsum(widths[edges].prod(axis=1))]).astype(np.int64)
    own_counts = np.concatenate([each.counts for each in own])
    own_weight = np.concatenate([0.5 / each.sd**2 for each in own])
    pair_counts = np.concatenate([np.empty(0), *(each.counts.ravel() for each in pairs)])
    pair_weight = 0.5 / float(pairs[0].sd.flat[0]) ** 2 if len(pairs) else 0.0
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
