"""ROC curves, and how values are spread, as plotly figures: blocks of a view, drawn for a page."""

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np
import plotly.graph_objects as go

from riskkit.dashboard.chart_rows import error_bars
from riskkit.dashboard.charts import CHANCE, IN, INK, LEGEND, LINES, OUT, empty
from riskkit.language import say
from riskkit.show.blocks import Distribution, Reference, RocCurve

BELOW = {"orientation": "h", "yanchor": "top", "x": 0}
"""A key below its picture."""


def roc(curve: RocCurve) -> go.Figure:
    """A line for each thing beside chance, with the intervals of what is named at some shares of false alarms."""
    start, more = curve.start, (curve.band is not None) + (curve.most is not None)
    drawn = empty(curve.sentence, height=430 + 40 * more)
    chance = np.geomspace(start, 1, 50) if curve.is_log else np.array([0.0, 1.0])
    drawn.add_scatter(
        x=chance, y=chance, mode="lines", line={"color": CHANCE, "width": 1}, name=say("chance"), hoverinfo="skip"
    )
    _band(drawn, curve)
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
    drawn.update_layout(legend={**BELOW, "y": -0.2 if curve.band is None else -0.3})
    return drawn


def _band(drawn: go.Figure, curve: RocCurve) -> None:
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


def faint(colour: str) -> str:
    """That colour as a ground behind lines."""
    red, green, blue = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.2)"


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
        drawn.add_scatter(
            x=[*plot.edges, plot.edges[-1]],
            y=[*shares, shares[-1], 0.0],
            mode="lines",
            line={"color": IN if is_in else OUT, "dash": "solid" if is_in else "dash", "width": 2, "shape": "hv"},
            name=who,
            hovertemplate="%{y:.1%}<extra></extra>",
        )
    ends = {"rangemode": "tozero"} if plot.across.ends is None else {"range": list(plot.across.ends)}
    drawn.update_xaxes(title=plot.across.title, tickformat="~g", **ends)
    drawn.update_yaxes(title=plot.up.title, tickformat="~%", rangemode="tozero")
    if plot.cut is not None:
        cut(drawn, plot.cut)
    drawn.update_layout(legend={**BELOW, "y": -0.2})
    return drawn


def cut(drawn: go.Figure, reference: Reference) -> None:
    """From where on an attack says "in"."""
    drawn.add_vline(reference.value, line={"color": CHANCE, "width": 1.5, "dash": "dash"})
    drawn.add_annotation(x=reference.value, y=1, yref="paper", yanchor="bottom", text=reference.label, showarrow=False)
