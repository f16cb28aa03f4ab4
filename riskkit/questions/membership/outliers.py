"""A map of the real table to choose targets on: who stands out, and where."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from riskkit.core import Floats, Ints, Table
from riskkit.table.encode import onehot
from riskkit.targets._mahalanobis import ellipsoid

MOST = 5_000
"""Records on a map at most; more neither draw well nor can be told apart."""


@dataclass(frozen=True, slots=True, eq=False)
class OutlierMap:
    """The records that stand out most, farthest first. All arrays are (m,).

    ``row`` is the row of the real table, counted from 0. ``distance`` is its Mahalanobis distance M. ``across`` and
    ``up`` are its place along the two main directions of the table, in standard deviations. ``total`` rows were
    measured, of which the median M is ``median``.
    """

    row: Ints
    distance: Floats
    across: Floats
    up: Floats
    total: int
    median: float


def outlier_map(table: Table, most: int = MOST) -> OutlierMap:
    """Measure every row and keep the ``most`` that stand out most; of equals the earlier row comes first."""
    shape = ellipsoid(table)
    distance = shape.distance(table)
    row = np.argsort(-distance, kind="stable")[:most]
    # The directions of the ellipsoid come in order of their variance, the largest last.
    main = np.zeros((len(row), 2))
    directions = shape.whiten[:, ::-1][:, :2]
    main[:, : directions.shape[1]] = (onehot(table.rows(row)) - shape.centre) @ directions
    return OutlierMap(row, distance[row], main[:, 0], main[:, 1], len(table), float(np.median(distance)))
