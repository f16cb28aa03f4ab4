"""The picture of two runs beside each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import plotly.graph_objects as go

from riskkit import wording
from riskkit.audit.reporting import titles
from riskkit.figures.canvas import CHANCE, empty, guide, label, label_rows
from riskkit.figures.rows import sides
from riskkit.language import say
from riskkit.report import compare, labels
from riskkit.report.compare import Pair
from riskkit.wording import shorten

ROWS = 12
"""Numbers that are drawn; where there are more, those that differ most."""
ROW, NAME = 64, 110
"""Pixels of one number with its two intervals, and letters of what it is about."""
LABELS = (*labels.ABOUT, "fpr")
"""Labels of a number that have words."""


def drawn_pairs(pairs: Sequence[Pair]) -> list[Pair]:
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
    shown = drawn_pairs(pairs)
    name = shown[0].name
    figure = empty(_finding(question, shown, len(pairs)), height=ROW * len(shown) + 90)
    guess = compare.reference(question, name)
    if guess is not None:
        guide(figure, guess, range(1, len(shown) + 1), {"color": CHANCE, "width": 1}, high=0.22)
        figure.add_annotation(x=guess, y=1, yref="paper", yanchor="bottom", text=say("guessing"), showarrow=False)
    names = [label(about(pair) or compare.title(question, name), NAME) for pair in shown]
    runs = say("Run {letter}", letter="A"), say("Run {letter}", letter="B")
    sides(figure, [(name, pair.left, pair.right) for name, pair in zip(names, shown, strict=True)], runs, say("What"))
    apart = f"  <b>{say('apart')}</b>"
    label_rows(
        figure, [f"{name}{apart if pair.is_apart else ''}" for name, pair in zip(names, shown, strict=True)], 0.26
    )
    figure.update_xaxes(title=say("{title}, with intervals", title=compare.title(question, name)))
    figure.update_yaxes(visible=False, range=[0.5, len(shown) + 0.8])
    figure.update_layout(legend={"orientation": "h", "y": -0.12 - 0.2 / len(shown), "yanchor": "top", "x": 0})
    return figure


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
    named = f" ({shorten(whose, NAME)})" if whose and len(shown) > 1 else ""
    numbers = say("{left} against {right}", left=wording.number(furthest.left), right=wording.number(furthest.right))
    return say(
        "{name}{about} is {which}: {numbers}{more}", name=name, about=named, which=which, numbers=numbers, more=more
    )
