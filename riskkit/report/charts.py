"""The charts of a report as SVG: drawn once, by the standard library alone, and shown by the PDF and the page alike.

Every mark says by its shape what it says by its colour, so that a chart can be read in grey: ▲ wholly above guessing,
○ not, ◆ planted leak or control, ■ baseline.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from xml.etree import ElementTree as Tree

from riskkit import wording
from riskkit.judging.limits import SCALES
from riskkit.judging.measured import Measured
from riskkit.language import say
from riskkit.report import descriptions, texts
from riskkit.report.printable import visible
from riskkit.show.model import Bar, Chart, Frontier, Grid

FONT = "Noto Sans CJK JP, DejaVu Sans Mono, sans-serif"
INK, MUTED, RULE = "#222222", "#595959", "#C8C8C8"
ABOVE, CONTROL, BASELINE, LIMIT = "#B34E00", "#00704F", "#6B6B6B", "#111111"
WIDTH, ROW, HEAD, FOOT, SIDE = 640, 27, 26, 46, 14
EDGE = 20
"""Room beside a bar on page one: the mark of a value at its end is drawn whole."""
LINES, GAP = 3, 6
"""Lines of a name at most; what a row is higher than they are."""
BARE = 8
"""Height over the first line of a drawing that names neither guessing nor a limit there."""
TOPS = (0.05, 0.1, 0.2, 0.5)
"""Where an axis of small shares may end, that begins at nothing and has no guessing on it."""
VALUES, NAMES, NEXT = 100, 320, 12
"""Where names begin, at the least, and end, after which the drawing begins; from a line of a name to its next."""
VALUE_SIZE = 1.04
"""How much wider a value is drawn than a name of as many signs: its type is larger, its figures are narrow."""
ON_PAPER = (INK, ABOVE, LIMIT, MUTED, RULE)
ON_SCREEN = ("#7478C4", "#D55E00", "#7A7A7A", "#8A8A8A", "#8A8A8A55")
"""A bar's ink, leak, limit, guessing and rail; on a screen they are seen on a light ground and on a dark one."""
STRIP = 64
"""Height of a bar on page one, which is printed small."""
PIECE = re.compile(r"(?:[^\s\u2E80-\uFFEF]+|[\u30A1-\u30FF]+|[\u2E80-\uFFEF])[、。）」』，．：；]*\s*")
"""What stays on one line of a name: a word, or one sign of a script that is written without spaces."""
SHADES = ("#F3F3F3", "#D9E4EE", "#B4CCE0", "#86AECB", "#4F87AF")
"""From no gain to much; the number stands in every field."""


def _svg(height: float, alt: str, ground: str) -> Tree.Element:
    root = Tree.Element(
        "svg",
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {WIDTH} {height:g}",
        width=f"{WIDTH}",
        height=f"{height:g}",
        role="img",
    )
    Tree.SubElement(root, "title").text = visible(alt)
    Tree.SubElement(root, "rect", width=f"{WIDTH}", height=f"{height:g}", fill=ground)
    return root


def _text(
    root: Tree.Element, x: float, y: float, text: str, *, size: float = 12, anchor: str = "start", fill: str = INK
) -> None:
    attributes = {"x": f"{x:.1f}", "y": f"{y:.1f}", "font-size": f"{size:g}", "font-family": FONT, "fill": fill}
    halo = {"stroke": "#FFFFFF", "stroke-width": "3", "stroke-linejoin": "round", "paint-order": "stroke"}
    plain = {} if fill == "#FFFFFF" else halo
    Tree.SubElement(root, "text", {**attributes, **plain, "text-anchor": anchor}).text = visible(text)


def _line(root: Tree.Element, ends: Sequence[float], *, stroke: str = RULE, width: float = 1, dash: str = "") -> None:
    x1, y1, x2, y2 = (f"{end:.1f}" for end in ends)
    attributes = {"x1": x1, "y1": y1, "x2": x2, "y2": y2, "stroke": stroke, "stroke-width": f"{width:g}"}
    Tree.SubElement(root, "line", {**attributes, "stroke-dasharray": dash} if dash else attributes)


