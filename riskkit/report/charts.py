"""The charts of a report as SVG: drawn once, by the standard library alone, and shown by the PDF and the page alike.

Every mark says by its shape what it says by its colour, so that a chart can be read in grey: ▲ wholly above guessing,
○ not, ◆ planted leak or control, ■ baseline.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from xml.etree import ElementTree as Tree

from riskkit import wording
from riskkit.core import Estimate
from riskkit.judging.limits import SCALES
from riskkit.judging.measured import Measured
from riskkit.language import say
from riskkit.report import strokes, texts
from riskkit.report.strokes import ABOVE, BASELINE, CONTROL, INK, LIMIT, MUTED, NEXT, RULE, SIDE, WIDTH
from riskkit.show import in_words
from riskkit.show.blocks import Grid
from riskkit.show.model import Bar, Chart

ROW, HEAD, FOOT = 27, 26, 46
EDGE = 20
"""Room beside a bar on page one: the mark of a value at its end is drawn whole."""
LANE, ABOVE_LANE = 13, 20
"""From a row to what is reached on the planted leak below it; the least height of the row above that."""
GAP = 6
"""What a row is higher than the lines of its name."""
BARE = 8
"""Height over the first line of a drawing that names neither guessing nor a limit there."""
TOPS = (0.05, 0.1, 0.2, 0.5)
"""Where an axis of small shares may end, that begins at nothing and has no guessing on it."""
VALUES, NAMES = 100, 320
"""Where names begin, at the least, and end, after which the drawing begins."""
VALUE_SIZE = 1.04
"""How much wider a value is drawn than a name of as many signs: its type is larger, its figures are narrow."""
ON_PAPER = (INK, ABOVE, LIMIT, MUTED, RULE)
ON_SCREEN = ("#7478C4", "#D55E00", "#7A7A7A", "#8A8A8A", "#8A8A8A55")
"""A bar's ink, leak, limit, guessing and rail; on a screen they are seen on a light ground and on a dark one."""
STRIP = 64
"""Height of a bar on page one, which is printed small."""
SHADES = ("#F3F3F3", "#D9E4EE", "#B4CCE0", "#86AECB", "#4F87AF")
"""From no gain to much; the number stands in every field."""


def intervals(chart: Chart, limit: float | None = None, *, ground: str = "none") -> str:
    """Values with their intervals beside their names, one line each, and over them guessing and the limit."""
    head = BARE if chart.guess is None else HEAD
    names = max([VALUES, *(strokes.wide(chart.label(bar.estimate)) * VALUE_SIZE + SIDE for bar in chart.bars)])
    room = NAMES - names - SIDE
    has_lanes = any(bar.control is not None for bar in chart.bars)
    least, lane = (ABOVE_LANE, LANE) if has_lanes else (ROW, 0)
    own = [max(least, NEXT * len(strokes.wrapped(bar.who, room)) + GAP) for bar in chart.bars]
    rows = [row + lane for row in own]
    height = head + sum(rows) + FOOT
    root = strokes.svg(height, in_words.of_intervals(chart, limit), ground)
    start, end = _range(chart)

    def x_of(value: float) -> float:
        share = (min(max(value, start), end) - start) / (end - start)
        return NAMES + share * (WIDTH - SIDE - NAMES)

    bottom = height - FOOT
    _axis(root, x_of, start, end, bottom, chart)
    if chart.guess is not None:
        strokes.line(root, (x_of(chart.guess), HEAD - 6, x_of(chart.guess), bottom), stroke=MUTED, dash="2 3")
        strokes.write(root, x_of(chart.guess) - 4, HEAD - 10, say("guessing"), size=11, anchor="end", fill=MUTED)
    if limit is not None and chart.guess is not None and start <= limit <= end:
        strokes.line(root, (x_of(limit), HEAD - 6, x_of(limit), bottom), stroke=LIMIT, width=1.6, dash="7 3")
        strokes.write(root, x_of(limit) + 4, HEAD - 10, say("limit {limit:.2f}", limit=limit), size=11)
    for place, bar in enumerate(chart.bars):
        line = head + sum(rows[:place]) + own[place] / 2
        strokes.write(root, 0, line + 4, chart.label(bar.estimate), size=11)
        strokes.name(root, names, line + 4, bar.who, room)
        _interval(root, x_of, line, bar.estimate, *_shape(bar, chart.guess))
        if bar.control is not None:
            strokes.write(root, 0, line + LANE + 4, chart.label(bar.control), size=11, fill=CONTROL)
            _interval(root, x_of, line + LANE, bar.control, "◆", CONTROL)
    if has_lanes:
        strokes.mark(root, names + 6, bottom + 32, "◆", CONTROL)
        strokes.write(root, names + 18, bottom + 36, say("on the planted leak"), size=11)
    return strokes.done(root)


def _interval(
    root: Tree.Element, x_of: Callable[[float], float], line: float, measured: Estimate, shape: str, colour: str
) -> None:
    """A number with both ends of its interval, at that height."""
    strokes.line(root, (x_of(measured.low), line, x_of(measured.high), line), stroke=colour, width=2.2)
    for tip in (measured.low, measured.high):
        strokes.line(root, (x_of(tip), line - 4, x_of(tip), line + 4), stroke=colour, width=2.2)
    strokes.mark(root, x_of(measured.value), line, shape, colour)


