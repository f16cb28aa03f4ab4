"""The picture of two runs beside each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import plotly.graph_objects as go

from riskkit import wording
from riskkit.audit.report_facts import titles
from riskkit.figures.rows import intervals
from riskkit.language import say
from riskkit.report import compare, labels
from riskkit.report.compare import Pair
from riskkit.show.model import Bar, Chart
from riskkit.show.pairs import twins
from riskkit.wording import shorten

ROWS = 12
"""Numbers that are drawn; where there are more, those that differ most."""
NAME = 110
"""Letters of what a number is about."""
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
    guess, title = compare.reference(question, name), compare.title(question, name)
    runs = say("Run {letter}", letter="A"), say("Run {letter}", letter="B")
    bars: list[Bar] = []
    for pair in shown:
        what = shorten(about(pair) or title, NAME)
        bars += twins(f"{what} ({say('apart')})" if pair.is_apart else what, runs, (pair.left, pair.right))
    ends = [end for bar in bars for end in (bar.estimate.low, bar.estimate.high)] + ([] if guess is None else [guess])
    axis = say("{title}, with intervals", title=title)
    return intervals(Chart(_finding(question, shown, len(pairs)), axis, tuple(bars), guess, (min(ends), max(ends))))


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
