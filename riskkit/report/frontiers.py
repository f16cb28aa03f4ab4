"""Usefulness against protection as SVG: the axes and their directions are those of the page."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from xml.etree import ElementTree as Tree

from riskkit import wording
from riskkit.language import say
from riskkit.report import strokes
from riskkit.report.strokes import ABOVE, BASELINE, CONTROL, MUTED, SIDE, WIDTH
from riskkit.show import in_words
from riskkit.show.frontier import Frontier, Spot

HEIGHT, LEFT, TOP, BOTTOM = 340, 60, 24, 290
"""Of the whole drawing, and the ends of its axes."""
ROOM_ACROSS, ROOM_UP = 40, 14
"""Between the ends of an axis and the outermost spots."""
BESIDE, LINE, LETTER = 10, 14, 5.4
"""From a spot to its name, from a name to the next that would cover it, and how wide a letter is."""
Scale = Callable[[float], float]


def frontier(plot: Frontier, *, ground: str = "none") -> str:
    """Usefulness to the right, fewer hits higher up: the upper right is better on both counts."""
    root = strokes.svg(HEIGHT, in_words.of_frontier(plot), ground)
    across, up = _scales(root, plot)
    strokes.write(root, LEFT, TOP - 10, plot.up, size=11, fill=MUTED)
    strokes.write(root, WIDTH / 2, BOTTOM + 38, plot.across, size=11, anchor="middle", fill=MUTED)
    strokes.line(root, (LEFT, up(plot.guess), WIDTH - SIDE, up(plot.guess)), stroke=MUTED, dash="2 3")
    guessing = say("guessing {expected:.1f}", expected=plot.guess)
    strokes.write(root, WIDTH - SIDE, up(plot.guess) - 5, guessing, size=11, anchor="end", fill=MUTED)
    best = [(across(spot.usefulness), up(spot.hits.value)) for spot in plot.unbeaten]
    corners = [corner for (x, y), (_, after) in pairwise(best) for corner in ((x, y), (x, after))]
    strokes.path(root, [*corners, *best[-1:]], MUTED, "1 3")
    taken: list[tuple[float, float]] = []
    middle = (TOP + BOTTOM) / 2
    for spot in sorted(plot.spots, key=lambda spot: abs(up(spot.hits.value) - middle), reverse=True):
        _spot(root, spot, across, up)
        x, y = across(spot.usefulness), up(spot.hits.value)
        is_left = x < WIDTH * 0.6
        room = WIDTH - SIDE - x - BESIDE if is_left else x - BESIDE - LEFT
        beside = strokes.free(taken, x, y + 4, LINE if y < middle else -LINE)
        name = spot.who if strokes.wide(spot.who) <= room else wording.both_ends(spot.who, int(room / LETTER))
        anchor, shift = ("start", BESIDE) if is_left else ("end", -BESIDE)
        strokes.write(root, x + shift, beside, name, size=10, anchor=anchor)
    return strokes.done(root)


def _scales(root: Tree.Element, plot: Frontier) -> tuple[Scale, Scale]:
    """Draw both axes with their ticks; from a usefulness, and from hits, to where they stand."""
    useful = [end for spot in plot.spots for end in _ends(spot)]
    hits = [plot.guess, *(end for spot in plot.spots for end in (spot.hits.low, spot.hits.high))]
    across = _scale(min(useful), max(useful), LEFT + ROOM_ACROSS, WIDTH - SIDE - ROOM_ACROSS)
    up = _scale(min(hits), max(hits), TOP + ROOM_UP, BOTTOM - ROOM_UP)
    strokes.line(root, (LEFT, BOTTOM, WIDTH - SIDE, BOTTOM), stroke=MUTED)
    strokes.line(root, (LEFT, TOP, LEFT, BOTTOM), stroke=MUTED)
    for step in range(5):
        value, count = (min(ends) + step / 4 * (max(ends) - min(ends)) for ends in (useful, hits))
        strokes.write(root, across(value), BOTTOM + 18, f"{value:.2f}", size=11, anchor="middle", fill=MUTED)
        strokes.write(root, LEFT - 8, up(count) + 4, f"{count:.1f}", size=11, anchor="end", fill=MUTED)
    return across, up


def _ends(spot: Spot) -> tuple[float, ...]:
    useful = spot.useful
    return (spot.usefulness,) if useful is None else (useful.low, spot.usefulness, useful.high)


def _scale(low: float, high: float, start: float, end: float) -> Scale:
    """From a value to its place; a single value stands in the middle."""
    if high <= low:
        return lambda _: (start + end) / 2
    return lambda value: start + (value - low) / (high - low) * (end - start)


def _spot(root: Tree.Element, spot: Spot, across: Scale, up: Scale) -> None:
    """The mark of a release with the intervals of its numbers: ▲ what was handed in, ○ what is beaten, ◆ the rest."""
    colour = ABOVE if spot.is_uploaded else BASELINE if spot.beaten else CONTROL
    x, y = across(spot.usefulness), up(spot.hits.value)
    strokes.line(root, (x, up(spot.hits.low), x, up(spot.hits.high)), stroke=colour, width=1.6)
    if spot.useful is not None:
        strokes.line(root, (across(spot.useful.low), y, across(spot.useful.high), y), stroke=colour, width=1.6)
    strokes.mark(root, x, y, "▲" if spot.is_uploaded else "○" if spot.beaten else "◆", colour)
