"""Compiled growing of extremely randomised trees. Imported only when a tree is first grown.

A column comes as the rank of each row's value among the column's different values, which are given beside it: least
and greatest ranks of a node are found several at a time, and a cut between values is drawn among the values themselves.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from riskkit.compiled import compiled
from riskkit.core import Codes, Floats, Ints

Bits = npt.NDArray[np.uint64]
TIE = 1e-9
"""By that share of all there is to gain a cut must be better than one that was looked at before: not by rounding."""
LEAF = -1
"""What stands in place of the column that a node is cut by, where it is cut no more."""


@compiled
def drawn(state: Bits) -> np.uint64:
    """The next 64 random bits (splitmix64)."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    bits = state[0]
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    result: np.uint64 = bits ^ (bits >> np.uint64(31))
    return result


@compiled
def ends(ranks: Codes, rows: Codes, out: Codes) -> tuple[int, int]:
    """The least and the greatest rank of these rows, whose ranks are written to ``out``."""
    least, most = ranks[rows[0]], ranks[rows[0]]
    for position in range(len(rows)):
        rank = ranks[rows[position]]
        out[position] = rank
        least, most = min(least, rank), max(most, rank)
    return least, most


@compiled
def cut_between(values: Floats, least: int, most: int, state: Bits) -> tuple[float, int]:
    """A cut drawn evenly between two values of a column, and the last rank that lies at or below it."""
    low, high = values[least], values[most]
    cut = low + float(drawn(state) >> np.uint64(11)) * 2.0**-53 * (high - low)
    if not (low <= cut < high):
        cut = low
    last = least
    while most - last > 1:
        middle = (last + most) // 2
        if values[middle] <= cut:
            last = middle
        else:
            most = middle
    return cut, last


@compiled
def gain_of_means(ranks: Codes, last: int, value: Floats) -> float:
    """By how much less squares of ``value``, whose sum is 0, sum up to within the two sides of a cut."""
    n, below = len(ranks), 0
    a = b = c = d = 0.0
    for position in range(n):
        below += ranks[position] <= last
    for position in range(0, n - 3, 4):  # four sums at once, and no branch: which side a row is on cannot be foreseen
        a += (ranks[position] <= last) * value[position]
        b += (ranks[position + 1] <= last) * value[position + 1]
        c += (ranks[position + 2] <= last) * value[position + 2]
        d += (ranks[position + 3] <= last) * value[position + 3]
    for position in range(n - n % 4, n):
        a += (ranks[position] <= last) * value[position]
    sum_ = (a + b) + (c + d)
    return sum_ * sum_ * (1.0 / below + 1.0 / (len(ranks) - below))


@compiled
def gain_of_classes(ranks: Codes, last: int, of_class: Codes, inside: Ints, whole: Ints, squares: int) -> float:
    """The sum of squared counts of classes over the rows, on both sides of a cut: the higher, the purer.

    ``whole`` are the node's counts and ``squares`` the sum of their squares; ``inside`` are zeros and are so again
    afterwards. Work is in proportion to rows, not to classes.
    """
    below, own, across = 0, 0, 0
    for position in range(len(ranks)):
        each, is_below = of_class[position], int(ranks[position] <= last)
        below += is_below
        own += is_below * (2 * inside[each] + 1)
        across += is_below * whole[each]
        inside[each] += is_below
    for position in range(len(ranks)):
        inside[of_class[position]] = 0
    return own / below + (squares - 2 * across + own) / (len(ranks) - below)


@compiled
def parted(ranks: Codes, last: int, rows: Codes, spare: Codes) -> int:
    """Put the rows at or below a cut before the others, both in their order; how many these are."""
    below, above = 0, 0
    for position in range(len(rows)):
        row = rows[position]
        is_below = int(ranks[row] <= last)
        rows[below], spare[above] = row, row
        below, above = below + is_below, above + 1 - is_below
    rows[below:] = spare[:above]
    return below


@compiled
def taken_classes(of_class: Codes, rows: Codes, out: Codes, whole: Ints) -> tuple[int, bool]:
    """Write the classes of these rows to ``out`` and count them in ``whole``, zeros until then: the sum of squared
    counts, and whether all are of one class."""
    squares = 0
    for position in range(len(rows)):
        each = of_class[rows[position]]
        out[position] = each
        squares += 2 * whole[each] + 1
        whole[each] += 1
    return squares, whole[out[0]] == len(rows)


@compiled
def taken_values(value: Floats, rows: Codes, out: Floats) -> tuple[float, float, bool]:
    """Write the numbers of these rows, less their mean, to ``out``: the mean, the sum of their squares, and whether all
    are the same number."""
    total, spread, is_pure = 0.0, 0.0, True
    for position in range(len(rows)):
        out[position] = value[rows[position]]
        total += out[position]
        is_pure = is_pure and out[position] == out[0]
    mean = out[0] if is_pure else total / len(rows)
    for position in range(len(rows)):
        out[position] -= mean
        spread += out[position] * out[position]
    return mean, spread, is_pure


