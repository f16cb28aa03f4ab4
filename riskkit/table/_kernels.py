"""The compiled loops of tables. Imported only where one is first asked for, since they are compiled then."""

from __future__ import annotations

from typing import Any

import numpy as np

from riskkit.base.compilation import compile_loop
from riskkit.core import Bools, Codes, Floats, Ints
from riskkit.table.large import BLOCK_ROWS

# Sets of columns on which rows agree with a record: :mod:`riskkit.table.subset_counts`.


@compile_loop
def agreement_bits(
    codes: Codes,
    numbers: Floats,
    code: Codes,
    number: Floats,
    upward: Bools,
    code_bits: Ints,
    number_bits: Ints,
    out: Any,
) -> None:
    """Into ``out`` (words, n) uint64: bit ``b`` of a row's words says whether it agrees with the record on column b.

    ``code_bits`` and ``number_bits`` are the bits of the categories and numbers. A number agrees where it is at least
    (``upward``), else at most, the record's; a missing one agrees with a missing one alone.
    """
    out[:] = np.uint64(0)
    for column in range(code_bits.shape[0]):
        word, bit = code_bits[column] // 64, np.uint64(1) << np.uint64(code_bits[column] % 64)
        for row in range(codes.shape[0]):
            if codes[row, column] == code[column]:
                out[word, row] |= bit
    for column in range(number_bits.shape[0]):
        word, bit = number_bits[column] // 64, np.uint64(1) << np.uint64(number_bits[column] % 64)
        wanted, rises, is_missing = number[column], upward[column], np.isnan(number[column])
        for row in range(numbers.shape[0]):
            value = numbers[row, column]
            agrees = np.isnan(value) if is_missing else (value >= wanted if rises else value <= wanted)
            if agrees:
                out[word, row] |= bit


@compile_loop
def superset_sums(word: Any, columns: int, out: Codes) -> None:
    """Into ``out`` (2^columns,): how many of the words have every bit of the index, by one pass for each bit."""
    out[:] = 0
    for row in range(word.shape[0]):
        out[word[row]] += 1
    for bit in range(columns):
        step = 1 << bit
        for start in range(0, out.shape[0], 2 * step):
            low, high = out[start : start + step], out[start + step : start + 2 * step]
            for place in range(step):
                low[place] += high[place]


@compile_loop
def superset_counts(words: Any, masks: Any, out: Codes) -> None:
    """Into ``out`` (n_masks,): how many rows of ``words`` (words, n) have every bit of ``masks`` (words, n_masks)."""
    for mask_index in range(masks.shape[1]):
        total = 0
        if words.shape[0] == 1:
            mask = masks[0, mask_index]
            for row in range(words.shape[1]):
                total += (words[0, row] & mask) == mask
        else:
            for row in range(words.shape[1]):
                agrees = True
                for word in range(words.shape[0]):
                    agrees &= (words[word, row] & masks[word, mask_index]) == masks[word, mask_index]
                total += agrees
        out[mask_index] = total


# What dimensions have in common: :mod:`riskkit.attacks.groundhog`.


@compile_loop
def gram_of(codes: Codes, start: Ints, dense: Floats, place: Ints, out: Floats) -> None:
    """Into ``out`` (width, width): the upper triangle of the Gram matrix ``X' X`` of one-hot rows.

    Category ``column`` of a row is the dimension ``start[column]`` plus its code less 1; the first level has none.
    ``dense`` (n, m) are the other dimensions, at ``place`` (m,). Only what is not zero is multiplied.
    """
    out[:] = 0.0
    held = np.empty(codes.shape[1], dtype=np.int64)
    for row in range(codes.shape[0]):
        count = 0
        for column in range(codes.shape[1]):
            if codes[row, column] > 0:
                held[count] = start[column] + codes[row, column] - 1
                count += 1
        for first in range(count):
            for other in range(first, count):
                out[held[first], held[other]] += 1.0
        for first in range(place.shape[0]):
            value, column = dense[row, first], place[first]
            for other in range(count):
                out[min(column, held[other]), max(column, held[other])] += value
            for other in range(first, place.shape[0]):
                out[column, place[other]] += value * dense[row, other]


@compile_loop
def pearson_of(gram: Floats, flat: float, out: Floats) -> None:
    """Into ``out`` (d (d - 1) / 2,): the correlations of the first d dimensions, row by row above the diagonal.

    The last dimension of ``gram`` (upper triangle) is 1 in every row. A dimension whose variance is below ``flat`` of
    its mean square does not vary, and correlates with nothing: 0.
    """
    width = gram.shape[0] - 1
    n = gram[width, width]
    mean, scale = np.empty(width), np.empty(width)
    for column in range(width):
        mean[column] = gram[column, width] / n
        square = gram[column, column] / n
        variance = square - mean[column] * mean[column]
        scale[column] = 1.0 / np.sqrt(variance) if variance > flat * square else 0.0
    place = 0
    for first in range(width):
        for other in range(first + 1, width):
            out[place] = (gram[first, other] / n - mean[first] * mean[other]) * scale[first] * scale[other]
            place += 1