def _mark(root: Tree.Element, x: float, y: float, shape: str, fill: str) -> None:
    outlines = {
        "▲": [(0, -6), (6, 5), (-6, 5)],
        "◆": [(0, -6), (6, 0), (0, 6), (-6, 0)],
        "■": [(-5, -5), (5, -5), (5, 5), (-5, 5)],
    }
    if shape in outlines:
        points = " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in outlines[shape])
        Tree.SubElement(root, "polygon", points=points, fill=fill)
        return
    attributes = {"cx": f"{x:.1f}", "cy": f"{y:.1f}", "r": "5", "fill": "#FFFFFF", "stroke": fill, "stroke-width": "2"}
    Tree.SubElement(root, "circle", attributes)


def intervals(chart: Chart, limit: float | None = None, *, ground: str = "none") -> str:
    """Values with their intervals beside their names, one line each, and over them guessing and the limit."""
    head = BARE if chart.guess is None else HEAD
    names = max([VALUES, *(_wide(chart.label(bar.estimate)) * VALUE_SIZE + SIDE for bar in chart.bars)])
    room = NAMES - names - SIDE
    rows = [max(ROW, NEXT * len(wrapped(bar.who, room)) + GAP) for bar in chart.bars]
    height = head + sum(rows) + FOOT
    root = _svg(height, descriptions.of_intervals(chart, limit), ground)
    start, end = _range(chart)

    def x_of(value: float) -> float:
        share = (min(max(value, start), end) - start) / (end - start)
        return NAMES + share * (WIDTH - SIDE - NAMES)

    bottom = height - FOOT
    _axis(root, x_of, start, end, bottom, chart)
    if chart.guess is not None:
        _line(root, (x_of(chart.guess), HEAD - 6, x_of(chart.guess), bottom), stroke=MUTED, dash="2 3")
        _text(root, x_of(chart.guess) - 4, HEAD - 10, say("guessing"), size=11, anchor="end", fill=MUTED)
    if limit is not None and chart.guess is not None and start <= limit <= end:
        _line(root, (x_of(limit), HEAD - 6, x_of(limit), bottom), stroke=LIMIT, width=1.6, dash="7 3")
        _text(root, x_of(limit) + 4, HEAD - 10, say("limit {limit:.2f}", limit=limit), size=11)
    for place, bar in enumerate(chart.bars):
        line = head + sum(rows[:place]) + rows[place] / 2
        shape, colour = _shape(bar, chart.guess)
        _text(root, 0, line + 4, chart.label(bar.estimate), size=11)
        _name(root, names, line + 4, bar.who, room)
        _line(root, (x_of(bar.estimate.low), line, x_of(bar.estimate.high), line), stroke=colour, width=2.2)
        for tip in (bar.estimate.low, bar.estimate.high):
            _line(root, (x_of(tip), line - 4, x_of(tip), line + 4), stroke=colour, width=2.2)
        _mark(root, x_of(bar.estimate.value), line, shape, colour)
    return _done(root)


