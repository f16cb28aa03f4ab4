"""The pictures of a view as SVG, drawn for paper: once, for the PDF and the HTML page alike.

Every mark says by its shape what it says by its colour, so that a picture can be read in grey: ▲ wholly above guessing,
○ not, ◆ planted leak or control, ■ baseline.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree as Tree

from riskkit import wording
from riskkit.core import Estimate
from riskkit.judging.measurement import EPSILON, SCALES, Measured
from riskkit.language import again, say
from riskkit.report.blocks import Block, drawing, visible
from riskkit.show import in_words
from riskkit.show.blocks import (
    BEST_CORNER,
    FEWER,
    MORE,
    CountMatrix,
    Curve,
    Distribution,
    Dots,
    Frontier,
    Grid,
    Picture,
    Points,
    RocCurve,
    Series,
    Spot,
    Swarm,
)
from riskkit.show.model import DIFFERENCE, Chart

# The ground, lines, marks and texts that every drawing of a report is made of, as SVG by the standard library alone.
#
# Every mark says by its shape what it says by its colour, so that a drawing can be read in grey.

FONT = "Noto Sans CJK JP, DejaVu Sans Mono, sans-serif"
INK, MUTED, RULE = "#222222", "#595959", "#C8C8C8"
ABOVE, OTHERS, CONTROL, BASELINE, LIMIT = "#B34E00", "#005A8C", "#00704F", "#6B6B6B", "#111111"
WIDTH, SIDE, NEXT = 640, 14, 12
"""Of a drawing; what is left free beside it; from a line of a name to its next."""
LEFT, TOP, BOTTOM, HEIGHT = 60, 30, 270, 322
"""Of a drawing between two axes: where these end, and its whole height without a key."""
KEY = 18
"""Height of a line of the key."""
LINES = 3
"""Lines of a name at most."""
PIECE = re.compile(r"[（「『(]*(?:[^\s\u2E80-\uFFEF]+|[\u30A1-\u30FF]+|[\u2E80-\uFFEF])[、。）」』，．：；)]*\s*")
"""What stays on one line of a name: a word, or one sign of a script that is written without spaces."""
OUTLINES = {
    "▲": [(0, -6), (6, 5), (-6, 5)],
    "◆": [(0, -6), (6, 0), (0, 6), (-6, 0)],
    "■": [(-5, -5), (5, -5), (5, 5), (-5, 5)],
}
"""Corners of the marks that are filled; any other is a circle."""
Place = tuple[float, float]
Tick = tuple[float, str]
"""Where a tick of an axis stands, and what is written there."""
Scale = Callable[[float], float]
"""From a value to its place."""


class Canvas:
    """A drawing; ``alt`` has its numbers. Lines of a key stand below one another, under what was asked for height."""

    def __init__(self, height: float, alt: str, ground: str = "none") -> None:
        self.root = Tree.Element(
            "svg",
            xmlns="http://www.w3.org/2000/svg",
            viewBox="",
            width=f"{WIDTH}",
            height="",
            role="img",
        )
        Tree.SubElement(self.root, "title").text = visible(alt)
        self._ground = Tree.SubElement(self.root, "rect", width=f"{WIDTH}", height="", fill=ground)
        self.height = height
        """Without what is asked of the key later on."""

    def write(self, x: float, y: float, text: str, *, size: float = 12, anchor: str = "start", fill: str = INK) -> None:
        """A text with a halo, so that it can be read over lines."""
        attributes = {"x": f"{x:.1f}", "y": f"{y:.1f}", "font-size": f"{size:g}", "font-family": FONT, "fill": fill}
        halo = {"stroke": "#FFFFFF", "stroke-width": "3", "stroke-linejoin": "round", "paint-order": "stroke"}
        plain = {} if fill == "#FFFFFF" else halo
        Tree.SubElement(self.root, "text", {**attributes, **plain, "text-anchor": anchor}).text = visible(text)

    def note(self, x: float, y: float, text: str, anchor: str = "start") -> None:
        """What stands at an axis or a line, smaller and grey."""
        self.write(x, y, text, size=11, anchor=anchor, fill=MUTED)

    def name(self, x: float, y: float, text: str, room: float, *, anchor: str = "start") -> None:
        """A name in as many lines as it takes, whose middle stands at that height."""
        lines = wrap(text, room)
        for place, line in enumerate(lines):
            self.write(x, y + NEXT * (place - (len(lines) - 1) / 2), line, size=10, anchor=anchor)

    def line(self, ends: Sequence[float], *, stroke: str = RULE, width: float = 1, dash: str = "") -> None:
        """A straight line between two places."""
        x1, y1, x2, y2 = (f"{end:.1f}" for end in ends)
        attributes = {"x1": x1, "y1": y1, "x2": x2, "y2": y2, "stroke": stroke, "stroke-width": f"{width:g}"}
        Tree.SubElement(self.root, "line", {**attributes, "stroke-dasharray": dash} if dash else attributes)

    def path(self, places: Iterable[Place], stroke: str, dash: str) -> None:
        """A line through these places."""
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        attributes = {"points": points, "fill": "none", "stroke": stroke, "stroke-width": "1.6"}
        Tree.SubElement(self.root, "polyline", {**attributes, "stroke-dasharray": dash} if dash else attributes)

    def mark(self, x: float, y: float, shape: str, fill: str) -> None:
        """▲, ◆, ■ or ● filled, anything else a hollow circle."""
        if shape in OUTLINES:
            points = " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in OUTLINES[shape])
            Tree.SubElement(self.root, "polygon", points=points, fill=fill)
        else:
            self.circle(x, y, 5, 2, fill if shape == "●" else "#FFFFFF", fill)

    def circle(self, x: float, y: float, radius: float, width: float, fill: str, stroke: str) -> None:
        """A circle with a line of that width around it."""
        attributes = {"cx": f"{x:.1f}", "cy": f"{y:.1f}", "r": f"{radius:g}", "fill": fill}
        Tree.SubElement(self.root, "circle", {**attributes, "stroke": stroke, "stroke-width": f"{width:g}"})

    def field(self, x: float, y: float, wide: float, high: float, fill: str) -> None:
        """A rectangle with a thin line around it."""
        corner = {"x": f"{x:.1f}", "y": f"{y:g}", "width": f"{wide:.1f}", "height": f"{high:g}"}
        Tree.SubElement(self.root, "rect", {**corner, "fill": fill, "stroke": RULE})

    def frame(
        self, across: str, up: str, along: Iterable[tuple[float, str]], aside: Iterable[tuple[float, str]]
    ) -> None:
        """Two axes with their titles, and what stands at which place along and aside of them."""
        self.line((LEFT, BOTTOM, WIDTH - SIDE, BOTTOM), stroke=MUTED)
        self.line((LEFT, TOP, LEFT, BOTTOM), stroke=MUTED)
        self.note(WIDTH / 2, BOTTOM + 40, across, "middle")
        self.note(0, 10, up)
        for y, text in aside:
            self.note(LEFT - 8, y + 4, text, "end")
        for x, text in along:
            self.note(x, BOTTOM + 18, text, "middle")

    def upright(self, x: float, label: str) -> None:
        """A dashed line from axis to end, with its label over it."""
        self.line((x, TOP, x, BOTTOM), stroke=MUTED, dash="7 3")
        self.note(x, TOP - 6, label, "middle")

    def key(self, who: str, stroke: str, dash: str, shape: str = "", *, width: float = 1.6) -> None:
        """The next line of the key: a piece of the line, with its mark where it has one, and whose it is."""
        y = self.height + KEY / 2
        self.line((LEFT, y, LEFT + 26, y), stroke=stroke, width=width, dash=dash)
        if shape:
            self.mark(LEFT + 13, y, shape, stroke)
        self.write(LEFT + 36, y + 4, cut(who, WIDTH - LEFT - 50), size=10)
        self.height += KEY

    def svg(self) -> str:
        """The drawing as it is written."""
        self.root.set("viewBox", f"0 0 {WIDTH} {self.height:g}")
        for element in (self.root, self._ground):
            element.set("height", f"{self.height:g}")
        return Tree.tostring(self.root, encoding="unicode")


def scale(ends: tuple[float, float], start: float, end: float) -> Scale:
    """From a value to its place; what lies beyond an end stands at it, and a single value in the middle."""

    def place(value: float) -> float:
        wide = ends[1] - ends[0]
        share = (min(max(value, ends[0]), ends[1]) - ends[0]) / wide if wide else 0.5
        return start + share * (end - start)

    return place


def steps(place: Scale, ends: tuple[float, float], written: str = ".2f") -> list[Tick]:
    """Five ticks from end to end: where each stands, and what is written there."""
    values = [ends[0] + step / 4 * (ends[1] - ends[0]) for step in range(5)]
    return [(place(value), f"{value:{written}}") for value in values]


def wrap(text: str, room: float) -> list[str]:
    """A name in lines that fit into so many units of the drawing, three at most; the whole one stands in the tables."""
    lines = [""]
    for piece in PIECE.findall(" ".join(text.split())):
        if lines[-1] and len(lines) < LINES and wide((lines[-1] + piece).rstrip()) > room:
            lines.append("")
        lines[-1] += piece
    return [cut(line.rstrip(), room) for line in lines if line]


def cut(text: str, room: float) -> str:
    """The text, or as much of it as fits before a mark of omission."""
    if wide(text) <= room:
        return text
    while text and wide(f"{text}…") > room:
        text = text[:-1]
    return f"{text.rstrip()}…"


def wide(text: str) -> float:
    """About how wide a name is drawn; rather too wide than too narrow."""
    return sum(10.0 if ord(sign) > 0x2E7F else 5.4 for sign in visible(text))


def free(taken: list[tuple[float, float]], x: float, y: float, step: float = 14) -> float:
    """A height at which no label of a near spot stands yet."""
    while any(abs(x - other) < 260 and abs(y - height) < 14 for other, height in taken):
        y += step
    taken.append((x, y))
    return y


ROW, HEAD, FOOT = 27, 26, 46
"""Of intervals: a row, what stands over them, and below."""
LANE, ABOVE_LANE, GAP = 13, 20, 6
"""From a row to what is reached on the planted leak below it; the least height of the row above that; what a row is
higher than the lines of its name.
"""
BARE = 8
"""Height over the first line of a drawing that names neither guessing nor a limit there."""
UNITS, MOST_UNITS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5), 6
"""Of which one the ends of an axis of shares are multiples, at most so many apart."""
VALUES, NAMES = 100, 320
"""Where names begin, at the least, and end, after which the intervals begin."""
MOST_BESIDE = 220
"""Where names begin at most; a value in more words than that, as of an ε that is not shown, stands over its row."""
VALUE_SIZE = 1.04
"""How much wider a value is drawn than a name of as many signs: its type is larger, its figures are narrow."""
STEPS: Mapping[int, Mapping[int, float]] = {
    1: {1: 6, 2: 24, 5: 60},
    2: {1: 6, 2: 12, 4: 24, 5: math.inf},
}
"""From one tick of an axis to the next, in tenths or hundredths, on an axis of at most so many of them."""
COUNTS = 6
"""An axis that is longer is one of counts."""
STRIP, EDGE = 64, 20
"""Height of a bar on page one, which is printed small; beside it the mark of a value at its end is drawn whole."""
LESS = 1 / 3
"""Room of a bar for what is worse than guessing, as a part of that from guessing to the most there can be."""
ON_PAPER = (INK, ABOVE, LIMIT, MUTED, RULE)
ON_SCREEN = ("#7478C4", "#D55E00", "#7A7A7A", "#8A8A8A", "#8A8A8A55")
"""A bar's ink, leak, limit, guessing and rail; on a screen they are seen on a light ground and on a dark one."""
MARKS = {
    "members": ("●", ABOVE),
    "others": ("○", OTHERS),
    "baseline": ("■", BASELINE),
    "ceiling": ("◆", BASELINE),
    "control": ("◆", CONTROL),
    "before": ("○", INK),
    "after": ("◆", INK),
    "above": ("▲", ABOVE),
    "": ("○", INK),
}
"""Shape and colour of an interval, by what it is."""
POINTED = {"above": ("▲", INK), "": ("○", INK), "leak": ("▲", ABOVE), "stopped": ("○", CONTROL)}
"""Shape and colour of a point, by its kind."""
GROUPS, SMALL, LOW = 200, 12, 14
"""Where names of rows of marks end; from one thing to the next in such a row; what a row has beside its things."""
SHAPES = ("○", "◆", "▲", "■")
DASHES = ("", "7 3", "2 3", "9 3 2 3")
NEAR = 0.5
"""Units of a drawing that nobody sees apart."""
GUTTER, ACROSS, CELL, UNDER = 170, 52, 40, 34
"""Left of fields, above them, the height of one, and below them."""
BROAD = 62
"""A field that is narrower has no room for an interval, which stands in the table."""
GAINS = ("#F3F3F3", "#D9E4EE", "#B4CCE0", "#86AECB", "#4F87AF")
"""From no gain to much; the number stands in every field."""
MORES = ("#F3F3F3", "#F6E3D6", "#EFC7AC", "#E7A97F")
FEWERS = ("#F3F3F3", "#DCE7F0", "#BCD3E5", "#9CBFDA")
"""From what guessing finds to everything, and to nothing; the count stands in every field."""
Field = tuple[str, str, str]
"""What a field says, what it says below that where there is room, and its shade."""


