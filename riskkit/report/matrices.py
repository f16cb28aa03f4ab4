"""A matrix of counts as SVG: a shade, the count under its sign, and its interval where the field is wide enough."""

from __future__ import annotations

from xml.etree import ElementTree as Tree

from riskkit.core import Estimate
from riskkit.language import say
from riskkit.report import strokes
from riskkit.report.strokes import INK, MUTED, RULE, SIDE, WIDTH
from riskkit.show import in_words
from riskkit.show.matrix import FEWER, MORE, CountMatrix

GUTTER, HEAD, CELL, FOOT = 170, 52, 40, 34
"""Left of the fields, above them, the height of one, and below them."""
WIDE = 62
"""A field that is narrower has no room for an interval, which stands in the table."""
MORES = ("#F3F3F3", "#F6E3D6", "#EFC7AC", "#E7A97F")
FEWERS = ("#F3F3F3", "#DCE7F0", "#BCD3E5", "#9CBFDA")
"""From what guessing finds to everything, and to nothing; the count stands in every field."""


def matrix(plot: CountMatrix, *, ground: str = "none") -> str:
    """Every count of every row, with the most of each row behind a line; ▲ and ▽ are no matter of guessing."""
    height = HEAD + CELL * len(plot.rows) + FOOT
    root = strokes.svg(height, in_words.of_matrix(plot), ground)
    wide = (WIDTH - GUTTER - SIDE) / len(plot.heads)
    for place, head in enumerate(plot.heads):
        strokes.name(root, GUTTER + (place + 0.5) * wide, HEAD / 2 - 4, head, wide - 4, anchor="middle")
    for index, row in enumerate(plot.rows):
        y = HEAD + index * CELL
        strokes.name(root, GUTTER - 8, y + CELL / 2 + 2, row.who, GUTTER - 12, anchor="end")
        for place, count in enumerate((*row.counts, row.best)):
            _field(root, plot, count, (GUTTER + place * wide, y), wide)
    border = GUTTER + len(plot.columns) * wide - 1
    strokes.line(root, (border, HEAD - 6, border, HEAD + CELL * len(plot.rows)), stroke=INK, width=1.6)
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
    strokes.write(root, 0, height - 10, meaning, size=11, fill=MUTED)
    return strokes.done(root)


def _field(
    root: Tree.Element, plot: CountMatrix, count: Estimate | None, corner: tuple[float, float], wide: float
) -> None:
    x, y = corner
    attributes = {"x": f"{x:.1f}", "y": f"{y:g}", "width": f"{wide - 2:.1f}", "height": f"{CELL - 2}"}
    Tree.SubElement(root, "rect", {**attributes, "fill": _shade(plot, count), "stroke": RULE})
    middle = x + wide / 2 - 1
    if count is None:
        strokes.write(root, middle, y + CELL / 2 + 4, "–", anchor="middle")
        return
    signed = " ".join(filter(None, (plot.sign(count), f"{count.value:.4g}")))
    has_room = wide >= WIDE
    strokes.write(root, middle, y + (16 if has_room else CELL / 2 + 4), signed, anchor="middle")
    if has_room:
        strokes.write(root, middle, y + 30, f"[{count.low:.1f}, {count.high:.1f}]", size=9, anchor="middle")


def _shade(plot: CountMatrix, count: Estimate | None) -> str:
    """Darker the further a count is from guessing."""
    if count is None:
        return "#FFFFFF"
    is_more = count.value >= plot.guess
    most = plot.most - plot.guess if is_more else plot.guess
    share = abs(count.value - plot.guess) / most if most > 0 else 0.0
    shades = MORES if is_more else FEWERS
    return shades[min(int(share * len(shades)), len(shades) - 1)]
