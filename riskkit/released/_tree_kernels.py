"""Compiled growing of extremely randomised trees. Imported only when a tree is first grown.

A column comes as the rank of each row's value among the column's different values, which are given beside it: least
and greatest ranks of a node are found several at a time, and a cut between values is drawn among the values themselves.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from riskkit.base.compilation import compile_loop
from riskkit.core import Codes, Floats, Ints

Bits = npt.NDArray[np.uint64]
Places = npt.NDArray[np.uint32]
"""Numbers of rows: never negative, so that no loop asks whether they count from the end."""
TIE = 1e-9
"""By that share of all there is to gain a cut must be better than one that was looked at before: not by rounding."""
TOGETHER = 64
"""Rows that fall through a tree side by side."""
LEAF = -1
"""What stands in place of the column that a node is cut by, where it is cut no more."""


@compile_loop
def next_random(state: Bits) -> np.uint64:
    """The next 64 random bits (splitmix64)."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    bits = state[0]
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    result: np.uint64 = bits ^ (bits >> np.uint64(31))
    return result


@compile_loop
def fetch_rows(rows: Places, own: Any, start: int, n: int, here: Places, targets: Any) -> None:
    """Copy the rows of a node, and what is told of them, to where loops over them begin at 0."""
    first = np.uint64(start)
    for position in range(np.uint64(n)):
        here[position], targets[position] = rows[first + position], own[first + position]


@compile_loop
def ends(ranks: Codes, column: int, here: Places, n: int, held: Codes, slot: int) -> tuple[int, int]:
    """The least and the greatest rank of these rows in a column; their ranks are written to a line of ``held``."""
    for position in range(n):
        held[slot, position] = ranks[column, here[position]]
    least, most = held[slot, 0], held[slot, 0]
    for position in range(n):
        least, most = min(least, held[slot, position]), max(most, held[slot, position])
    return least, most


@compile_loop
def cut_between(values: Floats, column: int, least: int, most: int, state: Bits) -> tuple[float, int]:
    """A cut drawn evenly between two values of a column, and the last rank that lies at or below it."""
    low, high = values[column, least], values[column, most]
    cut = low + float(next_random(state) >> np.uint64(11)) * 2.0**-53 * (high - low)
    if not (low <= cut < high):
        cut = low
    last, length = least, most - least
    while length > 1:  # no branch: which half it lies in cannot be foreseen
        half = length // 2
        last += half * int(values[column, last + half] <= cut)
        length -= half
    return cut, last


@compile_loop
def gain_of_means(held: Codes, slot: int, last: int, value: Floats, n: int, mean: float) -> tuple[float, int]:
    """By how much less squares of these values, whose mean that is, sum up to within the two sides of a cut; and how
    many rows lie at or below it."""
    below = 0
    a = b = c = d = 0.0
    for position in range(n):
        below += held[slot, position] <= last
    for position in range(0, n - 3, 4):  # four sums at once, and no branch: which side a row is on cannot be foreseen
        a += (held[slot, position] <= last) * (value[position] - mean)
        b += (held[slot, position + 1] <= last) * (value[position + 1] - mean)
        c += (held[slot, position + 2] <= last) * (value[position + 2] - mean)
        d += (held[slot, position + 3] <= last) * (value[position + 3] - mean)
    for position in range(n - n % 4, n):
        a += (held[slot, position] <= last) * (value[position] - mean)
    sum_ = (a + b) + (c + d)
    return sum_ * sum_ * (1.0 / below + 1.0 / (n - below)), below


@compile_loop
def gain_of_two(held: Codes, slot: int, last: int, of_class: Codes, n: int, ones: int) -> tuple[float, int]:
    """As :func:`gain_of_means`, of classes 0 and 1; ``ones`` is how many of these rows are of the latter."""
    below, own = 0, 0
    for position in range(n):
        is_below = held[slot, position] <= last
        below += is_below
        own += is_below & of_class[position]
    sum_ = own - ones / n * below
    return sum_ * sum_ * (1.0 / below + 1.0 / (n - below)), below


@compile_loop
def gain_of_classes(
    held: Codes, slot: int, last: int, of_class: Codes, n: int, inside: Ints, whole: Ints, squares: int
) -> tuple[float, int]:
    """The sum of squared counts of classes over the rows, on both sides of a cut: the higher, the purer; and how many
    rows lie at or below it.

    ``whole`` are the node's counts and ``squares`` the sum of their squares; ``inside`` are zeros and are so again
    afterwards. Work is in proportion to rows, or to rows and classes where these are fewer.
    """
    below, own, across = 0, 0, 0
    if len(whole) <= n:
        for position in range(n):
            is_below = int(held[slot, position] <= last)
            below += is_below
            inside[of_class[position]] += is_below
        for each in range(len(whole)):
            own += inside[each] * inside[each]
            across += inside[each] * whole[each]
            inside[each] = 0
    else:
        for position in range(n):
            each, is_below = of_class[position], int(held[slot, position] <= last)
            below += is_below
            own += is_below * (2 * inside[each] + 1)
            across += is_below * whole[each]
            inside[each] += is_below
        for position in range(n):
            inside[of_class[position]] = 0
    return own / below + (squares - 2 * across + own) / (n - below), below