def svg(picture: Picture, limit: float | None = None, *, ground: str = "none") -> str:
    """That picture as a drawing on that ground; the limit is drawn among intervals alone."""
    canvas = Canvas(0, in_words.picture_in_words(picture, limit), ground)
    if isinstance(picture, Chart):
        _intervals(canvas, picture, limit)
    else:
        DRAWN[type(picture)](canvas, picture)
    return canvas.svg()


def block(picture: Picture, limit: float | None = None) -> Block:
    """That picture as a block of a report, under its sentence and with its words."""
    return drawing(svg(picture, limit), picture.sentence, in_words.picture_in_words(picture, limit))


def _intervals(canvas: Canvas, chart: Chart, limit: float | None) -> None:
    """Values with their intervals beside their names, one line each, and over them guessing and the limit."""
    names = max([VALUES, *(wide(chart.label(bar)) * VALUE_SIZE + SIDE for bar in chart.bars)])
    is_beside = names <= MOST_BESIDE
    names = names if is_beside else 0
    room = NAMES - names - SIDE
    has_lanes = any(bar.control is not None for bar in chart.bars)
    least, lane = (ABOVE_LANE, LANE) if has_lanes else (ROW, 0)
    own = [max(least, NEXT * len(wrap(bar.who, room)) + GAP) for bar in chart.bars]
    over = [
        [*wrap(about, WIDTH - SIDE), *([] if is_beside else [chart.label(bar)])]
        for bar, (about, _) in zip(chart.bars, chart.headed(), strict=True)
    ]
    line: float = BARE if chart.guess is None else HEAD
    bottom = line + sum(own) + lane * len(own) + NEXT * sum(map(len, over))
    canvas.height = bottom + FOOT
    ends = axis_ends(chart)
    across = scale(ends, NAMES, WIDTH - SIDE)
    if chart.luck is not None:
        start, end = map(across, chart.luck)
        canvas.field(start, 2, end - start, bottom - 2, "#EDEDED")
        canvas.line(((start + end) / 2, 2, (start + end) / 2, bottom), stroke=MUTED, dash="2 3")
    _axis(canvas, across, ends, bottom, chart)
    if chart.guess is not None:
        x = across(chart.guess)
        canvas.line((x, HEAD - 6, x, bottom), stroke=MUTED, dash="2 3")
        canvas.note(x - 4, HEAD - 10, say("guessing"), "end")
        if limit is not None and ends[0] <= limit <= ends[1]:
            canvas.line((across(limit), HEAD - 6, across(limit), bottom), stroke=LIMIT, width=1.6, dash="7 3")
            canvas.write(across(limit) + 4, HEAD - 10, say("limit {limit:.2f}", limit=limit), size=11)
    for bar, high, about in zip(chart.bars, own, over, strict=True):
        for text in about:
            line += NEXT
            canvas.write(0, line, text, size=10)
        y = line + high / 2
        if bar.kind == DIFFERENCE:
            canvas.line((across(0), y - high / 2, across(0), y + high / 2), stroke=MUTED, dash="2 3")
        if is_beside:
            canvas.write(0, y + 4, chart.label(bar), size=11)
        canvas.name(names, y + 4, bar.who, room)
        _interval(canvas, across, y, bar.estimate, *MARKS[chart.role(bar)])
        if bar.control is not None:
            canvas.write(0, y + LANE + 4, chart.label(replace(bar, estimate=bar.control)), size=11, fill=CONTROL)
            _interval(canvas, across, y + LANE, bar.control, *MARKS["control"])
        line += high + lane
    if has_lanes:
        canvas.mark(names + 6, bottom + 32, "◆", CONTROL)
        canvas.write(names + 18, bottom + 36, say("on the planted leak"), size=11)


