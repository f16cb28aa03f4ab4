"""Risk against the number of releases, on the page of a finished run for many records."""

from __future__ import annotations

from functools import partial

import plotly.graph_objects as go
import streamlit as st

from riskkit.dashboard.forms import asking
from riskkit.dashboard.frame.chart_tools import show as draw
from riskkit.figures.canvas import CEILING, CHANCE, IN, LINES, empty
from riskkit.jobs.store import Audit
from riskkit.language import say
from riskkit.questions.records.findings import GUESS, RecordsFinding
from riskkit.questions.records.releases import ALL_UP_TO, sentences

key = partial(asking.key, "records")


def show(audit: Audit, finding: RecordsFinding) -> None:
    """The picture with its sentence; nothing of one release."""
    if not finding.growth and not finding.played_growth:
        return
    st.header(say("With every further release"), anchor=False)
    draw(against_releases(finding), key(audit, "releases"))
    about = say("For the best possible attack, and for the attack that was run.")
    if not finding.played_growth:
        about = say("For the best possible attack.")
    elif not finding.growth:
        about = say("For the attack that was run, on the trainings of the first round.")
    elif finding.growth[0].people < finding.played_growth[0].people:
        who = say(
            "{certified:,} people have an optimal-attack bound; the attack was run on {played:,}.",
            certified=finding.growth[0].people,
            played=finding.played_growth[0].people,
        )
        about = f"{about} {who}"
    rows = say("It sees all releases up to that one. Each release has {rows:,} rows.", rows=finding.result.plan.n_syn)
    st.caption(f"{about} {rows}")


def against_releases(finding: RecordsFinding) -> go.Figure:
    """The share of people above the limit and the AUC of the median person, after each count of releases."""
    best, played = finding.growth, finding.played_growth
    grown = best or played
    counts = [count.releases for count in grown]
    headlines = [sentences(best, is_set=finding.is_set)] if best else []
    headlines += [sentences(played, is_set=finding.is_set, is_played=True)] if played else []
    figure = empty(" ".join(headlines), height=380)
    figure.add_hline(GUESS, line={"color": CHANCE, "width": 1})
    figure.add_scatter(
        x=counts,
        y=[count.median for count in grown],
        mode="lines+markers",
        name=say("AUC of the median person"),
        line={"color": CEILING, "width": 2},
        marker={"symbol": "circle", "size": 7},
        hovertemplate=say("after %{x}: AUC %{y:.2f} on the median person<extra></extra>"),
    )
    if finding.is_set:
        figure.add_scatter(
            x=counts,
            y=[count.share for count in grown],
            mode="lines+markers",
            name=say("share of people above {limit:g}", limit=finding.limit),
            line={"color": IN, "width": 2, "dash": "dash"},
            marker={"symbol": "triangle-up", "size": 8},
            customdata=[[count.above, count.people] for count in grown],
            hovertemplate=say("after %{x}: %{customdata[0]:,} of %{customdata[1]:,} people above<extra></extra>"),
        )
        figure.add_hline(finding.limit, line={"color": CHANCE, "width": 1.5, "dash": "dash"})
    if best and played:
        figure.add_scatter(
            x=[count.releases for count in played],
            y=[count.median for count in played],
            mode="lines+markers",
            name=say("AUC of the median person, attack run"),
            line={"color": LINES[1][0], "width": 2, "dash": "dot"},
            marker={"symbol": "diamond", "size": 7},
            hovertemplate=say("after %{x}: AUC %{y:.2f} on the median person, attack run<extra></extra>"),
        )
    step = 1 if counts[-1] <= ALL_UP_TO else None  # else there are two marks of one number
    figure.update_xaxes(title=say("Releases of this table"), tickformat="d", dtick=step, range=[0.5, counts[-1] + 0.5])
    figure.update_yaxes(title=say("AUC, and share of people"), range=[-0.02, 1.02], tickformat=".1f")
    return figure.update_layout(legend={"orientation": "h", "y": -0.25, "yanchor": "top", "x": 0})
