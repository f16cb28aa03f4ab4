"""The ground, lines, marks and texts that every drawing of a report is made of, as SVG by the standard library alone.

Every mark says by its shape what it says by its colour, so that a drawing can be read in grey.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from xml.etree import ElementTree as Tree

from riskkit.report.printable import visible

FONT = "Noto Sans CJK JP, DejaVu Sans Mono, sans-serif"
INK, MUTED, RULE = "#222222", "#595959", "#C8C8C8"
ABOVE, CONTROL, BASELINE, LIMIT = "#B34E00", "#00704F", "#6B6B6B", "#111111"
WIDTH, SIDE, NEXT = 640, 14, 12
"""Of a drawing; what is left free beside it; from a line of a name to its next."""
LEFT, TOP, BOTTOM, HEIGHT = 60, 30, 270, 322
"""Of a drawing between two axes: where these end, and its whole height without a key."""
KEY = 18
"""Height of a line of the key."""
LINES = 3
"""Lines of a name at most."""
PIECE = re.compile(r"(?:[^\s\u2E80-\uFFEF]+|[\u30A1-\u30FF]+|[\u2E80-\uFFEF])[、。）」』，．：；]*\s*")
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
        lines = wrapped(text, room)
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
        """▲, ◆ or ■ filled, anything else a circle."""
        if shape in OUTLINES:
            points = " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in OUTLINES[shape])
            Tree.SubElement(self.root, "polygon", points=points, fill=fill)
        else:
            self.circle(x, y, 5, 2, "#FFFFFF", fill)

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


def wrapped(text: str, room: float) -> list[str]:
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