def _interval(canvas: Canvas, across: Scale, y: float, measured: Estimate, shape: str, colour: str) -> None:
    """A number with both ends of its interval, at that height."""
    low, high = across(measured.low), across(measured.high)
    canvas.line((low, y, high, y), stroke=colour, width=2.2)
    for tip in (low, high):
        canvas.line((tip, y - 4, tip, y + 4), stroke=colour, width=2.2)
    canvas.mark(across(measured.value), y, shape, colour)


def axis_ends(chart: Chart) -> tuple[float, float]:
    """Round ends that no interval reaches beyond; of shares no further, so that few are seen too."""
    drawn = [e for bar in chart.bars for e in (bar.estimate, bar.control) if e is not None]
    low = min((e.low for e in drawn), default=0.0)
    high = max((e.high for e in drawn), default=1.0)
    if chart.as_shares:
        low, high = min(low, 0.0), max(high, chart.guess or 0.0)
        unit = next(unit for unit in UNITS if high - low <= MOST_UNITS * unit)
        return math.floor(round(low / unit, 6)) * unit, math.ceil(round(high / unit, 6)) * unit
    return min(chart.ends[0], math.floor(low * 10) / 10), max(chart.ends[1], math.ceil(high * 10) / 10)


def _axis(canvas: Canvas, across: Scale, ends: tuple[float, float], bottom: float, chart: Chart) -> None:
    """The axis below intervals, with round ticks."""
    start, end = ends
    canvas.line((across(start), bottom, across(end), bottom), stroke=MUTED)
    digits = 0 if end - start > COUNTS else 1 if end - start >= 0.5 else 2
    if digits:
        unit = 10**-digits
        units = round((end - start) / unit)
        every = next(each for each, most in STEPS[digits].items() if units <= most)
        values = [start + step * unit for step in range(0, units + 1, every)]
    else:
        values = _round(start, end)
    for value in values:
        canvas.line((across(value), bottom, across(value), bottom + 5), stroke=MUTED)
        text = wording.percent(value) if chart.as_shares else f"{value:,.{digits}f}"
        canvas.note(across(value), bottom + 18, text, "middle")
    canvas.note(across((start + end) / 2), bottom + 36, chart.axis, "middle")


