"""Every release of a game by its score, as a figure of plotly: a block of a view, drawn for a page."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from riskkit.core import Floats, Ints
from riskkit.dashboard import roc_figures
from riskkit.dashboard.charts import SIDES, empty
from riskkit.language import say
from riskkit.show.blocks import Swarm


def swarm(plot: Swarm) -> go.Figure:
    """Every value, those of one training side by side on one height; beyond the cut the attack says "in"."""
    figure = empty(plot.sentence, height=430)
    base = 0
    for arm in sorted(plot.arms, key=lambda arm: arm.is_in):
        name, colour, symbol, glyph = next(look for side, *look in SIDES if side == arm.is_in)
        values, trainings = np.array(arm.values), np.array(arm.trainings, dtype=np.int64)
        heights = base + _by_training(values, trainings)
        figure.add_scatter(
            x=values,
            y=heights,
            mode="markers",
            name=name,
            marker={"color": colour, "symbol": symbol, "size": 7, "opacity": 0.7},
            customdata=trainings,
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
            text=f"<span style='color:{colour}'>{glyph}</span> {arm.who}",
        )
        base = top + max(3, round(0.12 * len(set(arm.trainings))))
    if plot.spread.cut is not None:
        roc_figures.cut(figure, plot.spread.cut)
    figure.update_xaxes(title=plot.across.title, zeroline=False)
    figure.update_yaxes(title=plot.up.title, showticklabels=False, showgrid=False, zeroline=False)
    return figure


def _by_training(value: Floats, training: Ints) -> Ints:
    """The height of each release: its training's place when trainings are ordered by their mean score, from 1."""
    numbers, inverse = np.unique(training, return_inverse=True)
    means = np.bincount(inverse, weights=value) / np.bincount(inverse)
    place = np.empty(len(numbers), dtype=np.int64)
    place[np.argsort(means, kind="stable")] = np.arange(1, len(numbers) + 1)
    return place[inverse]
