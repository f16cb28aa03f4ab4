"""A setting that an attack chose for itself: how every value did where it chose, and on the releases that count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from riskkit import registry, wording
from riskkit.core import Estimate
from riskkit.dashboard import charts, forms
from riskkit.dashboard.frame import plain
from riskkit.language import counted, say
from riskkit.questions.membership.choice_words import Chosen, chosen
from riskkit.questions.membership.findings import Outcome

EVERY = 4
"""So many values have one label between them on the axis, next to the first, the last and the chosen one."""


def show(result: Mapping[str, Any], one: Sequence[Outcome]) -> None:
    """The choices of the attacks of that game, each as a picture and what must be said beside it."""
    for at, found in enumerate(chosen(result)):
        if any(dict(outcome.labels) == dict(found.labels) for outcome in one):
            called = _called(found)
            st.markdown(say("**A setting that the attack chose: {called}**", called=plain(called)))
            st.caption(plain(forms.named("attacks", found.labels["attack"])))
            charts.show(sweep(found, called), f"membership.choice.{at}")
            st.caption(plain(f"{_apart(found)} {found.hindsight(called)}"))


def _called(found: Chosen) -> str:
    """What the form calls the setting."""
    plugin = type(registry.parse("attacks", found.labels["attack"]))
    return next(say(setting.label) for setting in registry.settings(plugin) if setting.name == found.setting)


def _apart(found: Chosen) -> str:
    if not found.own:
        return say(
            "It chose on fewer than 5 releases of its own on each side, too few for a number; none of them counts "
            "in the result."
        )
    return say(
        "It chose on {releases} of its own, each from a training of its own; none of them counts in the result.",
        releases=counted(found.own[0].n, "{n:,} release", "{n:,} releases"),
    )


def sweep(found: Chosen, called: str) -> go.Figure:
    """Right answers under every value: dashed on the attack's own releases, solid with its interval on the counted."""
    figure = charts.empty(found.sentence(called), height=340)
    at = list(range(len(found.values)))
    figure.add_hline(0.5, line={"color": charts.CHANCE, "width": 1})
    ends = {"mode": "lines", "line": {"width": 0}, "hoverinfo": "skip"}
    figure.add_scatter(x=at, y=[e.low for e in found.counted], showlegend=False, **ends)
    figure.add_scatter(
        x=at, y=[e.high for e in found.counted], fill="tonexty", fillcolor="rgba(116,120,196,0.2)",
        name=say("{level:.0%} interval, value by value", level=found.counted[0].level), **ends,
    )  # fmt: skip
    if found.own:
        figure.add_scatter(**_line(found, found.own, called), name=say("on its own releases"), line=_dashed())
    figure.add_scatter(
        **_line(found, found.counted, called), name=say("on the releases that count"),
        line={"color": charts.INK, "width": 2.5},
    )  # fmt: skip
    figure.add_vline(found.at, line={"color": charts.CHANCE, "width": 1.5, "dash": "dash"})
    figure.add_annotation(x=found.at, y=1, yref="paper", yanchor="bottom", text=say("chosen"), showarrow=False)
    labelled = [place for place in at if place % EVERY == 0 or place == at[-1]]
    texts = [f"{found.values[place]:g}" for place in labelled]
    figure.update_xaxes(
        title=say("{called} (values in the order tried)", called=called), tickvals=labelled, ticktext=texts
    )
    figure.update_yaxes(title=say("Share of releases answered rightly"), range=[-0.01, 1.03], tickformat=".1f")
    figure.update_layout(legend={"orientation": "h", "y": -0.3, "yanchor": "top", "x": 0})
    return figure


def _dashed() -> dict[str, Any]:
    colour, dash = charts.LINES[1]
    return {"color": colour, "dash": dash, "width": 2.5}


def _line(found: Chosen, estimates: Sequence[Estimate], called: str) -> dict[str, Any]:
    """What both lines share."""
    return {
        "x": list(range(len(estimates))),
        "y": [e.value for e in estimates],
        "mode": "lines+markers",
        "customdata": [[f"{v:g}", wording.number(e), e.n] for v, e in zip(found.values, estimates, strict=True)],
        "meta": [called, None, say("Trainings")],
        "hovertemplate": say(
            "{called} = %{{customdata[0]}}: %{{customdata[1]}}, chance 0.50<br>%{{customdata[2]}} trainings"
            "<extra></extra>",
            called=called,
        ),
    }
