"""The blocks of a view as plotly figures: what the report draws on paper, drawn for a page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import plotly.graph_objects as go

from riskkit import questions
from riskkit.audit.report_facts import titles
from riskkit.figures import fields, planes, records_charts, rows
from riskkit.questions import Question
from riskkit.questions.records import result as records_findings
from riskkit.questions.records.result import RecordsResult
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
    flat,
)
from riskkit.show.model import Chart
from riskkit.show.names import Names


def figure(picture: Picture) -> go.Figure:
    """That block as a figure."""
    return DRAWN_AS[type(picture)](picture)


DRAWN_AS: Mapping[type, Callable[[Any], go.Figure]] = {
    Chart: rows.intervals,
    Dots: rows.dots,
    Curve: planes.curve,
    Points: planes.points,
    RocCurve: planes.roc,
    Distribution: planes.spread,
    Swarm: planes.swarm,
    Grid: fields.gains,
    CountMatrix: fields.counts,
    Frontier: planes.frontier,
}
"""How each picture is drawn."""


# The pictures of a result as figures, by name: those its page shows before anybody picks another.
#
# Nothing is drawn here: a notebook shows them, or whoever asked saves them.


Named = Iterator[tuple[str, go.Figure]]


def pictures(
    question: str, plan: Any, kept: Mapping[str, Any], limit: float | None = None, charts: Iterable[Chart] = ()
) -> dict[str, go.Figure]:
    """The figures of a finished run by name, the most telling first; empty where there is no number.

    ``kept`` is the result with what its pictures are made from; ``limit`` is drawn where the page draws it. ``charts``
    are those of its findings, which a question without pictures of its own shows.
    """
    if question in DRAWN:
        return dict(DRAWN[question](plan, kept, limit))
    known = questions.questions().get(question)
    if known is not None and known.view is not None:
        return dict(_view_pictures(known, kept))
    return {"chart" if not index else f"chart {index + 1}": figure(chart) for index, chart in enumerate(charts)}


def _records(_: Any, kept: Mapping[str, Any], limit: float | None) -> Named:
    findings = records_findings.read(RecordsResult.from_plain(kept), limit)
    if not findings.people:
        return
    yield "everybody", records_charts.everybody(findings, findings.people)
    if findings.has_traditional:
        yield "traditional", records_charts.against_traditional(findings, findings.people)
    yield "outlierness", records_charts.against_outlierness(findings, findings.people)


def _view_pictures(known: Question, kept: Mapping[str, Any]) -> Named:
    """The pictures of a question's view, by the keys of their blocks."""
    assert known.view is not None
    assert known.result is not None
    for block in flat(known.view(known.result.from_plain(kept), Names.all_told(titles()))):
        if isinstance(block, Picture):
            yield block.key, figure(block)


DRAWN: Mapping[str, Callable[[Any, Mapping[str, Any], float | None], Named]] = {"records": _records}
"""How the pictures of each question are made."""
