"""Rows of marks, curves and named points as SVG: the blocks of a view, drawn for paper."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from xml.etree import ElementTree as Tree

from riskkit.core import Estimate
from riskkit.language import say
from riskkit.report import charts, frontiers, matrices, strokes
from riskkit.report.strokes import ABOVE, BASELINE, CONTROL, INK, MUTED, SIDE, WIDTH
from riskkit.show import in_words
from riskkit.show.blocks import (
    Axis,
    Curve,
    Distribution,
    Dots,
    Grid,
    Picture,
    Points,
    Reference,
    RocCurve,
    Series,
    Swarm,
)
from riskkit.show.frontier import Frontier
from riskkit.show.matrix import CountMatrix
from riskkit.show.model import Chart

NAMES, LEFT, TOP, BOTTOM, HEIGHT = 200, 60, 30, 270, 322
"""Where names of rows end; of the other drawings the left, upper and lower ends of the axes, and the whole height."""
LANE, ROW, FOOT, KEY = 12, 14, 46, 18
"""From one thing to the next in a row; what a row has beside its lanes; room for the axis; a line of the key."""
SHAPES = ("○", "◆", "▲", "■")
DASHES = ("", "7 3", "2 3", "9 3 2 3")
KINDS = {"above": ("▲", INK), "": ("○", INK), "leak": ("▲", ABOVE), "stopped": ("○", CONTROL)}
"""Shape and colour of a point, by its kind."""
NEAR = 0.5
"""Units of a drawing that nobody sees apart."""
Scale = Callable[[float], float]


def svg(picture: Picture, *, ground: str = "none") -> str:
    """That block as a drawing; maps, matrices and frontiers on that ground."""
    match picture:
        case Chart():
            return charts.intervals(picture)
        case Dots():
            return _dots(picture)
        case Curve():
            return _curve(picture)
        case Points():
            return _points(picture)
        case RocCurve():
            return _roc(picture)
        case Distribution():
            return _spread(picture)
        case Swarm():
            return _spread(picture.spread)
        case Grid():
            return charts.heatmap(picture, ground=ground)
        case CountMatrix():
            return matrices.matrix(picture, ground=ground)
        case Frontier():
            return frontiers.frontier(picture, ground=ground)


def _dots(plot: Dots) -> str:
    """A lane for each thing in every row; a key under it says which mark is whose."""
    high = LANE * len(plot.series) + ROW
    bottom = 8 + high * len(plot.rows)
    root = strokes.svg(bottom + FOOT + KEY * len(plot.series), in_words.of_picture(plot), "none")
    ends = plot.axis.ends or (0.0, _top([e for group in plot.series for e in group.estimates if e is not None]))
    place = _scale(ends, NAMES + 12, WIDTH - SIDE)
    _across(root, place, ends, bottom, plot.axis)
    for row, name in enumerate(plot.rows):
        upper = 8 + high * row
        sign = "▲ " if name in plot.beaten else ""
        strokes.name(root, NAMES, upper + high / 2 + 3, f"{sign}{name}", NAMES - 8, anchor="end")
        strokes.line(root, (NAMES + 12, upper + high, WIDTH - SIDE, upper + high))
        for lane, series in enumerate(plot.series):
            estimate, y = series.estimates[row], upper + ROW / 2 + LANE * (lane + 0.5)
            if estimate is None:
                continue
            shape, colour = _look(series, lane, is_beaten=name in plot.beaten)
            if series.kind in ("measured", "compared"):
                strokes.line(root, (place(estimate.low), y, place(estimate.high), y), stroke=colour, width=1.8)
            elif series.kind == "constant":
                strokes.line(root, (place(ends[0]), y, place(estimate.value), y), stroke=colour, dash="2 3")
            strokes.mark(root, place(estimate.value), y, shape, colour)
    for lane, series in enumerate(plot.series):
        shape, colour = _look(series, lane, is_beaten=bool(plot.beaten))
        y = bottom + FOOT + KEY * (lane + 0.5)
        strokes.mark(root, NAMES + 18, y, shape, colour)
        strokes.write(root, NAMES + 30, y + 4, strokes.cut(series.who, WIDTH - NAMES - 40), size=10)
    return strokes.done(root)


def _look(series: Series, lane: int, *, is_beaten: bool) -> tuple[str, str]:
    """Shape and colour of the marks of one thing."""
    if series.kind == "measured":
        return ("▲", ABOVE) if is_beaten else ("○", ABOVE)
    return (SHAPES[lane % len(SHAPES)], INK) if series.kind == "compared" else ("■○◆"[lane % 3], BASELINE)


def _curve(plot: Curve) -> str:
    """A line for each thing, told by its dash and its marks, over a logarithmic axis of counts."""
    root = strokes.svg(
        HEIGHT + KEY * (len(plot.lines) + (plot.reference is not None)), in_words.of_picture(plot), "none"
    )
    ends = plot.up.ends or (0.0, _top([e for line in plot.lines for e in line.estimates]))
    across = _along(plot)
    up = _scale(ends, BOTTOM, TOP)
    _frame(root, plot.across, plot.up, up, ends)
    for place in plot.named:
        strokes.write(root, across(place), BOTTOM + 18, plot.name(place), size=11, anchor="middle", fill=MUTED)
    if plot.chosen is not None:
        strokes.line(root, (across(plot.chosen), TOP, across(plot.chosen), BOTTOM), stroke=MUTED, dash="7 3")
        strokes.write(root, across(plot.chosen), TOP - 6, say("chosen"), size=11, anchor="middle", fill=MUTED)
    _reference(root, plot.reference, up, HEIGHT + KEY * len(plot.lines))
    for number, line in enumerate(plot.lines):
        dash, shape = DASHES[number % len(DASHES)], SHAPES[number % len(SHAPES)]
        drawn = [(across(place), e) for place, e in zip(line.at, line.estimates, strict=True)]
        for (x, e), (next_x, after) in pairwise(drawn):
            strokes.line(root, (x, up(e.value), next_x, up(after.value)), stroke=INK, width=1.6, dash=dash)
        for x, e in drawn:
            if line.intervals == "bars":
                strokes.line(root, (x, up(e.low), x, up(e.high)), stroke=INK, width=1.2)
            strokes.mark(root, x, up(e.value), shape, INK)
        if line.intervals == "band":
            strokes.path(root, [(x, up(e.low)) for x, e in drawn], MUTED, "1 3")
            strokes.path(root, [(x, up(e.high)) for x, e in drawn], MUTED, "1 3")
        y = HEIGHT + KEY * (number + 0.5)
        strokes.line(root, (LEFT, y, LEFT + 26, y), stroke=INK, width=1.6, dash=dash)
        strokes.mark(root, LEFT + 13, y, shape, INK)
        strokes.write(root, LEFT + 36, y + 4, strokes.cut(line.who, WIDTH - LEFT - 50), size=10)
    return strokes.done(root)


def _along(plot: Curve) -> Scale:
    """From a place to where it stands: counts on a logarithmic axis, what has a name evenly."""
    if plot.names:
        return _scale((0.0, max(len(plot.names) - 1, 1)), LEFT + 20, WIDTH - SIDE - 20)
    low, high = math.log(plot.places[0]), math.log(plot.places[-1])
    logarithmic = _scale((low, max(high, low + 0.1)), LEFT + 20, WIDTH - SIDE - 20)
    return lambda place: logarithmic(math.log(place))


def _points(plot: Points) -> str:
    """A mark and a name for each thing, with the intervals of its numbers."""
    root = strokes.svg(HEIGHT + KEY * (plot.reference is not None), in_words.of_picture(plot), "none")
    wide = plot.across.ends or (0.0, 1.15 * max([0.1, *(point.across.value for point in plot.points)]))
    high = plot.up.ends or (0.0, _top([point.up for point in plot.points]))
    across, up = _scale(wide, LEFT + 20, WIDTH - SIDE - 20), _scale(high, BOTTOM, TOP)
    _frame(root, plot.across, plot.up, up, high)
    for step in range(5):
        value = wide[0] + step / 4 * (wide[1] - wide[0])
        strokes.write(root, across(value), BOTTOM + 18, f"{value:.2f}", size=11, anchor="middle", fill=MUTED)
    _reference(root, plot.reference, up, HEIGHT)
    taken: list[tuple[float, float]] = []
    for point in sorted(plot.points, key=lambda own: -own.up.value):
        shape, colour = KINDS[point.kind]
        x, y = across(point.across.value), up(point.up.value)
        strokes.line(root, (x, up(point.up.low), x, up(point.up.high)), stroke=colour, width=1.4)
        if plot.is_measured_across:
            strokes.line(root, (across(point.across.low), y, across(point.across.high), y), stroke=colour, width=1.4)
        strokes.mark(root, x, y, shape, colour)
        is_left = x < WIDTH * 0.6
        beside = strokes.free(taken, x, y - 8, -14)
        room = WIDTH - SIDE - x - 10 if is_left else x - LEFT - 10
        name = strokes.cut(point.who, room)
        strokes.write(root, x + (10 if is_left else -10), beside, name, size=10, anchor="start" if is_left else "end")
    return strokes.done(root)


def _roc(plot: RocCurve) -> str:
    """A line for each thing, told by its dash, beside chance; squares are shares named that have an interval."""
    keys_below = len(plot.lines) + 1 + (plot.band is not None) + (plot.most is not None)
    root = strokes.svg(HEIGHT + KEY * keys_below, in_words.of_picture(plot), "none")
    start = plot.start
    across, up = _from(start, LEFT, WIDTH - SIDE), _from(start, BOTTOM, TOP)
    _axes(root, plot.across, plot.up)
    for tick in plot.ticks if plot.is_log else (0.0, 0.25, 0.5, 0.75, 1.0):
        strokes.write(root, across(tick), BOTTOM + 18, f"{tick:g}", size=11, anchor="middle", fill=MUTED)
        strokes.write(root, LEFT - 8, up(tick) + 4, f"{tick:g}", size=11, anchor="end", fill=MUTED)
    strokes.line(root, (across(start), up(start), across(1.0), up(1.0)), stroke=MUTED, dash="2 3")
    if plot.band is not None:
        for ends in (plot.band.low, plot.band.high):
            strokes.path(root, _seen(_placed(plot.band.fpr, ends, across, up)), MUTED, "1 3")
    keyed = [(line, INK, DASHES[number % len(DASHES)]) for number, line in enumerate(plot.lines)]
    keyed += [] if plot.most is None else [(plot.most, BASELINE, "9 4")]
    for number, (line, colour, dash) in enumerate(keyed):
        y = HEIGHT + KEY * (number + 0.5)
        strokes.path(root, _seen(_placed(line.fpr, line.tpr, across, up)), colour, dash)
        strokes.line(root, (LEFT, y, LEFT + 26, y), stroke=colour, width=1.6, dash=dash)
        called = f"{line.who}: {line.about}" if line.about else line.who
        strokes.write(root, LEFT + 36, y + 4, strokes.cut(called, WIDTH - LEFT - 50), size=10)
    for place, e in plot.marked:
        strokes.line(root, (across(place), up(e.low), across(place), up(e.high)), stroke=INK, width=1.4)
        strokes.mark(root, across(place), up(e.value), "■", INK)
    keys = [(say("guessing"), "2 3"), *([] if plot.band is None else [(plot.band.who, "1 3")])]
    for number, (called, dash) in enumerate(keys):
        y = HEIGHT + KEY * (len(keyed) + number + 0.5)
        strokes.line(root, (LEFT, y, LEFT + 26, y), stroke=MUTED, dash=dash)
        strokes.write(root, LEFT + 36, y + 4, strokes.cut(called, WIDTH - LEFT - 50), size=10)
    return strokes.done(root)


def _placed(fpr: Sequence[float], tpr: Sequence[float], across: Scale, up: Scale) -> list[tuple[float, float]]:
    return [(across(x), up(y)) for x, y in zip(fpr, tpr, strict=True)]


def _from(low: float, start: float, end: float) -> Scale:
    """From a share to its place, on a logarithmic axis where that begins above 0."""
    if not low:
        return _scale((0.0, 1.0), start, end)
    logarithmic = _scale((math.log10(low), 0.0), start, end)
    return lambda share: logarithmic(math.log10(max(share, low)))


def _seen(places: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """The places of a line that are seen apart from the one before, and the last."""
    kept = [places[0]]
    for place in places[1:-1]:
        if max(abs(place[0] - kept[-1][0]), abs(place[1] - kept[-1][1])) >= NEAR:
            kept.append(place)
    return [*kept, places[-1]]


def _spread(plot: Distribution) -> str:
    """The outline of each side: of those who were in drawn through, of the others dashed."""
    root = strokes.svg(HEIGHT + KEY * len(plot.sides), in_words.of_picture(plot), "none")
    ends, top = (plot.edges[0], plot.edges[-1]), max([0.01, *(share for *_, own in plot.sides for share in own)])
    across, up = _scale(ends, LEFT, WIDTH - SIDE), _scale((0.0, top), BOTTOM, TOP)
    _axes(root, plot.across, plot.up)
    for value in _ticks(*ends):
        strokes.write(root, across(value), BOTTOM + 18, f"{value:g}", size=11, anchor="middle", fill=MUTED)
    for share in _ticks(0.0, 100 * top):
        strokes.write(root, LEFT - 8, up(share / 100) + 4, f"{share:g} %", size=11, anchor="end", fill=MUTED)
    if plot.cut is not None and ends[0] <= plot.cut.value <= ends[1]:
        x = across(plot.cut.value)
        strokes.line(root, (x, TOP, x, BOTTOM), stroke=MUTED, dash="7 3")
        strokes.write(root, x, TOP - 6, plot.cut.label, size=11, anchor="middle", fill=MUTED)
    for number, (who, is_in, shares) in enumerate(plot.sides):
        colour, dash, y = ABOVE if is_in else INK, "" if is_in else "7 3", HEIGHT + KEY * (number + 0.5)
        bars = zip(shares, pairwise(plot.edges), strict=True)
        steps = [(across(edge), up(share)) for share, between in bars for edge in between]
        strokes.path(root, [*steps, (steps[-1][0], BOTTOM)], colour, dash)
        strokes.line(root, (LEFT, y, LEFT + 26, y), stroke=colour, width=1.6, dash=dash)
        strokes.write(root, LEFT + 36, y + 4, strokes.cut(who, WIDTH - LEFT - 50), size=10)
    return strokes.done(root)


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers between the ends, six at most."""
    power = 10.0 ** math.floor(math.log10((high - low) / 5))
    step = next(times * power for times in (1, 2, 5, 10) if (high - low) / (times * power) <= 5 + 1e-9)
    first = math.ceil(low / step - 1e-9)
    return [round(place * step, 12) for place in range(first, math.floor(high / step + 1e-9) + 1)]