def bar(measured: Measured, limit: float | None, *, on_screen: bool = False) -> str:
    """One measurement from guessing to the most there can be: interval, value, guessing (dotted) and limit (solid)."""
    root, value = _svg(STRIP, texts.shown(measured.strongest), "none"), measured.strongest
    ink, leak, bound, guessing, rail = ON_SCREEN if on_screen else ON_PAPER
    scale = SCALES[measured.scale]
    start = min([scale.low, measured.guess] + ([] if value is None else [value.low]))

    def x_of(number: float) -> float:
        return EDGE + min(max((number - start) / (scale.high - start), 0.0), 1.0) * (WIDTH - 2 * EDGE)

    middle = STRIP / 2
    _line(root, (EDGE, middle, WIDTH - EDGE, middle), stroke=rail, width=5)
    _line(root, (x_of(measured.guess), 4, x_of(measured.guess), STRIP - 4), stroke=guessing, width=5, dash="5 5")
    if limit is not None:
        _line(root, (x_of(limit), 0, x_of(limit), STRIP), stroke=bound, width=7)
    if value is not None:
        above = value.low > (measured.guess if limit is None else limit)
        colour = leak if above else ink
        _line(root, (x_of(value.low), middle, x_of(value.high), middle), stroke=colour, width=12)
        attributes = {
            "cx": f"{x_of(value.value):.1f}",
            "cy": f"{middle:g}",
            "r": "15",
            "stroke": colour,
            "stroke-width": "7",
        }
        Tree.SubElement(root, "circle", {**attributes, "fill": colour if above else "#FFFFFF"})
    return _done(root)


def _name(root: Tree.Element, x: float, y: float, text: str, room: float, *, anchor: str = "start") -> None:
    """A name in as many lines as it takes, whose middle stands at that height."""
    lines = wrapped(text, room)
    for place, line in enumerate(lines):
        _text(root, x, y + NEXT * (place - (len(lines) - 1) / 2), line, size=10, anchor=anchor)


def wrapped(text: str, room: float) -> list[str]:
    """A name in lines that fit into so many units of the drawing, three at most; the whole one stands in the tables."""
    lines = [""]
    for piece in PIECE.findall(" ".join(text.split())):
        if lines[-1] and len(lines) < LINES and _wide((lines[-1] + piece).rstrip()) > room:
            lines.append("")
        lines[-1] += piece
    return [_cut(line.rstrip(), room) for line in lines if line]


def _cut(text: str, room: float) -> str:
    """The text, or as much of it as fits before a mark of omission."""
    if _wide(text) <= room:
        return text
    while text and _wide(f"{text}…") > room:
        text = text[:-1]
    return f"{text.rstrip()}…"


def _wide(text: str) -> float:
    """About how wide a name is drawn; rather too wide than too narrow."""
    return sum(10.0 if ord(sign) > 0x2E7F else 5.4 for sign in visible(text))


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
    lows = [bar.estimate.low for bar in chart.bars]
    highs = [bar.estimate.high for bar in chart.bars]
    start = min(chart.ends[0], math.floor(min(lows, default=0.0) * 10) / 10)
    end = max(chart.ends[1], math.ceil(max(highs, default=1.0) * 10) / 10)
    if chart.guess is None and start == 0:
        return start, next((top for top in TOPS if max(highs, default=1.0) <= top), end)
    return start, end


def _axis(root: Tree.Element, x_of: object, start: float, end: float, bottom: float, chart: Chart) -> None:
    assert callable(x_of)
    _line(root, (x_of(start), bottom, x_of(end), bottom), stroke=MUTED)
    digits = 1 if end - start >= 0.5 else 2
    unit = 10**-digits
    steps = round((end - start) / unit)
    every = next(each for each in (1, 2, 4, 5) if steps <= 6 * each or each == 5)
    for step in range(0, steps + 1, every if digits == 2 else min(every, 2)):
        x = x_of(start + step * unit)
        _line(root, (x, bottom, x, bottom + 5), stroke=MUTED)
        _text(root, x, bottom + 18, _tick(start + step * unit, digits, chart), size=11, anchor="middle", fill=MUTED)
    _text(root, x_of((start + end) / 2), bottom + 36, chart.axis, size=11, anchor="middle", fill=MUTED)


def _tick(value: float, digits: int, chart: Chart) -> str:
    return wording.percent(value) if chart.as_shares else f"{value:.{digits}f}"


