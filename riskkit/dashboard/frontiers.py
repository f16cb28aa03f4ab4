"""Usefulness against protection: every release as a spot, with a line through those that no other beats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from riskkit import wording
from riskkit.core import Estimate
from riskkit.dashboard.chart_rows import error_bars
from riskkit.dashboard.charts import CHANCE, IN, INK, empty, level
from riskkit.dashboard.data_charts import label
from riskkit.language import joined, say
from riskkit.show.blocks import Frontier, Spot

LETTERS, LONG = 26, 160
"""Letters of a name beside its spot, and of one that hovering says."""
AREA, DOT, LETTER, LINE = (520, 330), 7, 7, 15
"""Pixels that names are laid out for, between a phone and a wide screen: the picture, half a spot, a letter, a line."""
BEYOND = 20
"""Pixels that plotly leaves between the outermost spots and the ends of the axis, where a name is still seen."""
Box = tuple[float, float, float, float]
"""Left, right, top and bottom."""


def frontier(plot: Frontier) -> go.Figure:
    """Every release by its usefulness and the hits of its best attacker, fewer being higher up.

    Those that another one beats are grey and hollow; releases that were handed in are large diamonds.
    """
    figure = empty(plot.sentence, height=480)
    level(figure, plot.guess, say("guessing {expected:.1f}", expected=plot.guess))
    figure.add_scatter(
        x=[spot.usefulness for spot in plot.unbeaten],
        y=[spot.hits.value for spot in plot.unbeaten],
        mode="lines",
        hoverinfo="skip",
        line={"color": INK, "width": 1.5, "dash": "dot", "shape": "vh"},
        showlegend=False,
    )
    low = min([*(spot.hits.low for spot in plot.spots), plot.guess])
    high = max([*(spot.hits.high for spot in plot.spots), plot.guess])
    room = 0.12 * max(high - low, 1.0)
    positions = _positions(plot.spots, high - low + 2 * room)
    order = sorted(range(len(plot.spots)), key=lambda place: (plot.spots[place].usefulness, plot.spots[place].who))
    for place in order:
        _spot(figure, plot.spots[place], positions.get(place))
    figure.update_xaxes(title=plot.across, tickformat="~g")
    figure.update_yaxes(title=plot.up, range=[high + room, low - room], zeroline=False)
    return figure


def _positions(spots: Sequence[Spot], hits: float) -> dict[int, str]:
    """Where the name of each spot fits without covering another name or spot; those that fit nowhere are left out.

    The releases that were handed in come first, then those that nobody beats. ``hits`` is the height of the picture.
    """
    least = min(spot.usefulness for spot in spots)
    across = max(max(spot.usefulness for spot in spots) - least, 1e-9)
    points = [((spot.usefulness - least) / across * AREA[0], spot.hits.value / hits * AREA[1]) for spot in spots]
    taken = [(x - DOT, x + DOT, y - DOT, y + DOT) for x, y in points]
    positions: dict[int, str] = {}

    def rank(place: int) -> tuple[bool, bool, float]:
        spot = spots[place]
        return not spot.is_uploaded, bool(spot.beaten), spot.usefulness

    for place in sorted(range(len(spots)), key=rank):
        x, y = points[place]
        wide = LETTER * len(_name(spots[place]))
        sides = {"right": (x + DOT, x + DOT + wide), "left": (x - DOT - wide, x - DOT)}
        for side in ("right", "left") if x < AREA[0] / 2 else ("left", "right"):
            for end, (top, bottom) in {"top": (y - DOT - LINE, y - DOT), "bottom": (y + DOT, y + DOT + LINE)}.items():
                box = (*sides[side], top, bottom)
                is_seen = box[0] >= -BEYOND and box[1] <= AREA[0] + BEYOND
                if place not in positions and is_seen and not any(_meet(box, other) for other in taken):
                    positions[place] = f"{end} {side}"
                    taken.append(box)
    return positions


def _meet(box: Box, other: Box) -> bool:
    return box[0] < other[1] and other[0] < box[1] and box[2] < other[3] and other[2] < box[3]


def _name(spot: Spot) -> str:
    return wording.both_ends(spot.who, LETTERS)


def _spot(figure: go.Figure, spot: Spot, position: str | None) -> None:
    colour = IN if spot.is_uploaded else CHANCE if spot.beaten else INK
    shape = "diamond" if spot.is_uploaded else "circle"
    reach = {} if spot.useful is None else {"error_x": _reach(spot.useful, colour)}
    name = label(_name(spot), LETTERS)
    figure.add_scatter(
        x=[spot.usefulness],
        y=[spot.hits.value],
        mode="markers+text",
        name=label(spot.who, LONG),
        text=[(f"<b>{name}</b>" if spot.is_uploaded else name) if position else ""],
        textposition=position or "top right",
        textfont={"color": colour} if spot.beaten and not spot.is_uploaded else {},
        error_y=_reach(spot.hits, colour),
        marker={
            "symbol": f"{shape}-open" if spot.beaten else shape,
            "size": 16 if spot.is_uploaded else 11,
            "color": colour,
            "line": {"width": 2, "color": colour},
        },
        hovertemplate=_hover(spot) + "<extra></extra>",
        showlegend=False,
        **reach,
    )


def _reach(estimate: Estimate, colour: str) -> dict[str, Any]:
    return {**error_bars([estimate], colour), "thickness": 1.5}


def _hover(spot: Spot) -> str:
    useful = f"{spot.usefulness:.3f}" if spot.useful is None else str(spot.useful)
    others = label(joined(spot.beaten), LONG)
    beaten = say("beaten by {others}", others=others) if spot.beaten else say("nobody beats it")
    return say(
        "{release}<br>hits {count}<br>usefulness {useful}<br>{beaten}",
        release=label(spot.who, LONG),
        count=wording.count(spot.hits),
        useful=useful,
        beaten=beaten,
    )