def _scale(ends: tuple[float, float], start: float, end: float) -> Scale:
    """From a value to its place; what lies beyond an end stands at it."""

    def place(value: float) -> float:
        share = (min(max(value, ends[0]), ends[1]) - ends[0]) / (ends[1] - ends[0])
        return start + share * (end - start)

    return place


def _top(estimates: Sequence[Estimate]) -> float:
    """A round number that no interval reaches beyond."""
    return max(0.1, math.ceil(10 * max((e.high for e in estimates), default=1.0)) / 10)


def _across(root: Tree.Element, place: Scale, ends: tuple[float, float], bottom: float, axis: Axis) -> None:
    """A line under the rows with five ticks and what it measures."""
    strokes.line(root, (place(ends[0]), bottom, place(ends[1]), bottom), stroke=MUTED)
    for step in range(5):
        value = ends[0] + step / 4 * (ends[1] - ends[0])
        strokes.line(root, (place(value), bottom, place(value), bottom + 5), stroke=MUTED)
        strokes.write(root, place(value), bottom + 18, f"{value:.2f}", size=11, anchor="middle", fill=MUTED)
    strokes.write(root, (NAMES + WIDTH) / 2, bottom + 36, axis.title, size=11, anchor="middle", fill=MUTED)


def _frame(root: Tree.Element, across: Axis, up: Axis, place: Scale, ends: tuple[float, float]) -> None:
    """Both axes with their titles, and the ticks of the upright one."""
    _axes(root, across, up)
    for step in range(5):
        value = ends[0] + step / 4 * (ends[1] - ends[0])
        strokes.write(root, LEFT - 8, place(value) + 4, f"{value:.2f}", size=11, anchor="end", fill=MUTED)


def _axes(root: Tree.Element, across: Axis, up: Axis) -> None:
    """Both axes with their titles."""
    strokes.line(root, (LEFT, BOTTOM, WIDTH - SIDE, BOTTOM), stroke=MUTED)
    strokes.line(root, (LEFT, TOP, LEFT, BOTTOM), stroke=MUTED)
    strokes.write(root, WIDTH / 2, BOTTOM + 40, across.title, size=11, anchor="middle", fill=MUTED)
    strokes.write(root, 0, 10, up.title, size=11, fill=MUTED)


def _reference(root: Tree.Element, reference: Reference | None, up: Scale, key: float) -> None:
    """A dotted line at what guessing reaches, and what it is under the drawing."""
    if reference is None:
        return
    y = up(reference.value)
    strokes.line(root, (LEFT, y, WIDTH - SIDE, y), stroke=MUTED, dash="2 3")
    strokes.line(root, (LEFT, key + KEY / 2, LEFT + 26, key + KEY / 2), stroke=MUTED, dash="2 3")
    strokes.write(root, LEFT + 36, key + KEY / 2 + 4, reference.label, size=10)
