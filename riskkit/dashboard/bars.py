"""A chart of intervals as bars from 0: what the sides of one measure reach, between a baseline and a ceiling."""

from __future__ import annotations

import plotly.graph_objects as go

from riskkit import wording
from riskkit.dashboard.chart_rows import ROW, error_bars, guide
from riskkit.dashboard.charts import CEILING, CHANCE, CONTROL, IN, INK, empty
from riskkit.dashboard.data_charts import label
from riskkit.language import say
from riskkit.show.model import Bar, Chart

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
        figure.add_annotation(
            x=0,
            xref="paper",
            xanchor="left",
            y=height + 0.08,
            yanchor="bottom",
            showarrow=False,
            text=f"<b>{wording.number(bar.estimate)}</b>  {bar.who}",
        )
    low, high = chart.ends
    figure.update_xaxes(
        title=label(chart.axis, AXIS), range=[low, 1.005 * high], tickformat=".2f" if high <= 1 else "~g"
    )
    figure.update_yaxes(visible=False, range=[0.55, len(chart.bars) + 0.55])
    return figure


def _point(figure: go.Figure, bar: Bar, height: float, colour: str, sign: str) -> None:
    estimate = bar.estimate
    figure.add_scatter(
        x=[estimate.value],
        y=[height],
        mode="markers",
        name=bar.kind or bar.who,
        customdata=[[bar.who, estimate.n]],
        meta=[say("Guess"), say("Records")],
        showlegend=False,
        error_x={**error_bars([estimate], colour), "thickness": 2.5, "width": 7},
        marker={"symbol": sign, "size": 9, "color": colour, "line": {"width": 2, "color": colour}},
        hovertemplate=say(
            "{side}<br>{number}<br>{n:,} records<extra></extra>",
            side=bar.who,
            number=wording.number(estimate),
            n=estimate.n,
        ),
    )
