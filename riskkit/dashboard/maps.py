"""A map of gains: a shade and a number in every field."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from riskkit import wording
from riskkit.core import Estimate
from riskkit.dashboard.charts import IN, OUT, empty
from riskkit.dashboard.data_charts import label
from riskkit.language import say
from riskkit.show.blocks import Grid

LETTERS, LONG = 22, 160
"""Of a name on an axis, and of what hovering says."""
CELL = 46
"""Pixels of one row."""


def heatmap(grid: Grid) -> go.Figure:
    """Every field with its gain: 0 is in the middle of the colours, a triangle marks a field, a dash is no number."""
    figure = empty(grid.sentence, height=CELL * len(grid.rows) + 110)
    value = np.array([[np.nan if cell is None else cell.value for cell in row] for row in grid.cells])
    top = max(float(np.nanmax(np.abs(value), initial=0.0, where=np.isfinite(value))), 0.02)
    places = [(row, column) for row in range(len(grid.rows)) for column in range(len(grid.columns))]
    texts, hovers = np.empty(value.shape, dtype=object), np.empty(value.shape, dtype=object)
    for place in places:
        texts[place], hovers[place] = _field(grid, *place), _hover(grid, *place)
    figure.add_heatmap(
        x=list(range(len(grid.columns))),
        y=list(range(len(grid.rows))),
        z=value,
        zmin=-top,
        zmax=top,
        colorscale=[[0, OUT], [0.5, "#ECECE8"], [1, IN]],
        text=texts.tolist(),
        texttemplate="%{text}",
        customdata=hovers.tolist(),
        hovertemplate="%{customdata}<extra></extra>",
        xgap=2,
        ygap=2,
        colorbar={"title": {"text": grid.title, "side": "right"}, "thickness": 10, "tickformat": "+.2f"},
    )
    plain = {"showgrid": False, "zeroline": False}
    columns = [label(name, LETTERS) for name in grid.columns]
    figure.update_xaxes(title=grid.across, tickvals=list(range(len(columns))), ticktext=columns, side="top", **plain)
    rows = [label(name, LETTERS) for name in grid.rows]
    figure.update_yaxes(tickvals=list(range(len(rows))), ticktext=rows, autorange="reversed", **plain)
    return figure


def _field(grid: Grid, row: int, column: int) -> str:
    estimate = grid.cells[row][column]
    if estimate is None:
        return "–"
    number = f"{estimate.value:+.2f}".replace("-0.00", "0.00").replace("+0.00", "0.00")
    return f"{'▲ ' if grid.marked[row][column] else ''}{number}"


def _hover(grid: Grid, row: int, column: int) -> str:
    about = label(grid.about[row][column], LONG)
    return "<br>".join(filter(None, (label(grid.rows[row]), about, _number(grid.cells[row][column]))))


def _number(estimate: Estimate | None) -> str:
    if estimate is None:
        return say("no number")
    return say("{number}, {n:,} records", number=wording.number(estimate), n=estimate.n)
