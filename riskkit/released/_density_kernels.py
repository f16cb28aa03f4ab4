"""Compiled sums of Gaussian bumps, in logs. Imported only when a density is first asked for.

Rows come in blocks of :data:`riskkit.released._densities.LANES`, column by column, so that one instruction serves
several of them. A row that is asked about comes as its values that are not 0 and their places: of a table of categories
these are few.
"""

from __future__ import annotations

import math

import numpy as np

from riskkit.base.compilation import compile_fused
from riskkit.core import Codes, Floats, Ints

FAINT = 42.5
"""A block whose terms are all below the largest by more than this many nats is left out: together they are less than
half of the last digit of the sum, so that it is the same number with them."""
NO, ONE, TWO, THREE, FOUR, FIVE, SIX, SEVEN, EIGHT = (np.uint64(number) for number in range(9))
"""Steps of a place that is never negative: no loop then asks whether it counts from the end, and one instruction works
on eight numbers."""
NONE = -700.0
"""What is below it counts as that; e to it is next to the smallest number there is."""
ROUND = 6755399441055744.0
"""Added to a number it leaves the nearest whole one in the last bits."""
HALF_BITS = 0.6931471803691238
REST_BITS = 1.9082149292705877e-10
"""ln 2 in two parts, the first of few digits."""


@compile_fused
def exponentials(of: Floats, less: float, power: Floats, bits: Ints, out: Floats) -> float:
    """The sum of e to (``of`` - ``less``), numbers of at most 0, each within 1e-14 of itself.

    Written out, because a call for each number takes four times as long: 2 to a whole power by its bits, the rest by
    the series of the exponential up to its eleventh power. ``power``, whose ``bits`` are those, and ``out`` are room
    for both.
    """
    for lane in range(out.shape[0]):
        power_of = of[lane] - less
        power_of = power_of if power_of > NONE else NONE  # noqa: FURB136  max() is several times slower here
        power[lane] = power_of * 1.4426950408889634 + ROUND
        whole = power[lane] - ROUND
        x = power_of - whole * HALF_BITS - whole * REST_BITS
        sum_ = 1 / 3628800 + x / 39916800
        sum_ = 1 / 362880 + x * sum_
        sum_ = 1 / 40320 + x * sum_
        sum_ = 1 / 5040 + x * sum_
        sum_ = 1 / 720 + x * sum_
        sum_ = 1 / 120 + x * sum_
        sum_ = 1 / 24 + x * sum_
        sum_ = 1 / 6 + x * sum_
        sum_ = 0.5 + x * sum_
        sum_ = 1.0 + x * sum_
        out[lane] = 1.0 + x * sum_
    for lane in range(out.shape[0]):
        bits[lane] = (bits[lane] + 1023) << 52
    a = b = c = d = e = f = g = h = 0.0  # eight sums, which one instruction adds to
    for lane in range(NO, np.uint64(len(out)), EIGHT):
        a += out[lane] * power[lane]
        b += out[lane + ONE] * power[lane + ONE]
        c += out[lane + TWO] * power[lane + TWO]
        d += out[lane + THREE] * power[lane + THREE]
        e += out[lane + FOUR] * power[lane + FOUR]
        f += out[lane + FIVE] * power[lane + FIVE]
        g += out[lane + SIX] * power[lane + SIX]
        h += out[lane + SEVEN] * power[lane + SEVEN]
    return ((((((a + b) + c) + d) + e) + f) + g) + h


@compile_fused
def largest(values: Floats) -> float:
    """The largest of a block, eight compared at once."""
    a = b = c = d = e = f = g = h = -np.inf
    for lane in range(NO, np.uint64(len(values)), EIGHT):  # max() is several times slower here
        a = a if a > values[lane] else values[lane]  # noqa: FURB136
        b = b if b > values[lane + ONE] else values[lane + ONE]  # noqa: FURB136
        c = c if c > values[lane + TWO] else values[lane + TWO]  # noqa: FURB136
        d = d if d > values[lane + THREE] else values[lane + THREE]  # noqa: FURB136
        e = e if e > values[lane + FOUR] else values[lane + FOUR]  # noqa: FURB136
        f = f if f > values[lane + FIVE] else values[lane + FIVE]  # noqa: FURB136
        g = g if g > values[lane + SIX] else values[lane + SIX]  # noqa: FURB136
        h = h if h > values[lane + SEVEN] else values[lane + SEVEN]  # noqa: FURB136
    return max(a, b, c, d, e, f, g, h)


@compile_fused
def add(exponents: Floats, top: float, total: float, work: Floats, power: Floats, bits: Ints) -> tuple[float, float]:
    """The largest exponent so far and the sum of exponentials in units of its own, once a block has joined."""
    highest = largest(exponents)
    if highest < top - FAINT:
        return top, total
    if highest > top:
        total = total * math.exp(top - highest) if total > 0 else 0.0
        top = highest
    return top, total + exponentials(exponents, top, power, bits, work)