def bar(measured: Measured, limit: float | None, *, on_screen: bool = False) -> str:
    """One measurement from guessing to the most there can be: interval, value, guessing (dotted) and limit (solid).

    Guessing stands at the same place in every bar, whatever it is there.
    """
    canvas, value = Canvas(STRIP, measured.in_words()), measured.strongest
    ink, leak, bound, guessing, rail = ON_SCREEN if on_screen else ON_PAPER
    start = measured.guess - LESS * (SCALES[measured.scale].high - measured.guess)
    across, middle = scale((start, SCALES[measured.scale].high), EDGE, WIDTH - EDGE), STRIP / 2
    canvas.line((EDGE, middle, WIDTH - EDGE, middle), stroke=rail, width=5)
    guess = across(measured.guess)
    canvas.line((guess, 4, guess, STRIP - 4), stroke=guessing, width=5, dash="5 5")
    if limit is not None:
        canvas.line((across(limit), 0, across(limit), STRIP), stroke=bound, width=7)
    if value is not None:
        is_above = value.low > (measured.guess if limit is None else limit)
        colour = leak if is_above else ink
        if measured.scale != EPSILON:  # whose upper end is the most a run could show, whatever it found
            canvas.line((across(value.low), middle, across(value.high), middle), stroke=colour, width=12)
        canvas.circle(across(value.value), middle, 11, 6, colour if is_above else "#FFFFFF", colour)
    return canvas.svg()


