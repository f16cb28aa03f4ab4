"""The compiled loops of a fit to noisy counts along a tree: what its potentials say, and the descent to the best."""

from __future__ import annotations

import numpy as np

from riskkit.compiled import compiled
from riskkit.core import Floats, Ints

IDLE = 10
"""So many steps in a row that gain next to nothing end a descent."""


@compiled
def infer(
    edges: Ints, sizes: Ints, edge_at: Ints, node_at: Ints, pair: Floats, own: Floats, joint: Floats, single: Floats
) -> None:
    """Into ``joint`` and ``single`` the shares of every pair and column under these log potentials.

    ``edges`` (m, 2) are columns, parent before child, from the root down. What belongs to an edge begins at
    ``edge_at`` in ``pair`` and ``joint`` (parent code first), what belongs to a column at ``node_at`` in ``own`` and
    ``single``.
    """
    belief = own.copy()
    for e in range(len(edges) - 1, -1, -1):
        above, below = edges[e]
        for a in range(sizes[above]):
            start = edge_at[e] + a * sizes[below]
            top = -np.inf
            for b in range(sizes[below]):
                joint[start + b] = pair[start + b] + belief[node_at[below] + b]
                top = max(top, joint[start + b])
            total = 0.0
            for b in range(sizes[below]):
                joint[start + b] = np.exp(joint[start + b] - top)
                total += joint[start + b]
            for b in range(sizes[below]):
                joint[start + b] /= total
            belief[node_at[above] + a] += top + np.log(total)
    root = edges[0, 0] if len(edges) else 0
    first, last = node_at[root], node_at[root] + sizes[root]
    share = np.exp(belief[first:last] - belief[first:last].max())
    single[first:last] = share / share.sum()
    for e in range(len(edges)):
        above, below = edges[e]
        single[node_at[below] : node_at[below] + sizes[below]] = 0.0
        for a in range(sizes[above]):
            start = edge_at[e] + a * sizes[below]
            for b in range(sizes[below]):
                joint[start + b] *= single[node_at[above] + a]
                single[node_at[below] + b] += joint[start + b]


@compiled
def descend(
    edges: Ints,
    sizes: Ints,
    edge_at: Ints,
    node_at: Ints,
    total: float,
    pair_counts: Floats,
    pair_weight: Floats,
    own_counts: Floats,
    own_weight: Floats,
    pair: Floats,
    own: Floats,
    joint: Floats,
    single: Floats,
    steps: int,
    least: float,
) -> int:
    """Mirror descent on the weighted squares between noisy counts and ``total`` times shares; the steps it took.

    Each weight, one a cell, is one over twice a variance. ``pair`` and ``own`` are moved from where they are; ``joint``
    and ``single`` are the shares at the end. It ends after steps that gain less than ``least`` of the squares and one.
    """
    infer(edges, sizes, edge_at, node_at, pair, own, joint, single)
    pair_gap, own_gap = total * joint - pair_counts, total * single - own_counts
    loss = (pair_weight * pair_gap**2).sum() + (own_weight * own_gap**2).sum()
    heaviest = max(own_weight.max(), pair_weight.max()) if len(pair_weight) else own_weight.max()
    rate = 1.0 / (total * heaviest)
    new_joint, new_single = joint.copy(), single.copy()
    idle = 0
    for step in range(steps):
        pair_slope, own_slope = 2 * pair_weight * pair_gap, 2 * own_weight * own_gap
        while True:
            new_pair, new_own = pair - rate * pair_slope, own - rate * own_slope
            infer(edges, sizes, edge_at, node_at, new_pair, new_own, new_joint, new_single)
            pair_gap, own_gap = total * new_joint - pair_counts, total * new_single - own_counts
            now = (pair_weight * pair_gap**2).sum() + (own_weight * own_gap**2).sum()
            hoped = total * ((pair_slope * (joint - new_joint)).sum() + (own_slope * (single - new_single)).sum())
            if loss - now >= 0.5 * hoped:
                break
            rate /= 2
            if rate * total * total * heaviest < 1e-12:
                return step
        gain = loss - now
        pair[:], own[:], joint[:], single[:], loss = new_pair, new_own, new_joint, new_single, now
        rate *= 2
        idle = idle + 1 if gain <= least * (loss + 1) else 0
        if idle == IDLE:
            return step + 1
    return steps