@compile_loop
def partition_rows(
    held: Codes,
    slot: int,
    last: int,
    below: int,
    here: Places,
    targets: Any,
    start: int,
    n: int,
    rows: Places,
    own: Any,
) -> None:
    """Put back the rows of a node, and what is told of them: the ``below`` ones at or below a cut before the others,
    both in their order."""
    low, high, unit = np.uint64(start), np.uint64(start + below), np.uint64(1)
    for position in range(n):
        is_low = held[slot, position] <= last
        place = low if is_low else high
        rows[place], own[place] = here[position], targets[position]
        low, high = low + np.uint64(is_low), high + (unit - np.uint64(is_low))


@compile_loop
def count_classes(of_class: Codes, n: int, whole: Ints) -> tuple[int, bool]:
    """Count these classes in ``whole``, zeros until then: the sum of squared counts, and whether all are of one."""
    squares = 0
    for position in range(n):
        whole[of_class[position]] += 1
    if len(whole) <= n:
        for each in range(len(whole)):
            squares += whole[each] * whole[each]
    else:
        for position in range(n):
            squares += whole[of_class[position]]
    return squares, whole[of_class[0]] == n


@compile_loop
def sum_values(value: Floats, n: int) -> tuple[float, float, bool]:
    """Of these numbers: the mean and the sum of squares about it, but for rounding; and whether all are the same."""
    first, differ = value[0], 0
    for position in range(n):
        differ |= value[position] != first
    if not differ:
        return first, 0.0, True
    a = b = c = d = 0.0
    for position in range(0, n - 3, 4):
        a += value[position]
        b += value[position + 1]
        c += value[position + 2]
        d += value[position + 3]
    for position in range(n - n % 4, n):
        a += value[position]
    mean = ((a + b) + (c + d)) / n
    a = b = c = d = 0.0
    for position in range(0, n - 3, 4):
        a += (value[position] - mean) * (value[position] - mean)
        b += (value[position + 1] - mean) * (value[position + 1] - mean)
        c += (value[position + 2] - mean) * (value[position + 2] - mean)
        d += (value[position + 3] - mean) * (value[position + 3] - mean)
    for position in range(n - n % 4, n):
        a += (value[position] - mean) * (value[position] - mean)
    return mean, (a + b) + (c + d), False


@compile_loop
def mean_of(value: Floats, n: int) -> float:
    """The mean of these numbers, added up one after the other."""
    total = 0.0
    for position in range(n):
        total += value[position]
    return total / n


