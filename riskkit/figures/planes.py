"""Pictures between two axes for a page: curves, named points, ROC curves, how values are spread, and frontiers."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from riskkit import wording
from riskkit.core import Estimate, Floats, Ints
from riskkit.figures.canvas import (
    CHANCE,
    CONTROL,
    IN,
    INK,
    KEY,
    LEGEND,
    LINES,
    OUT,
    SIDES,
    empty,
    error_bars,
    faint,
    guides,
    label,
    level,
)
from riskkit.language import again, joined, say
from riskkit.report.plots import wide as width_of
from riskkit.report.plots import wrap
from riskkit.show.blocks import (
    BEST_CORNER,
    Axis,
    Curve,
    Distribution,
    Frontier,
    Line,
    Point,
    Points,
    Reference,
    RocCurve,
    Spot,
    Swarm,
)

LETTERS = 22
"""Letters of the name of a point."""
BRACKETS = re.compile(r"\s*[(（][^()（）]*[)）]")
"""What a name says of itself in brackets."""
ROOM = 72
"""Pixels of a line of a name, as :func:`riskkit.report.plots.wide` counts them."""
KINDS = {
    "above": (INK, "triangle-up"),
    "": (INK, "circle-open"),
    "leak": (IN, "triangle-up"),
    "stopped": (CONTROL, "circle-open"),
}
"""Colour and shape of a point, by its kind."""
BESIDE, LONG = 40, 160
"""Letters of a name beside its spot, and of one that hovering says."""
AREA, DOT, LINE, LARGER = (230, 330), 7, 15, 1.15
"""Pixels that names are laid out for, those of a phone: the picture, half a spot, a line; and how much larger than on
paper a name is. A wide screen has more room between the same names."""
BEYOND = 15
"""Pixels that plotly leaves between the outermost spots and the ends of the axis, where a name is still seen."""
WHISKER = 5
"""Half the ends of an interval."""
Box = tuple[float, float, float, float]
"""Left, right, top and bottom."""
Mark = tuple[float, float, Sequence[Box], Sequence[str]]
"""Across and down, the intervals through it, and the lines of its name."""


def curve(plot: Curve) -> go.Figure:
    """A line for each thing that was measured, with the interval of each of its points."""
    drawn = empty(plot.sentence, height=400)
    for place, line in enumerate(plot.lines):
        colour, dash = LINES[place % len(LINES)]
        if line.intervals == "band":
            _band(drawn, line, colour)
        drawn.add_scatter(
            x=list(line.at),
            y=[e.value for e in line.estimates],
            mode="lines+markers",
            name=line.who,
            line={"color": colour, "dash": dash},
            error_y=error_bars(line.estimates, colour) if line.intervals == "bars" else None,
            customdata=[
                [plot.name(place), wording.number(e), e.n] for place, e in zip(line.at, line.estimates, strict=True)
            ],
            meta=[None, None, "N"],
            hovertemplate=say("%{{customdata[0]}} {unit}<br>%{{customdata[1]}}<extra></extra>", unit=plot.unit),
        )
    _reference(drawn, plot.reference)
    if plot.chosen is not None:
        cut(drawn, Reference(say("chosen"), plot.chosen))
    ticks = {"tickvals": list(plot.named), "ticktext": [plot.name(place) for place in plot.named]}
    drawn.update_xaxes(title=plot.across.title, type="linear" if plot.names else "log", **ticks)
    drawn.update_yaxes(title=plot.up.title, range=_up_to(plot.up, 1.02))
    drawn.update_layout(legend={**KEY, "y": -0.2})
    return drawn


def _band(drawn: go.Figure, line: Line, colour: str) -> None:
    """The intervals of a line, shaded from place to place."""
    shade = {"mode": "lines", "line": {"width": 0}, "hoverinfo": "skip"}
    level, fill = line.estimates[0].level, faint(colour)
    drawn.add_scatter(x=list(line.at), y=[e.low for e in line.estimates], showlegend=False, **shade)
    drawn.add_scatter(
        x=list(line.at),
        y=[e.high for e in line.estimates],
        fill="tonexty",
        fillcolor=fill,
        name=say("{level:.0%} interval, value by value", level=level),
        **shade,
    )


def _up_to(axis: Axis, more: float) -> list[float] | None:
    return None if axis.ends is None else [axis.ends[0], more * axis.ends[1]]


def _reference(drawn: go.Figure, reference: Reference | None) -> None:
    if reference is None:
        return
    level(drawn, reference.value, reference.label, end="left", is_above=False, dash="dot", width=2)


def points(plot: Points) -> go.Figure:
    """Named points with the intervals of their numbers; shape and colour say whether guessing is still beaten."""
    drawn = empty(plot.sentence, height=440 if plot.is_measured_across else 420)
    across = _up_to(plot.across, 1.08) or _with_room([p.across.value for p in plot.points], 1.15)
    up = _up_to(plot.up, 1.08) or _with_room([p.up.high for p in plot.points], 1.12)
    places = _beside_points(plot, across, up)
    for colour in dict.fromkeys(KINDS[point.kind][0] for point in plot.points):
        own = [pair for pair in zip(plot.points, places, strict=True) if KINDS[pair[0].kind][0] == colour]
        _draw_points(drawn, plot, [point for point, _ in own], [place for _, place in own], colour)
    _reference(drawn, plot.reference)
    drawn.update_xaxes(title=plot.across.title, range=across)
    drawn.update_yaxes(title=plot.up.title, range=up)
    return drawn


def _draw_points(drawn: go.Figure, plot: Points, own: Sequence[Point], places: Sequence[str], colour: str) -> None:
    thin = {"thickness": 1} if plot.is_measured_across else {}
    drawn.add_scatter(
        x=[point.across.value for point in own],
        y=[point.up.value for point in own],
        mode="markers+text",
        text=[
            _marked_up(_lines_of(point.who, LETTERS)) if place else "" for point, place in zip(own, places, strict=True)
        ],
        textposition=[place or "top right" for place in places],
        marker={
            "color": colour,
            "symbol": [KINDS[point.kind][1] for point in own],
            "size": 11,
            "line": {"width": 2, "color": colour},
        },
        error_x={**error_bars([point.across for point in own], colour), **thin} if plot.is_measured_across else None,
        error_y={**error_bars([point.up for point in own], colour), **thin},
        customdata=[[label(point.who), *point.about] for point in own],
        meta=[plot.what, *(None for _ in own[0].about)],
        hovertemplate="<br>".join(f"%{{customdata[{place}]}}" for place in range(1 + len(own[0].about)))
        + "<extra></extra>",
        showlegend=False,
    )


def _with_room(values: Sequence[float], more: float) -> list[float]:
    """From a little below 0 to beyond the highest; errors of rounding alone lie on the ground."""
    top = max([0.1, *values])
    return [-0.08 * top, more * top]


def _beside_points(plot: Points, across: Sequence[float], up: Sequence[float]) -> list[str]:
    """Where the name of each point fits, the one farthest to the left first; empty where it fits nowhere."""
    wide, tall = AREA[0] / (across[1] - across[0]), AREA[1] / (up[1] - up[0])
    marks: list[Mark] = []
    for point in plot.points:
        left, x, right = ((end - across[0]) * wide for end in _ends(point.across))
        bottom, y, top = ((up[1] - end) * tall for end in _ends(point.up))
        whiskers = [(x - WHISKER, x + WHISKER, top, bottom)]
        whiskers += [(left, right, y - WHISKER, y + WHISKER)] if plot.is_measured_across else []
        marks.append((x, y, whiskers, _lines_of(point.who, LETTERS)))
    places = _beside(marks, sorted(range(len(marks)), key=lambda place: marks[place][0]))
    return [places.get(place, "") for place in range(len(marks))]


def roc(curve: RocCurve) -> go.Figure:
    """A line for each thing beside chance, with the intervals of what is named at some shares of false alarms."""
    start, more = curve.start, (curve.band is not None) + (curve.most is not None)
    drawn = empty(curve.sentence, height=430 + 40 * more)
    chance = np.geomspace(start, 1, 50) if curve.is_log else np.array([0.0, 1.0])
    drawn.add_scatter(
        x=chance, y=chance, mode="lines", line={"color": CHANCE, "width": 1}, name=say("guessing"), hoverinfo="skip"
    )
    _roc_band(drawn, curve)
    _most(drawn, curve)
    for place, line in enumerate(curve.lines):
        colour, dash = LINES[place % len(LINES)]
        drawn.add_scatter(
            x=np.maximum(line.fpr, start),
            y=np.maximum(line.tpr, start),
            mode="lines",
            line={"color": colour, "dash": dash, "width": 2.5},
            name="<br>".join([*textwrap.wrap(line.who, LEGEND), *([line.about] if line.about else [])]),
            hovertemplate=say("named %{y:.1%} at %{x:.1%} false alarms<extra></extra>"),
        )
    if curve.marked:
        named = [e for _, e in curve.marked]
        less = [e.value - max(e.low, start) for e in named]
        drawn.add_scatter(
            x=[place for place, _ in curve.marked],
            y=[e.value for e in named],
            mode="markers",
            name=say("with interval"),
            error_y={**error_bars(named, INK), "arrayminus": less},
            marker={"color": INK, "size": 8, "symbol": "square"},
            hovertemplate=say("%{y:.1%} named<extra></extra>"),
        )
    kind: dict[str, Any] = {"range": [0, 1.005]}
    if curve.is_log:
        kind = {"type": "log", "range": [np.log10(start), 0.02], "tickvals": curve.ticks}
        note = say("Rates below 1 in {trainings} cannot be seen", trainings=round(1 / start))
        drawn.add_annotation(
            x=0, y=1, xref="paper", yref="paper", xanchor="left", yanchor="bottom", showarrow=False, text=note
        )
    drawn.update_xaxes(title=curve.across.title, tickformat="~g", **kind)
    drawn.update_yaxes(title=curve.up.title, tickformat="~g", **kind)
    drawn.update_layout(legend={**KEY, "y": -0.2 if curve.band is None else -0.3})
    return drawn


def _roc_band(drawn: go.Figure, curve: RocCurve) -> None:
    """The interval of one line, shaded."""
    band = curve.band
    if band is None:
        return
    shade = {"mode": "lines", "line": {"width": 0}, "hoverinfo": "skip"}
    drawn.add_scatter(x=band.fpr, y=np.maximum(band.low, curve.start), showlegend=False, **shade)
    drawn.add_scatter(
        x=band.fpr,
        y=np.maximum(band.high, curve.start),
        fill="tonexty",
        fillcolor=faint(LINES[band.line % len(LINES)][0]),
        name="<br>".join(textwrap.wrap(band.who, LEGEND)),
        **shade,
    )


def _most(drawn: go.Figure, curve: RocCurve) -> None:
    """The most that a promise allows, dashed, and what lies above it lightly shaded."""
    if curve.most is None:
        return
    shown = [(x, y) for x, y in zip(curve.most.fpr, curve.most.tpr, strict=True) if x >= curve.start]
    fpr = [x for x, _ in shown]
    drawn.add_scatter(
        x=fpr,
        y=[y for _, y in shown],
        mode="lines",
        line={"color": CHANCE, "dash": "dash", "width": 2},
        name=curve.most.who,
        hovertemplate=say("at most %{y:.0%} at %{x:.0%} false alarms<extra></extra>"),
    )
    above = {"fill": "tonexty", "fillcolor": "rgba(213,94,0,0.10)", "hoverinfo": "skip", "showlegend": False}
    drawn.add_scatter(x=fpr, y=[1.0] * len(fpr), mode="lines", line={"width": 0}, **above)


def spread(plot: Distribution) -> go.Figure:
    """How values of either side are spread, as outlines, so that neither hides the other."""
    drawn = empty(plot.sentence, height=430)
    for who, is_in, shares in plot.sides:
        colour, dash = (IN, "solid") if is_in else (OUT, "dash")
        drawn.add_scatter(
            x=[*plot.edges, plot.edges[-1]],
            y=[*shares, shares[-1], 0.0],
            mode="lines",
            line={"color": colour, "dash": dash, "width": 2, "shape": "hv"},
            name=who,
            hovertemplate="%{y:.1%}<extra></extra>",
        )
    ends = {"rangemode": "tozero"} if plot.across.ends is None else {"range": list(plot.across.ends)}
    drawn.update_xaxes(title=plot.across.title, tickformat="~g", **ends)
    drawn.update_yaxes(title=plot.up.title, tickformat="~%", rangemode="tozero")
    if plot.cut is not None:
        cut(drawn, plot.cut)
    drawn.update_layout(legend={**KEY, "y": -0.2})
    return drawn


def cut(drawn: go.Figure, reference: Reference) -> None:
    """A dashed line at that place with its label over it."""
    drawn.add_vline(reference.value, line={"color": CHANCE, "width": 1.5, "dash": "dash"})
    _name_cut(drawn, reference)


def _name_cut(drawn: go.Figure, reference: Reference) -> None:
    drawn.add_annotation(x=reference.value, y=1, yref="paper", yanchor="bottom", text=reference.label, showarrow=False)


def swarm(plot: Swarm) -> go.Figure:
    """Every value, those of one training side by side on one height; beyond the cut the attack says "in"."""
    figure = empty(plot.sentence, height=430)
    base, spans = 0, []
    for arm in sorted(plot.arms, key=lambda arm: arm.is_in):
        name, colour, symbol, glyph = next(look for side, *look in again(SIDES) if side == arm.is_in)
        values, trainings = np.array(arm.values), np.array(arm.trainings, dtype=np.int64)
        heights = base + _by_training(values, trainings)
        figure.add_scatter(
            x=values,
            y=heights,
            mode="markers",
            name=name,
            marker={"color": colour, "symbol": symbol, "size": 7, "opacity": 0.7},
            customdata=trainings,
            meta=[say("Training")],
            hovertemplate=say("{side}, training %{{customdata}}<br>score %{{x:.4g}}<extra></extra>", side=name),
            showlegend=False,
        )
        top = int(heights.max(initial=base))
        figure.add_annotation(
            x=0,
            xref="paper",
            xanchor="left",
            y=top + 0.6,
            yanchor="bottom",
            showarrow=False,
            text=f"<span style='color:{colour}'>{glyph}</span> {arm.who}",
        )
        spans.append((base, top))
        base = top + max(3, round(0.12 * len(set(arm.trainings))))
    if (reference := plot.spread.cut) is not None:  # beside the marks alone: it would strike the names through
        line = {"color": CHANCE, "width": 1.5, "dash": "dash"}
        figure.update_layout(
            shapes=[
                shape for low, high in spans for shape in guides(reference.value, [low], line, 0.5, high - low + 0.5)
            ]
        )
        _name_cut(figure, reference)
    figure.update_xaxes(title=plot.across.title, zeroline=False)
    figure.update_yaxes(title=plot.up.title, showticklabels=False, showgrid=False, zeroline=False)
    return figure


def _by_training(value: Floats, training: Ints) -> Ints:
    """The height of each release: its training's place when trainings are ordered by their mean score, from 1."""
    numbers, inverse = np.unique(training, return_inverse=True)
    means = np.bincount(inverse, weights=value) / np.bincount(inverse)
    place = np.empty(len(numbers), dtype=np.int64)
    place[np.argsort(means, kind="stable")] = np.arange(1, len(numbers) + 1)
    return place[inverse]


