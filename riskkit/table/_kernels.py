"""Compiled loops over the blocks of :mod:`riskkit.table.neighbours`. Imported only when rows are first compared.

Every distance is the sum over the columns of numbers in their order, and then the codes that differ: no sum is
reordered or fused, so a distance has the same bytes in whatever block, thread or order it is found. A bound on a block
is summed in the same order from terms no larger, so rounding cannot lift it above a distance in the block.

The codes of a block are compared first: whole numbers of few bits, many at once. Where they differ in so many columns
that a row is too far already, its numbers are never looked at.

Loops over the rows of a block have a length that is known when they are compiled, which makes them several times
quicker.
"""

from __future__ import annotations

import numpy as np

from riskkit.base.compiled import compile_loop
from riskkit.core import Codes, Floats, Ints
from riskkit.table.large import BLOCK_ROWS

FEW = 24
"""So many rows of a block that are near enough by their codes are looked at one by one; more of them all at once."""


@compile_loop
def bounds(
    squares: bool,
    number: Floats,
    code: Codes,
    low: Floats,
    high: Floats,
    least: Codes,
    most: Codes,
    gap: Floats,
    out: Floats,
) -> None:
    """Into ``gap`` and ``out`` (n_blocks,): no row of the block has a sum of numbers, or a sum, below this."""
    gap[:] = 0.0
    for column in range(number.shape[0]):
        value = number[column]
        for block in range(out.shape[0]):
            apart = max(low[column, block] - value, value - high[column, block], 0.0)
            gap[block] += apart * apart if squares else apart
    differ = np.zeros(out.shape[0], dtype=np.int32)
    for column in range(code.shape[0]):
        value = code[column]
        for block in range(out.shape[0]):
            differ[block] += value < least[column, block] or value > most[column, block]
    for block in range(out.shape[0]):  # at once, as sums does: one by one would round otherwise
        out[block] = gap[block] + differ[block]


@compile_loop
def differences(code: Codes, codes: Codes, out: Codes) -> None:
    """Into ``out`` (width,), of the type of the codes: in how many columns the rows of one block differ."""
    out[:] = 0
    for position in range(code.shape[0]):
        value, column = code[position], codes[position]
        for row in range(BLOCK_ROWS):
            out[row] += out.dtype.type(column[row] != value)


@compile_loop
def sums(squares: bool, number: Floats, numbers: Floats, differ: Codes, out: Floats) -> None:
    """Into ``out`` (width,): squared (else absolute) differences plus codes that differ, to the rows of one block."""
    out[:] = 0.0
    for position in range(number.shape[0]):
        value, column = number[position], numbers[position]
        for row in range(BLOCK_ROWS):
            gap = column[row] - value
            out[row] += gap * gap if squares else abs(gap)
    for row in range(BLOCK_ROWS):
        out[row] += differ[row]


@compile_loop
def fitting(gap: float, limit: float, most: int) -> int:
    """The most codes, up to ``most``, that may differ where numbers add ``gap``: more lift the sum above ``limit``."""
    if gap + most <= limit:
        return most
    few = int(limit - gap) + 1
    while gap + few > limit:
        few -= 1
    return few


@compile_loop
def places_up_to(values: Floats | Codes, limit: float, rows: Ints) -> int:
    """How many values are no more than ``limit``: their places, in order, into ``rows``.

    Mostly there are none, and to count them is many times quicker than to list them.
    """
    inside = 0
    for row in range(BLOCK_ROWS):
        inside += values[row] <= limit
    few = 0
    if inside:
        for row in range(BLOCK_ROWS):
            rows[few] = row
            few += int(values[row] <= limit)
    return few


@compile_loop
def within(
    squares: bool,
    limit: float,
    gap: float,
    number: Floats,
    code: Codes,
    numbers: Floats,
    codes: Codes,
    differ: Codes,
    out: Floats,
    rows: Ints,
) -> int:
    """How many rows of one block may have a sum of ``limit`` or less: their positions into ``rows``, sums into ``out``.

    No row has a sum of numbers below ``gap``. No row is left out that has such a sum; some may be named that have not.
    """
    if not gap <= limit:
        return 0
    if code.shape[0]:
        differences(code, codes, differ)
        few: int = places_up_to(differ, fitting(gap, limit, code.shape[0]), rows)
        if few <= FEW:
            for slot in range(few):
                row, total = rows[slot], 0.0
                for column in range(number.shape[0]):
                    apart = numbers[column, row] - number[column]
                    total += apart * apart if squares else abs(apart)
                out[row] = total + differ[row]
            return few
    else:
        differ[:] = 0
    sums(squares, number, numbers, differ, out)
    inside: int = places_up_to(out, limit, rows)
    return inside


