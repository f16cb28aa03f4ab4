"""The blocks of a finding as plotly figures: what the report draws on paper, drawn for a page."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from riskkit import wording
from riskkit.dashboard.charts import CHANCE, INK, ROW, empty
from riskkit.show.model import Chart


def intervals(chart: Chart) -> go.Figure:
    """A line for each thing that was measured: its interval, beside guessing; baselines are grey and hollow."""
    at = np.arange(len(chart.bars), 0, -1)
    figure = empty(chart.sentence, height=ROW * len(chart.bars) + 70)
    if chart.guess is not None:
        figure.add_vline(chart.guess, line={"color": CHANCE, "width": 1})
    for bar, height in zip(chart.bars, at, strict=True):
        measured, colour = bar.estimate, CHANCE if bar.kind else INK
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
            marker={"symbol": "circle-open" if bar.kind else "circle", "size": 12, "color": colour},
            customdata=[[bar.who, wording.number(measured), measured.n]],
            hovertemplate="%{customdata[0]}<br>%{customdata[1]}<br>N = %{customdata[2]}<extra></extra>",
            showlegend=False,
        )
        figure.add_annotation(
            x=0,
            xref="paper",
            xanchor="left",
            y=height + 0.24,
            yanchor="bottom",
            showarrow=False,
            text=f"<b>{wording.number(measured)}</b>  {bar.who}",
        )
    low, high = chart.ends
    slack = 0.02 * (high - low)
    figure.update_xaxes(title=chart.axis, range=[low - slack, high + slack])
    figure.update_yaxes(visible=False, range=[0.5, len(chart.bars) + 0.75])
    return figure
