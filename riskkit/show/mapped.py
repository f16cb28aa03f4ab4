"""The estimates that are to be seen in blocks of a view, and blocks with others in their places."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from riskkit.core import Estimate
from riskkit.show.blocks import Curve, Dots, Grid, Group, Numbers, Points, RocCurve
from riskkit.show.frontier import Frontier
from riskkit.show.matrix import CountMatrix
from riskkit.show.model import Block, Chart


def mapped(block: Block, each: Callable[[Estimate], Estimate]) -> Block:
    """The same block with what ``each`` makes of every estimate in it."""

    def known(estimate: Estimate | None) -> Estimate | None:
        return None if estimate is None else each(estimate)

    match block:
        case Chart():
            bars = [replace(bar, estimate=each(bar.estimate), control=known(bar.control)) for bar in block.bars]
            return replace(block, bars=tuple(bars))
        case Dots():
            rows = [replace(series, estimates=tuple(map(known, series.estimates))) for series in block.series]
            return replace(block, series=tuple(rows))
        case Curve():
            lines = [replace(line, estimates=tuple(map(each, line.estimates))) for line in block.lines]
            return replace(block, lines=tuple(lines))
        case Points():
            points = [replace(point, across=each(point.across), up=each(point.up)) for point in block.points]
            return replace(block, points=tuple(points))
        case RocCurve():
            return replace(block, marks=tuple(map(each, block.marks)))
        case Grid():
            return replace(block, cells=tuple(tuple(map(known, row)) for row in block.cells))
        case CountMatrix():
            counts = [replace(row, counts=tuple(map(known, row.counts)), best=each(row.best)) for row in block.rows]
            return replace(block, rows=tuple(counts))
        case Frontier():
            spots = [replace(spot, useful=known(spot.useful), hits=each(spot.hits)) for spot in block.spots]
            return replace(block, spots=tuple(spots))
        case Numbers():
            cells = [tuple(each(cell) if isinstance(cell, Estimate) else cell for cell in row) for row in block.rows]
            return replace(block, rows=tuple(cells))
        case Group():
            return replace(block, blocks=tuple(mapped(inner, each) for inner in block.blocks))
    return block


def estimates(blocks: Iterable[Block]) -> list[Estimate]:
    """Every estimate that is to be seen in these blocks."""
    shown: list[Estimate] = []

    def seen(estimate: Estimate) -> Estimate:
        shown.append(estimate)
        return estimate

    for block in blocks:
        mapped(block, seen)
    return shown