def frontier(plot: Frontier) -> go.Figure:
    """Every release by its usefulness and the hits of its best attacker.

    Those that another one beats are grey and hollow; releases that were handed in are large diamonds, and methods by
    which more is found than guessing finds triangles.
    """
    figure = empty(plot.sentence, height=480)
    level(figure, plot.guess, say("guessing {expected:.1f}", expected=plot.guess), end="left", is_above=False)
    low = min([*(spot.hits.low for spot in plot.spots), plot.guess])
    high = max([*(spot.hits.high for spot in plot.spots), plot.guess])
    room = 0.16 * max(high - low, 1.0)
    positions = _places(plot, high + room, low - room)
    order = sorted(range(len(plot.spots)), key=lambda place: (plot.spots[place].usefulness, plot.spots[place].who))
    for place in order:
        _spot(figure, plot.spots[place], positions.get(place), plot.guess)
    if plot.others is not None:
        top = {"yref": "paper", "yanchor": "bottom", "showarrow": False}
        figure.add_annotation(x=plot.others, y=1, **top, text=say("a table of other people is this useful"))
        line = {"color": CHANCE, "width": 1}  # no longer than a tick: it would strike through names
        figure.add_shape(type="line", x0=plot.others, x1=plot.others, y0=0.96, y1=1, yref="paper", line=line)
    figure.update_xaxes(title=plot.across, tickformat="~g")
    figure.update_yaxes(title=plot.up, range=[low - room, high + room], zeroline=False)
    best = {"x": 1, "xref": "paper", "xanchor": "right", "y": 0, "yref": "paper", "yanchor": "bottom"}
    figure.add_annotation(**best, showarrow=False, text=f"<b>{again(BEST_CORNER)} ↘</b>")
    return figure


