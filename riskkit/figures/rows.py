"""Pictures in rows for a page: intervals, bars between a baseline and a ceiling, marks beside guesses, and pairs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from riskkit import wording
from riskkit.core import Estimate
from riskkit.figures.canvas import (
    CEILING,
    CHANCE,
    CONTROL,
    IN,
    INK,
    KEY,
    LINES,
    ROW,
    empty,
    guide,
    in_rows,
    label,
    label_rows,
    row_label,
    rows_height,
)
from riskkit.language import say
from riskkit.show.blocks import Dots, Series
from riskkit.show.model import Bar, Chart
from riskkit.show.paired import Twins

LANE = 40
"""Pixels of a row of marks without a label over it."""
WIDE = 60
"""Pixels of such a row in which several things stand."""
LETTERS = 22
"""Letters of the name of a row, or of a point."""
PLANTED, LOWER = -0.26, 14
"""Where in its row the planted leak is drawn, and what a row is higher for it where a label below is on two lines."""
UNDER = 56
"""Pixels of a key below such a picture."""
OVER = 9
"""Pixels by which a first label of two lines may reach over the picture; what stands there moves up so far."""
LONG = 160
"""Letters of a name that stands over its row."""
BELOW = -0.24
"""Where in its row a guess is drawn, below what was measured."""
GUESSES = ("diamond-open", "square-open", "triangle-down-open")
COMPARED = ("circle", "diamond", "square")
LOOKS = {
    "baseline": (CHANCE, "dot", "line-ns"),
    "control": (CONTROL, "solid", "diamond"),
    "members": (IN, "solid", "circle"),
    "ceiling": (CEILING, "dash", "line-ns"),
}
"""Colour, dash of the outline and sign of a bar, by its kind: each says which one it is by itself."""
PLAIN = (INK, "solid", "circle")
AROUND = 0.3
"""Half the height of a bar."""
AXIS = 80
"""Letters of the title of the axis, which may name a column."""
TWIN = 76
"""Pixels of a question with the marks of two releases."""
SIDES = (("circle-open", INK, 0.08), ("diamond", LINES[1][0], -0.16))
"""Shape and colour of two things in one row, and how far above its middle each is drawn."""
Known = Sequence[tuple[str, float, Estimate]]
"""The rows in which something has a number: name, height, and the number."""


def intervals(chart: Chart) -> go.Figure:
    """A line for each thing that was measured, with what it reaches on the planted leak below; guessing beside them."""
    heights = np.arange(len(chart.bars), 0, -1)
    labels = [row_label(chart.label(bar.estimate), label(bar.who, LONG)) for bar in chart.bars]
    rows = list(zip(chart.bars, heights.tolist(), strict=True))
    planted = [(bar.who, height + PLANTED, bar.control) for bar, height in rows if bar.control is not None]
    room = (UNDER + (LOWER * len(rows) if any("<br>" in text for text in labels) else 0)) if planted else 0
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
        _marks(figure, chart, [(bar.who, height, bar.estimate) for bar, height in own], colour, shapes, name)
    if planted:
        _marks(figure, chart, planted, CONTROL, ["diamond"] * len(planted), say("planted leak"))
        figure.update_layout(legend={**KEY, "y": -60 / (figure.layout.height - UNDER - 70)})
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
    rows: Known,
    colour: str,
    shapes: Sequence[str],
    name: str,
) -> None:
    """The marks of one kind with their intervals; in the key only where they have a name."""
    in_rows(
        figure,
        rows,
        colour,
        list(shapes),
        12,
        name=name or None,
        customdata=[[label(who, LONG), chart.label(e), e.n] for who, _, e in rows],
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
            _draw_measured(drawn, plot, series, known)
        elif series.kind == "compared":
            _draw_lane(drawn, series, known, compared.index(series), len(compared))
        else:
            shape = "line-ns" if series.kind == "constant" else GUESSES[guesses.index(series) % len(GUESSES)]
            _draw_guess(drawn, series, known, shape)
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
    drawn.update_layout(legend={**KEY, "y": 0, "yanchor": "bottom", "yref": "container"}, margin={"b": 100})
    return drawn


def _around(ends: tuple[float, float]) -> list[float]:
    return [ends[0] - 0.01, ends[1] + 0.02]


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


def _draw_guess(drawn: go.Figure, series: Series, known: Known, shape: str) -> None:
    in_rows(
        drawn,
        [(row, height + BELOW, e) for row, height, e in known],
        CHANCE,
        shape,
        9,
        has_ends=False,
        name=series.who,
        customdata=[wording.number(e) for *_, e in known],
        hovertemplate=f"{series.who}<br>%{{customdata}}<extra></extra>",
    )
    for _, height, e in known if series.kind == "constant" else ():
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


def bars(chart: Chart) -> go.Figure:
    """The bars from top to bottom; baseline and ceiling run on beside every bar, so that the others are read between.

    The name of each stands over it with its number.
    """
    figure = empty(chart.sentence, height=int(ROW * 1.25 * len(chart.bars)) + 70)
    for bar, height in zip(chart.bars, range(len(chart.bars), 0, -1), strict=True):
        colour, dash, sign = LOOKS.get(bar.kind, PLAIN)
        box = {"type": "rect", "x0": 0, "x1": bar.estimate.value, "y0": height - AROUND, "y1": height + 0.04}
        figure.add_shape(**box, fillcolor=colour, opacity=0.28, line={"width": 0}, layer="below")
        figure.add_shape(**box, line={"color": colour, "dash": dash})
        if bar.kind in ("baseline", "ceiling"):
            line, rows = {"color": colour, "width": 1.5, "dash": dash}, range(1, len(chart.bars) + 1)
            guide(figure, bar.estimate.value, rows, line, -AROUND - 0.05, 0.06)
        _point(figure, bar, height - AROUND / 2 + 0.02, colour, sign)
    label_rows(figure, [f"<b>{wording.number(bar.estimate)}</b>  {bar.who}" for bar in chart.bars], 0.08)
    low, high = chart.ends
    figure.update_xaxes(
        title=label(chart.axis, AXIS), range=[low, 1.005 * high], tickformat=".2f" if high <= 1 else "~g"
    )
    figure.update_yaxes(visible=False, range=[0.55, len(chart.bars) + 0.55])
    return figure


def _point(figure: go.Figure, bar: Bar, height: float, colour: str, sign: str) -> None:
    estimate = bar.estimate
    in_rows(
        figure,
        [(bar.who, height, estimate)],
        colour,
        sign,
        9,
        name=bar.kind or bar.who,
        customdata=[[bar.who, estimate.n]],
        meta=[say("Guess"), say("Records")],
        showlegend=False,
        error_x={"thickness": 2.5, "width": 7},
        hovertemplate=say(
            "{side}<br>{number}<br>{n:,} records<extra></extra>",
            side=bar.who,
            number=wording.number(estimate),
            n=estimate.n,
        ),
    )


def twins(chart: Twins) -> go.Figure:
    """Two releases on one axis: A above B for each question, beside guessing and the limit of that question."""
    heights = list(range(len(chart.twins), 0, -1))
    figure = empty(chart.sentence, height=TWIN * len(chart.twins) + 110)
    guide(figure, chart.guess, heights, {"color": CHANCE, "width": 1}, low=-0.32, high=0.2)
    for twin, height in zip(chart.twins, heights, strict=True):
        if twin.limit is not None:
            guide(figure, twin.limit, [height], {"color": INK, "width": 1.5, "dash": "dot"}, low=-0.32, high=0.2)
    label_rows(figure, [f"<b>{twin.title}</b>{_limit(twin.limit)}" for twin in chart.twins])
    names = say("Release {letter}", letter="A"), say("Release {letter}", letter="B")
    sides(figure, [(twin.title, twin.before, twin.after) for twin in chart.twins], names, say("Question"))
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


def sides(
    figure: go.Figure, rows: Sequence[tuple[str, Estimate | None, Estimate | None]], names: tuple[str, str], what: str
) -> None:
    """The numbers of two things of these names, the first above the other in each row; ``what`` says what rows are."""
    heights = range(len(rows), 0, -1)
    for index, (symbol, colour, above) in enumerate(SIDES):
        known = [
            (row[0], height + above, estimate)
            for height, row in zip(heights, rows, strict=True)
            if (estimate := (row[1], row[2])[index]) is not None
        ]
        in_rows(
            figure,
            known,
            colour,
            symbol,
            12,
            name=names[index],
            customdata=[[names[index], wording.number(e), e.n, row] for row, _, e in known],
            meta=[None, None, "N", what],
            hovertemplate="%{customdata[0]}<br>%{customdata[1]}<br>N = %{customdata[2]:,}<extra></extra>",
        )