@compile_loop
def grow_tree(  # noqa: C901  in parts it takes twice as long: to hand over an array is more than most nodes need
    ranks: Codes,
    values: Floats,
    value: Floats,
    of_class: Codes,
    classes: int,
    are_numbers: bool,
    columns: Ints,
    tried: int,
    seed: int,
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
        What is foretold: numbers where ``classes`` is 0, else classes; the other one is empty. They are put in the
        order of the leaves that their rows fall into. Classes 0 and 1 may stand for numbers (``are_numbers``): what
        is no better but by rounding is then measured by their squares, else by how many rows there are.
    columns
        Those that may be cut by. ``tried`` of them are looked at in each node, more while all of them are constant.
    by, cut, below, mean : (2 n,)
        Out, of each node: the column it is cut by (:data:`LEAF`) and where; the node of the rows at or below, that of
        the others follows it. Of a leaf: its mean (of two classes the share of the second), and in ``below`` and
        ``cut`` where its rows begin and end.
    """
    most_rows = ranks.shape[1]
    state = np.array([seed], dtype=np.uint64)
    waiting = np.empty((most_rows + 1, 3), dtype=np.int64)
    words = (len(ranks) + 63) // 64
    constant, inherited = np.zeros(words, dtype=np.uint64), np.zeros((most_rows + 1, words), dtype=np.uint64)
    rows, here = np.arange(most_rows).astype(np.uint32), np.empty(most_rows, dtype=np.uint32)
    own_value, own_class = np.empty(len(value)), np.empty(len(of_class), dtype=np.int32)
    held = np.empty((2, most_rows), dtype=np.int32)
    inside, whole = np.zeros(classes, dtype=np.int64), np.zeros(classes, dtype=np.int64)
    order = columns.copy()
    waiting[0, 0], waiting[0, 1], waiting[0, 2] = 0, 0, most_rows
    nodes, left = 1, 1
    while left:
        left -= 1
        node, start, n = waiting[left, 0], waiting[left, 1], waiting[left, 2]
        for word in range(words):
            constant[word] = inherited[left, word]
        ones, squares, average, spread, is_pure = 0, 0, 0.0, float(n), True
        if classes:
            fetch_rows(rows, of_class, start, n, here, own_class)
        else:
            fetch_rows(rows, value, start, n, here, own_value)
        if classes == 2:
            for position in range(n):
                ones += own_class[position]
            average = ones / n
            spread = average * (n - ones) if are_numbers else n / 2
            is_pure = ones in (0, n)
        elif classes:
            squares, is_pure = count_classes(own_class, n, whole)
        else:
            average, spread, is_pure = sum_values(own_value, n)
        best, best_by, best_cut, best_last, best_below, slot = 0.0, LEAF, 0.0, 0, 0, 0
        looked = len(order) if is_pure else 0
        while looked < len(order) and (looked < tried or best_by == LEAF):
            place = looked + int(next_random(state) % np.uint64(len(order) - looked))
            order[looked], order[place] = order[place], order[looked]
            column = order[looked]
            looked += 1
            word, bit = column // 64, np.uint64(1) << np.uint64(column % 64)
            if constant[word] & bit:
                continue
            least, most = ends(ranks, column, here, n, held, slot)
            if least == most:
                constant[word] |= bit
                continue
            point, last = cut_between(values, column, least, most, state)
            if classes == 2:
                gain, under = gain_of_two(held, slot, last, own_class, n, ones)
            elif classes:
                gain, under = gain_of_classes(held, slot, last, own_class, n, inside, whole, squares)
            else:
                gain, under = gain_of_means(held, slot, last, own_value, n, average)
            if best_by == LEAF or gain > best + TIE * spread:
                best, best_by, best_cut, best_last, best_below = gain, column, point, last, under
                slot = 1 - slot  # what was held of the best is kept
        if classes <= n:
            for each in range(classes):
                whole[each] = 0
        else:
            for position in range(n):
                whole[own_class[position]] = 0
        by[node], mean[node] = best_by, average
        if best_by == LEAF:
            below[node], cut[node] = start, start + n
            if not is_pure and not classes:
                mean[node] = mean_of(own_value, n)
            continue
        if classes:
            partition_rows(held, 1 - slot, best_last, best_below, here, own_class, start, n, rows, of_class)
        else:
            partition_rows(held, 1 - slot, best_last, best_below, here, own_value, start, n, rows, value)
        below[node], cut[node] = nodes, best_cut
        waiting[left, 0], waiting[left, 1], waiting[left, 2] = nodes + 1, start + best_below, n - best_below
        waiting[left + 1, 0], waiting[left + 1, 1], waiting[left + 1, 2] = nodes, start, best_below
        for word in range(words):  # in a part of the rows they are so too
            inherited[left, word] = inherited[left + 1, word] = constant[word]
        left, nodes = left + 2, nodes + 2
    return nodes


@compile_loop
def find_leaves(points: Floats, by: Codes, cut: Floats, below: Codes, under: Codes, node: Codes) -> None:
    """Into ``node``: the leaf that each row (n, n_columns), by the values of its columns, falls into.

    All of them go down a step in turn, for none waits for another's; ``under`` has room for those under way.
    """
    count = len(points) if by[0] != LEAF else 0
    for row in range(len(points)):
        under[row], node[row] = row, 0
    while count:
        left = 0
        for place in range(count):
            row = under[place]
            stop = node[row]
            stop = below[stop] + (points[row, by[stop]] > cut[stop])
            node[row], under[left] = stop, row
            left += by[stop] != LEAF
        count = left


@compile_loop
def add_means(points: Floats, by: Codes, cut: Floats, below: Codes, mean: Floats, out: Floats) -> None:
    """Add to ``out`` (m,) the mean of the leaf that each row (m, n_columns) falls into."""
    under, node = np.empty(TOGETHER, dtype=np.int32), np.empty(TOGETHER, dtype=np.int32)
    for start in range(0, len(points), TOGETHER):
        some = points[start : start + TOGETHER]
        find_leaves(some, by, cut, below, under, node)
        for row in range(len(some)):
            out[start + row] += mean[node[row]]


@compile_loop
def add_shares(
    points: Floats, wanted: Codes, by: Codes, cut: Floats, below: Codes, classes: Codes, out: Floats
) -> None:
    """Add to ``out`` (m,) the share of the class ``wanted`` (m,) in the leaf that each row of ``points`` falls into.

    ``classes`` (n,) are those of the rows in the order of their leaves; each leaf's are put in order.
    """
    for node in range(len(by)):  # so that one is counted without a look at all
        if by[node] == LEAF:
            own = classes[below[node] : int(cut[node])]
            if len(own) > 1:
                own.sort()
    under, node_of = np.empty(TOGETHER, dtype=np.int32), np.empty(TOGETHER, dtype=np.int32)
    for start in range(0, len(points), TOGETHER):
        some = points[start : start + TOGETHER]
        find_leaves(some, by, cut, below, under, node_of)
        for row in range(len(some)):
            leaf = node_of[row]
            own = classes[below[leaf] : int(cut[leaf])]
            first = np.searchsorted(own, wanted[start + row])
            last = np.searchsorted(own, wanted[start + row], side="right")
            out[start + row] += (last - first) / len(own)
