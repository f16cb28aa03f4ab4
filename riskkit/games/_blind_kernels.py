"""Compiled distances of :mod:`riskkit.games.blind`. Imported only when people are first looked at without a release."""

from __future__ import annotations

from riskkit.base.compiled import compile_loop
from riskkit.core import Floats


@compile_loop
def city_blocks(rows: Floats, lines: Floats, out: Floats) -> None:
    """Into ``out`` (n, m): the sum of absolute differences of each row (n, p) and each of those that ``lines`` (p, m)
    hold column by column, so that one instruction serves several of them."""
    out[:] = 0.0
    width = rows.shape[1]
    for row in range(rows.shape[0]):
        own = rows[row]
        for column in range(0, width - 3, 4):  # four one after the other: memory is gone through a quarter as often
            a, b, c, d = own[column], own[column + 1], own[column + 2], own[column + 3]
            e, f, g, h = lines[column], lines[column + 1], lines[column + 2], lines[column + 3]
            for place in range(out.shape[1]):
                nearer = (out[row, place] + abs(a - e[place])) + abs(b - f[place])
                out[row, place] = (nearer + abs(c - g[place])) + abs(d - h[place])
        for column in range(width - width % 4, width):
            a, e = own[column], lines[column]
            for place in range(out.shape[1]):
                out[row, place] += abs(a - e[place])