@compiled
def grown(
    ranks: Codes,
    values: Floats,
    value: Floats,
    of_class: Codes,
    classes: int,
    columns: Ints,
    tried: int,
    seed: int,
    rows: Codes,
    by: Codes,
    cut: Floats,
    below: Codes,
    mean: Floats,
) -> int:
    """Grow one whole tree; how many nodes it has.

    Parameters
    ----------
    ranks, values : (n_columns, n), (n_columns, n)
        Ranks of the rows' values, and the different values of each column, the rest of a line of no use.
    value, of_class : (n,), (n,)
        What is foretold: numbers where ``classes`` is 0, else classes; the other one is empty.
    columns
        Those that may be cut by. ``tried`` of them are looked at in each node, more while all of them are constant.
    rows : (n,)
        Out: the rows by the leaves they fall into.
    by, cut, below, mean : (2 n,)
        Out, of each node: the column it is cut by (:data:`LEAF`) and where; the node of the rows at or below, that of
        the others follows it. Of a leaf: its mean, and in ``below`` and ``cut`` where its rows begin and end.
    """
    n = len(rows)
    state = np.array([seed], dtype=np.uint64)
    waiting = np.empty((n + 1, 3), dtype=np.int64)
    words = (len(ranks) + 63) // 64
    constant, inherited = np.zeros(words, dtype=np.uint64), np.zeros((n + 1, words), dtype=np.uint64)
    held, spare = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int32)
    own_value, own_class = np.empty(n), np.empty(n, dtype=np.int32)
    inside, whole = np.zeros(classes, dtype=np.int64), np.zeros(classes, dtype=np.int64)
    order = columns.copy()
    rows[:] = np.arange(n)
    waiting[0] = 0, 0, n
    nodes, left = 1, 1
    while left:
        left -= 1
        node, start, stop = waiting[left]
        constant[:] = inherited[left]
        here, size = rows[start:stop], stop - start
        squares, average, spread, is_pure = 0, 0.0, float(size), True
        if classes:
            squares, is_pure = taken_classes(of_class, here, own_class, whole)
        else:
            average, spread, is_pure = taken_values(value, here, own_value)
        best, best_by, best_cut, best_last = 0.0, LEAF, 0.0, 0
        looked = len(order) if is_pure else 0
        while looked < len(order) and (looked < tried or best_by == LEAF):
            place = looked + int(drawn(state) % np.uint64(len(order) - looked))
            order[looked], order[place] = order[place], order[looked]
            column = order[looked]
            looked += 1
            word, bit = column // 64, np.uint64(1) << np.uint64(column % 64)
            if constant[word] & bit:
                continue
            least, most = ends(ranks[column], here, held)
            if least == most:
                constant[word] |= bit
                continue
            point, last = cut_between(values[column], least, most, state)
            if classes:
                gain = gain_of_classes(held[:size], last, own_class[:size], inside, whole, squares)
            else:
                gain = gain_of_means(held[:size], last, own_value[:size])
            if best_by == LEAF or gain > best + TIE * spread:
                best, best_by, best_cut, best_last = gain, column, point, last
        if classes:
            for position in range(size):
                whole[own_class[position]] = 0
        by[node], mean[node] = best_by, average
        if best_by == LEAF:
            below[node], cut[node] = start, stop
            continue
        middle = start + parted(ranks[best_by], best_last, here, spare)
        below[node], cut[node] = nodes, best_cut
        waiting[left] = nodes + 1, middle, stop
        waiting[left + 1] = nodes, start, middle
        inherited[left], inherited[left + 1] = constant, constant  # in a part of the rows they are so too
        left, nodes = left + 2, nodes + 2
    return nodes


@compiled
def leaf_of(point: Floats, by: Codes, cut: Floats, below: Codes) -> int:
    """The leaf that a row, by the values of its columns, falls into."""
    node = 0
    while by[node] != LEAF:
        node = below[node] + (point[by[node]] > cut[node])
    return node


@compiled
def add_means(points: Floats, by: Codes, cut: Floats, below: Codes, mean: Floats, out: Floats) -> None:
    """Add to ``out`` (m,) the mean of the leaf that each row (m, n_columns) falls into."""
    for row in range(len(points)):
        out[row] += mean[leaf_of(points[row], by, cut, below)]


@compiled
def add_shares(
    points: Floats, wanted: Codes, by: Codes, cut: Floats, below: Codes, rows: Codes, of_class: Codes, out: Floats
) -> None:
    """Add to ``out`` (m,) the share of the class ``wanted`` (m,) in the leaf that each row of ``points`` falls into."""
    classes = of_class[rows]
    for node in range(len(by)):  # the classes of each leaf in order, so that one is counted without a look at all
        if by[node] == LEAF:
            own = classes[below[node] : int(cut[node])]
            if len(own) > 1:
                own.sort()
    for row in range(len(points)):
        leaf = leaf_of(points[row], by, cut, below)
        own = classes[below[leaf] : int(cut[leaf])]
        first, last = np.searchsorted(own, wanted[row]), np.searchsorted(own, wanted[row], side="right")
        out[row] += (last - first) / len(own)
