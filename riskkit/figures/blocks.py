"""The blocks of a view as plotly figures: what the report draws on paper, drawn for a page."""

from __future__ import annotations

import plotly.graph_objects as go

from riskkit.figures import fields, planes, rows
from riskkit.show.blocks import (
    CountMatrix,
    Curve,
    Distribution,
    Dots,
    Frontier,
    Grid,
    Picture,
    Points,
    RocCurve,
    Swarm,
)
from riskkit.show.model import Chart


def figure(picture: Picture) -> go.Figure:
    """That block as a figure."""
    match picture:
        case Chart():
            return rows.intervals(picture)
        case Dots():
            return rows.dots(picture)
        case Curve():
            return planes.curve(picture)
        case Points():
            return planes.points(picture)
        case RocCurve():
            return planes.roc(picture)
        case Distribution():
            return planes.spread(picture)
        case Swarm():
            return planes.swarm(picture)
        case Grid():
            return fields.gains(picture)
        case CountMatrix():
            return fields.counts(picture)
        case Frontier():
            return planes.frontier(picture)