def _dots(canvas: Canvas, plot: Dots) -> None:
    """A lane for each thing in every row; a key under it says which mark is whose, or each mark does."""
    high = SMALL * len(plot.series) + LOW
    bottom = 8 + high * len(plot.rows)
    keyed = () if plot.is_exact else plot.series
    canvas.height = bottom + FOOT + KEY * len(keyed)
    ends = plot.axis.ends or (0.0, _top(e for group in plot.series for e in group.estimates if e is not None))
    across = scale(ends, GROUPS + 12, WIDTH - SIDE)
    canvas.line((across(ends[0]), bottom, across(ends[1]), bottom), stroke=MUTED)
    for x, text in steps(across, ends):
        canvas.line((x, bottom, x, bottom + 5), stroke=MUTED)
        canvas.note(x, bottom + 18, text, "middle")
    canvas.note((GROUPS + WIDTH) / 2, bottom + 36, plot.axis.title, "middle")
    for row, name in enumerate(plot.rows):
        upper = 8 + high * row
        sign = "▲ " if name in plot.beaten else ""
        canvas.name(GROUPS, upper + high / 2 + 3, f"{sign}{name}", GROUPS - 8, anchor="end")
        canvas.line((GROUPS + 12, upper + high, WIDTH - SIDE, upper + high))
        for lane, series in enumerate(plot.series):
            estimate, y = series.estimates[row], upper + LOW / 2 + SMALL * (lane + 0.5)
            if estimate is None:
                continue
            shape, colour = _look(series, lane, is_beaten=name in plot.beaten)
            if series.kind in ("measured", "compared"):
                canvas.line((across(estimate.low), y, across(estimate.high), y), stroke=colour, width=1.8)
            elif series.kind == "constant":
                canvas.line((across(ends[0]), y, across(estimate.value), y), stroke=colour, dash="2 3")
            canvas.mark(across(estimate.value), y, shape, colour)
            if plot.is_exact:
                is_left = across(estimate.value) > (GROUPS + WIDTH) / 2
                x, anchor = across(estimate.value) + (-10 if is_left else 10), "end" if is_left else "start"
                canvas.write(x, y + 4, f"{series.who} {plot.label(estimate)}", size=10, anchor=anchor)
    for lane, series in enumerate(keyed):
        y = bottom + FOOT + KEY * (lane + 0.5)
        canvas.mark(GROUPS + 18, y, *_look(series, lane, is_beaten=bool(plot.beaten)))
        canvas.write(GROUPS + 30, y + 4, cut(series.who, WIDTH - GROUPS - 40), size=10)


def _look(series: Series, lane: int, *, is_beaten: bool) -> tuple[str, str]:
    """Shape and colour of the marks of one thing."""
    if series.kind == "measured":
        return ("▲", ABOVE) if is_beaten else ("○", ABOVE)
    return (SHAPES[lane % len(SHAPES)], INK) if series.kind == "compared" else ("■", BASELINE)


