"""The compiled loops of classification and regression trees, and of what their leaves hold."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from riskkit.base.compilation import compile_loop
from riskkit.core import Floats, Ints

ROUNDS = 30
"""Rounds of power iteration for the order of levels."""
ALIKE = 1e-9
"""Levels whose shares of classes are no further apart along the component are alike: their order is not rounding."""


Nodes = tuple[Ints, Ints, Floats, Floats, Ints, Ints, Ints]
"""The feature of each node (-1 for a leaf), its child to the right, the values below and above its cut, the first and
the last of its rows; and the rows."""


@compile_loop
def mean_scores(codes: Ints, levels: int, answer: Ints, members: Ints, gone: int) -> Floats:
    """(levels,) the mean of the numbers of each level; a level without rows has that of all.

    Sums are of whole numbers, so that the scores are a function of the rows in whatever order they come. Only
    ``members`` count, and not ``gone``.
    """
    size, sums, out = np.zeros(levels, dtype=np.int64), np.zeros(levels, dtype=np.int64), np.zeros(levels)
    for row in members:
        if row != gone:
            size[codes[row]] += 1
            sums[codes[row]] += answer[row]
    whole = sums.sum() / max(size.sum(), 1)
    for level in range(levels):
        out[level] = sums[level] / size[level] if size[level] else whole
    return out


@compile_loop
def level_counts(codes: Ints, levels: int, answer: Ints, classes: int, members: Ints, gone: int) -> Ints:
    """(levels, present) how many rows of each level have each class that occurs; only ``members``, and not ``gone``."""
    place = np.full(classes, -1, dtype=np.int64)
    for row in members:
        if row != gone:
            place[answer[row]] = 0
    present = 0
    for answered in range(classes):
        if place[answered] == 0:
            place[answered] = present
            present += 1
    counts = np.zeros((levels, max(present, 1)), dtype=np.int64)
    for row in members:
        if row != gone:
            counts[codes[row], place[answer[row]]] += 1
    return counts


@compile_loop
def class_scores(counts: Ints) -> Floats:
    """(levels,) what levels are ordered by, from (levels, classes) counts; one without rows has what all have.

    Of two classes it is the share of the later one, of more the first principal component of their shares, each level
    weighed by its rows.
    """
    levels, classes = counts.shape
    size, mean = counts.sum(axis=1), counts.sum(axis=0) / max(counts.sum(), 1)
    if classes > 2:
        return _component(counts, size, mean)  # type: ignore[no-any-return]
    out = np.zeros(levels)
    for level in range(levels):
        out[level] = counts[level, classes - 1] / size[level] if size[level] else mean[classes - 1]
    return out


@compile_loop
def _component(counts: Ints, size: Ints, mean: Floats) -> Floats:
    """(levels,) the first principal component, as well as an order needs it, by power iteration.

    It begins with the level that stands out most. A decomposition would take longer and leave the sign open.
    """
    levels, classes = counts.shape
    away = np.zeros((levels, classes))
    start, most = 0, -1.0
    for level in range(levels):
        for label in range(classes):
            away[level, label] = counts[level, label] / size[level] - mean[label] if size[level] else 0.0
        length = np.sum(away[level] ** 2) * size[level]
        if length > most * (1 + ALIKE):
            start, most = level, length
    direction = away[start].copy()
    for _ in range(ROUNDS):
        length = np.sqrt(np.sum(direction**2))
        if length == 0.0:
            break
        direction = _power_step(away, size, direction / length)
    length = max(np.sqrt(np.sum(direction**2)), 1e-300)
    out = np.zeros(levels)
    for level in range(levels):
        for label in range(classes):
            out[level] += away[level, label] * direction[label] / length
    return np.rint(out / ALIKE)


@compile_loop
def _power_step(away: Floats, size: Ints, direction: Floats) -> Floats:
    """(classes,) one round of power iteration."""
    levels, classes = away.shape
    out = np.zeros(classes)
    for level in range(levels):
        along = 0.0
        for label in range(classes):
            along += away[level, label] * direction[label]
        along *= size[level]
        for label in range(classes):
            out[label] += along * away[level, label]
    return out


@compile_loop
def _best_of_classes(rows: Ints, key: Ints, answer: Ints, minimum: int, left: Ints, whole: Ints) -> tuple[float, int]:
    """The gain and the number of rows to the left of the cut in this order that leaves the least Gini impurity.

    ``whole`` (classes,) counts all rows. ``left`` are zeros, before and after.
    """
    n, best, taken = len(rows), -1.0, 0
    squares_left, squares_right = np.int64(0), np.sum(whole**2)
    for position in range(n - minimum):
        own = answer[rows[position]]
        squares_left += 2 * left[own] + 1
        squares_right -= 2 * (whole[own] - left[own]) - 1
        left[own] += 1
        count = position + 1
        if count < minimum or key[rows[position]] == key[rows[count]]:
            continue
        gain = np.float64(squares_left * (n - count) + squares_right * count) / np.float64(count * (n - count))
        if gain > best:
            best, taken = gain, count
    for position in range(n - minimum):
        left[answer[rows[position]]] = 0
    return best, taken


@compile_loop
def _best_of_numbers(rows: Ints, key: Ints, answer: Ints, minimum: int) -> tuple[float, int]:
    """The gain and the number of rows to the left of the cut in this order that leaves the least variance."""
    n, best, taken = len(rows), -1.0, 0
    left, whole = np.int64(0), np.int64(0)
    for row in rows:
        whole += answer[row]
    for position in range(n - minimum):
        left += answer[rows[position]]
        count = position + 1
        if count < minimum or key[rows[position]] == key[rows[count]]:
            continue
        apart = np.float64(left) * np.float64(n) - np.float64(whole) * np.float64(count)
        gain = apart * apart / np.float64(count * (n - count))
        if gain > best:
            best, taken = gain, count
    return best, taken


@compile_loop
def best_split(orders: Ints, key: Ints, answer: Ints, classes: int, minimum: int, left: Ints, whole: Ints) -> Any:
    """The feature and the number of rows to the left of the best split of a node; the feature is -1 without any.

    ``orders`` (features + 1, n) are its rows. Of equal splits it is the first feature's lowest cut. Counts are whole
    numbers, and a quotient of whole numbers is the same for equal ratios, so that equal splits do compare equal.
    ``left`` and ``whole`` (classes,) are zeros, before and after.
    """
    best, feature, taken = -1.0, -1, 0
    if classes:
        for row in orders[0]:
            whole[answer[row]] += 1
    for tried in range(len(orders) - 1):
        rows = orders[tried]
        if key[tried, rows[0]] == key[tried, rows[-1]]:
            continue
        if classes:
            gain, count = _best_of_classes(rows, key[tried], answer, minimum, left, whole)
        else:
            gain, count = _best_of_numbers(rows, key[tried], answer, minimum)
        if gain > best:
            best, feature, taken = gain, tried, count
    if classes:
        for row in orders[0]:
            whole[answer[row]] = 0
    return feature, taken


@compile_loop
def _is_pure(rows: Ints, answer: Ints) -> bool:
    """Whether all rows have the same answer."""
    for row in rows:  # noqa: SIM110  compiled as it is written
        if answer[row] != answer[rows[0]]:
            return False
    return True


@compile_loop
def _is_in_order(rows: Ints, key: Ints) -> bool:
    """Whether the keys of the rows never fall."""
    for position in range(len(rows) - 1):  # noqa: SIM110  compiled as it is written
        if key[rows[position]] > key[rows[position + 1]]:
            return False
    return True


@compile_loop
def _are_within(rows: Ints, place: Ints, low: int, high: int) -> bool:
    """Whether the places of all rows lie from ``low`` to ``high``."""
    for row in rows:  # noqa: SIM110  compiled as it is written
        if not low <= place[row] < high:
            return False
    return True


@compile_loop
def _is_kept(before: Nodes, old: int, place: Ints, gone: int, moved: Ints, orders: Ints, key_before: Ints) -> bool:
    """Whether the old node has all its rows (n,) still, each feature in the order that it had."""
    if old < 0 or before[4][old] <= place[gone] < before[5][old]:
        return False
    for tried in moved:  # noqa: SIM110  compiled as it is written
        if not _is_in_order(orders[tried], key_before[tried]):
            return False
    return True


@compile_loop
def _copy_subtree(before: Nodes, old: int, start: int, node: int, made: Nodes) -> int:
    """Copy the old node and all below it to ``node``, its rows to ``start``; the number of the next node."""
    feature, right, below, above, first, end, rows = made
    rows[start : start + before[5][old] - before[4][old]] = before[6][before[4][old] : before[5][old]]
    old_node = old
    while old_node < len(before[0]) and before[4][old_node] < before[5][old]:
        feature[node] = before[0][old_node]
        right[node] = before[1][old_node] + node - old_node if before[0][old_node] >= 0 else 0
        below[node], above[node] = before[2][old_node], before[3][old_node]
        first[node] = before[4][old_node] + start - before[4][old]
        end[node] = before[5][old_node] + start - before[4][old]
        node += 1
        old_node += 1
    return node


@compile_loop
def _old_children(before: Nodes, old: int, place: Ints, gone: int, left: Ints) -> tuple[int, int]:
    """The children of the old node where it was split as it is now, ``left`` to the left; else -1 and -1."""
    if old < 0 or before[0][old] < 0:
        return -1, -1
    low, high = before[4][old + 1], before[5][old + 1]
    size = high - low - (low <= place[gone] < high)
    if size != len(left) or not _are_within(left, place, low, high):
        return -1, -1
    return old + 1, before[1][old]


@compile_loop
def _partition_rows(orders: Ints, side: Any, spare: Ints) -> None:
    """Put the rows of the left side before the others; within each side orders stay what they are."""
    for tried in range(len(orders)):
        taken, others = 0, 0
        for row in orders[tried]:
            if side[row]:
                orders[tried, taken] = row
                taken += 1
            else:
                spare[others] = row
                others += 1
        orders[tried, taken:] = spare[:others]


@compile_loop
def grow(
    orders: Ints,
    values: Floats,
    key: Ints,
    answer: Ints,
    classes: int,
    minimum: int,
    before: Nodes,
    place: Ints,
    gone: int,
    moved: Ints,
    key_before: Ints,
) -> Nodes:
    """A tree, its nodes in the order in which one walks through it, left before right.

    Parameters
    ----------
    orders
        (features + 1, n) the rows in the order of each feature, and ascending; they are put into the order of leaves.
    values, key
        (features, rows) what a cut is written by, and whole numbers in the order of the cut.
    answer, classes
        A class below ``classes`` for each row, or a whole number where that is 0.
    before, place, key_before
        The tree grown with the row ``gone`` besides, where each row is in it, and its keys; ``gone`` is -1 for none.
        Below a node that has the same rows in the same order the same tree grows, so it is taken over.
    moved
        The features in which the order of some rows is another one than before.
    """
    n, last = orders.shape[1], len(orders) - 1
    room = max(2 * n, 1)
    feature, right = np.full(room, -1, dtype=np.int64), np.zeros(room, dtype=np.int64)
    below, above = np.zeros(room), np.zeros(room)
    first, end = np.zeros(room, dtype=np.int64), np.zeros(room, dtype=np.int64)
    made = feature, right, below, above, first, end, orders[last]
    left_counts, whole = np.zeros(max(classes, 1), dtype=np.int64), np.zeros(max(classes, 1), dtype=np.int64)
    side, spare = np.zeros(len(answer), dtype=np.bool_), np.empty(n, dtype=np.int64)
    waiting = np.empty((room, 4), dtype=np.int64)
    waiting[0] = 0, n, 0 if gone >= 0 else -1, -1
    depth, nodes = 1, 0
    while depth:
        depth -= 1
        start, stop, old, parent = waiting[depth]
        node, own = nodes, orders[:, start:stop]
        if parent >= 0:
            right[parent] = node
        if _is_kept(before, old, place, gone, moved, own, key_before):
            nodes = _copy_subtree(before, old, start, node, made)
            continue
        nodes += 1
        first[node], end[node] = start, stop
        if last == 0 or stop - start < 2 * minimum or _is_pure(own[0], answer):
            continue
        chosen, taken = best_split(own, key, answer, classes, minimum, left_counts, whole)
        if chosen < 0:
            continue
        feature[node] = chosen
        below[node] = values[chosen, own[chosen, taken - 1]]
        above[node] = values[chosen, own[chosen, taken]]
        for position in range(stop - start):
            side[own[chosen, position]] = position < taken
        old_left, old_right = _old_children(before, old, place, gone, own[chosen, :taken])
        _partition_rows(own, side, spare)
        waiting[depth] = start + taken, stop, old_right, node
        waiting[depth + 1] = start, start + taken, old_left, -1
        depth += 2
    return (
        feature[:nodes].copy(),
        right[:nodes].copy(),
        below[:nodes].copy(),
        above[:nodes].copy(),
        first[:nodes].copy(),
        end[:nodes].copy(),
        orders[last].copy(),
    )


@compile_loop
def fall(feature: Ints, right: Ints, cut: Floats, ranks: Ints, rank_at: Ints, shown: Floats) -> Ints:
    """(n,) the leaf that each row falls into; ``shown`` (features, n) are codes and numbers.

    A category enters by the rank of its level: that of feature ``f`` begins at ``rank_at[f]`` of ``ranks``, -1 marks a
    number.
    """
    out = np.zeros(shown.shape[1], dtype=np.int64)
    for row in range(shown.shape[1]):
        node = 0
        while feature[node] >= 0:
            of = feature[node]
            value = shown[of, row]
            if rank_at[of] >= 0:
                value = np.float64(ranks[rank_at[of] + np.int64(value)])
            node = node + 1 if value <= cut[node] else right[node]
        out[row] = node
    return out


@compile_loop
def count_equal(values: Floats, first: Ints, end: Ints, asked: Floats) -> Ints:
    """(n,) how many of the sorted ``values`` from ``first`` to ``end`` of each row equal the one asked about."""
    out = np.zeros(len(asked), dtype=np.int64)
    for row in range(len(asked)):
        part = values[first[row] : end[row]]
        out[row] = np.searchsorted(part, asked[row], "right") - np.searchsorted(part, asked[row], "left")
    return out


@compile_loop
def smoothed_shares(
    values: Floats, first: Ints, end: Ints, asked: Floats, distinct: Floats, heap: float, ends: Floats
) -> Floats:
    """(n,) the chance of each number where a random one of ``values`` from ``first`` to ``end`` is moved in its gap.

    A value is moved up to half way to its neighbours among ``distinct``, the ``heap`` is not, and the outcome is
    rounded to whole numbers and clipped to ``ends``.
    """
    out = np.zeros(len(asked))
    for row in range(len(asked)):
        x = asked[row]
        low = x - 0.5 if x > ends[0] else -np.inf
        high = x + 0.5 if x < ends[1] else np.inf
        chance = 0.0
        position = first[row]
        while position < end[row]:
            value = values[position]
            count = 1
            while position + count < end[row] and values[position + count] == value:
                count += 1
            position += count
            own = np.searchsorted(distinct, value)
            below = distinct[max(own - 1, 0)]
            above = distinct[min(own + 1, len(distinct) - 1)]
            from_, to = (below + value) / 2, (value + above) / 2
            if value == heap or from_ == to:
                chance += count * (low <= value < high)
            else:
                chance += count * max(min(high, to) - max(low, from_), 0.0) / (to - from_)
        out[row] = chance / max(end[row] - first[row], 1)
    return out


@compile_loop
def noised_shares(
    values: Floats, first: Ints, end: Ints, asked: Floats, bandwidth: float, heap: float, ends: Floats
) -> Floats:
    """(n,) the same where normal noise of that ``bandwidth`` moves the value, mirrored where it leaves ``ends``."""
    out = np.zeros(len(asked))
    low_end, high_end = ends
    for row in range(len(asked)):
        x = asked[row]
        low = x - 0.5 if x > low_end else -np.inf
        high = x + 0.5 if x < high_end else np.inf
        chance = 0.0
        for position in range(first[row], end[row]):
            value = values[position]
            if value == heap or bandwidth == 0.0:
                chance += low <= value < high
                continue
            chance += _between((max(low, low_end) - value) / bandwidth, (min(high, high_end) - value) / bandwidth)
            above = max(2 * high_end - high, high_end)
            chance += _between((above - value) / bandwidth, (2 * high_end - low - value) / bandwidth)
            below = min(2 * low_end - low, low_end)
            chance += _between((2 * low_end - high - value) / bandwidth, (below - value) / bandwidth)
        out[row] = chance / max(end[row] - first[row], 1)
    return out


@compile_loop
def _between(low: float, high: float) -> float:
    """The mass of the normal law from ``low`` to ``high``, by the tail that loses no digits."""
    if not low < high:
        return 0.0
    if low > 0:
        low, high = -high, -low
    return 0.5 * (math.erfc(-high / math.sqrt(2.0)) - math.erfc(-low / math.sqrt(2.0)))
