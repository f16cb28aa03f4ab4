"""The numbers of a figure as rows: what its marks show and what hovering says, and nothing else."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from riskkit import wording
from riskkit.language import again, phrase, say
from riskkit.report.to_csv import BOM

SERIES, LOW, HIGH, VALUE = phrase("Series"), phrase("Lower end"), phrase("Upper end"), phrase("Value")
ROW = phrase("Row of the real table")
"""The column of row numbers: a picture that holds it is restricted."""
COPIED = 1_000
"""Lines that are offered for copying; the file has all."""
_TAG = re.compile(r"<[^>]*>")
_SPACE = re.compile(r"\s+")

Row = Mapping[str, str | float]


def rows(figure: go.Figure) -> list[Row]:
    """A row for each mark: its series, its place on each axis, the ends of its interval, and the columns of its hover.

    A trace names what its ``customdata`` hold in its ``meta``, a name for each and None for what the axes say already;
    without ``meta`` none of them is a column. An axis without numbers is left out. A band is a row for each place, with
    its two ends; other traces that say nothing on hovering are guides and are left out.
    """
    lines: list[Row] = []
    before = None
    for trace in figure.data:
        if trace.type == "heatmap":
            lines.extend(_cells(figure, trace))
        elif trace.hoverinfo != "skip":
            lines.extend(_marks(figure, trace))
        elif trace.fill == "tonexty" and trace.name and before is not None:
            lines.extend(_band(figure, before, trace))
        before = trace
    return lines


def is_restricted(lines: Sequence[Row]) -> bool:
    """Whether a row of the real table can be told from these."""
    return any(again(ROW) in line for line in lines)


def as_csv(lines: Sequence[Row]) -> bytes:
    """A file that every spreadsheet opens, with nothing in it that one takes for a formula."""
    return BOM.encode() + _axis_value(lines, ",").encode(errors="replace")


def as_text(lines: Sequence[Row], most: int = COPIED) -> str:
    """The first of these rows with tabs between, as a spreadsheet takes them when they are pasted."""
    return _axis_value(lines[:most], "\t")


def _axis_value(lines: Sequence[Row], between: str) -> str:
    columns = list(dict.fromkeys(name for line in lines for name in line))
    return wording.spreadsheet(columns, ([line.get(name) for name in columns] for line in lines), between=between)


def _marks(figure: go.Figure, trace: Any) -> Iterator[Row]:
    name = {again(SERIES): plain(trace.name)} if trace.name else {}
    axes = [
        (_title(axis, letter), letter, _ends(trace, letter), getattr(trace, letter))
        for letter, axis in (("x", figure.layout.xaxis), ("y", figure.layout.yaxis))
        if axis.visible is not False and axis.showticklabels is not False and getattr(trace, letter) is not None
    ]
    hovers = [] if trace.customdata is None or not trace.meta else list(trace.customdata)
    has_both = sum(ends is not None for _, _, ends, _ in axes) > 1
    for mark in range(len(trace.x)):
        line: dict[str, str | float] = dict(name)
        line |= _hover_values(trace.meta, hovers[mark]) if hovers else {}
        for title, letter, ends, values in axes:
            line[title] = _place(figure, letter, values[mark])
            if ends is not None:
                of = f": {title}" if has_both else ""
                line[again(LOW) + of], line[again(HIGH) + of] = (
                    float(values[mark]) - ends[0][mark],
                    float(values[mark]) + ends[1][mark],
                )
        yield line


def _hover_values(names: Sequence[str | None], held: Any) -> dict[str, str | float]:
    """What hovering says of one mark, under its names."""
    values = held if isinstance(held, list | tuple | np.ndarray) else [held]
    return {name: _value(value) for name, value in zip(names, values, strict=False) if name is not None}


def _band(figure: go.Figure, upper: Any, lower: Any) -> Iterator[Row]:
    title = _title(figure.layout.xaxis, "x")
    for x, low, other in zip(lower.x, lower.y, upper.y, strict=True):
        ends = sorted((float(low), float(other)))
        yield {
            again(SERIES): plain(lower.name),
            title: _place(figure, "x", x),
            again(LOW): ends[0],
            again(HIGH): ends[1],
        }


def _cells(figure: go.Figure, trace: Any) -> Iterator[Row]:
    across, down = (_title(axis, letter) for axis, letter in ((figure.layout.xaxis, "x"), (figure.layout.yaxis, "y")))
    for y, values, row in zip(trace.y, trace.z, range(len(trace.y)), strict=True):
        for x, value, by in zip(trace.x, values, range(len(trace.x)), strict=True):
            line: dict[str, str | float] = {down: _place(figure, "y", y), across: _place(figure, "x", x)}
            line[again(VALUE)] = "" if value is None or not np.isfinite(float(value)) else float(value)
            if trace.texttemplate:
                line[say("As shown")] = plain(str(trace.text[row][by]))
            yield line


def _title(axis: Any, letter: str) -> str:
    """What stands at the axis; a letter where the picture says nothing there."""
    return plain(axis.title.text) if axis.title.text else letter


def _ends(trace: Any, letter: str) -> tuple[Any, Any] | None:
    """How far the interval of each mark reaches down and up."""
    error = getattr(trace, f"error_{letter}", None)
    if error is None or error.array is None:
        return None
    return (error.array if error.arrayminus is None else error.arrayminus), error.array


def _place(figure: go.Figure, letter: str, value: Any) -> str | float:
    """Where a mark stands: the text of the nearest tick where ticks are names, else the number."""
    axis = figure.layout.xaxis if letter == "x" else figure.layout.yaxis
    if axis.ticktext is None or axis.tickvals is None or axis.type == "log":
        return _value(value)
    gaps = np.abs(np.asarray(axis.tickvals, dtype=np.float64) - float(value))
    nearest = int(gaps.argmin()) if len(gaps) else -1
    return plain(str(axis.ticktext[nearest])) if nearest >= 0 and gaps[nearest] < 0.5 else _value(value)


def _value(value: Any) -> str | float:
    """A number or a text as it stands in a row; whole numbers stay whole."""
    if isinstance(value, str | np.str_):
        return plain(str(value))
    if isinstance(value, np.integer):
        return int(value)
    number = float(value) if isinstance(value, np.floating) else value
    if isinstance(number, float) and number.is_integer() and abs(number) < 2**53:
        return int(number)
    return number if isinstance(number, int | float) else str(number)


def plain(text: str) -> str:
    """Text of a picture without its marks of layout, on one line."""
    return _SPACE.sub(" ", html.unescape(_TAG.sub(" ", text))).strip()