def bar(measured: Measured, limit: float | None, *, on_screen: bool = False) -> str:
    """One measurement from guessing to the most there can be: interval, value, guessing (dotted) and limit (solid)."""
    root, value = strokes.svg(STRIP, texts.shown(measured.strongest), "none"), measured.strongest
    ink, leak, bound, guessing, rail = ON_SCREEN if on_screen else ON_PAPER
    scale = SCALES[measured.scale]
    start = min([scale.low, measured.guess] + ([] if value is None else [value.low]))

    def x_of(number: float) -> float:
        return EDGE + min(max((number - start) / (scale.high - start), 0.0), 1.0) * (WIDTH - 2 * EDGE)

    middle = STRIP / 2
    strokes.line(root, (EDGE, middle, WIDTH - EDGE, middle), stroke=rail, width=5)
    strokes.line(root, (x_of(measured.guess), 4, x_of(measured.guess), STRIP - 4), stroke=guessing, width=5, dash="5 5")
    if limit is not None:
        strokes.line(root, (x_of(limit), 0, x_of(limit), STRIP), stroke=bound, width=7)
    if value is not None:
        above = value.low > (measured.guess if limit is None else limit)
        colour = leak if above else ink
        strokes.line(root, (x_of(value.low), middle, x_of(value.high), middle), stroke=colour, width=12)
        attributes = {
            "cx": f"{x_of(value.value):.1f}",
            "cy": f"{middle:g}",
            "r": "15",
            "stroke": colour,
            "stroke-width": "7",
        }
        Tree.SubElement(root, "circle", {**attributes, "fill": colour if above else "#FFFFFF"})
    return strokes.done(root)


def _shape(bar: Bar, guess: float | None) -> tuple[str, str]:
    if bar.kind in ("control", "ceiling"):
        return "◆", CONTROL
    if bar.kind == "baseline":
        return "■", BASELINE
    is_above = guess is not None and bar.estimate.low > guess
    if bar.kind == "above" or (is_above and bar.kind != "held"):
        return "▲", ABOVE
    return "○", INK


def _range(chart: Chart) -> tuple[float, float]:
    drawn = [e for bar in chart.bars for e in (bar.estimate, bar.control) if e is not None]
    lows, highs = [e.low for e in drawn], [e.high for e in drawn]
    start = min(chart.ends[0], math.floor(min(lows, default=0.0) * 10) / 10)
    end = max(chart.ends[1], math.ceil(max(highs, default=1.0) * 10) / 10)
    if chart.guess is None and start == 0:
        return start, next((top for top in TOPS if max(highs, default=1.0) <= top), end)
    return start, end


def _axis(root: Tree.Element, x_of: object, start: float, end: float, bottom: float, chart: Chart) -> None:
    assert callable(x_of)
    strokes.line(root, (x_of(start), bottom, x_of(end), bottom), stroke=MUTED)
    digits = 1 if end - start >= 0.5 else 2
    unit = 10**-digits
    steps = round((end - start) / unit)
    every = next(each for each in (1, 2, 4, 5) if steps <= 6 * each or each == 5)
    for step in range(0, steps + 1, every if digits == 2 else min(every, 2)):
        x = x_of(start + step * unit)
        strokes.line(root, (x, bottom, x, bottom + 5), stroke=MUTED)
        strokes.write(
            root, x, bottom + 18, _tick(start + step * unit, digits, chart), size=11, anchor="middle", fill=MUTED
        )
    strokes.write(root, x_of((start + end) / 2), bottom + 36, chart.axis, size=11, anchor="middle", fill=MUTED)


def _tick(value: float, digits: int, chart: Chart) -> str:
    return wording.percent(value) if chart.as_shares else f"{value:.{digits}f}"


def heatmap(grid: Grid, *, ground: str = "none") -> str:
    """What is gained in each field: a shade, the number, and ▲ where it is marked."""
    gutter, cell = 170, 34
    height = 96 + cell * len(grid.rows)
    root = strokes.svg(height, in_words.of_grid(grid), ground)
    wide = (WIDTH - gutter - SIDE) / max(len(grid.columns), 1)
    for by, name in enumerate(grid.columns):
        strokes.name(root, gutter + (by + 0.5) * wide, 36, name, wide - 6, anchor="middle")
    for index, name in enumerate(grid.rows):
        y = 52 + index * cell
        strokes.name(root, gutter - 8, y + 20, name, gutter - 12, anchor="end")
        for by, value in enumerate(grid.cells[index]):
            x = gutter + by * wide
            shade = "#FFFFFF" if value is None else _shade(value.value)
            dark = shade == SHADES[-1]
            attributes = {
                "x": f"{x:.1f}",
                "y": f"{y}",
                "width": f"{wide - 2:.1f}",
                "height": f"{cell - 2}",
                "fill": shade,
            }
            Tree.SubElement(root, "rect", {**attributes, "stroke": RULE})
            written = "–" if value is None else f"{value.value:.2f}{' ▲' if grid.marked[index][by] else ''}"
            strokes.write(root, x + wide / 2, y + 21, written, anchor="middle", fill="#FFFFFF" if dark else INK)
    meaning = say("{title}; ▲ {mark}", title=grid.title, mark=grid.mark)
    strokes.write(root, gutter, height - 14, meaning, size=11, fill=MUTED)
    return strokes.done(root)


def _shade(value: float) -> str:
    return SHADES[min(max(int(value * 10), 0), len(SHADES) - 1)]
