"""Numbers of the release in another unit: the straight line that brings them to the real ones, and how they then read.

Centimetres beside inches, z-scores, amounts in thousands, dates moved by a number of days: a verbatim copy shares no
number with its table until somebody says the line.
"""

from __future__ import annotations

import numpy as np

from riskkit.core import Floats
from riskkit.table.parse import decimals_of

_LOST = 1e-9
"""The share of the range of real numbers that arithmetic may move a number by."""


def converted(released: Floats, scale: float, offset: float, known: Floats) -> Floats:
    """(n,) released numbers as ``scale * released + offset``, in the decimals of the ``known`` ones.

    Released digits that were rounded away cannot come back: a number becomes the nearest known one where that lies
    within the rounding. Known are real numbers and those of the holdout alike, so that neither is met more easily.
    """
    if not len(known):
        return scale * released + offset
    decimals = decimals_of(known)
    exact = scale * released + offset
    out: Floats = np.round(exact, decimals) + 0.0
    known = np.unique(known)
    slack = max(0.5 * abs(scale) * 10.0 ** -decimals_of(released), _LOST * float(known[-1] - known[0]))
    place = np.searchsorted(known, exact)
    below, above = known[np.maximum(place - 1, 0)], known[np.minimum(place, len(known) - 1)]
    nearest = np.where(np.abs(exact - below) <= np.abs(exact - above), below, above)
    return np.where(np.abs(nearest - exact) <= slack, nearest, out)