@compile_fused
def inner(place: Codes, value: Floats, person: int, lines: Floats, block: int, out: Floats, line: int) -> None:
    """Into a line of ``out``: the inner products of a person's row, by its ``value`` at each ``place``, and the rows
    of a block.

    Several values at once: the sums go to memory and back that much less often. No part of an array is given a name
    in here, for each such name is counted, which takes longer than an addition to all rows.
    """
    count, rows = place.shape[1], lines.shape[2]
    for row in range(rows):
        out[line, row] = 0.0
    for entry in range(0, count - 3, 4):
        a, b, c, d = place[person, entry], place[person, entry + 1], place[person, entry + 2], place[person, entry + 3]
        e, f, g, h = value[person, entry], value[person, entry + 1], value[person, entry + 2], value[person, entry + 3]
        for row in range(rows):
            out[line, row] += (e * lines[block, a, row] + f * lines[block, b, row]) + (
                g * lines[block, c, row] + h * lines[block, d, row]
            )
    for entry in range(count - count % 4, count):
        a, e = place[person, entry], value[person, entry]
        for row in range(rows):
            out[line, row] += e * lines[block, a, row]


@compile_fused
def log_sums(place: Codes, value: Floats, lines: Floats, offset: Floats, out: Floats) -> None:
    """Into ``out`` (m,): the log of the sum over all rows of e to (inner product + ``offset``).

    ``place`` and ``value`` are (m, most) of the rows asked about; ``lines`` (blocks, columns, LANES) and ``offset``
    (blocks, LANES) of those summed over, of which there is at least one.
    """
    lanes = lines.shape[2]
    total, products = np.zeros(len(out)), np.empty((1, lanes))
    exponents, work, power = np.empty(lanes), np.empty(lanes), np.empty(lanes)
    bits = power.view(np.int64)
    out[:] = -np.inf
    for block in range(lines.shape[0]):
        for person in range(out.shape[0]):
            inner(place, value, person, lines, block, products, 0)
            for row in range(lanes):
                exponents[row] = products[0, row] + offset[block, row]
            out[person], total[person] = add(exponents, out[person], total[person], work, power, bits)
    for person in range(out.shape[0]):
        out[person] += math.log(total[person])


@compile_fused
def log_sums_joined(
    asked: tuple[Codes, Floats, Floats],
    joining: tuple[Codes, Floats, Floats],
    lines: Floats,
    shift: Floats,
    length: Floats,
    along_asked: Floats,
    near: Ints,
    factor: float,
    out: Floats,
) -> None:
    """Into ``out`` (m, k): the log of the sum of bumps at the rows asked about, once each of m targets has joined.

    ``asked`` and ``joining`` are places, values and by how much a squared distance along the row shrinks (of no use
    for ``asked``: there it is the squared length). ``shift`` and ``length`` (blocks, LANES) are what is added to the
    inner product with each row, and its squared length, not finite where there is no row. ``along_asked`` (m, k) are
    the inner products of targets and the rows asked about; ``near`` (m, k) says which of the u these are.
    """
    asked_place, asked_value, asked_length = asked
    joining_place, joining_value, joining_relief = joining
    lanes = lines.shape[2]
    products, along = np.empty((len(asked_place), lanes)), np.empty((1, lanes))
    exponents, work, power = np.empty(lanes), np.empty(lanes), np.empty(lanes)
    bits = power.view(np.int64)
    total = np.zeros(out.shape)
    scale = -0.5 / factor
    out[:] = -np.inf
    for block in range(lines.shape[0]):
        for person in range(products.shape[0]):
            inner(asked_place, asked_value, person, lines, block, products, person)
            own_length = asked_length[person]
            for row in range(lanes):
                product = products[person, row] + shift[block, row]
                products[person, row] = (own_length + length[block, row]) - 2.0 * product
        for target in range(near.shape[0]):
            inner(joining_place, joining_value, target, lines, block, along, 0)
            for row in range(lanes):
                along[0, row] += shift[block, row]
            relief = joining_relief[target]
            for slot in range(near.shape[1]):
                person, own = near[target, slot], along_asked[target, slot]
                for row in range(lanes):
                    apart = own - along[0, row]
                    exponents[row] = (products[person, row] - apart * apart * relief) * scale
                out[target, slot], total[target, slot] = add(
                    exponents, out[target, slot], total[target, slot], work, power, bits
                )
    for target in range(out.shape[0]):
        for slot in range(out.shape[1]):
            out[target, slot] += math.log(total[target, slot])
