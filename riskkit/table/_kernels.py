"""Compiled loops over the blocks of :mod:`riskkit.table.neighbours`. Imported only when rows are first compared.

Every distance is the sum over the columns of numbers in their order, and then the codes that differ: no sum is
reordered or fused, so a distance has the same bytes in whatever block, thread or order it is found. A bound on a block
is summed in the same order from terms no larger, so rounding cannot lift it above a distance in the block.
"""

from __future__ import annotations

import numpy as np

from riskkit.core import Codes, Floats, Ints
from riskkit.table.compiled import compiled


@compiled
def bounds(
    squares: bool, number: Floats, code: Codes, low: Floats, high: Floats, least: Codes, most: Codes, out: Floats
) -> None:
    """Into ``out`` (n_blocks,): no row of the block has a sum below this."""
    out[:] = 0.0
    for at in range(number.shape[0]):
        value = number[at]
        for block in range(out.shape[0]):
            gap = max(low[at, block] - value, value - high[at, block], 0.0)
            out[block] += gap * gap if squares else gap
    if code.shape[0]:
        differ = np.zeros(out.shape[0], dtype=np.int32)
        for at in range(code.shape[0]):
            value = code[at]
            for block in range(out.shape[0]):
                differ[block] += value < least[at, block] or value > most[at, block]
        for block in range(out.shape[0]):  # at once, as sums does: one by one would round otherwise
            out[block] += differ[block]


@compiled
def sums(squares: bool, number: Floats, code: Codes, numbers: Floats, codes: Codes, out: Floats) -> None:
    """Into ``out`` (width,): squared (else absolute) differences plus codes that differ, to the rows of one block."""
    out[:] = 0.0
    for at in range(number.shape[0]):
        value = number[at]
        for row in range(out.shape[0]):
            gap = numbers[at, row] - value
            out[row] += gap * gap if squares else abs(gap)
    if code.shape[0]:
        differ = np.zeros(out.shape[0], dtype=np.int32)
        for at in range(code.shape[0]):
            value = code[at]
            for row in range(out.shape[0]):
                differ[row] += codes[at, row] != value
        for row in range(out.shape[0]):
            out[row] += differ[row]


@compiled
def nearest_of(
    squares: bool,
    number: Floats,
    code: Codes,
    numbers: Floats,
    codes: Codes,
    place: Ints,
    low: Floats,
    high: Floats,
    least: Codes,
    most: Codes,
    found: Floats,
    position: Ints,
) -> None:
    """Into ``found`` and ``position`` (n_queries, k): the smallest distances and where they are.

    Squares that differ may have one root, and are then ties: so roots are compared, taken where they can matter.
    """
    bound = np.empty(numbers.shape[0])
    distance = np.empty(numbers.shape[2])
    k = found.shape[1]
    for at in range(number.shape[0]):
        best, where = found[at], position[at]
        best[:] = np.inf
        where[:] = place.size
        bounds(squares, number[at], code[at], low, high, least, most, bound)
        limit = np.inf
        for block in np.argsort(bound):
            if bound[block] > limit:
                break
            sums(squares, number[at], code[at], numbers[block], codes[block], distance)
            for row in range(distance.shape[0]):
                if distance[row] > limit or place[block, row] < 0:
                    continue
                value, stood = np.sqrt(distance[row]) if squares else distance[row], place[block, row]
                if value > best[k - 1] or (value == best[k - 1] and stood > where[k - 1]):
                    continue
                slot = k - 1
                while slot > 0 and (best[slot - 1] > value or (best[slot - 1] == value and where[slot - 1] > stood)):
                    best[slot] = best[slot - 1]
                    where[slot] = where[slot - 1]
                    slot -= 1
                best[slot] = value
                where[slot] = stood
                limit = best[k - 1]
                if squares:  # no sum above it has so small a root
                    limit = limit * limit * (1 + 1e-14) + 1e-320


@compiled
def counts_of(
    squares: bool,
    number: Floats,
    code: Codes,
    numbers: Floats,
    codes: Codes,
    place: Ints,
    low: Floats,
    high: Floats,
    least: Codes,
    most: Codes,
    radius: Floats,
    count: Ints,
) -> None:
    """Into ``count`` (n_queries,): how many rows are at ``radius`` of the query or nearer."""
    bound = np.empty(numbers.shape[0])
    distance = np.empty(numbers.shape[2])
    for at in range(number.shape[0]):
        count[at] = 0
        bounds(squares, number[at], code[at], low, high, least, most, bound)
        for block in range(bound.shape[0]):
            if (np.sqrt(bound[block]) if squares else bound[block]) > radius[at]:
                continue
            sums(squares, number[at], code[at], numbers[block], codes[block], distance)
            for row in range(distance.shape[0]):
                value = np.sqrt(distance[row]) if squares else distance[row]
                count[at] += place[block, row] >= 0 and value <= radius[at]
