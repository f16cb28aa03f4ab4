"""Pictures in rows for a page: intervals, and marks beside guesses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import plotly.graph_objects as go

from riskkit import wording
from riskkit.core import Estimate
from riskkit.figures.canvas import (
    CEILING,
    CHANCE,
    CONTROL,
    GRID,
    IN,
    INK,
    KEY,
    LINES,
    LONG,
    OUT,
    REAL,
    SYNTHETIC,
    TITLE,
    empty,
    guides,
    in_lines,
    in_rows,
    label,
    row_lines,
)
from riskkit.language import say
from riskkit.report.plots import axis_ends, wrap
from riskkit.show.blocks import Dots, Series
from riskkit.show.model import Bar, Chart

LANE = 40
"""Pixels of a row of marks without a label over it."""
WIDE = 60
"""Pixels of such a row in which several things stand."""
LETTERS = 22
"""Letters of the name of a row, or of a point."""
LINE, MARK, PLANTED, GAP = 17, 30, 20, 14
"""Pixels of a line over a mark, of the mark with its interval, of the planted leak below it, and between groups."""
BESIDE = 11
"""Pixels that a line beside a mark reaches up and down from it."""
OVER = {"y": 1, "yref": "paper", "yanchor": "bottom", "showarrow": False}
"""Where a word over such a picture stands."""
AXIS, UNDER = 73, 56
"""Pixels above such a picture and of its axis, without the title of that; and of a key."""
BELOW = -0.24
"""Where in its row a guess is drawn, below what was measured."""
COMPARED = ("circle", "diamond", "square")
LOOKS = {
    "members": ("circle", IN),
    "others": ("circle-open", OUT),
    "baseline": ("square", CHANCE),
    "ceiling": ("diamond", CEILING),
    "control": ("diamond", CONTROL),
    "before": ("circle-open", INK),
    "after": ("diamond", LINES[1][0]),
    "above": ("triangle-up", INK),
    "": ("circle-open", INK),
}
"""Shape and colour of what is measured, by its role: either says which one it is by itself."""
THROUGH = {"baseline": "dot", "ceiling": "dash"}
"""What is beside all other marks too, and the dash of its line."""
Known = Sequence[tuple[str, float, Estimate]]
"""The rows in which something has a number: name, height, and the number."""


def intervals(chart: Chart) -> go.Figure:
    """A line for each thing that was measured, under its number and its name, beside guessing.

    What it reaches on the planted leak stands below it; baseline and ceiling run on beside all others.
    """
    labels, marks, height = _places(chart)
    planted = [
        (mark - PLANTED, replace(bar, estimate=bar.control))
        for bar, mark in zip(chart.bars, marks, strict=True)
        if bar.control
    ]
    below = AXIS + LINE * len(wrap(chart.axis, TITLE)) + (UNDER if planted else 0)
    drawn = empty(chart.sentence, height=height + below)
    shapes: list[dict[str, Any]] = []
    by_colour: dict[str, list[tuple[str, float, Bar]]] = {}
    for bar, mark in zip(chart.bars, marks, strict=True):
        reach = {"low": -BESIDE - (PLANTED if bar.control else 0), "high": BESIDE}
        guess = chart.guess_of(bar)
        if guess is not None:
            shapes += guides(guess, [mark], {"color": CHANCE, "width": 1}, **reach)
        role = chart.role(bar)
        symbol, colour = LOOKS[role]
        by_colour.setdefault(colour, []).append((symbol, mark, bar))
        if bar.limit is not None:
            shapes += guides(bar.limit, [mark], {"color": INK, "width": 1.5, "dash": "dot"}, **reach)
        if role in THROUGH:
            line = {"color": colour, "width": 1.5, "dash": THROUGH[role]}
            alike = [
                place for place, other in zip(marks, chart.bars, strict=True) if chart.guess_of(other) is chart.guess
            ]
            shapes += guides(bar.estimate.value, alike, line, -BESIDE, BESIDE)
    for colour, known in by_colour.items():
        name = say("this release") if planted else ""
        _marks(drawn, chart, [(mark, bar) for _, mark, bar in known], colour, [symbol for symbol, *_ in known], name)
    if planted:
        _marks(drawn, chart, planted, CONTROL, ["diamond"] * len(planted), say("planted leak"))
        drawn.update_layout(legend={**KEY, "y": 0, "yanchor": "bottom", "yref": "container"}, margin={"b": 100})
    shared = {"x": 0, "xref": "paper", "xanchor": "left", "yanchor": "top", "showarrow": False, "align": "left"}
    texts: list[dict[str, Any]] = []
    if chart.guess:  # of differences 0 is none, as their axis says
        texts.append({"x": chart.guess, **OVER, "text": say("guessing")})
    texts += [{**shared, "y": height, "text": text} for height, text in labels]
    is_told = any(bar.kind == "held" for bar in chart.bars)  # then ▲ is more than that, which the caption says
    if "above" in map(chart.role, chart.bars) and not is_told:
        text = say("▲ better than guessing") if chart.guess else say("▲ more than chance explains")
        texts.append({"x": 1, "xref": "paper", "xanchor": "right", **OVER, "text": text})
    if chart.luck is not None:
        ground = {"fillcolor": GRID, "line": {"width": 0}, "layer": "below"}
        least, most = chart.luck
        middle, line = (least + most) / 2, {"color": CHANCE, "width": 1}
        field = {"y0": 0, "y1": 1, "yref": "paper"}
        shapes.append({"type": "rect", "x0": least, "x1": most, **field, **ground})
        shapes.append({"type": "line", "x0": middle, "x1": middle, **field, "line": line, "layer": "below"})
        texts.append({"x": middle, **OVER, "text": say("guessing {number:,.0f}", number=middle)})
        texts.append({"x": most, **OVER, "xanchor": "left", "text": say("leak from {number:,.0f}", number=most)})
    low, high = axis_ends(chart)
    slack = 0.02 * (high - low)
    drawn.update_layout(annotations=texts, shapes=shapes)  # one by one, each would copy all before it
    ticks = {"tickformat": "~%"} if chart.as_shares else {}
    drawn.update_xaxes(title=label(chart.axis, LONG), range=[low - slack, high + slack], **ticks)
    drawn.update_yaxes(visible=False, range=[-height, 0])
    return drawn


def _places(chart: Chart) -> tuple[list[tuple[float, str]], list[float], int]:
    """Where the lines over each mark begin, and those; where the marks stand; and the height of all, in pixels."""
    labels: list[tuple[float, str]] = []
    marks: list[float] = []
    place = 0.0
    for about, bar in chart.headed():
        lines = [*in_lines(about), *row_lines(chart.label(bar), bar.who)]
        place -= GAP if about and marks else 0
        labels.append((place, "<br>".join(lines)))
        marks.append(place - LINE * len(lines) - MARK / 2)
        place = marks[-1] - MARK / 2 - (PLANTED if bar.control else 0)
    return labels, marks, -round(place)


def _marks(
    figure: go.Figure,
    chart: Chart,
    rows: Sequence[tuple[float, Bar]],
    colour: str,
    symbols: Sequence[str],
    name: str,
) -> None:
    """The marks of one colour with their intervals; in the key only where they have a name."""
    in_rows(
        figure,
        [(bar.name, height, bar.estimate) for height, bar in rows],
        colour,
        symbols,
        12,
        error_x={} if any(bar.estimate.low < bar.estimate.high for _, bar in rows) else {"width": 0},
        name=name or None,
        customdata=[[label(bar.name, LONG), chart.label(bar), bar.estimate.n] for _, bar in rows],
        meta=[say("What"), None, "N"],
        hovertemplate="%{customdata[0]}<br>%{customdata[1]}<br>N = %{customdata[2]:,}<extra></extra>",
        showlegend=bool(name),
    )


def dots(plot: Dots) -> go.Figure:
    """Rows of marks: what is measured with its interval and a bar from 0, guesses below it, things compared between."""
    heights = [float(height) for height in range(len(plot.rows), 0, -1)]
    if plot.is_exact:
        return _exact(plot, heights)
    compared = [series for series in plot.series if series.kind == "compared"]
    drawn = empty(plot.sentence, height=(WIDE if compared else LANE) * len(plot.rows) + 130)
    for series in plot.series:
        known = [
            (row, height, e)
            for row, height, e in zip(plot.rows, heights, series.estimates, strict=True)
            if e is not None
        ]
        if series.kind == "measured":
            _draw_measured(drawn, plot, series, known)
        elif series.kind == "compared":
            _draw_lane(drawn, series, known, compared.index(series), len(compared))
        else:
            _draw_guess(drawn, series, known)
    _set_axes(drawn, plot, heights)
    drawn.update_layout(legend={**KEY, "y": 0, "yanchor": "bottom", "yref": "container"}, margin={"b": 100})
    return drawn


def _set_axes(drawn: go.Figure, plot: Dots, heights: Sequence[float]) -> None:
    """What is measured across, and the names of the rows."""
    ends: dict[str, Any] = {"rangemode": "tozero"}
    if plot.axis.ends is not None:
        ends = {
            "range": [plot.axis.ends[0] - 0.01, plot.axis.ends[1] + 0.02],
            "tickformat": "~%" if plot.as_shares else ".1f",
        }
    drawn.update_xaxes(title=plot.axis.title, zeroline=False, **ends)
    drawn.update_yaxes(
        tickvals=heights,
        ticktext=[f"{'▲ ' if row in plot.beaten else ''}{label(row, LETTERS)}" for row in plot.rows],
        showgrid=False,
        zeroline=False,
        range=[0.3, len(plot.rows) + 0.6],
    )


def _exact(plot: Dots, heights: Sequence[float]) -> go.Figure:
    """Marks without intervals, each in a lane of its own with its name and number beside it."""
    drawn = empty(plot.sentence, height=WIDE * len(plot.rows) + 80)
    middle = sum(plot.axis.ends or (0.0, 1.0)) / 2
    for place, series in enumerate(plot.series):
        colour, symbol = (SYNTHETIC, "circle-open") if series.kind == "measured" else (REAL, "diamond")
        lane = ((len(plot.series) - 1) / 2 - place) * 0.7 / len(plot.series)
        known = [(height + lane, e) for height, e in zip(heights, series.estimates, strict=True) if e is not None]
        drawn.add_scatter(
            x=[e.value for _, e in known],
            y=[height for height, _ in known],
            mode="markers+text",
            marker={"symbol": symbol, "size": 10, "color": colour, "line": {"width": 2, "color": colour}},
            text=[f"{'  '}{series.who} {plot.label(e)}{'  '}" for _, e in known],
            textposition=["middle left" if e.value > middle else "middle right" for _, e in known],
            cliponaxis=False,
            hoverinfo="skip",
            showlegend=False,
        )
    _set_axes(drawn, plot, heights)
    return drawn


def _draw_measured(drawn: go.Figure, plot: Dots, series: Series, known: Known) -> None:
    in_rows(
        drawn,
        known,
        IN,
        ["triangle-up" if row in plot.beaten else "circle-open" for row, *_ in known],
        10,
        name=series.who,
        customdata=[wording.number(e) for *_, e in known],
        hovertemplate=f"{series.who}<br>%{{customdata}}<extra></extra>",
    )
    for _, height, e in known:
        box = {"x0": 0, "x1": e.value, "y0": height - 0.13, "y1": height + 0.13}
        drawn.add_shape(type="rect", **box, fillcolor=IN, opacity=0.25, line={"width": 0}, layer="below")


def _draw_guess(drawn: go.Figure, series: Series, known: Known) -> None:
    in_rows(
        drawn,
        [(row, height + BELOW, e) for row, height, e in known],
        CHANCE,
        "line-ns",
        9,
        has_ends=False,
        name=series.who,
        customdata=[wording.number(e) for *_, e in known],
        hovertemplate=f"{series.who}<br>%{{customdata}}<extra></extra>",
    )
    for _, height, e in known:
        ends = {"x0": 0, "x1": e.value, "y0": height + BELOW, "y1": height + BELOW}
        drawn.add_shape(type="line", **ends, line={"color": CHANCE, "dash": "dot", "width": 1.5})


def _draw_lane(drawn: go.Figure, series: Series, known: Known, place: int, of: int) -> None:
    """One of several alike, in a lane of its own within each row."""
    colour, _ = LINES[place % len(LINES)]
    lane = ((of - 1) / 2 - place) * 0.6 / of
    in_rows(
        drawn,
        [(row, height + lane, e) for row, height, e in known],
        colour,
        COMPARED[place % len(COMPARED)],
        11,
        edge=0,
        name=series.who,
        customdata=[[label(row), wording.number(e)] for row, _, e in known],
        hovertemplate=f"%{{customdata[0]}}: {series.who}<br>%{{customdata[1]}}<extra></extra>",
    )
