"""What every drawing of a report is made of: its ground, lines, marks, and names in as many lines as they take.

Every mark says by its shape what it says by its colour, so that a drawing can be read in grey.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree as Tree

from riskkit.report.printable import visible

FONT = "Noto Sans CJK JP, DejaVu Sans Mono, sans-serif"
INK, MUTED, RULE = "#222222", "#595959", "#C8C8C8"
ABOVE, CONTROL, BASELINE, LIMIT = "#B34E00", "#00704F", "#6B6B6B", "#111111"
WIDTH, SIDE, NEXT = 640, 14, 12
"""Of a drawing; what is left free beside it; from a line of a name to its next."""
LINES = 3
"""Lines of a name at most."""
PIECE = re.compile(r"(?:[^\s\u2E80-\uFFEF]+|[\u30A1-\u30FF]+|[\u2E80-\uFFEF])[、。）」』，．：；]*\s*")
"""What stays on one line of a name: a word, or one sign of a script that is written without spaces."""


def svg(height: float, alt: str, ground: str) -> Tree.Element:
    """The empty drawing; ``alt`` has its numbers."""
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


def write(
    root: Tree.Element, x: float, y: float, text: str, *, size: float = 12, anchor: str = "start", fill: str = INK
) -> None:
    """A text with a halo, so that it can be read over lines."""
    attributes = {"x": f"{x:.1f}", "y": f"{y:.1f}", "font-size": f"{size:g}", "font-family": FONT, "fill": fill}
    halo = {"stroke": "#FFFFFF", "stroke-width": "3", "stroke-linejoin": "round", "paint-order": "stroke"}
    plain = {} if fill == "#FFFFFF" else halo
    Tree.SubElement(root, "text", {**attributes, **plain, "text-anchor": anchor}).text = visible(text)


def line(root: Tree.Element, ends: Sequence[float], *, stroke: str = RULE, width: float = 1, dash: str = "") -> None:
    """A straight line between two places."""
    x1, y1, x2, y2 = (f"{end:.1f}" for end in ends)
    attributes = {"x1": x1, "y1": y1, "x2": x2, "y2": y2, "stroke": stroke, "stroke-width": f"{width:g}"}
    Tree.SubElement(root, "line", {**attributes, "stroke-dasharray": dash} if dash else attributes)


def path(root: Tree.Element, places: Sequence[tuple[float, float]], stroke: str, dash: str) -> None:
    """A line through these places."""
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    attributes = {"points": points, "fill": "none", "stroke": stroke, "stroke-width": "1.6"}
    Tree.SubElement(root, "polyline", {**attributes, "stroke-dasharray": dash} if dash else attributes)


def mark(root: Tree.Element, x: float, y: float, shape: str, fill: str) -> None:
    """▲, ◆ or ■ filled, anything else a circle."""
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


def name(root: Tree.Element, x: float, y: float, text: str, room: float, *, anchor: str = "start") -> None:
    """A name in as many lines as it takes, whose middle stands at that height."""
    lines = wrapped(text, room)
    for place, line in enumerate(lines):
        write(root, x, y + NEXT * (place - (len(lines) - 1) / 2), line, size=10, anchor=anchor)


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


def done(root: Tree.Element) -> str:
    """The drawing as it is written."""
    return Tree.tostring(root, encoding="unicode")