# Levels nearest to a relaxed row: :mod:`riskkit.table.encode`.


@compile_loop
def nearest_levels(matrix: Any, blocks: Any, out: Any) -> None:
    """Into ``out`` (n, categories): the level of the largest weight, or 0, which has what is left of 1.

    ``blocks`` (categories, 2) are the first dimension of each category and how many it has. The first of equal weights
    is taken, but level 0 only where no other weighs more than it.
    """
    for row in range(matrix.shape[0]):
        for category in range(blocks.shape[0]):
            start, width = blocks[category]
            best, most, total = 0, 0.0, 0.0
            for level in range(width):
                weight = matrix[row, start + level]
                total += weight
                if level == 0 or weight > most:
                    best, most = level, weight
            out[row, category] = best + 1 if width and most > 1.0 - total else 0


# Words that say on which columns rows agree: :mod:`riskkit.table.agreements`.


@compile_loop
def words_of(places: Any, low: Any, high: Any, columns: Ints, out: Any) -> None:
    """Into ``out`` (releases, n): bit ``b`` says whether a row agrees with the record on column ``columns[b]``.

    ``places`` (releases, d, n) agree where they lie within ``low`` and ``high`` (d,).
    """
    out[:] = 0
    for release in range(places.shape[0]):
        word = out[release]
        for bit in range(columns.shape[0]):
            column = columns[bit]
            least, most, values = low[column], high[column], places[release, column]
            for row in range(values.shape[0]):
                word[row] |= np.int16((values[row] >= least) & (values[row] <= most)) << bit


@compile_loop
def words_of_rows(
    codes: Codes, numbers: Floats, code: Codes, number: Floats, outward: Any, bits: Any, out: Any
) -> None:
    """Into ``out`` (n,): the same of one release as it is, for one record.

    ``bits`` (columns,) are the bits of the categories, then of the numbers; -1 for those that are not looked at.
    """
    out[:] = 0
    for column in range(codes.shape[1]):
        if bits[column] >= 0:
            for row in range(codes.shape[0]):
                out[row] |= np.int16(codes[row, column] == code[column]) << bits[column]
    for column in range(numbers.shape[1]):
        bit, wanted = bits[codes.shape[1] + column], number[column]
        if bit < 0:
            continue
        if np.isnan(wanted):
            for row in range(numbers.shape[0]):
                out[row] |= np.int16(np.isnan(numbers[row, column])) << bit
        elif outward[column]:
            for row in range(numbers.shape[0]):
                out[row] |= np.int16(numbers[row, column] >= wanted) << bit
        else:
            for row in range(numbers.shape[0]):
                out[row] |= np.int16(numbers[row, column] <= wanted) << bit


@compile_loop
def supersets(counts: Any) -> None:
    """In place: for each set how many words hold all its bits, from how many are each word; one pass for each bit."""
    step = 1
    while step < counts.shape[0]:
        for start in range(0, counts.shape[0], 2 * step):
            low, high = counts[start : start + step], counts[start + step : start + 2 * step]
            for place in range(step):
                low[place] += high[place]
        step *= 2


@compile_loop
def subsets(values: Floats) -> None:
    """In place: for each word the sum over the sets that it holds, from one value a set."""
    step = 1
    while step < values.shape[0]:
        for start in range(0, values.shape[0], 2 * step):
            low, high = values[start : start + step], values[start + step : start + 2 * step]
            for place in range(step):
                high[place] += low[place]
        step *= 2


@compile_loop
def sums_of_counts(words: Any, total: Floats, squares: Floats) -> None:
    """Adds to ``total`` and ``squares`` (sets,) the counts of each set in each of the (releases, n) words."""
    counts = np.zeros(total.shape[0], dtype=np.int32)
    for release in range(words.shape[0]):
        counts[:] = 0
        for row in range(words.shape[1]):
            counts[words[release, row]] += 1
        supersets(counts)
        for place in range(counts.shape[0]):
            count = np.float64(counts[place])
            total[place] += count
            squares[place] += count * count


@compile_loop
def scores_of(words: Any, worth: Floats, out: Floats) -> None:
    """Adds to ``out`` (releases,) the sum over rows of what each word is worth."""
    for release in range(words.shape[0]):
        sum_of = 0.0
        for row in range(words.shape[1]):
            sum_of += worth[words[release, row]]
        out[release] += sum_of


# Blocks of rows: :mod:`riskkit.table.neighbours`.
#
# Every distance is the sum over the columns of numbers in their order, and then the codes that differ: no sum is
# reordered or fused, so a distance has the same bytes in whatever block, thread or order it is found. A bound on a
# block is summed in the same order from terms no larger, so rounding cannot lift it above a distance in the block.
# The codes of a block are compared first: whole numbers of few bits, many at once. Where they differ in so many
# columns that a row is too far already, its numbers are never looked at. Loops over the rows of a block have a length
# that is known when they are compiled, which makes them several times quicker.

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
