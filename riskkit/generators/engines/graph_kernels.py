"""The compiled loops of networks and trees of columns: joint counts, the walk that draws rows, the descent of a fit."""

from __future__ import annotations

from typing import Any

import numpy as np

from riskkit.base.compilation import compile_loop
from riskkit.core import Codes, Floats, Ints


@compile_loop
def walk(
    uniform: Floats,
    order: Ints,
    parents_at: Ints,
    parents: Ints,
    sizes: Ints,
    starts_at: Ints,
    starts: Ints,
    rows_at: Ints,
    rows: Any,
    gone: Codes,
    out: Codes,
) -> bool:
    """Into ``out`` (d, n): for each column, parents first, the code of a random row that holds the parents' codes.

    ``starts`` and ``rows`` are those of :class:`riskkit.generators.bayesnet.Node`, one column after the other; what
    belongs to column ``j`` begins at ``starts_at[j]``, ``rows_at[j]`` and, of its parents, ``parents_at[j]``. ``gone``
    (d,) are the codes of one row that is not to be drawn, or empty. False, with ``out`` unfinished, where no row holds
    the parents' codes.
    """
    for j in order:
        gone_above, gone_at = np.int64(-1), np.int64(0)
        if len(gone):
            gone_above = np.int64(0)
            for place in range(parents_at[j], parents_at[j + 1]):
                gone_above = gone_above * sizes[parents[place]] + gone[parents[place]]
            gone_at = starts[starts_at[j] + gone_above]
            while rows[rows_at[j] + gone_at] != gone[j]:
                gone_at += 1
        for row in range(out.shape[1]):
            above = np.int64(0)
            for place in range(parents_at[j], parents_at[j + 1]):
                above = above * sizes[parents[place]] + out[parents[place], row]
            first = starts[starts_at[j] + above]
            below = starts[starts_at[j] + above + 1] - first - (above == gone_above)
            if below == 0:
                return False
            position = first + np.int64(uniform[j, row] * below)
            position += above == gone_above and position >= gone_at
            out[j, row] = rows[rows_at[j] + position]
    return True


@compile_loop
def tally(code: Any, above: Ints, size: int, codes: int, rows: Any) -> tuple[Ints, Ints, Ints]:
    """The cells, tally and starts of :class:`riskkit.generators.bayesnet.Node`; its rows go into ``rows`` (n,).

    ``above`` (n,) are parent codes below ``codes``, ``code`` (n,) own codes below ``size``.
    """
    flat = np.zeros(codes * size, dtype=np.int64)
    for row in range(len(code)):
        flat[above[row] * size + code[row]] += 1
    held = np.count_nonzero(flat)
    cells, tally, starts = np.empty(held, np.int64), np.empty(held, np.int64), np.zeros(codes + 1, np.int64)
    last, end, cell = 0, 0, 0
    for place in range(codes):
        for own in range(size):
            count = flat[cell]
            if count:
                cells[last], tally[last] = cell, count
                rows[end : end + count] = own
                last += 1
                end += count
            cell += 1
        starts[place + 1] = end
    return cells, tally, starts


@compile_loop
def count_sums(columns: Any, sets: Ints, sizes: Ints, cells: Ints, terms: Ints, out: Ints) -> None:
    """Into ``out`` (m,): the sum of ``terms[c]`` over the joint counts ``c`` of each of (m, size) sets of columns.

    ``cells`` (m,) is how many joint codes each set has.
    """
    count = np.empty(cells.max(), dtype=np.int32)
    code = np.empty(columns.shape[1], dtype=np.int64)
    for set_index in range(len(sets)):
        count[: cells[set_index]] = 0
        code[:] = columns[sets[set_index, 0]]
        for place in range(1, sets.shape[1]):
            size, column = sizes[sets[set_index, place]], columns[sets[set_index, place]]
            for row in range(len(code)):
                code[row] = code[row] * size + column[row]
        for row in range(len(code)):
            count[code[row]] += 1
        total = np.int64(0)
        for cell in range(cells[set_index]):
            total += terms[count[cell]]
        out[set_index] = total


IDLE = 10
"""So many steps in a row that gain next to nothing end a descent."""


@compile_loop
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


@compile_loop
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


@compile_loop
def change_rows(
    codes: Ints, starts: Ints, steps: Ints, error: Floats, rows: Ints, columns: Ints, values: Ints, others: Ints
) -> None:
    """Try one change after the other: a row gets another value in a column, if the squared errors of all pairs fall.

    ``codes`` (n, d) are changed in place, and ``error`` with them: of every cell of every pair its count less the one
    that is wanted. The cells of columns a and b begin at ``starts[a, b]``, and the next code of b is ``steps[a, b]``
    cells on. The value is ``values``, or that of the row ``others`` where it is 0 or above.
    """
    d = codes.shape[1]
    for trial in range(len(rows)):
        row, j = rows[trial], columns[trial]
        old, new = codes[row, j], values[trial]
        if others[trial] >= 0:
            new = codes[others[trial], j]
        gain = 0.0
        for k in range(d):
            if k != j:
                cell = starts[k, j] + codes[row, k] * steps[j, k]
                gain += error[cell + new * steps[k, j]] - error[cell + old * steps[k, j]] + 1
        if new == old or gain >= 0:
            continue
        for k in range(d):
            if k != j:
                cell = starts[k, j] + codes[row, k] * steps[j, k]
                error[cell + old * steps[k, j]] -= 1
                error[cell + new * steps[k, j]] += 1
        codes[row, j] = new