def heatmap(grid: Grid, *, ground: str = "none") -> str:
    """What is gained for each secret and known set: a shade, the number, and ▲ where a leak is shown."""
    gutter, cell = 170, 34
    height = 96 + cell * len(grid.rows)
    root = _svg(height, descriptions.of_grid(grid), ground)
    wide = (WIDTH - gutter - SIDE) / max(len(grid.columns), 1)
    for by, name in enumerate(grid.columns):
        _name(root, gutter + (by + 0.5) * wide, 36, name, wide - 6, anchor="middle")
    for index, name in enumerate(grid.rows):
        y = 52 + index * cell
        _name(root, gutter - 8, y + 20, name, gutter - 12, anchor="end")
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
            _text(root, x + wide / 2, y + 21, written, anchor="middle", fill="#FFFFFF" if dark else INK)
    _text(
        root, gutter, height - 14, say("gain over the baseline; ▲ a leak about members is shown"), size=11, fill=MUTED
    )
    return _done(root)


def _shade(value: float) -> str:
    return SHADES[min(max(int(value * 10), 0), len(SHADES) - 1)]


def frontier(tried: Frontier, *, ground: str = "none") -> str:
    """Usefulness to the right, members found upwards: the lower right is better on both counts."""
    height, left, bottom, top = 340, 60, 290, 24
    root = _svg(height, descriptions.of_frontier(tried), ground)
    useful = [spot.usefulness for spot in tried.spots]
    start, end = min(useful), max(useful)
    pad = max((end - start) * 0.15, 0.01)
    start, end = start - pad, end + pad
    most = max([spot.hits.high for spot in tried.spots] + [tried.guess]) or 1.0

    def place(x: float, y: float) -> tuple[float, float]:
        across = left + (x - start) / (end - start) * (WIDTH - left - SIDE)
        return across, bottom - y / most * (bottom - top)

    _line(root, (left, bottom, WIDTH - SIDE, bottom), stroke=MUTED)
    _line(root, (left, top, left, bottom), stroke=MUTED)
    for step in range(5):
        share, value = step / 4 * most, start + step / 4 * (end - start)
        _text(root, left - 8, place(start, share)[1] + 4, f"{share:.2f}", size=11, anchor="end", fill=MUTED)
        _text(root, place(value, 0)[0], bottom + 18, f"{value:.2f}", size=11, anchor="middle", fill=MUTED)
    _text(root, WIDTH / 2, bottom + 38, say("usefulness (1 is best)"), size=11, anchor="middle", fill=MUTED)
    _text(root, left, 14, say("share of named rows that were in (best attacker)"), size=11, fill=MUTED)
    guess = place(start, tried.guess)[1]
    _line(root, (left, guess, WIDTH - SIDE, guess), stroke=MUTED, dash="2 3")
    _text(root, WIDTH - SIDE, guess - 5, say("guessing"), size=11, anchor="end", fill=MUTED)
    taken: list[tuple[float, float]] = []
    for spot in sorted(tried.spots, key=lambda candidate: -candidate.hits.value):
        x, y = place(spot.usefulness, spot.hits.value)
        colour = ABOVE if spot.is_uploaded else BASELINE if spot.is_beaten else CONTROL
        _line(root, (x, place(0, spot.hits.low)[1], x, place(0, spot.hits.high)[1]), stroke=colour, width=1.6)
        _mark(root, x, y, "▲" if spot.is_uploaded else "○" if spot.is_beaten else "◆", colour)
        right = x < WIDTH * 0.6
        beside = _free(taken, x, y + 4)
        anchor, shift = ("start", 10) if right else ("end", -10)
        room = WIDTH - SIDE - x - shift if right else x + shift - left
        _text(root, x + shift, beside, _cut(spot.who, room), size=10, anchor=anchor)
    return _done(root)


def _free(taken: list[tuple[float, float]], x: float, y: float) -> float:
    """A height at which no label of a near spot stands yet."""
    while any(abs(x - other) < 260 and abs(y - height) < 14 for other, height in taken):
        y += 14
    taken.append((x, y))
    return y


def _done(root: Tree.Element) -> str:
    return Tree.tostring(root, encoding="unicode")