def _curve(canvas: Canvas, plot: Curve) -> None:
    """A line for each thing, told by its dash and its marks, over a logarithmic axis of counts."""
    ends = plot.up.ends or (0.0, _top(e for line in plot.lines for e in line.estimates))
    across, up = _along(plot), scale(ends, BOTTOM, TOP)
    names = [(across(place), plot.name(place)) for place in plot.named]
    _frame(canvas, plot, names, steps(up, ends))
    if plot.chosen is not None:
        canvas.upright(across(plot.chosen), say("chosen"))
    for number, line in enumerate(plot.lines):
        dash, shape = DASHES[number % len(DASHES)], SHAPES[number % len(SHAPES)]
        drawn = [(across(place), e) for place, e in zip(line.at, line.estimates, strict=True)]
        canvas.path([(x, up(e.value)) for x, e in drawn], INK, dash)
        for x, e in drawn:
            if line.intervals == "bars":
                canvas.line((x, up(e.low), x, up(e.high)), stroke=INK, width=1.2)
            canvas.mark(x, up(e.value), shape, INK)
        if line.intervals == "band":
            canvas.path([(x, up(e.low)) for x, e in drawn], MUTED, "1 3")
            canvas.path([(x, up(e.high)) for x, e in drawn], MUTED, "1 3")
        canvas.key(line.who, INK, dash, shape)
    _reference(canvas, plot, up)


def _along(plot: Curve) -> Scale:
    """From a place to where it stands: counts on a logarithmic axis, what has a name evenly."""
    if plot.names:
        return scale((0.0, max(len(plot.names) - 1, 1)), LEFT + 20, WIDTH - SIDE - 20)
    low, high = math.log(plot.places[0]), math.log(plot.places[-1])
    logarithmic = scale((low, max(high, low + 0.1)), LEFT + 20, WIDTH - SIDE - 20)
    return lambda place: logarithmic(math.log(place))


def _points(canvas: Canvas, plot: Points) -> None:
    """A mark and a name for each thing, with the intervals of its numbers."""
    broad = plot.across.ends or (0.0, 1.15 * max([0.1, *(point.across.value for point in plot.points)]))
    high = plot.up.ends or (0.0, _top(point.up for point in plot.points))
    across, up = scale(broad, LEFT + 20, WIDTH - SIDE - 20), scale(high, BOTTOM, TOP)
    _frame(canvas, plot, steps(across, broad), steps(up, high))
    _reference(canvas, plot, up)
    taken: list[Place] = []
    for point in sorted(plot.points, key=lambda own: -own.up.value):
        shape, colour = POINTED[point.kind]
        x, y = across(point.across.value), up(point.up.value)
        canvas.line((x, up(point.up.low), x, up(point.up.high)), stroke=colour, width=1.4)
        if plot.is_measured_across:
            canvas.line((across(point.across.low), y, across(point.across.high), y), stroke=colour, width=1.4)
        canvas.mark(x, y, shape, colour)
        beside = free(taken, x, y - 8, -14)
        _beside(canvas, x, beside, cut(point.who, _room(x)))


def _room(x: float) -> float:
    """How much room a name has beside a point: to its right on the left of a drawing, else to its left."""
    return WIDTH - SIDE - x - 10 if x < WIDTH * 0.6 else x - LEFT - 10


def _beside(canvas: Canvas, x: float, y: float, name: str) -> None:
    is_left = x < WIDTH * 0.6
    canvas.write(x + (10 if is_left else -10), y, name, size=10, anchor="start" if is_left else "end")


def _roc(canvas: Canvas, plot: RocCurve) -> None:
    """A line for each thing, told by its dash, beside chance; squares are shares named that have an interval."""
    across, up = _from(plot.start, LEFT, WIDTH - SIDE), _from(plot.start, BOTTOM, TOP)
    ticks = plot.ticks if plot.is_log else (0.0, 0.25, 0.5, 0.75, 1.0)
    _frame(canvas, plot, [(across(tick), f"{tick:g}") for tick in ticks], [(up(tick), f"{tick:g}") for tick in ticks])
    canvas.line((LEFT, BOTTOM, across(1.0), up(1.0)), stroke=MUTED, dash="2 3")

    def draw(fpr: Sequence[float], tpr: Sequence[float], stroke: str, dash: str) -> None:
        canvas.path(_distinct_places([(across(x), up(y)) for x, y in zip(fpr, tpr, strict=True)]), stroke, dash)

    if plot.band is not None:
        for ends in (plot.band.low, plot.band.high):
            draw(plot.band.fpr, ends, MUTED, "1 3")
    keyed = [(line, INK, DASHES[number % len(DASHES)]) for number, line in enumerate(plot.lines)]
    keyed += [] if plot.most is None else [(plot.most, BASELINE, "9 4")]
    for line, colour, dash in keyed:
        draw(line.fpr, line.tpr, colour, dash)
        canvas.key(f"{line.who}: {line.about}" if line.about else line.who, colour, dash)
    for place, e in plot.marked:
        canvas.line((across(place), up(e.low), across(place), up(e.high)), stroke=INK, width=1.4)
        canvas.mark(across(place), up(e.value), "■", INK)
    canvas.key(say("guessing"), MUTED, "2 3", width=1)
    if plot.band is not None:
        canvas.key(plot.band.who, MUTED, "1 3", width=1)


