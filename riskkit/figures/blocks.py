"""The blocks of a view as plotly figures: what the report draws on paper, drawn for a page.

Maps of gains and matrices of counts, a shade and a number in every field, are drawn here too.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from riskkit import questions, wording
from riskkit.audit.report_facts import titles
from riskkit.core import Estimate
from riskkit.figures import planes, records_charts, rows
from riskkit.figures.canvas import IN, INK, OUT, empty, label
from riskkit.language import say
from riskkit.questions import Question
from riskkit.questions.records import result as records_findings
from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.records.result import RecordsResult
from riskkit.show.blocks import (
    CountMatrix,
    CountRow,
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
from riskkit.wording import both_ends

LONG = 160
"""Letters of a name that hovering says."""
GAIN, LETTERS = 46, 22
"""Of a map of gains: pixels of one row, and letters of a name on an axis."""
COUNT, BESIDE, ACROSS = 58, 20, 12
"""Of counts: pixels of one row; letters in a line of the axis of rows, and of that of columns."""
LINES, DEEP = 3, 7
"""Lines of a name of a row, and of a column, at most."""
MANY, WIDER = 5, 15
"""From so many columns a phone turns their names: they have two lines of so many letters, or would cover each other."""


def gains(grid: Grid) -> go.Figure:
    """Every field with its gain: 0 is in the middle of the colours, a triangle marks a field, a dash is no number."""

    def field(estimate: Estimate | None, is_marked: bool) -> str:
        if estimate is None:
            return "–"
        number = f"{estimate.value:+.2f}".replace("-0.00", "0.00").replace("+0.00", "0.00")
        return f"{'▲ ' if is_marked else ''}{number}"

    def hover(row: str, about: str, estimate: Estimate | None) -> str:
        number = say("no number")
        if estimate is not None:
            number = say("{number}, {n:,} records", number=wording.number(estimate), n=estimate.n)
        return "<br>".join(filter(None, (label(row), label(about, LONG), number)))

    figure = empty(grid.sentence, height=GAIN * len(grid.rows) + 110)
    values = [abs(cell.value) for row in grid.cells for cell in row if cell is not None]
    top = max([0.02, *(value for value in values if np.isfinite(value))])
    _fields(
        figure,
        grid.cells,
        (-top, top),
        [list(map(field, *both)) for both in zip(grid.cells, grid.marked, strict=True)],
        [
            [hover(row, *both) for both in zip(about, cells, strict=True)]
            for row, about, cells in zip(grid.rows, grid.about, grid.cells, strict=True)
        ],
        colorbar={"title": {"text": grid.title, "side": "right"}, "thickness": 10, "tickformat": "+.2f"},
    )
    columns, rows = ([label(name, LETTERS) for name in names] for names in (grid.columns, grid.rows))
    return _name_fields(figure, grid.across, columns, rows)


def counts(plot: CountMatrix) -> go.Figure:
    """Every count (across) of every row, with the most of each row at the right.

    The neutral colour is what guessing finds. A triangle up marks more than guessing explains, one down fewer.
    """
    cells = [(*row.counts, row.best) for row in plot.rows]
    figure = empty(plot.sentence, height=COUNT * len(plot.rows) + 150)
    _fields(
        figure,
        cells,
        (2 * plot.guess - plot.most, plot.most),
        [[_count_text(plot, count) for count in row] for row in cells],
        [
            [_hover(plot, row, place, count) for place, count in enumerate(counts)]
            for row, counts in zip(plot.rows, cells, strict=True)
        ],
        showscale=False,
    )
    figure.add_vline(len(plot.columns) - 0.5, line={"color": INK, "width": 2})
    letters, lines = (WIDER, 2) if len(plot.heads) >= MANY else (ACROSS, DEEP)
    columns = [*(_in_lines(name, letters, lines) for name in plot.columns), f"<b>{plot.heads[-1]}</b>"]
    names = [_in_lines(row.who, BESIDE, LINES) for row in plot.rows]
    rows = [f"<b>{name}</b>" if row.is_own else name for row, name in zip(plot.rows, names, strict=True)]
    return _name_fields(figure, plot.across, columns, rows)


def _fields(
    figure: go.Figure,
    cells: Sequence[Sequence[Estimate | None]],
    ends: tuple[float, float],
    texts: Sequence[Sequence[str]],
    hovers: Sequence[Sequence[str]],
    **scale: Any,
) -> None:
    """The fields, coloured from one end to the other."""
    figure.add_heatmap(
        x=list(range(len(cells[0]))),
        y=list(range(len(cells))),
        z=[[np.nan if cell is None else cell.value for cell in row] for row in cells],
        zmin=ends[0],
        zmax=ends[1],
        colorscale=[[0, OUT], [0.5, "#ECECE8"], [1, IN]],
        text=texts,
        texttemplate="%{text}",
        customdata=hovers,
        hovertemplate="%{customdata}<extra></extra>",
        xgap=2,
        ygap=2,
        **scale,
    )


def _name_fields(figure: go.Figure, across: str, columns: Sequence[str], rows: Sequence[str]) -> go.Figure:
    """With these names of columns over the fields, and of rows beside them."""
    plain = {"showgrid": False, "zeroline": False}
    figure.update_xaxes(title=across, tickvals=list(range(len(columns))), ticktext=columns, side="top", **plain)
    figure.update_yaxes(tickvals=list(range(len(rows))), ticktext=rows, autorange="reversed", **plain)
    return figure


def _in_lines(text: str, letters: int, most: int) -> str:
    """A name of an axis in so short lines; where they are too many, the last one keeps the end of the name."""
    lines = textwrap.wrap(text, letters)
    shown = [*lines[: most - 1], both_ends(" ".join(lines[most - 1 :]), letters)]
    return "<br>".join(label(line, letters) for line in shown if line)


def _count_text(plot: CountMatrix, count: Estimate | None) -> str:
    """A count under its sign, on three lines, to be read on a phone."""
    if count is None:
        return "–"
    return f"{plot.with_sign(count)}<br>[{count.low:.1f},<br>{count.high:.1f}]"


def _hover(plot: CountMatrix, row: CountRow, place: int, count: Estimate | None) -> str:
    """Whose count it is, the count, and guessing."""
    is_best = place == len(plot.columns)
    who = say("{best}, the best, allowing for all attackers", best=row.by) if is_best else plot.columns[place]
    status = say("was not run")
    if count is not None:
        status = say(
            "{value} [{low}, {high}] of {most:,.4g}",
            value=f"{count.value:.4g}",
            low=f"{count.low:.1f}",
            high=f"{count.high:.1f}",
            most=plot.most,
        )
    return say(
        "{anonymiser}<br>{attacker}<br>{told}<br>guessing {guessing}",
        anonymiser=label(row.who, LONG),
        attacker=label(who, LONG),
        told=status,
        guessing=f"{plot.guess:.1f}",
    )


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
    Grid: gains,
    CountMatrix: counts,
    Frontier: planes.frontier,
}
"""How each picture is drawn."""


# The pictures of a result as figures, by name: those its page shows before anybody picks another.
#
# Nothing is drawn here: a notebook shows them, or whoever asked saves them.


Named = Iterator[tuple[str, go.Figure]]


def pictures(
    question: str, kept: Mapping[str, Any], limit: float | None = None, charts: Iterable[Chart] = ()
) -> dict[str, go.Figure]:
    """The figures of a finished run by name, the most telling first; empty where there is no number.

    ``kept`` is the result with what its pictures are made from; ``limit`` is drawn where the page draws it. ``charts``
    are those of its findings, which a question without pictures of its own shows.
    """
    if question == RecordsPlan.question:  # people are picked in its pictures, so they are no blocks
        return dict(_records(kept, limit))
    known = questions.questions().get(question)
    if known is not None and known.view is not None:
        return dict(_view_pictures(known, kept))
    return {"chart" if not index else f"chart {index + 1}": figure(chart) for index, chart in enumerate(charts)}


def _records(kept: Mapping[str, Any], limit: float | None) -> Named:
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
    for block in flat(known.view(known.result.from_plain(kept), Names.all_told(titles()))):
        if isinstance(block, Picture):
            yield block.key, figure(block)
