"""The picture of two runs beside each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import plotly.graph_objects as go

from riskkit import wording
from riskkit.audit.reporting import titles
from riskkit.core import Estimate
from riskkit.dashboard.charts.canvas import CHANCE, INK, LINES, empty, error_bars, guide, label
from riskkit.language import say
from riskkit.report import compare, labels
from riskkit.report.compare import Pair
from riskkit.wording import shortened

ROWS = 12
"""Numbers that are drawn; where there are more, those that differ most."""
ROW, NAME = 64, 110
"""Pixels of one number with its two intervals, and letters of what it is about."""
LABELS = (*labels.ABOUT, "fpr")
"""Labels of a number that have words."""
SIDES = (("A", "circle", INK, 0.14), ("B", "diamond", LINES[1][0], -0.14))
"""Letter, shape and colour of the two runs, and how far above the middle of its row each is drawn."""


def drawn(pairs: Sequence[Pair]) -> list[Pair]:
    """The pairs that are drawn, in their order: those furthest apart in units of their intervals' widths."""
    if len(pairs) <= ROWS:
        return list(pairs)
    chosen = sorted(range(len(pairs)), key=lambda place: -_distance(pairs[place]))[:ROWS]
    return [pairs[place] for place in sorted(chosen)]


def _distance(pair: Pair) -> float:
    width = (pair.left.high - pair.left.low) + (pair.right.high - pair.right.low)
    return abs(pair.left.value - pair.right.value) / max(width, 1e-12)


def about(pair: Pair) -> str:
    """What a number of both runs is about, plug-ins by what people call them; empty where its name says it all."""
    words = labels.about(replace(pair.left, labels=pair.labels), titles())
    rest = [
        f"{compare.ABOUT.get(name, name.replace('_', ' '))} {text}"
        for name, text in pair.labels.items()
        if name not in LABELS
    ]
    return " · ".join([*words, *rest])


def beside(question: str, pairs: Sequence[Pair]) -> go.Figure:
    """The numbers of one measure: A above B, each with its interval, and what guessing reaches where that is known."""
    shown = drawn(pairs)
    name = shown[0].name
    figure = empty(_finding(question, shown, len(pairs)), height=ROW * len(shown) + 90)
    guess = compare.reference(question, name)
    if guess is not None:
        guide(figure, guess, range(1, len(shown) + 1), {"color": CHANCE, "width": 1}, high=0.22)
        figure.add_annotation(x=guess, y=1, yref="paper", yanchor="bottom", text=say("guessing"), showarrow=False)
    heights = list(range(len(shown), 0, -1))
    names = [label(about(pair) or compare.title(question, name), NAME) for pair in shown]
    for index, (letter, symbol, colour, above) in enumerate(SIDES):
        estimates = [(pair.left, pair.right)[index] for pair in shown]
        rows = [
            (name, height + above, estimate) for name, height, estimate in zip(names, heights, estimates, strict=True)
        ]
        _side(figure, letter, symbol, colour, rows)
    for pair, named, height in zip(shown, names, heights, strict=True):
        figure.add_annotation(
            x=0,
            xref="paper",
            xanchor="left",
            y=height + 0.26,
            yanchor="bottom",
            showarrow=False,
            text=named + (f"  <b>{say('apart')}</b>" if pair.is_apart else ""),
        )
    figure.update_xaxes(title=say("{title}, with intervals", title=compare.title(question, name)))
    figure.update_yaxes(visible=False, range=[0.5, len(shown) + 0.8])
    figure.update_layout(legend={"orientation": "h", "y": -0.12 - 0.2 / len(shown), "yanchor": "top", "x": 0})
    return figure


def _side(
    figure: go.Figure, letter: str, symbol: str, colour: str, rows: Sequence[tuple[str, float, Estimate]]
) -> None:
    """The marks of one run; ``rows`` are what each is of, its height, and its number."""
    estimates = [estimate for *_, estimate in rows]
    figure.add_scatter(
        x=[estimate.value for estimate in estimates],
        y=[height for _, height, _ in rows],
        mode="markers",
        name=say("Run {letter}", letter=letter),
        error_x=error_bars(estimates, colour),
        marker={"symbol": symbol, "size": 11, "color": colour},
        customdata=[[wording.number(estimate), estimate.n, named] for named, _, estimate in rows],
        meta=[None, "N", say("What")],
        hovertemplate=say("Run {letter}: %{{customdata[0]}}<br>N = %{{customdata[1]:,}}<extra></extra>", letter=letter),
    )


def _finding(question: str, shown: Sequence[Pair], count: int) -> str:
    name = compare.title(question, shown[0].name)
    apart = [pair for pair in shown if pair.is_apart]
    more = (
        say("; the picture shows the {shown} of {count:,} that differ most", shown=len(shown), count=count)
        if len(shown) < count
        else ""
    )
    if not apart:
        return say("{name}: the intervals of A and B overlap everywhere{more}", name=name, more=more)
    furthest = max(apart, key=_distance)
    which = say("higher in A") if furthest.left.value > furthest.right.value else say("higher in B")
    whose = about(furthest)
    named = f" ({shortened(whose, NAME)})" if whose and len(shown) > 1 else ""
    numbers = say("{left} against {right}", left=wording.number(furthest.left), right=wording.number(furthest.right))
    return say(
        "{name}{about} is {which}: {numbers}{more}", name=name, about=named, which=which, numbers=numbers, more=more
    )