def _from(low: float, start: float, end: float) -> Scale:
    """From a share to its place, on a logarithmic axis where that begins above 0."""
    if not low:
        return scale((0.0, 1.0), start, end)
    logarithmic = scale((math.log10(low), 0.0), start, end)
    return lambda share: logarithmic(math.log10(max(share, low)))


def _distinct_places(places: Sequence[Place]) -> list[Place]:
    """The places of a line that are seen apart from the one before, and the last."""
    kept = [places[0]]
    for place in places[1:-1]:
        if max(abs(place[0] - kept[-1][0]), abs(place[1] - kept[-1][1])) >= NEAR:
            kept.append(place)
    return [*kept, places[-1]]


def _spread(canvas: Canvas, plot: Distribution) -> None:
    """The outline of each side: of those who were in drawn through, of the others dashed."""
    ends, top = (plot.edges[0], plot.edges[-1]), max([0.01, *(share for *_, own in plot.sides for share in own)])
    across, up = scale(ends, LEFT, WIDTH - SIDE), scale((0.0, top), BOTTOM, TOP)
    values = [(across(value), f"{value:g}") for value in _round(*ends)]
    _frame(canvas, plot, values, [(up(share / 100), f"{share:g} %") for share in _round(0.0, 100 * top)])
    if plot.cut is not None and ends[0] <= plot.cut.value <= ends[1]:
        canvas.upright(across(plot.cut.value), plot.cut.label)
    for who, is_in, shares in plot.sides:
        colour, dash = (ABOVE, "") if is_in else (INK, "7 3")
        bars = zip(shares, pairwise(plot.edges), strict=True)
        outline = [(across(edge), up(share)) for share, between in bars for edge in between]
        canvas.path([*outline, (outline[-1][0], BOTTOM)], colour, dash)
        canvas.key(who, colour, dash)


def _round(low: float, high: float) -> list[float]:
    """Round numbers between the ends, six at most."""
    power = 10.0 ** math.floor(math.log10((high - low) / 5))
    step = next(times * power for times in (1, 2, 5, 10) if (high - low) / (times * power) <= 5 + 1e-9)
    first = math.ceil(low / step - 1e-9)
    return [round(place * step, 12) for place in range(first, math.floor(high / step + 1e-9) + 1)]


def _top(estimates: Iterable[Estimate]) -> float:
    """A round number that no interval reaches beyond."""
    return max(0.1, math.ceil(10 * max((e.high for e in estimates), default=1.0)) / 10)


def _frame(
    canvas: Canvas,
    plot: Curve | Points | RocCurve | Distribution,
    along: Iterable[Tick],
    aside: Iterable[Tick],
) -> None:
    canvas.height = HEIGHT
    canvas.frame(plot.across.title, plot.up.title, along, aside)


def _reference(canvas: Canvas, plot: Curve | Points, up: Scale) -> None:
    """A dotted line at what guessing reaches, and what it is in the key."""
    if plot.reference is not None:
        y = up(plot.reference.value)
        canvas.line((LEFT, y, WIDTH - SIDE, y), stroke=MUTED, dash="2 3")
        canvas.key(plot.reference.label, MUTED, "2 3", width=1)


def _frontier(canvas: Canvas, plot: Frontier) -> None:
    """Usefulness to the right, hits upwards: the lower right is better on both counts."""
    canvas.height = HEIGHT
    useful = [e for spot in plot.spots for e in ((spot.usefulness,) if spot.useful is None else _three(spot.useful))]
    useful += [] if plot.others is None else [plot.others]
    hits = [plot.guess, *(end for spot in plot.spots for end in (spot.hits.low, spot.hits.high))]
    broad, high = (min(useful), max(useful)), (min(hits), max(hits))
    across, up = scale(broad, LEFT + 40, WIDTH - SIDE - 40), scale(high, BOTTOM - 14, TOP + 14)
    canvas.frame(plot.across, plot.up, steps(across, broad), steps(up, high, ".1f"))
    canvas.note(WIDTH - SIDE, BOTTOM - 3, again(BEST_CORNER), "end")
    canvas.line((LEFT, up(plot.guess), WIDTH - SIDE, up(plot.guess)), stroke=MUTED, dash="2 3")
    canvas.note(WIDTH - SIDE, up(plot.guess) - 5, say("guessing {expected:.1f}", expected=plot.guess), "end")
    if plot.others is not None:
        x = across(plot.others)
        canvas.line((x, TOP, x, TOP + 10), stroke=MUTED)
        canvas.note(x, TOP - 5, say("a table of other people is this useful"), "middle")
    taken: list[Place] = []
    middle = (TOP + BOTTOM) / 2

    def foremost(spot: Spot) -> tuple[bool, bool, float]:
        return not spot.is_uploaded, bool(spot.beaten), -abs(up(spot.hits.value) - middle)

    for spot in sorted(plot.spots, key=foremost):  # of names that would cover each other the first stay where they are
        method = "▲" if spot.hits.low > plot.guess else "○"
        colour = ABOVE if spot.is_uploaded else BASELINE if spot.beaten else CONTROL
        shape = "◆" if spot.is_uploaded else method
        x, y = across(spot.usefulness), up(spot.hits.value)
        canvas.line((x, up(spot.hits.low), x, up(spot.hits.high)), stroke=colour, width=1.6)
        if spot.useful is not None:
            canvas.line((across(spot.useful.low), y, across(spot.useful.high), y), stroke=colour, width=1.6)
        canvas.mark(x, y, shape, colour)
        name = spot.who if wide(spot.who) <= _room(x) else wording.both_ends(spot.who, int(_room(x) / 5.4))
        _beside(canvas, x, free(taken, x, y + 4, 14 if y < middle else -14), name)