def _places(plot: Frontier, top: float, bottom: float) -> dict[int, str]:
    """Where the name of each spot fits: of the releases that were handed in first, then of those that nobody beats.

    ``top`` and ``bottom`` are the hits at the ends of the picture.
    """
    spots = plot.spots
    least = min(spot.usefulness for spot in spots)
    wide = AREA[0] / max(max(spot.usefulness for spot in spots) - least, 1e-9)
    tall = AREA[1] / (bottom - top)
    marks: list[Mark] = []
    for spot in spots:
        x, (low, y, high) = (spot.usefulness - least) * wide, ((e - top) * tall for e in _ends(spot.hits))
        marks.append((x, y, [(x - WHISKER, x + WHISKER, high, low)], _lines_of(spot.who, BESIDE)))

    def rank(place: int) -> tuple[bool, bool, float]:
        spot = spots[place]
        return not spot.is_uploaded, bool(spot.beaten), spot.usefulness

    return _beside(marks, sorted(range(len(spots)), key=rank))


def _ends(estimate: Estimate) -> tuple[float, float, float]:
    return estimate.low, estimate.value, estimate.high


def _beside(marks: Sequence[Mark], order: Iterable[int]) -> dict[int, str]:
    """Where the name of each mark covers no other name, mark or interval; those that fit nowhere are left out."""
    taken = [(x - DOT, x + DOT, y - DOT, y + DOT) for x, y, *_ in marks]
    taken += [whisker for _, _, whiskers, _ in marks for whisker in whiskers]
    positions: dict[int, str] = {}
    for place in order:
        x, y, _, name = marks[place]
        wide, tall = LARGER * max(map(width_of, name)), LINE * len(name)
        sides = {"right": (x + DOT, x + DOT + wide), "left": (x - DOT - wide, x - DOT)}
        for side in ("right", "left") if x < AREA[0] / 2 else ("left", "right"):
            for end, (top, bottom) in {"top": (y - DOT - tall, y - DOT), "bottom": (y + DOT, y + DOT + tall)}.items():
                box = (*sides[side], top, bottom)
                is_seen = box[0] >= -BEYOND and box[1] <= AREA[0] + BEYOND and top >= 0 and bottom <= AREA[1]
                if place not in positions and is_seen and not any(_meet(box, other) for other in taken):
                    positions[place] = f"{end} {side}"
                    taken.append(box)
    return positions


