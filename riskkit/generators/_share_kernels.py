"""The compiled loops of how probable a value is, where a random one of some sorted values is taken and moved."""

from __future__ import annotations

import math

import numpy as np

from riskkit.compiled import compiled
from riskkit.core import Floats, Ints


@compiled
def count_equal(values: Floats, first: Ints, end: Ints, asked: Floats) -> Ints:
    """(n,) how many of the sorted ``values`` from ``first`` to ``end`` of each row equal the one asked about."""
    out = np.zeros(len(asked), dtype=np.int64)
    for row in range(len(asked)):
        part = values[first[row] : end[row]]
        out[row] = np.searchsorted(part, asked[row], "right") - np.searchsorted(part, asked[row], "left")
    return out


@compiled
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


@compiled
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


@compiled
def _between(low: float, high: float) -> float:
    """The mass of the normal law from ``low`` to ``high``, by the tail that loses no digits."""
    if not low < high:
        return 0.0
    if low > 0:
        low, high = -high, -low
    return 0.5 * (math.erfc(-high / math.sqrt(2.0)) - math.erfc(-low / math.sqrt(2.0)))
