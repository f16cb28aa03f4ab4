"""The blocks of a view as plotly figures: what the report draws on paper, drawn for a page."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from riskkit import wording
from riskkit.core import Estimate
from riskkit.dashboard import bars, frontiers, maps, matrices, roc_figures, score_charts
from riskkit.dashboard.chart_rows import error_bars, guide, label_rows, row_label, rows_height
from riskkit.dashboard.charts import CHANCE, CONTROL, IN, INK, LINES, empty, level
from riskkit.dashboard.data_charts import label
from riskkit.language import say
from riskkit.show.blocks import (
    Axis,
    CountMatrix,
    Curve,
    Distribution,
    Dots,
    Frontier,
    Grid,
    Line,
    Picture,
    Point,
    Points,
    Reference,
    RocCurve,
    Series,
    Swarm,
)
from riskkit.show.model import Chart

LANE = 40
"""Pixels of a row of marks without a label over it."""
WIDE = 60
"""Pixels of such a row in which several things stand."""
LETTERS = 22
"""Letters of the name of a row, or of a point."""
PLANTED, LOWER = -0.26, 14
"""Where in its row the planted leak is drawn, and what a row is higher for it where a label below is on two lines."""
KEY = 56
"""Pixels of a key below such a picture."""
OVER = 9
"""Pixels by which a first label of two lines may reach over the picture; what stands there moves up so far."""
LONG = 160
"""Letters of a name that stands over its row."""
BELOW = -0.24
"""Where in its row a guess is drawn, below what was measured."""
GUESSES = ("diamond-open", "square-open", "triangle-down-open")
COMPARED = ("circle", "diamond", "square")
KINDS = {
    "above": (INK, "triangle-up"),
    "": (INK, "circle-open"),
    "leak": (IN, "triangle-up"),
    "stopped": (CONTROL, "circle-open"),
}
"""Colour and shape of a point, by its kind."""
LEGEND = {"orientation": "h", "yanchor": "top", "x": 0}


def figure(picture: Picture) -> go.Figure:
    """That block as a figure."""
    match picture:
        case Chart():
            return bars.bars(picture) if picture.as_bars else intervals(picture)
        case Dots():
            return dots(picture)
        case Curve():
            return curve(picture)
        case Points():
            return points(picture)
        case RocCurve():
            return roc_figures.roc(picture)
        case Distribution():
            return roc_figures.spread(picture)
        case Swarm():
            return score_charts.swarm(picture)
        case Grid():
            return maps.heatmap(picture)
        case CountMatrix():
            return matrices.matrix(picture)
        case Frontier():
            return frontiers.frontier(picture)


def intervals(chart: Chart) -> go.Figure:
    """A line for each thing that was measured, with what it reaches on the planted leak below; guessing beside them."""
    heights = np.arange(len(chart.bars), 0, -1)
    labels = [row_label(chart.label(bar.estimate), label(bar.who, LONG)) for bar in chart.bars]
    rows = list(zip(chart.bars, heights.tolist(), strict=True))
    planted = [(bar.who, bar.control, height + PLANTED) for bar, height in rows if bar.control is not None]
    room = (KEY + (LOWER * len(rows) if any("<br>" in text for text in labels) else 0)) if planted else 0
    figure = empty(chart.sentence, height=rows_height(labels) + room)
    if chart.guess is not None:
        guide(figure, chart.guess, heights.tolist(), {"color": CHANCE, "width": 1})
    if chart.guess:  # of differences 0 is none, as their axis says
        clear = OVER if "<br>" in labels[0] else 0
        over = {"y": 1, "yref": "paper", "yanchor": "bottom", "yshift": clear}
        figure.add_annotation(x=chart.guess, **over, text=say("chance"), showarrow=False)
    for kind in dict.fromkeys(bar.kind for bar in chart.bars):
        own = [(bar, height) for bar, height in rows if bar.kind == kind]
        colour, shapes = _look(kind, [bar.estimate for bar, _ in own], chart.guess)
        name = say("this release") if planted else ""
        _marks(figure, chart, [(bar.who, bar.estimate, height) for bar, height in own], colour, shapes, name)
    if planted:
        _marks(figure, chart, planted, CONTROL, ["diamond"] * len(planted), say("planted leak"))
        figure.update_layout(legend={**LEGEND, "y": -60 / (figure.layout.height - KEY - 70)})
    label_rows(figure, labels)
    low, high = chart.ends
    slack = 0.02 * (high - low)
    figure.update_xaxes(title=chart.axis, range=[low - slack, high + slack])
    if chart.as_shares:
        figure.update_xaxes(tickformat=".0%")
    figure.update_yaxes(visible=False, range=[0.5, len(chart.bars) + 0.75])
    return figure


def _look(kind: str, estimates: Sequence[Estimate], guess: float | None) -> tuple[str, list[str]]:
    """Colour and shapes of bars of a kind; a triangle lies wholly above guessing."""
    if kind == "control":
        return CONTROL, ["diamond"] * len(estimates)
    if kind not in ("", "other"):
        return CHANCE, ["circle-open"] * len(estimates)
    colour = CHANCE if kind else INK
    if guess is None:
        return colour, ["circle"] * len(estimates)
    return colour, ["triangle-up" if e.low > guess else "circle-open" for e in estimates]


def _marks(
    figure: go.Figure,
    chart: Chart,
    rows: Sequence[tuple[str, Estimate, float]],
    colour: str,
    shapes: Sequence[str],
    name: str,
) -> None:
    """The marks of one kind with their intervals; in the key only where they have a name."""
    figure.add_scatter(
        x=[e.value for _, e, _ in rows],
        y=[height for *_, height in rows],
        mode="markers",
        name=name or None,
        error_x=error_bars([e for _, e, _ in rows], colour),
        marker={"symbol": list(shapes), "size": 12, "color": colour, "line": {"width": 2, "color": colour}},
        customdata=[[label(who, LONG), chart.label(e), e.n] for who, e, _ in rows],
        meta=[say("What"), None, "N"],
        hovertemplate="%{customdata[0]}<br>%{customdata[1]}<br>N = %{customdata[2]:,}<extra></extra>",
        showlegend=bool(name),
    )


def dots(plot: Dots) -> go.Figure:
    """Rows of marks: what is measured with its interval and a bar from 0, guesses below it, things compared between."""
    heights = [float(height) for height in range(len(plot.rows), 0, -1)]
    guesses = [series for series in plot.series if series.kind == "guess"]
    compared = [series for series in plot.series if series.kind == "compared"]
    drawn = empty(plot.sentence, height=(WIDE if compared else LANE) * len(plot.rows) + 130)
    for series in plot.series:
        known = [
            (row, height, e)
            for row, height, e in zip(plot.rows, heights, series.estimates, strict=True)
            if e is not None
        ]
        if series.kind == "measured":
            _measured(drawn, plot, series, known)
        elif series.kind == "compared":
            _compared(drawn, series, known, compared.index(series), len(compared))
        else:
            shape = "line-ns" if series.kind == "constant" else GUESSES[guesses.index(series) % len(GUESSES)]
            _guessed(drawn, series, known, shape)
    ends = (
        {"rangemode": "tozero"} if plot.axis.ends is None else {"range": _around(plot.axis.ends), "tickformat": ".1f"}
    )
    drawn.update_xaxes(title=plot.axis.title, zeroline=False, **ends)
    drawn.update_yaxes(
        tickvals=heights,
        ticktext=[f"{'▲ ' if row in plot.beaten else ''}{label(row, LETTERS)}" for row in plot.rows],
        showgrid=False,
        zeroline=False,
        range=[0.3, len(plot.rows) + 0.6],
    )
    drawn.update_layout(legend={**LEGEND, "y": 0, "yanchor": "bottom", "yref": "container"}, margin={"b": 100})
    return drawn


Known = Sequence[tuple[str, float, Estimate]]
"""The rows in which something has a number: name, height, and the number."""


def _around(ends: tuple[float, float]) -> list[float]:
    return [ends[0] - 0.01, ends[1] + 0.02]


def _measured(drawn: go.Figure, plot: Dots, series: Series, known: Known) -> None:
    drawn.add_scatter(
        x=[e.value for *_, e in known],
        y=[height for _, height, _ in known],
        mode="markers",
        name=series.who,
        error_x=error_bars([e for *_, e in known], IN),
        marker={
            "symbol": ["triangle-up" if row in plot.beaten else "circle-open" for row, *_ in known],
            "size": 10,
            "color": IN,
            "line": {"width": 2, "color": IN},
        },
        customdata=[wording.number(e) for *_, e in known],
        hovertemplate=f"{series.who}<br>%{{customdata}}<extra></extra>",
    )
    for _, height, e in known:
        box = {"x0": 0, "x1": e.value, "y0": height - 0.13, "y1": height + 0.13}
        drawn.add_shape(type="rect", **box, fillcolor=IN, opacity=0.25, line={"width": 0}, layer="below")


def _guessed(drawn: go.Figure, series: Series, known: Known, shape: str) -> None:
    drawn.add_scatter(
        x=[e.value for *_, e in known],
        y=[height + BELOW for _, height, _ in known],
        mode="markers",
        name=series.who,
        marker={"symbol": shape, "size": 9, "color": CHANCE, "line": {"width": 2, "color": CHANCE}},
        customdata=[wording.number(e) for *_, e in known],
        hovertemplate=f"{series.who}<br>%{{customdata}}<extra></extra>",
    )
    for _, height, e in known if series.kind == "constant" else ():
        ends = {"x0": 0, "x1": e.value, "y0": height + BELOW, "y1": height + BELOW}
        drawn.add_shape(type="line", **ends, line={"color": CHANCE, "dash": "dot", "width": 1.5})


def _compared(drawn: go.Figure, series: Series, known: Known, place: int, of: int) -> None:
    """One of several alike, in a lane of its own within each row."""
    colour, _ = LINES[place % len(LINES)]
    lane = ((of - 1) / 2 - place) * 0.6 / of
    drawn.add_scatter(
        x=[e.value for *_, e in known],
        y=[height + lane for _, height, _ in known],
        mode="markers",
        name=series.who,
        error_x=error_bars([e for *_, e in known], colour),
        marker={"color": colour, "size": 11, "symbol": COMPARED[place % len(COMPARED)]},
        customdata=[[label(row), wording.number(e)] for row, _, e in known],
        hovertemplate=f"%{{customdata[0]}}: {series.who}<br>%{{customdata[1]}}<extra></extra>",
    )


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
        drawn.add_vline(plot.chosen, line={"color": CHANCE, "width": 1.5, "dash": "dash"})
        drawn.add_annotation(x=plot.chosen, y=1, yref="paper", yanchor="bottom", text=say("chosen"), showarrow=False)
    ticks = {"tickvals": list(plot.named), "ticktext": [plot.name(place) for place in plot.named]}
    drawn.update_xaxes(title=plot.across.title, type="linear" if plot.names else "log", **ticks)
    drawn.update_yaxes(title=plot.up.title, range=_up_to(plot.up, 1.02))
    drawn.update_layout(legend={**LEGEND, "y": -0.2})
    return drawn


def _band(drawn: go.Figure, line: Line, colour: str) -> None:
    """The intervals of a line, shaded from place to place."""
    shade = {"mode": "lines", "line": {"width": 0}, "hoverinfo": "skip"}
    level, fill = line.estimates[0].level, roc_figures.faint(colour)
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
    places = _beside_points(plot)
    for colour in dict.fromkeys(KINDS[point.kind][0] for point in plot.points):
        own = [pair for pair in zip(plot.points, places, strict=True) if KINDS[pair[0].kind][0] == colour]
        _pointed(drawn, plot, [point for point, _ in own], [place for _, place in own], colour)
    _reference(drawn, plot.reference)
    across, up = [p.across.value for p in plot.points], [p.up.high for p in plot.points]
    drawn.update_xaxes(title=plot.across.title, range=_up_to(plot.across, 1.08) or _with_room(across, 1.15))
    drawn.update_yaxes(title=plot.up.title, range=_up_to(plot.up, 1.08) or _with_room(up, 1.12))
    return drawn


def _pointed(drawn: go.Figure, plot: Points, own: Sequence[Point], places: Sequence[str], colour: str) -> None:
    thin = {"thickness": 1} if plot.is_measured_across else {}
    drawn.add_scatter(
        x=[point.across.value for point in own],
        y=[point.up.value for point in own],
        mode="markers+text",
        text=[label(point.who, LETTERS) for point in own],
        textposition=list(places),
        marker={
            "color": colour,
            "symbol": [KINDS[point.kind][1] for point in own],
            "size": 11,
            "line": {"width": 2, "color": colour},
        },
        error_x={**error_bars([point.across for point in own], colour), **thin} if plot.is_measured_across else None,
        error_y={**error_bars([point.up for point in own], colour), **thin},
        customdata=[[*point.about, label(point.who)] for point in own],
        meta=[*(None for _ in own[0].about), plot.what],
        hovertemplate="<br>".join(["%{text}", *(f"%{{customdata[{place}]}}" for place in range(len(own[0].about)))])
        + "<extra></extra>",
        showlegend=False,
    )


def _with_room(values: Sequence[float], more: float) -> list[float]:
    """From a little below 0 to beyond the highest; errors of rounding alone lie on the ground."""
    top = max([0.1, *values])
    return [-0.08 * top, more * top]


def _beside_points(plot: Points) -> list[str]:
    """Where each name stands: on the side where there is room, where the ends are fixed; else by turns."""
    if plot.across.ends is not None:
        middle = sum(plot.across.ends) / 2
        return [
            f"{'top' if place else 'bottom'} {'left' if point.across.value > middle else 'right'}"
            for place, point in enumerate(plot.points)
        ]
    turns = ("top center", "bottom center", "middle right", "middle left")
    order = sorted(range(len(plot.points)), key=lambda place: plot.points[place].across.value)
    taken = {place: turns[turn % len(turns)] for turn, place in enumerate(order)}
    return [taken[place] for place in range(len(plot.points))]
