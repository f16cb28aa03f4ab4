"""What one released row says of one record, found on rows that were drawn once for all records."""

from __future__ import annotations

import numpy as np

from riskkit.core import Codes, Ints
from riskkit.generators._network import Parents, order
from riskkit.generators._ratio import Cell, Drawn


def drawn_ratio(rows: Codes, parents: Parents, cells: tuple[Cell, ...], code: Ints) -> Drawn:
    """The log ratio of each of (m, d) drawn rows along one network, equal values together.

    Where no other row of the table has the values of the record's parents, a released row that has them in the fit with
    the record has the record's own value too; without the record the column is uniform there. Such rows stand for
    themselves and, in ``aside``, for those with another value that were never drawn.
    """
    from riskkit.generators._compiled_ratio import ratios

    way = np.array(order(parents), dtype=np.int64)
    begins = np.cumsum([0, *map(len, parents)], dtype=np.int64)
    every = np.array([parent for own in parents for parent in own], dtype=np.int64)
    hit, miss = (np.array([getattr(cell, name) for cell in cells]) for name in ("hit", "miss"))
    spare = np.array([1 - 1 / cell.size if cell.is_lone else 0.0 for cell in cells])
    reached = np.zeros(len(cells), dtype=np.int64)
    value, count, aside = ratios(rows, way, begins, every, code.astype(rows.dtype), hit, miss, spare, reached)
    by_value = np.argsort(value)
    value, count, aside = value[by_value], count[by_value], aside[by_value]
    return Drawn(value, count, np.ones(len(value)), np.exp(-value), aside / count, reached)
