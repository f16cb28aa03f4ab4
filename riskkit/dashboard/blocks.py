"""The blocks of a view as plotly figures: what the report draws on paper, drawn for a page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from riskkit import wording
from riskkit.core import Estimate
from riskkit.dashboard import bars, maps
from riskkit.dashboard.chart_rows import guide, label_rows, row_label, rows_height
from riskkit.dashboard.charts import CHANCE, CONTROL, IN, INK, LINES, empty
from riskkit.dashboard.data_charts import label
from riskkit.language import say
from riskkit.show.blocks import Axis, Curve, Dots, Grid, Picture, Point, Points, Reference, Series
from riskkit.show.model import Chart
from riskkit.show.paired import Twins

TWIN = 76
"""Pixels of a question with the marks of two releases."""
SIDES = (("A", "circle-open", INK, 0.08), ("B", "diamond", LINES[1][0], -0.16))
"""Letter, shape and colour of the two releases, and how far above the middle of its row each is drawn."""

LANE = 40
"""Pixels of a row of marks without a label over it."""
WIDE = 60
"""Pixels of such a row in which several things stand."""
LETTERS = 22
"""Letters of the name of a row, or of a point."""
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
        case Grid():
            return maps.heatmap(picture)


def intervals(chart: Chart) -> go.Figure:
    """A line for each thing that was measured: its interval, beside guessing; baselines are grey and hollow.

    As on paper a triangle is wholly above guessing.
    """
    heights = np.arange(len(chart.bars), 0, -1)
    labels = [row_label(chart.label(bar.estimate), label(bar.who, LONG)) for bar in chart.bars]
    figure = empty(chart.sentence, height=rows_height(labels))
    if chart.guess is not None:
        guide(figure, chart.guess, heights.tolist(), {"color": CHANCE, "width": 1})
    for bar, height in zip(chart.bars, heights, strict=True):
        measured, colour = bar.estimate, CHANCE if bar.kind else INK
        is_above = chart.guess is not None and measured.low > chart.guess
        figure.add_scatter(
            x=[measured.value],
            y=[height],
            mode="markers",
            error_x={
                "type": "data",
                "symmetric": False,
                "array": [measured.high - measured.value],
                "arrayminus": [measured.value - measured.low],
                "color": colour,
            },
            marker={
                "symbol": "circle-open" if bar.kind else "triangle-up" if is_above else "circle",
                "size": 12,
                "color": colour,
            },
            customdata=[[label(bar.who, LONG), chart.label(measured), measured.n]],
            meta=[say("What"), None, "N"],
            hovertemplate="%{customdata[0]}<br>%{customdata[1]}<br>N = %{customdata[2]}<extra></extra>",
            showlegend=False,
        )
    label_rows(figure, labels)
    low, high = chart.ends
    slack = 0.02 * (high - low)
    figure.update_xaxes(title=chart.axis, range=[low - slack, high + slack])
    if chart.as_shares:
        figure.update_xaxes(tickformat=".0%")
    figure.update_yaxes(visible=False, range=[0.5, len(chart.bars) + 0.75])
    return figure


def twins(chart: Twins) -> go.Figure:
    """Two releases on one axis: A above B for each question, beside guessing and the limit of that question."""
    heights = list(range(len(chart.twins), 0, -1))
    figure = empty(chart.sentence, height=TWIN * len(chart.twins) + 110)
    guide(figure, chart.guess, heights, {"color": CHANCE, "width": 1}, low=-0.32, high=0.2)
    for twin, height in zip(chart.twins, heights, strict=True):
        if twin.limit is not None:
            guide(figure, twin.limit, [height], {"color": INK, "width": 1.5, "dash": "dot"}, low=-0.32, high=0.2)
        figure.add_annotation(
            x=0,
            xref="paper",
            xanchor="left",
            y=height + 0.24,
            yanchor="bottom",
            showarrow=False,
            text=f"<b>{twin.title}</b>{_limit(twin.limit)}",
        )
    for index, (letter, symbol, colour, above) in enumerate(SIDES):
        known = [
            (twin.title, height + above, estimate)
            for height, twin in zip(heights, chart.twins, strict=True)
            if (estimate := (twin.before, twin.after)[index]) is not None
        ]
        _of_side(figure, letter, symbol, colour, known)
    low, high = chart.ends
    slack = 0.03 * (high - low)
    figure.update_xaxes(title=chart.axis, range=[low - slack, high + slack])
    figure.update_yaxes(visible=False, range=[0.5, len(chart.twins) + 0.75])
    below = -(60 / (TWIN * len(chart.twins) + 40))
    figure.update_layout(legend={"orientation": "h", "y": below, "yanchor": "top", "x": 0})
    return figure


def _limit(limit: float | None) -> str:
    """What stands behind the title of a question with a limit."""
    return "" if limit is None else say("  ┊ limit {limit:.2f}", limit=limit)


def _of_side(
    figure: go.Figure, letter: str, symbol: str, colour: str, known: Sequence[tuple[str, float, Estimate]]
) -> None:
    """The marks of one release; ``known`` are the question of each, its height, and its number."""
    name = say("Release {letter}", letter=letter)
    figure.add_scatter(
        x=[estimate.value for *_, estimate in known],
        y=[height for _, height, _ in known],
        mode="markers",
        name=name,
        error_x={
            "type": "data",
            "symmetric": False,
            "array": [estimate.high - estimate.value for *_, estimate in known],
            "arrayminus": [estimate.value - estimate.low for *_, estimate in known],
            "color": colour,
        },
        marker={"symbol": symbol, "size": 12, "color": colour, "line": {"width": 2, "color": colour}},
        customdata=[[name, wording.number(estimate), estimate.n, title] for title, _, estimate in known],
        meta=[None, None, "N", say("Question")],
        hovertemplate="%{customdata[0]}<br>%{customdata[1]}<br>N = %{customdata[2]:,}<extra></extra>",
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


def _interval(estimates: Sequence[Estimate], colour: str) -> dict[str, Any]:
    ends = {"array": [e.high - e.value for e in estimates], "arrayminus": [e.value - e.low for e in estimates]}
    return {"type": "data", "symmetric": False, "color": colour, **ends}


def _measured(drawn: go.Figure, plot: Dots, series: Series, known: Known) -> None:
    drawn.add_scatter(
        x=[e.value for *_, e in known],
        y=[height for _, height, _ in known],
        mode="markers",
        name=series.who,
        error_x=_interval([e for *_, e in known], IN),
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
        error_x=_interval([e for *_, e in known], colour),
        marker={"color": colour, "size": 11, "symbol": COMPARED[place % len(COMPARED)]},
        customdata=[[label(row), wording.number(e)] for row, _, e in known],
        hovertemplate=f"%{{customdata[0]}}: {series.who}<br>%{{customdata[1]}}<extra></extra>",
    )


def curve(plot: Curve) -> go.Figure:
    """A line for each thing that was measured, with the interval of each of its points."""
    drawn = empty(plot.sentence, height=400)
    for place, line in enumerate(plot.lines):
        colour, dash = LINES[place % len(LINES)]
        drawn.add_scatter(
            x=list(line.at),
            y=[e.value for e in line.estimates],
            mode="lines+markers",
            name=line.who,
            line={"color": colour, "dash": dash},
            error_y=_interval(line.estimates, colour),
            customdata=[wording.number(e) for e in line.estimates],
            hovertemplate=say("%{{x:,}} {unit}<br>%{{customdata}}<extra></extra>", unit=plot.unit),
        )
    _reference(drawn, plot.reference)
    ticks = {"tickvals": list(plot.places), "ticktext": [f"{place:,}" for place in plot.places]}
    drawn.update_xaxes(title=plot.across.title, type="log", **ticks)
    drawn.update_yaxes(title=plot.up.title, range=_up_to(plot.up, 1.02))
    drawn.update_layout(legend={**LEGEND, "y": -0.2})
    return drawn


def _up_to(axis: Axis, more: float) -> list[float] | None:
    return None if axis.ends is None else [axis.ends[0], more * axis.ends[1]]


def _reference(drawn: go.Figure, reference: Reference | None) -> None:
    if reference is None:
        return
    drawn.add_hline(reference.value, line={"color": CHANCE, "dash": "dot", "width": 2})
    drawn.add_annotation(
        x=0,
        xref="paper",
        xanchor="left",
        y=reference.value,
        yanchor="top",
        showarrow=False,
        text=reference.label,
    )


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
        error_x={**_interval([point.across for point in own], colour), **thin} if plot.is_measured_across else None,
        error_y={**_interval([point.up for point in own], colour), **thin},
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
