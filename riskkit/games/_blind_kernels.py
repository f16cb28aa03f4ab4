"""Compiled distances of :mod:`riskkit.games.blind`. Imported only when people are first looked at without a release."""

from __future__ import annotations

from riskkit.compiled import compiled
from riskkit.core import Floats


@compiled
def city_blocks(rows: Floats, lines: Floats, out: Floats) -> None:
    """Into ``out`` (n, m): the sum of absolute differences of each row (n, p) and each of those that ``lines`` (p, m)
    hold column by column, so that one instruction serves several of them."""
    out[:] = 0.0
    for row in range(rows.shape[0]):
        for column in range(rows.shape[1]):
            value, line = rows[row, column], lines[column]
            for place in range(out.shape[1]):
                out[row, place] += abs(value - line[place])
