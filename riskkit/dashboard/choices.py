"""A setting that an attack chose for itself: how every value did where it chose, and on the releases that count."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from riskkit import registry, wording
from riskkit.core import Estimate
from riskkit.dashboard import charts, forms
from riskkit.dashboard.frame import plain
from riskkit.language import counted, say
from riskkit.questions.membership import choice_words
from riskkit.questions.membership.choices import Sweep
from riskkit.questions.membership.result import MembershipResult, Outcome

EVERY = 4
"""So many values have one label between them on the axis, next to the first, the last and the chosen one."""


def show(result: MembershipResult, game: Sequence[Outcome]) -> None:
    """The choices of the attacks of that game, each as a picture and what must be said beside it."""
    for place, swept in enumerate(result.sweeps or ()):
        if any(dict(outcome.labels) == dict(swept.labels) for outcome in game):
            called = _called(swept)
            st.markdown(say("**A setting that the attack chose: {called}**", called=plain(called)))
            st.caption(plain(forms.named("attacks", swept.labels["attack"])))
            charts.show(sweep(swept, called), f"membership.choice.{place}")
            st.caption(plain(f"{_apart(swept)} {choice_words.hindsight(swept, called)}"))


def _called(swept: Sweep) -> str:
    """What the form calls the setting."""
    plugin = type(registry.parse("attacks", swept.labels["attack"]))
    return next(say(setting.label) for setting in registry.settings(plugin) if setting.name == swept.setting)


def _apart(swept: Sweep) -> str:
    if not swept.own:
        return say(
            "It chose on fewer than 5 releases of its own on each side, too few for a number; none of them counts "
            "in the result."
        )
    return say(
        "It chose on {releases} of its own, each from a training of its own; none of them counts in the result.",
        releases=counted(swept.own[0].n, "{n:,} release", "{n:,} releases"),
    )


def sweep(swept: Sweep, called: str) -> go.Figure:
    """Right answers under every value: dashed on the attack's own releases, solid with its interval on the counted."""
    figure = charts.empty(choice_words.sentence(swept, called), height=340)
    places = list(range(len(swept.values)))
    figure.add_hline(0.5, line={"color": charts.CHANCE, "width": 1})
    ends = {"mode": "lines", "line": {"width": 0}, "hoverinfo": "skip"}
    figure.add_scatter(x=places, y=[e.low for e in swept.counted], showlegend=False, **ends)
    figure.add_scatter(
        x=places,
        y=[e.high for e in swept.counted],
        fill="tonexty",
        fillcolor="rgba(116,120,196,0.2)",
        name=say("{level:.0%} interval, value by value", level=swept.counted[0].level),
        **ends,
    )
    if swept.own:
        figure.add_scatter(**_line(swept, swept.own, called), name=say("on its own releases"), line=_dashed())
    figure.add_scatter(
        **_line(swept, swept.counted, called),
        name=say("on the releases that count"),
        line={"color": charts.INK, "width": 2.5},
    )
    figure.add_vline(swept.at, line={"color": charts.CHANCE, "width": 1.5, "dash": "dash"})
    figure.add_annotation(x=swept.at, y=1, yref="paper", yanchor="bottom", text=say("chosen"), showarrow=False)
    labelled = [place for place in places if place % EVERY == 0 or place == places[-1]]
    texts = [f"{swept.values[place]:g}" for place in labelled]
    figure.update_xaxes(
        title=say("{called} (values in the order tried)", called=called), tickvals=labelled, ticktext=texts
    )
    figure.update_yaxes(title=say("Share of releases answered rightly"), range=[-0.01, 1.03], tickformat=".1f")
    figure.update_layout(legend={"orientation": "h", "y": -0.3, "yanchor": "top", "x": 0})
    return figure


def _dashed() -> dict[str, Any]:
    colour, dash = charts.LINES[1]
    return {"color": colour, "dash": dash, "width": 2.5}


def _line(swept: Sweep, estimates: Sequence[Estimate], called: str) -> dict[str, Any]:
    """What both lines share."""
    return {
        "x": list(range(len(estimates))),
        "y": [e.value for e in estimates],
        "mode": "lines+markers",
        "customdata": [[f"{v:g}", wording.number(e), e.n] for v, e in zip(swept.values, estimates, strict=True)],
        "meta": [called, None, say("Trainings")],
        "hovertemplate": say(
            "{called} = %{{customdata[0]}}: %{{customdata[1]}}, chance 0.50<br>%{{customdata[2]}} trainings"
            "<extra></extra>",
            called=called,
        ),
    }
