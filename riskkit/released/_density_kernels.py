"""Compiled sums of Gaussian bumps, in logs. Imported only when a density is first asked for."""

from __future__ import annotations

import math

import numpy as np

from riskkit.core import Floats, Ints
from riskkit.table.compiled import compiled

FAINT = 50.0
"""A term below the largest by more than this many nats is left out: a million of them are less than one rounding."""


@compiled
def add(exponents: Floats, top: float, total: float) -> tuple[float, float]:
    """The largest exponent so far and the sum of exponentials in units of its own, once these have joined."""
    highest = top
    for at in range(exponents.shape[0]):
        highest = max(highest, exponents[at])
    total = total * math.exp(top - highest) if total > 0 else 0.0
    for at in range(exponents.shape[0]):
        below = exponents[at] - highest
        if below > -FAINT:
            total += math.exp(below)
    return highest, total


@compiled
def log_sum(exponents: Floats, out: Floats) -> None:
    """Into ``out`` (m,): the log of the sum of exponentials over each line of (m, n)."""
    for at in range(out.shape[0]):
        top, total = add(exponents[at], -np.inf, 0.0)
        out[at] = top + math.log(total)


@compiled
def add_joined(
    inner: Floats,
    along_rows: Floats,
    rows_length: Floats,
    asked_length: Floats,
    along_asked: Floats,
    relief: Floats,
    near: Ints,
    factor: float,
    top: Floats,
    total: Floats,
) -> None:
    """Add the bumps of some rows (c,) to the sums (m, k) at the rows asked about, once each of m targets has joined.

    ``inner`` (u, c) are the inner products of the rows asked about and these rows, ``along_rows`` (m, c) those of the
    targets and these rows, ``along_asked`` (m, k) those of targets and the rows asked about; ``near`` (m, k) says which
    of the u these are. ``relief`` (m,) is by how much a squared distance along the target shrinks.
    """
    exponents = np.empty(inner.shape[1])
    for at in range(near.shape[0]):
        for slot in range(near.shape[1]):
            asked = near[at, slot]
            for row in range(exponents.shape[0]):
                along = along_asked[at, slot] - along_rows[at, row]
                squared = asked_length[asked] + rows_length[row] - 2.0 * inner[asked, row]
                exponents[row] = (squared - along * along * relief[at]) * (-0.5 / factor)
            top[at, slot], total[at, slot] = add(exponents, top[at, slot], total[at, slot])
