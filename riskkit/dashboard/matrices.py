"""A matrix of counts: a shade for how far each is from guessing, with its interval in the field."""

from __future__ import annotations

import textwrap

import numpy as np
import plotly.graph_objects as go

from riskkit.core import Estimate
from riskkit.dashboard.charts import IN, INK, OUT, empty
from riskkit.dashboard.data_charts import label
from riskkit.language import say
from riskkit.show.blocks import CountMatrix, CountRow
from riskkit.wording import both_ends

CELL, LETTERS, ACROSS = 58, 20, 12
"""Pixels of one row; letters in a line of the axis of rows, and of that of columns."""
LINES, DEEP = 3, 7
"""Lines of a name of a row, and of a column, at most."""
MANY, WIDER = 5, 15
"""From so many columns a phone turns their names: they have two lines of so many letters, or would cover each other."""
LONG = 160
"""Letters of a name that hovering says."""


def matrix(plot: CountMatrix) -> go.Figure:
    """Every count (across) of every row, with the most of each row at the right.

    The neutral colour is what guessing finds. A triangle up marks more than guessing explains, one down fewer.
    """
    grid = [(*row.counts, row.best) for row in plot.rows]
    figure = empty(plot.sentence, height=CELL * len(plot.rows) + 150)
    figure.add_heatmap(
        x=list(range(len(plot.heads))),
        y=list(range(len(plot.rows))),
        z=[[np.nan if count is None else count.value for count in row] for row in grid],
        zmin=2 * plot.guess - plot.most,
        zmax=plot.most,
        colorscale=[[0, OUT], [0.5, "#ECECE8"], [1, IN]],
        text=[[_field(plot, count) for count in row] for row in grid],
        texttemplate="%{text}",
        customdata=[
            [_hover(plot, row, place, count) for place, count in enumerate(counts)]
            for row, counts in zip(plot.rows, grid, strict=True)
        ],
        hovertemplate="%{customdata}<extra></extra>",
        xgap=2,
        ygap=2,
        showscale=False,
    )
    figure.add_vline(len(plot.columns) - 0.5, line={"color": INK, "width": 2})
    plain = {"showgrid": False, "zeroline": False}
    letters, lines = (WIDER, 2) if len(plot.heads) >= MANY else (ACROSS, DEEP)
    columns = [_in_lines(name, letters, lines) for name in plot.columns]
    figure.update_xaxes(
        title=plot.across,
        tickvals=list(range(len(plot.heads))),
        ticktext=[*columns, f"<b>{plot.heads[-1]}</b>"],
        side="top",
        **plain,
    )
    rows = [_row(row) for row in plot.rows]
    figure.update_yaxes(tickvals=list(range(len(rows))), ticktext=rows, autorange="reversed", **plain)
    return figure


def _row(row: CountRow) -> str:
    """What stands beside a row; heavy where it is the reader's own."""
    name = _in_lines(row.who, LETTERS, LINES)
    return f"<b>{name}</b>" if row.is_own else name


def _in_lines(text: str, letters: int, most: int) -> str:
    """A name of an axis in so short lines; where they are too many, the last one keeps the end of the name."""
    lines = textwrap.wrap(text, letters)
    shown = [*lines[: most - 1], both_ends(" ".join(lines[most - 1 :]), letters)]
    return "<br>".join(label(line, letters) for line in shown if line)


def _field(plot: CountMatrix, count: Estimate | None) -> str:
    """A count under its sign, on three lines, to be read on a phone."""
    if count is None:
        return "–"
    return f"{plot.signed(count)}<br>[{count.low:.1f},<br>{count.high:.1f}]"


def _hover(plot: CountMatrix, row: CountRow, place: int, count: Estimate | None) -> str:
    """Whose count it is, the count, and guessing."""
    is_best = place == len(plot.columns)
    who = say("{best}, the best, allowing for all attackers", best=row.by) if is_best else plot.columns[place]
    status = say("was not run")
    if count is not None:
        status = say(
            "{value} [{low}, {high}] of {most:,.4g}",
            value=f"{count.value:.4g}",
            low=f"{count.low:.1f}",
            high=f"{count.high:.1f}",
            most=plot.most,
        )
    return say(
        "{anonymiser}<br>{attacker}<br>{told}<br>guessing {guessing}",
        anonymiser=label(row.who, LONG),
        attacker=label(who, LONG),
        told=status,
        guessing=f"{plot.guess:.1f}",
    )
