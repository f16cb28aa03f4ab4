"""The figures of attacks on a released file. As :mod:`riskkit.dashboard.charts`: each carries the sentence it shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from riskkit import wording
from riskkit.core import Estimate, Floats
from riskkit.dashboard.chart_rows import ROW, guide, row_label
from riskkit.dashboard.charts import CHANCE, IN, INK, OUT, empty
from riskkit.language import counted, say
from riskkit.questions.membership import words
from riskkit.questions.released.result import Attacked

CONTROL = "#009E73"
"""The planted leak."""
SIDES = ((True, say("was in"), IN, "solid"), (False, say("was not"), OUT, "dash"))
PANEL_SIDES = (("real", say("real table"), IN, "solid"), ("holdout", say("holdout"), OUT, "dash"))
BINS = 40

Rows = Sequence[tuple[str, Attacked]]
"""Attacks with what people call them."""


def success(rows: Rows) -> go.Figure:
    """The AUC of each attack with its interval, and beside it that of the same attack on the planted leak."""
    known = [(who, score, score.auc) for who, score in rows if score.auc is not None]
    lines = np.arange(len(known), 0, -1, dtype=np.float64)
    aucs = [auc for _, _, auc in known]
    texts = [row_label(wording.number(auc), who) for who, _, auc in known]
    row = ROW * (1.3 if any("<br>" in text for text in texts) else 1)
    figure = empty(_success_finding(aucs), height=int(row * len(known)) + 110)
    guide(figure, 0.5, lines.tolist(), {"color": CHANCE, "width": 1})
    figure.add_annotation(x=0.5, y=1, yref="paper", yanchor="bottom", text=say("chance"), showarrow=False)
    symbols = ["triangle-up" if words.is_above_chance(auc) else "circle-open" for auc in aucs]
    _points(figure, [(who, auc) for who, _, auc in known], lines, INK, symbols, say("this release"))
    planted = [(who, score.control, y - 0.26) for (who, score, _), y in zip(known, lines, strict=True) if score.control]
    heights = np.array([y for _, _, y in planted])
    _points(
        figure,
        [(who, auc) for who, auc, _ in planted],
        heights,
        CONTROL,
        ["diamond"] * len(planted),
        say("planted leak"),
    )
    for text, height in zip(texts, lines, strict=True):
        figure.add_annotation(
            x=0,
            xref="paper",
            xanchor="left",
            y=height + 0.2,
            yanchor="bottom",
            showarrow=False,
            align="left",
            text=text,
        )
    ends = [
        end
        for _, attack, auc in known
        for number in (auc, attack.control)
        if number
        for end in (number.low, number.high)
    ]
    low, high = min([0.4, *ends]), max([0.7, *ends])
    figure.update_xaxes(
        title=say("AUC: the person who was in scores higher"), range=[low - 0.02, high + 0.02], tickformat=".2f"
    )
    figure.update_yaxes(visible=False, range=[0.5, len(known) + 0.75])
    figure.update_layout(legend={"orientation": "h", "y": -60 / (ROW * len(known) + 40), "yanchor": "top", "x": 0})
    return figure


def _points(
    figure: go.Figure,
    rows: Sequence[tuple[str, Estimate]],
    heights: Floats,
    colour: str,
    symbols: Sequence[str],
    name: str,
) -> None:
    value, low, high = (np.array([getattr(e, end) for _, e in rows]) for end in ("value", "low", "high"))
    figure.add_scatter(
        x=value,
        y=heights,
        mode="markers",
        name=name,
        error_x={"type": "data", "symmetric": False, "array": high - value, "arrayminus": value - low, "color": colour},
        marker={"symbol": list(symbols), "size": 11, "color": colour, "line": {"width": 2, "color": colour}},
        customdata=[[who, wording.number(e), e.n] for who, e in rows],
        meta=[say("Attack"), None, say("Records")],
        hovertemplate=say(
            "%{{customdata[0]}}, {name}<br>%{{customdata[1]}}, chance 0.50<br>%{{customdata[2]:,}} records"
            "<extra></extra>",
            name=name,
        ),
    )


def _success_finding(aucs: Sequence[Estimate]) -> str:
    above = sum(map(words.is_above_chance, aucs))
    if not above:
        return say("No attack's interval lies wholly above guessing (AUC 0.50)")
    return counted(
        above,
        "{n} of {intervals} lies wholly above guessing; the highest AUC is {highest}",
        "{n} of {intervals} lie wholly above guessing; the highest AUC is {highest}",
        intervals=counted(len(aucs), "{n:,} interval", "{n:,} intervals"),
        highest=max(aucs, key=lambda auc: auc.value),
    )


def roc(who: str, attacked: Attacked, *, log: bool) -> go.Figure:
    """Share named against share falsely accused of one attack, with the intervals at the stated false alarms.

    On log axes nothing is drawn below one record that was not in: they cannot show a smaller rate.
    """
    curve, auc = attacked.curve(), attacked.auc
    figure = empty(
        say("{who}: AUC {auc}, chance 0.50", who=who, auc=auc) if auc else say("{who}: no AUC", who=who), height=430
    )
    if curve is None or attacked.scores is None:
        return figure
    floor = 1 / max(attacked.scores.trainings(False), 1)
    start = floor if log else 0.0
    chance = np.geomspace(floor, 1, 50) if log else np.array([0.0, 1.0])
    figure.add_scatter(
        x=chance, y=chance, mode="lines", line={"color": CHANCE, "width": 1}, name=say("chance"), hoverinfo="skip"
    )
    figure.add_scatter(
        x=np.maximum(curve.fpr, start),
        y=np.maximum(curve.tpr, start),
        mode="lines",
        line={"color": INK, "width": 2.5},
        name=say("this release"),
        hovertemplate=say("named %{y:.1%} at %{x:.1%} false alarms<extra></extra>"),
    )
    named = [share for share in (attacked.named_at("0.1"), attacked.named_at("0.01")) if share and share.value > start]
    if named:
        _intervals(figure, named, start)
    kind: dict[str, Any] = {"range": [0, 1.005]}
    if log:
        ticks = [tick for tick in (0.0001, 0.001, 0.01, 0.1, 1) if tick >= floor]
        kind = {"type": "log", "range": [np.log10(floor), 0.02], "tickvals": ticks}
    figure.update_xaxes(title=say("False alarms (share of people who were not in)"), tickformat="~g", **kind)
    figure.update_yaxes(title=say("Named (share of people who were in)"), tickformat="~g", **kind)
    figure.update_layout(legend={"orientation": "h", "y": -0.2, "yanchor": "top", "x": 0})
    return figure


def _intervals(figure: go.Figure, named: Sequence[Estimate], start: float) -> None:
    """Where the share named has an interval of its own."""
    value, low, high = (np.array([getattr(e, end) for e in named]) for end in ("value", "low", "high"))
    figure.add_scatter(
        x=[float(e.labels["fpr"]) for e in named],
        y=value,
        mode="markers",
        name=say("with interval"),
        error_y={
            "type": "data",
            "symmetric": False,
            "array": high - value,
            "arrayminus": value - np.maximum(low, start),
        },
        marker={"color": INK, "size": 8, "symbol": "square"},
        hovertemplate=say("%{y:.1%} named<extra></extra>"),
    )


def scores(who: str, attacked: Attacked) -> go.Figure:
    """How the scores of either side are spread, as outlines, so that neither hides the other.

    The outermost bars hold the half per cent of scores that lies beyond on either side.
    """
    figure = empty(_scores_finding(who, attacked), height=430)
    if attacked.scores is None:
        return figure
    value = attacked.scores.value
    low, high = (float(np.quantile(value, quantile)) for quantile in (0.005, 0.995))
    edges = np.linspace(low, high if high > low else low + 1.0, BINS + 1)
    for side, name, colour, dash in SIDES:
        own = np.clip(value[attacked.scores.is_in == side], edges[0], edges[-1])
        share = np.histogram(own, edges)[0] / max(len(own), 1)
        _outline(figure, edges, share, say("{name}, {own:,} rows", name=name, own=len(own)), colour, dash)
    figure.update_xaxes(title=say("Score (no unit; higher means in)"), tickformat="~g")
    figure.update_yaxes(title=say("Share of those who were in, or were not"), tickformat=".0%", rangemode="tozero")
    figure.update_layout(legend={"orientation": "h", "y": -0.2, "yanchor": "top", "x": 0})
    return figure


def _scores_finding(who: str, attacked: Attacked) -> str:
    auc = attacked.auc
    if auc is None or not words.is_above_chance(auc):
        return say("{who}: those who were in score like those who were not", who=who)
    return say("{who}: those who were in score higher in {auc} of pairs", who=who, auc=wording.share(auc))


def distances(spread: Mapping[str, Any], title: str, finding: str) -> go.Figure:
    """Distances of the real and the holdout rows to the release, drawn over each other."""
    figure = empty(finding, height=340)
    edges = np.array(spread["edges"])
    for side, name, colour, dash in PANEL_SIDES:
        if side in spread:
            counts = np.array(spread[side]["counts"], dtype=np.float64)
            _outline(
                figure,
                edges,
                counts / max(counts.sum(), 1),
                say("{name}, {n:,} rows", name=name, n=spread[side]["n"]),
                colour,
                dash,
            )
    figure.update_xaxes(title=title, rangemode="tozero")
    figure.update_yaxes(title=say("Share of the rows"), tickformat="~%", rangemode="tozero")
    figure.update_layout(legend={"orientation": "h", "y": -0.25, "yanchor": "top", "x": 0})
    return figure


def _outline(figure: go.Figure, edges: Floats, share: Floats, name: str, colour: str, dash: str) -> None:
    figure.add_scatter(
        x=np.append(edges, edges[-1]),
        y=np.concatenate([share, [share[-1], 0.0]]),
        mode="lines",
        line={"color": colour, "dash": dash, "width": 2, "shape": "hv"},
        name=name,
        hovertemplate="%{y:.1%}<extra></extra>",
    )
