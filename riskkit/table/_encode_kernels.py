"""Compiled loops of :mod:`riskkit.table.encode`. Imported only when they are needed."""

from __future__ import annotations

from typing import Any

from riskkit.base.compiled import compile_loop


@compile_loop
def nearest_levels(matrix: Any, blocks: Any, out: Any) -> None:
    """Into ``out`` (n, categories): the level of the largest weight, or 0, which has what is left of 1.

    ``blocks`` (categories, 2) are the first dimension of each category and how many it has. The first of equal weights
    is taken, but level 0 only where no other weighs more than it.
    """
    for row in range(matrix.shape[0]):
        for category in range(blocks.shape[0]):
            start, width = blocks[category]
            best, most, total = 0, 0.0, 0.0
            for level in range(width):
                weight = matrix[row, start + level]
                total += weight
                if level == 0 or weight > most:
                    best, most = level, weight
            out[row, category] = best + 1 if width and most > 1.0 - total else 0
