"""Two releases on one axis, question by question."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from riskkit import wording
from riskkit.core import Estimate
from riskkit.dashboard.charts.canvas import CHANCE, INK, LINES, empty, error_bars, guide, label_rows
from riskkit.language import say
from riskkit.show.paired import Twins

TWIN = 76
"""Pixels of a question with the marks of two releases."""
SIDES = (("A", "circle-open", INK, 0.08), ("B", "diamond", LINES[1][0], -0.16))
"""Letter, shape and colour of the two releases, and how far above the middle of its row each is drawn."""


def twins(chart: Twins) -> go.Figure:
    """Two releases on one axis: A above B for each question, beside guessing and the limit of that question."""
    heights = list(range(len(chart.twins), 0, -1))
    figure = empty(chart.sentence, height=TWIN * len(chart.twins) + 110)
    guide(figure, chart.guess, heights, {"color": CHANCE, "width": 1}, low=-0.32, high=0.2)
    for twin, height in zip(chart.twins, heights, strict=True):
        if twin.limit is not None:
            guide(figure, twin.limit, [height], {"color": INK, "width": 1.5, "dash": "dot"}, low=-0.32, high=0.2)
    label_rows(figure, [f"<b>{twin.title}</b>{_limit(twin.limit)}" for twin in chart.twins])
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
        error_x=error_bars([estimate for *_, estimate in known], colour),
        marker={"symbol": symbol, "size": 12, "color": colour, "line": {"width": 2, "color": colour}},
        customdata=[[name, wording.number(estimate), estimate.n, title] for title, _, estimate in known],
        meta=[None, None, "N", say("Question")],
        hovertemplate="%{customdata[0]}<br>%{customdata[1]}<br>N = %{customdata[2]:,}<extra></extra>",
    )