def _meet(box: Box, other: Box) -> bool:
    return box[0] < other[1] and other[0] < box[1] and box[2] < other[3] and other[2] < box[3]


def _lines_of(name: str, letters: int) -> list[str]:
    """That many letters of a name in lines that a phone has room for beside a mark.

    A longer one is named without what stands in brackets, and one that still is too long from both its ends.
    """
    if len(name) > letters:
        name = BRACKETS.sub("", name) or name
    text = wording.both_ends(name, letters)
    if text != " ".join(name.split()):  # no part of a word after what is left out
        start, end = text.split("…", 1)
        text = f"{start}… {end.partition(' ')[2] or end}"
    return wrap(text, ROOM)


def _marked_up(lines: Sequence[str]) -> str:
    return "<br>".join(label(line) for line in lines)


def _spot(figure: go.Figure, spot: Spot, position: str | None, guess: float) -> None:
    colour = IN if spot.is_uploaded else CHANCE if spot.beaten else INK
    shape = "diamond" if spot.is_uploaded else "triangle-up" if spot.hits.low > guess else "circle"
    reach = {} if spot.useful is None else {"error_x": _reach(spot.useful, colour)}
    name = _marked_up(_lines_of(spot.who, BESIDE))
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
        hovertemplate=_spot_text(spot) + "<extra></extra>",
        showlegend=False,
        **reach,
    )


def _reach(estimate: Estimate, colour: str) -> dict[str, Any]:
    return {**error_bars([estimate], colour), "thickness": 1.5}


def _spot_text(spot: Spot) -> str:
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
