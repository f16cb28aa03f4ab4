"""How much of a large table attacks learn from: what they do beyond it is drawn at random, and the audit says so."""

from __future__ import annotations

import numpy as np

from riskkit.table.points import RowPoints

DENSITY_ROWS = 40_000
"""Rows of the release, and of the reference, that a density is taken of."""


def some(points: RowPoints, most: int, rng: np.random.Generator) -> RowPoints:
    """At most this many of the rows, drawn without putting back, in their order."""
    if len(points) <= most:
        return points
    return points.rows(np.sort(rng.choice(len(points), most, replace=False)))
