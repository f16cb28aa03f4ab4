"""Rows of marks with a label over each: how high they are, what stands over them, and the lines beside them."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

import plotly.graph_objects as go

ROW = 52
"""Pixels of a row of marks with its label over it."""
TALL = 66
"""Pixels of such a row where a label is on two lines, so that it stays clear of the marks above."""
PHONE = 52
"""Letters of a line that a window of 390 pixels shows; a Japanese letter takes the room of two."""


def row_label(number: str, who: str) -> str:
    """What stands over the marks of a row; on two lines where one is longer than a phone is wide."""
    if width(number) + 2 + width(who) <= PHONE:
        return f"<b>{number}</b>  {who}"
    return f"<b>{number}</b><br>{_cut(who)}"


def width(text: str) -> int:
    """Letters of Latin script that take the room of this text: a full-width letter takes that of two."""
    return sum(2 if unicodedata.east_asian_width(letter) in "FW" else 1 for letter in text)


def _cut(text: str) -> str:
    """The text, or as much of it as a line on a phone has room for."""
    if width(text) <= PHONE:
        return text
    end = len(text)
    while width(text[:end]) > PHONE - 1:
        end -= 1
    return f"{text[:end]}…"


def rows_height(labels: Sequence[str]) -> int:
    """Pixels of a figure with a row of marks under each label, its axis and its title."""
    return (TALL if any("<br>" in label for label in labels) else ROW) * len(labels) + 70


def label_rows(figure: go.Figure, labels: Sequence[str]) -> None:
    """Write each label over the marks of its row; the first row is the highest and the last is at 1."""
    lines = [
        {
            "x": 0,
            "xref": "paper",
            "xanchor": "left",
            "y": height + 0.24,
            "yanchor": "bottom",
            "showarrow": False,
            "align": "left",
            "text": label,
        }
        for height, label in zip(range(len(labels), 0, -1), labels, strict=True)
    ]
    figure.update_layout(annotations=[*figure.layout.annotations, *lines])  # one by one, each would copy all before it


def guide(
    figure: go.Figure, x: float, rows: Iterable[float], line: Mapping[str, Any], low: float = -0.38, high: float = 0.14
) -> None:
    """A line at ``x`` beside the marks of each row, from ``low`` to ``high`` around it, and through no label between.

    ``line`` has colour, width and dash.
    """
    pieces = [
        {"type": "line", "x0": x, "x1": x, "y0": row + low, "y1": row + high, "line": dict(line), "layer": "below"}
        for row in rows
    ]
    figure.update_layout(shapes=[*figure.layout.shapes, *pieces])


class WithEnds(Protocol):
    """A number with its interval."""

    @property
    def value(self) -> float:
        """The number."""

    @property
    def low(self) -> float:
        """The lower end."""

    @property
    def high(self) -> float:
        """The upper end."""


def error_bars(estimates: Sequence[WithEnds], colour: str) -> dict[str, Any]:
    """The intervals of these numbers, as plotly takes them."""
    ends = {"array": [e.high - e.value for e in estimates], "arrayminus": [e.value - e.low for e in estimates]}
    return {"type": "data", "symmetric": False, "color": colour, **ends}
