"""The compiled loop over drawn rows that finds what each says of one record."""

from __future__ import annotations

from typing import Any

import numpy as np

from riskkit.core import Floats, Ints
from riskkit.table.compiled import compiled

SLOTS = 1 << 10
"""Slots of the table of values to begin with; it doubles when half full."""


SPREAD = 1.9560e13
"""Turns log ratios, small or large, into whole numbers whose last digits differ."""


@compiled
def ratios(
    rows: Any,
    way: Ints,
    begins: Ints,
    parents: Ints,
    code: Any,
    hit: Floats,
    miss: Floats,
    spare: Floats,
    reached: Ints,
) -> tuple[Floats, Floats, Floats]:
    """The different log ratios of (m, d) rows, how many rows have each, and what those rows say aside, summed.

    Columns are gone through in the order of ``way``; the parents of column ``j`` are
    ``parents[begins[j]:begins[j+1]]``. A row that has the record's ``code`` in all of them adds ``hit[j]`` where it has
    it in the column too and ``miss[j]`` elsewhere. ``spare[j]`` is above 0 where the other fit puts out other values
    there that this one cannot. ``reached`` (d,) counts rows that have the parents' codes.
    """
    slots = SLOTS
    value, count, aside = np.empty(slots), np.zeros(slots), np.zeros(slots)
    held = 0
    for row in range(len(rows)):
        total, beside = 0.0, 0.0
        for j in way:
            meets = True
            for place in range(begins[j], begins[j + 1]):
                if rows[row, parents[place]] != code[parents[place]]:
                    meets = False
                    break
            if not meets:
                continue
            reached[j] += 1
            if spare[j] > 0 and total != np.inf:
                beside += spare[j] * np.exp(-total)
            total += hit[j] if rows[row, j] == code[j] else miss[j]
        at = _slot(total, value, count, slots)
        if count[at] == 0:
            value[at] = total
            held += 1
        count[at] += 1
        aside[at] += beside
        if 2 * held > slots:
            old_value, old_count, old_aside, old = value, count, aside, slots
            slots = 2 * slots
            value, count, aside = np.empty(slots), np.zeros(slots), np.zeros(slots)
            for before in range(old):
                if old_count[before] > 0:
                    now = _slot(old_value[before], value, count, slots)
                    value[now], count[now], aside[now] = old_value[before], old_count[before], old_aside[before]
    kept = count > 0
    return value[kept], count[kept], aside[kept]


@compiled
def _slot(total: float, value: Floats, count: Floats, slots: int) -> Any:
    """Where that value is, or will be, in a table of so many slots (a power of two)."""
    spread = 0.0 if total == np.inf else np.abs(total) * SPREAD
    at = np.int64(spread) & np.int64(slots - 1)
    while count[at] > 0 and value[at] != total:
        at = (at + 1) & (slots - 1)
    return at
