"""Compiled sums of Gaussian bumps, in logs. Imported only when a density is first asked for.

Rows come in blocks of :data:`riskkit.released._densities.LANES`, column by column, so that one instruction serves
several of them. A row that is asked about comes as its values that are not 0 and their places: of a table of categories
these are few.
"""

from __future__ import annotations

import math

import numpy as np

from riskkit.compiled import fused
from riskkit.core import Codes, Floats, Ints

FAINT = 42.5
"""A block whose terms are all below the largest by more than this many nats is left out: together they are less than
half of the last digit of the sum, so that it is the same number with them."""
FEW = 8
"""Numbers that one instruction works on."""
NONE = -700.0
"""What is below it counts as that; e to it is next to the smallest number there is."""
ROUND = 6755399441055744.0
"""Added to a number it leaves the nearest whole one in the last bits."""
HALF_BITS = 0.6931471803691238
REST_BITS = 1.9082149292705877e-10
"""ln 2 in two parts, the first of few digits."""


@fused
def exponentials(of: Floats, less: float, power: Floats, out: Floats) -> None:
    """Into ``out``: e to (``of`` - ``less``), numbers of at most 0, each within 1e-14 of itself.

    Written out, because a call for each number takes four times as long: 2 to a whole power by its bits, the rest by
    the series of the exponential up to its eleventh power.
    """
    bits = power.view(np.int64)
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
    for lane in range(out.shape[0]):
        out[lane] *= power[lane]


@fused
def largest(values: Floats, work: Floats) -> float:
    """The largest of a block, in an order in which several are compared at once."""
    for lane in range(FEW):
        work[lane] = values[lane]
    for start in range(FEW, values.shape[0], FEW):
        for lane in range(FEW):
            work[lane] = work[lane] if work[lane] > values[start + lane] else values[start + lane]  # noqa: FURB136
    result: float = work[0]
    for lane in range(1, FEW):
        result = max(result, work[lane])
    return result


@fused
def summed(values: Floats, work: Floats) -> float:
    """The sum of a block, in an order in which several are added at once."""
    for lane in range(FEW):
        work[lane] = 0.0
    for start in range(0, values.shape[0], FEW):
        for lane in range(FEW):
            work[lane] += values[start + lane]
    result = 0.0
    for lane in range(FEW):
        result += work[lane]
    return result


@fused
def add(exponents: Floats, top: float, total: float, work: Floats, power: Floats, few: Floats) -> tuple[float, float]:
    """The largest exponent so far and the sum of exponentials in units of its own, once a block has joined."""
    highest = largest(exponents, few)
    if highest < top - FAINT:
        return top, total
    if highest > top:
        total = total * math.exp(top - highest) if total > 0 else 0.0
        top = highest
    exponentials(exponents, top, power, work)
    return top, total + summed(work, few)


@fused
def inner(place: Codes, value: Floats, lines: Floats, out: Floats) -> None:
    """Into ``out``: the inner products of one row, by its ``value`` at each ``place``, and the rows of a block."""
    out[:] = 0.0
    count = place.shape[0]
    for entry in range(0, count - 3, 4):  # four at once: the sums go to memory and back a quarter as often
        a, b, c, d = lines[place[entry]], lines[place[entry + 1]], lines[place[entry + 2]], lines[place[entry + 3]]
        e, f, g, h = value[entry], value[entry + 1], value[entry + 2], value[entry + 3]
        for row in range(out.shape[0]):
            out[row] += (e * a[row] + f * b[row]) + (g * c[row] + h * d[row])
    for entry in range(count - count % 4, count):
        a, e = lines[place[entry]], value[entry]
        for row in range(out.shape[0]):
            out[row] += e * a[row]


@fused
def log_sums(place: Codes, value: Floats, lines: Floats, offset: Floats, out: Floats) -> None:
    """Into ``out`` (m,): the log of the sum over all rows of e to (inner product + ``offset``).

    ``place`` and ``value`` are (m, most) of the rows asked about; ``lines`` (blocks, columns, LANES) and ``offset``
    (blocks, LANES) of those summed over, of which there is at least one.
    """
    total, few = np.zeros(len(out)), np.empty(FEW)
    exponents, work, power = np.empty(lines.shape[2]), np.empty(lines.shape[2]), np.empty(lines.shape[2])
    out[:] = -np.inf
    for block in range(lines.shape[0]):
        for person in range(out.shape[0]):
            inner(place[person], value[person], lines[block], exponents)
            for row in range(exponents.shape[0]):
                exponents[row] += offset[block, row]
            out[person], total[person] = add(exponents, out[person], total[person], work, power, few)
    for person in range(out.shape[0]):
        out[person] += math.log(total[person])


@fused
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
    products, along = np.empty((len(asked[0]), lines.shape[2])), np.empty(lines.shape[2])
    exponents, work, power = np.empty(lines.shape[2]), np.empty(lines.shape[2]), np.empty(lines.shape[2])
    total, few = np.zeros(out.shape), np.empty(FEW)
    scale = -0.5 / factor
    out[:] = -np.inf
    for block in range(lines.shape[0]):
        for person in range(products.shape[0]):
            inner(asked[0][person], asked[1][person], lines[block], products[person])
            for row in range(exponents.shape[0]):
                product = products[person, row] + shift[block, row]
                products[person, row] = (asked[2][person] + length[block, row]) - 2.0 * product
        for target in range(near.shape[0]):
            inner(joining[0][target], joining[1][target], lines[block], along)
            for row in range(exponents.shape[0]):
                along[row] += shift[block, row]
            relief = joining[2][target]
            for slot in range(near.shape[1]):
                squared, own = products[near[target, slot]], along_asked[target, slot]
                for row in range(exponents.shape[0]):
                    apart = own - along[row]
                    exponents[row] = (squared[row] - apart * apart * relief) * scale
                out[target, slot], total[target, slot] = add(
                    exponents, out[target, slot], total[target, slot], work, power, few
                )
    for target in range(out.shape[0]):
        for slot in range(out.shape[1]):
            out[target, slot] += math.log(total[target, slot])
