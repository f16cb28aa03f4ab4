"""Compiled loops over trees: their answers, their answers on mixed rows, and their exact Shapley values.

A node sends a row to its left child where the feature, in single precision as scikit-learn has it, is at most the
threshold. Where a row and the reference take the same branch a mixed row takes it too, so for a pair of them a tree
shrinks to the nodes at which they part.
"""

from __future__ import annotations

import numpy as np

from riskkit.base.compilation import compile_loop
from riskkit.core import Bools, Floats, Ints
from riskkit.table.features import Singles


@compile_loop
def answers(
    x: Singles, root: Ints, feature: Ints, threshold: Floats, left: Ints, right: Ints, value: Floats, out: Floats
) -> None:
    """Add to ``out`` (n, outputs) the values of the leaves that each row reaches."""
    for row in range(x.shape[0]):
        for tree in range(root.shape[0]):
            node = root[tree]
            while feature[node] >= 0:
                node = left[node] if x[row, feature[node]] <= threshold[node] else right[node]
            for output in range(out.shape[1]):
                out[row, output] += value[node, output]


@compile_loop
def mixed_answers(
    x: Singles,
    reference: Singles,
    owner: Ints,
    member: Bools,
    root: Ints,
    feature: Ints,
    threshold: Floats,
    left: Ints,
    right: Ints,
    value: Floats,
    widest: int,
    out: Floats,
) -> None:
    """Add to ``out`` (m, outputs) the answers on rows that take members from ``x[owner]``, others from the reference.

    ``owner`` holds equal entries side by side; ``widest`` is the number of nodes of the largest tree.
    """
    outputs = out.shape[1]
    asked = np.empty(widest, dtype=np.int64)
    with_it = np.empty(widest, dtype=np.int64)
    without = np.empty(widest, dtype=np.int64)
    waiting = np.empty(widest, dtype=np.int64)
    origin = np.empty(widest, dtype=np.int64)
    begin = 0
    while begin < owner.shape[0]:
        end = begin
        row = owner[begin]
        while end < owner.shape[0] and owner[end] == row:
            end += 1
        for tree in range(root.shape[0]):
            # The tree of the nodes at which the row and the reference part; leaves keep their node in ``with_it``.
            size, depth = 1, 1
            waiting[0] = 0
            origin[0] = root[tree]
            while depth > 0:
                depth -= 1
                slot = waiting[depth]
                node = origin[depth]
                parted = False
                while feature[node] >= 0 and not parted:
                    here = x[row, feature[node]] <= threshold[node]
                    if here == (reference[feature[node]] <= threshold[node]):
                        node = left[node] if here else right[node]
                    else:
                        parted = True
                if parted:
                    asked[slot] = feature[node]
                    with_it[slot] = size
                    without[slot] = size + 1
                    waiting[depth] = size
                    origin[depth] = left[node] if here else right[node]
                    waiting[depth + 1] = size + 1
                    origin[depth + 1] = right[node] if here else left[node]
                    depth += 2
                    size += 2
                else:
                    asked[slot] = -1
                    with_it[slot] = node
            for place in range(begin, end):
                slot = 0
                while asked[slot] >= 0:
                    slot = with_it[slot] if member[place, asked[slot]] else without[slot]
                node = with_it[slot]
                for output in range(outputs):
                    out[place, output] += value[node, output]
        begin = end


@compile_loop
def _place(path: Ints, steps: int, asked: int) -> int:
    """Where on the path a feature was asked about already; -1 where it was not."""
    for step in range(steps):
        if path[step] == asked:
            return step
    return -1


@compile_loop
def _credit_leaf(path: Ints, side: Bools, steps: int, inside: int, weight: Floats, value: Floats, out: Floats) -> None:
    """Add to ``out`` (d, outputs) what one leaf is worth for the features on the path to it."""
    outside = steps - inside
    for step in range(steps):
        share = weight[inside - 1, outside] if side[step] else -weight[inside, outside - 1]
        for output in range(value.shape[0]):
            out[path[step], output] += share * value[output]


@compile_loop
def exact_values(
    x: Singles,
    references: Singles,
    root: Ints,
    feature: Ints,
    threshold: Floats,
    left: Ints,
    right: Ints,
    value: Floats,
    weight: Floats,
    out: Floats,
) -> None:
    """Add to ``out`` (n, d, outputs) the Shapley values of every tree, summed over the references.

    A leaf counts for the mixed rows that take some features from the row (``inside`` many) and some others from the
    reference (``outside`` many). The game of one such leaf has a closed form; ``weight[a, b]`` is
    a! b! / (a + b + 1)!.
    """
    deepest = weight.shape[0]
    waiting = np.empty(2 * deepest + 2, dtype=np.int64)
    length = np.empty(2 * deepest + 2, dtype=np.int64)
    inner = np.empty(2 * deepest + 2, dtype=np.int64)
    last = np.empty(2 * deepest + 2, dtype=np.int64)
    last_side = np.empty(2 * deepest + 2, dtype=np.bool_)
    path = np.empty(deepest + 1, dtype=np.int64)
    side = np.empty(deepest + 1, dtype=np.bool_)
    for row in range(x.shape[0]):
        for other in range(references.shape[0]):
            for tree in range(root.shape[0]):
                depth = 1
                waiting[0] = root[tree]
                length[0] = 0
                inner[0] = 0
                while depth > 0:
                    depth -= 1
                    node, steps, inside = waiting[depth], length[depth], inner[depth]
                    if steps > 0:
                        path[steps - 1] = last[depth]
                        side[steps - 1] = last_side[depth]
                    parted = False
                    while feature[node] >= 0 and not parted:
                        asked = feature[node]
                        here = x[row, asked] <= threshold[node]
                        if here == (references[other, asked] <= threshold[node]):
                            node = left[node] if here else right[node]
                            continue
                        known = _place(path, steps, asked)
                        if known < 0:
                            parted = True
                        else:
                            node = left[node] if here == side[known] else right[node]
                    if parted:
                        for joins in range(2):
                            goes_left = here == (joins == 1)
                            waiting[depth] = left[node] if goes_left else right[node]
                            length[depth] = steps + 1
                            inner[depth] = inside + joins
                            last[depth] = asked
                            last_side[depth] = joins == 1
                            depth += 1
                        continue
                    _credit_leaf(path, side, steps, inside, weight, value[node], out[row])