def _three(estimate: Estimate) -> tuple[float, float, float]:
    return estimate.low, estimate.value, estimate.high


def _grid(canvas: Canvas, grid: Grid) -> None:
    """What is gained in each field: a shade, the number, and ▲ where it is marked."""

    def field(value: Estimate | None, is_marked: bool) -> Field:
        if value is None:
            return "–", "", "#FFFFFF"
        shade = GAINS[min(max(int(value.value * 10), 0), len(GAINS) - 1)]
        return f"{value.value:.2f}{' ▲' if is_marked else ''}", "", shade

    fields = [
        [field(*both) for both in zip(cells, marks, strict=True)]
        for cells, marks in zip(grid.cells, grid.marked, strict=True)
    ]
    _fields(canvas, grid.columns, grid.rows, fields, say("{title}; ▲ {mark}", title=grid.title, mark=grid.mark))


def _counts(canvas: Canvas, plot: CountMatrix) -> None:
    """Every count of every row, with the most of each row behind a line; ▲ and ▽ are no matter of guessing."""

    def field(count: Estimate | None) -> Field:
        if count is None:
            return "–", "", "#FFFFFF"
        is_more = count.value >= plot.guess
        most = plot.most - plot.guess if is_more else plot.guess
        share = abs(count.value - plot.guess) / most if most > 0 else 0.0
        shades = MORES if is_more else FEWERS  # darker the further a count is from guessing
        shade = shades[min(int(share * len(shades)), len(shades) - 1)]
        return plot.with_sign(count), f"[{count.low:.1f}, {count.high:.1f}]", shade

    meaning = say(
        "{title}, of {most:,}; guessing {guess:.1f}; {more} {explained}; {fewer} {missing}",
        title=plot.title,
        most=plot.most,
        guess=plot.guess,
        more=MORE,
        explained=in_words.SIGNS[MORE],
        fewer=FEWER,
        missing=in_words.SIGNS[FEWER],
    )
    fields = [[field(count) for count in (*row.counts, row.best)] for row in plot.rows]
    _fields(canvas, plot.heads, [row.who for row in plot.rows], fields, meaning)
    border = GUTTER + len(plot.columns) * (WIDTH - GUTTER - SIDE) / len(plot.heads) - 1
    canvas.line((border, ACROSS - 6, border, ACROSS + CELL * len(plot.rows)), stroke=INK, width=1.6)


def _fields(
    canvas: Canvas, columns: Sequence[str], rows: Sequence[str], fields: Sequence[Sequence[Field]], meaning: str
) -> None:
    """A shaded field for each row in each column, and what they mean below."""
    canvas.height = ACROSS + CELL * len(rows) + UNDER
    wide = (WIDTH - GUTTER - SIDE) / max(len(columns), 1)
    for place, name in enumerate(columns):
        canvas.name(GUTTER + (place + 0.5) * wide, ACROSS / 2 - 4, name, wide - 4, anchor="middle")
    for index, name in enumerate(rows):
        y = ACROSS + index * CELL
        canvas.name(GUTTER - 8, y + CELL / 2 + 2, name, GUTTER - 12, anchor="end")
        for place, (text, below, shade) in enumerate(fields[index]):
            x = GUTTER + place * wide
            canvas.field(x, y, wide - 2, CELL - 2, shade)
            has_room = bool(below) and wide >= BROAD
            ink = "#FFFFFF" if shade == GAINS[-1] else INK
            canvas.write(x + wide / 2 - 1, y + (16 if has_room else CELL / 2 + 4), text, anchor="middle", fill=ink)
            if has_room:
                canvas.write(x + wide / 2 - 1, y + 30, below, size=9, anchor="middle")
    canvas.note(0, canvas.height - 10, meaning)


DRAWN: Mapping[type, Callable[[Canvas, Any], None]] = {
    Dots: _dots,
    Curve: _curve,
    Points: _points,
    RocCurve: _roc,
    Distribution: _spread,
    Swarm: lambda canvas, swarm: _spread(canvas, swarm.spread),
    Grid: _grid,
    CountMatrix: _counts,
    Frontier: _frontier,
}
"""How each picture but one of intervals is drawn."""
