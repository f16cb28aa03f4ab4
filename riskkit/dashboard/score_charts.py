"""The figures of single scores: every release by its score, and how scores are spread."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from riskkit import wording
from riskkit.core import Floats, Ints
from riskkit.dashboard.charts import CHANCE, SIDES, empty
from riskkit.language import counted, say
from riskkit.questions.membership.result import Outcome


def scores(outcome: Outcome) -> go.Figure:
    """Every release by its score, those of one training side by side on one height; right of 0 the attack says "in"."""
    taken = outcome.scores
    right = {side: float(np.mean((taken.value[taken.is_in == side] > 0) == side)) for side in (True, False)}
    figure = empty(_finding(wording.percent(right[True]), wording.percent(1 - right[False])), height=430)
    base = 0
    for side, name, colour, symbol, glyph in SIDES:
        mask = taken.is_in == side
        heights = base + _by_training(taken.value[mask], taken.training[mask])
        figure.add_scatter(
            x=taken.value[mask],
            y=heights,
            mode="markers",
            name=name,
            marker={"color": colour, "symbol": symbol, "size": 7, "opacity": 0.7},
            customdata=taken.training[mask],
            meta=[say("Training")],
            hovertemplate=say("{side}, training %{{customdata}}<br>score %{{x:.4g}}<extra></extra>", side=name),
            showlegend=False,
        )
        top = int(heights.max(initial=base))
        figure.add_annotation(
            x=0,
            xref="paper",
            xanchor="left",
            y=top + 0.6,
            yanchor="bottom",
            showarrow=False,
            text=say(
                "<span style='color:{colour}'>{glyph}</span> <b>{name}</b>, {trainings}",
                colour=colour,
                glyph=glyph,
                name=name,
                trainings=counted(taken.trainings(side), "{n:,} training", "{n:,} trainings"),
            ),
        )
        base = top + max(3, round(0.12 * taken.trainings(side)))
    figure.add_vline(0, line={"color": CHANCE, "width": 1.5, "dash": "dash"})
    figure.add_annotation(x=0, y=1, yref="paper", yanchor="bottom", text=say("cut: says “in” →"), showarrow=False)
    figure.update_xaxes(title=say("Score of a release (no unit; higher means in)"), zeroline=False)
    figure.update_yaxes(title=say("Trainings (one row each)"), showticklabels=False, showgrid=False, zeroline=False)
    return figure


def _finding(named: str, accused: str) -> str:
    """How often the attack says "in" of either side; where that is as often, that the cut tells nothing."""
    if named == accused:
        return say(
            "The attack says “in” for {named} of the releases, with the record and without it alike", named=named
        )
    return say(
        "{named} of the releases with the record score above the cut, and {accused} of those without it",
        named=named,
        accused=accused,
    )


def histogram(outcome: Outcome, bins: int = 30) -> go.Figure:
    """How the scores of either side are spread; every training counts as one, whatever its releases."""
    taken = outcome.scores
    edges = np.histogram_bin_edges(taken.value, bins)
    if edges[0] < 0 < edges[-1]:
        edges = np.unique(np.append(edges, 0.0))  # no bar holds answers of both kinds
    figure = empty(str(scores(outcome).layout.meta), height=430)
    for side, name, colour, _, glyph in SIDES:
        mask = taken.is_in == side
        _, inverse, times = np.unique(taken.training[mask], return_inverse=True, return_counts=True)
        counts = np.histogram(taken.value[mask], edges, weights=1 / times[inverse])[0]
        figure.add_bar(
            x=(edges[1:] + edges[:-1]) / 2,
            y=counts if side else -counts,
            width=np.diff(edges),
            name=say(
                "{glyph} {side}, {trainings}",
                glyph=glyph,
                side=name,
                trainings=counted(taken.trainings(side), "{n:,} training", "{n:,} trainings"),
            ),
            marker={"color": colour, "opacity": 0.8, "pattern": {"shape": "" if side else "/"}},
            customdata=counts,
            meta=[say("Trainings")],
            hovertemplate=say("{side}: %{{customdata:.1f}} trainings<extra></extra>", side=name),
        )
    figure.add_vline(0, line={"color": CHANCE, "width": 1.5, "dash": "dash"})
    figure.add_annotation(x=0, y=1, yref="paper", yanchor="bottom", text=say("cut: says “in” →"), showarrow=False)
    figure.update_xaxes(title=say("Score of a release (no unit; higher means in)"), zeroline=False)
    figure.update_yaxes(
        title=say("Trainings: with the record up, without it down"), zeroline=True, showticklabels=False
    )
    figure.update_layout(barmode="overlay", bargap=0, legend={"orientation": "h", "y": -0.2, "yanchor": "top", "x": 0})
    return figure


def _by_training(value: Floats, training: Ints) -> Ints:
    """The height of each release: its training's place when trainings are ordered by their mean score, from 1."""
    numbers, inverse = np.unique(training, return_inverse=True)
    means = np.bincount(inverse, weights=value) / np.bincount(inverse)
    place = np.empty(len(numbers), dtype=np.int64)
    place[np.argsort(means, kind="stable")] = np.arange(1, len(numbers) + 1)
    return place[inverse]
