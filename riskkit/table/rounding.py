"""Numbers that arithmetic or single precision has moved in their last digits: which real number each one was.

A release that went through numbers of single precision says 0.10000000149011612 where the real table says 0.1, and one
that was summed says 0.30000000000000004 for 0.3. Not one text of a verbatim copy is then a text of the real table.
"""

from __future__ import annotations

import numpy as np

from riskkit.core import Bools, Floats

DOUBLE, SINGLE = 5e-15, 2.0**-24
"""By which share of itself a number is moved at most: by sums, or by the 15 digits of a spreadsheet, and
by being written in single precision."""


def is_whole(values: Floats) -> bool:
    """Whether all are whole numbers, which keep their last digit."""
    known = values[~np.isnan(values)]
    return bool((known == np.floor(known)).all())


def is_single(values: Floats) -> bool:
    """Whether all are numbers of single precision."""
    with np.errstate(over="ignore"):
        return bool((values == values.astype(np.float32)).all())


def meant(values: Floats, real: Floats) -> dict[float, float]:
    """Of these different numbers those that are a real one but for its last digits, with that one.

    Both are sorted and hold no hole. Numbers that would become one in single precision alone stay apart, as the file
    tells them apart.
    """
    if not len(values) or not len(real):
        return {}
    share = SINGLE if is_single(values) != is_single(real) else DOUBLE
    place = np.searchsorted(real, values)
    below, above = real[np.maximum(place - 1, 0)], real[np.minimum(place, len(real) - 1)]
    nearest = np.where(np.abs(values - below) <= np.abs(values - above), below, above)
    moved: Bools = (np.abs(values - nearest) <= share * np.abs(values)) & (values != nearest)
    if share == SINGLE and moved.any():
        _, place, times = np.unique(np.where(moved, nearest, values), return_inverse=True, return_counts=True)
        moved &= times[place] == 1
    return dict(zip(values[moved].tolist(), nearest[moved].tolist(), strict=True))