@compile_loop
def offer(best: Floats, where: Ints, value: float, stood: int) -> None:
    """Put a row at this distance and this place among the best, if it belongs there; ties by place."""
    slot = best.shape[0] - 1
    if value > best[slot] or (value == best[slot] and stood > where[slot]):
        return
    while slot > 0 and (best[slot - 1] > value or (best[slot - 1] == value and where[slot - 1] > stood)):
        best[slot] = best[slot - 1]
        where[slot] = where[slot - 1]
        slot -= 1
    best[slot] = value
    where[slot] = stood


@compile_loop
def reach(squares: bool, distance: float) -> float:
    """No sum above it has so small a distance: squares that differ may have one root."""
    return distance * distance * (1 + 1e-14) + 1e-320 if squares else distance


@compile_loop
def put_in_order(blocks: Ints, bound: Floats) -> None:
    """Sort these places by what stands there, in Shell's way: NumPy's takes a tenth of all time to compile."""
    step = 1
    while 3 * step < blocks.shape[0]:
        step = 3 * step + 1
    while step > 0:
        for start in range(step, blocks.shape[0]):
            block, slot = blocks[start], start
            while slot >= step and bound[blocks[slot - step]] > bound[block]:
                blocks[slot] = blocks[slot - step]
                slot -= step
            blocks[slot] = block
        step //= 3


@compile_loop
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
    nearest: Floats,
    position: Ints,
) -> None:
    """Into ``nearest`` and ``position`` (n_queries, k): the smallest distances and where they are.

    Squares that differ may have one root, and are then ties: so roots are compared, taken where they can matter. The
    block that seems nearest comes first; few of the others are then still open, and only these are put in order.
    """
    width, last = numbers.shape[2], nearest.shape[1] - 1
    gap, bound = np.empty(numbers.shape[0]), np.empty(numbers.shape[0])
    distance, differ = np.empty(width), np.empty(width, dtype=codes.dtype)
    rows, blocks = np.empty(width + 1, dtype=np.int64), np.empty(numbers.shape[0] + 1, dtype=np.int64)
    for record in range(number.shape[0]):
        best, where = nearest[record], position[record]
        best[:] = np.inf
        where[:] = place.size
        bounds(squares, number[record], code[record], low, high, least, most, gap, bound)
        limit = np.inf
        blocks[0] = np.argmin(bound)
        order = blocks[:1]
        while order.shape[0]:
            for block in order:
                if bound[block] > limit:
                    break
                few = within(
                    squares,
                    limit,
                    gap[block],
                    number[record],
                    code[record],
                    numbers[block],
                    codes[block],
                    differ,
                    distance,
                    rows,
                )
                bound[block] = np.nan  # seen: it is never again below a limit
                for row in rows[:few]:
                    if distance[row] <= limit and place[block, row] >= 0:
                        offer(best, where, np.sqrt(distance[row]) if squares else distance[row], place[block, row])
                        limit = reach(squares, best[last])
            still = 0
            for block in range(bound.shape[0]):
                blocks[still] = block
                still += bound[block] <= limit
            order = blocks[:still]
            put_in_order(order, bound)


@compile_loop
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
    width = numbers.shape[2]
    gap, bound = np.empty(numbers.shape[0]), np.empty(numbers.shape[0])
    distance, differ = np.empty(width), np.empty(width, dtype=codes.dtype)
    rows = np.empty(width + 1, dtype=np.int64)
    for record in range(number.shape[0]):
        count[record] = 0
        bounds(squares, number[record], code[record], low, high, least, most, gap, bound)
        limit = reach(squares, radius[record])
        for block in range(bound.shape[0]):
            if bound[block] > limit:
                continue
            own, theirs = gap[block], (numbers[block], codes[block])
            few = within(squares, limit, own, number[record], code[record], *theirs, differ, distance, rows)
            for row in rows[:few]:
                value = np.sqrt(distance[row]) if squares else distance[row]
                count[record] += place[block, row] >= 0 and value <= radius[record]
