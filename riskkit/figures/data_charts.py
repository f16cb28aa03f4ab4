"""Real and synthetic drawn over each other, one small chart a column."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from riskkit.core import Column, Floats, Kind, Table
from riskkit.figures.canvas import REAL, SYNTHETIC, label
from riskkit.language import say
from riskkit.wording import shorten

BINS = 24
LEVELS = 10
"""Levels that get a bar of their own; the others share one."""
LETTERS = 18
HEIGHT = 220
BELOW, BESIDE, SIGN = 52, 62, 6.6
"""Pixels for numbers and the title of an axis, below and on the left, and for a sign of a label."""
_EPOCH = np.datetime64("1970-01-01", "D")


@dataclass(frozen=True, slots=True, eq=False)
class ColumnShares:
    """How the rows of each table spread over the bins or levels of one column.

    ``edges`` (bins + 1,) for numbers and dates, else empty. ``labels`` name the levels, or the whole numbers where they
    are few, else empty. ``real`` and
    ``synthetic`` (bins or levels,) are shares of all rows, so that missing numbers are what is wanting to 1.
    """

    column: Column
    edges: Floats
    labels: tuple[str, ...]
    real: Floats
    synthetic: Floats | None

    @property
    def gap(self) -> float | None:
        """The largest difference between the two tables at one bin or level, in shares of rows."""
        return None if self.synthetic is None else float(np.abs(self.real - self.synthetic).max())

    @property
    def missing(self) -> tuple[float, float | None] | None:
        """Shares of rows without a number, real and synthetic; None for levels, where missing is a level."""
        if not self.column.is_numeric:
            return None
        synthetic = None if self.synthetic is None else max(1 - float(self.synthetic.sum()), 0.0)
        return max(1 - float(self.real.sum()), 0.0), synthetic


def shares(name: str, real: Table, synthetic: Table | None) -> ColumnShares:
    """Count both tables over the column's frozen domain."""
    column = real.schema.column(name)
    if is_counted(column):
        whole = np.arange(round(column.low), round(column.high) + 1)
        each = [None if table is None else _shares_at(table, column, whole) for table in (real, synthetic)]
        return ColumnShares(column, np.empty(0), tuple(map(str, whole)), _present_values(each[0]), each[1])
    if column.is_numeric:
        edges = _edges(column)
        counts = [None if table is None else _bin_shares(table, column, edges) for table in (real, synthetic)]
        return ColumnShares(column, edges, (), _present_values(counts[0]), counts[1])
    counts = [None if table is None else _level_shares(table, column) for table in (real, synthetic)]
    return _frequent_levels(column, _present_values(counts[0]), counts[1])


def is_counted(column: Column) -> bool:
    """Whether a column of numbers holds so few whole ones, as 0 and 1 or 1 to 5, that each gets a bar of its own."""
    return column.kind is Kind.NUMERIC and column.decimals == 0 and column.high - column.low < LEVELS


def _shares_at(table: Table, column: Column, whole: npt.NDArray[np.int64]) -> Floats:
    """The share of rows at each of these numbers."""
    values = table.numbers[:, [other.name for other in table.schema.numeric].index(column.name)]
    return np.asarray((values[:, None] == whole).sum(axis=0) / max(len(table), 1), dtype=np.float64)


def _present_values(counts: Floats | None) -> Floats:
    return np.empty(0) if counts is None else counts


def _edges(column: Column) -> Floats:
    """Bins of equal width over the domain; whole numbers never share a boundary."""
    span = column.high - column.low
    if column.kind is Kind.DATE or column.decimals == 0:
        width = max(np.ceil((span + 1) / BINS), 1.0)
        return np.asarray(column.low - 0.5 + width * np.arange(np.ceil((span + 1) / width) + 1), dtype=np.float64)
    return np.linspace(column.low, column.high if span > 0 else column.low + 1, BINS + 1)


def _bin_shares(table: Table, column: Column, edges: Floats) -> Floats:
    position = [other.name for other in table.schema.numeric].index(column.name)
    values = table.numbers[:, position]
    counts = np.histogram(values[np.isfinite(values)], bins=edges)[0]
    return np.asarray(counts / max(len(table), 1), dtype=np.float64)


def _level_shares(table: Table, column: Column) -> Floats:
    position = [other.name for other in table.schema.categorical].index(column.name)
    counts = np.bincount(table.codes[:, position], minlength=len(column.levels))
    return np.asarray(counts / max(len(table), 1), dtype=np.float64)


def _frequent_levels(column: Column, real: Floats, synthetic: Floats | None) -> ColumnShares:
    """The most frequent levels of the real table in falling order, the others as one."""
    order = np.argsort(-real, kind="stable")
    top, rest = (order, order[:0]) if len(order) <= LEVELS + 1 else (order[:LEVELS], order[LEVELS:])
    labels = [column.levels[level] or say("(missing)") for level in top]
    labels += [say("{others:,} others", others=len(rest))] * bool(len(rest))

    def merged(counts: Floats) -> Floats:
        tail = [counts[rest].sum()] if len(rest) else []
        return np.concatenate([counts[top], tail])

    return ColumnShares(
        column, np.empty(0), tuple(labels), merged(real), None if synthetic is None else merged(synthetic)
    )


def all_shares(real: Table, synthetic: Table | None) -> tuple[ColumnShares, ...]:
    """Every column that attacks use; where there are two tables, those that differ most come first."""
    every = [shares(column.name, real, synthetic) for column in real.schema.modelled]
    return tuple(sorted(every, key=lambda drawn: -(drawn.gap or 0.0)))


def figure(drawn: ColumnShares) -> go.Figure:
    """The small chart of one column: steps for numbers and dates, paired bars for levels."""
    chart = go.Figure()
    (_bars if drawn.labels else _steps)(chart, drawn)
    # Room that is known and labels that may pass it: a browser would measure every label and draw each chart twice.
    chart.update_xaxes(automargin=False, ticklabeloverflow="allow")
    chart.update_yaxes(automargin=False, ticklabeloverflow="allow")
    chart.update_layout(
        height=HEIGHT,
        margin={"l": _room(drawn), "r": 14, "t": 5, "b": BELOW, "autoexpand": False},
        showlegend=False,
        hovermode="closest",
        dragmode=False,
    )
    return chart


def _room(drawn: ColumnShares) -> int:
    """Pixels on the left: for the longest label of a level, or for shares and what they are."""
    if not drawn.labels:
        return BESIDE
    texts = [shorten(text, LETTERS) for text in drawn.labels]
    longest = max(sum(1 + (unicodedata.east_asian_width(sign) in "WF") for sign in text) for text in texts)
    return 14 + round(SIGN * longest)


def alt(drawn: ColumnShares) -> str:
    """The chart in words."""
    kind = say("bars") if drawn.labels else say("histogram")
    gap = (
        ""
        if drawn.gap is None
        else say(" The largest gap between real and synthetic is {points}.", points=points(drawn.gap))
    )
    return say("Share of rows by {name}, as {kind}.{gap}", name=drawn.column.name, kind=kind, gap=gap)


def points(share: float) -> str:
    """A difference of two shares, in percentage points."""
    return say("{points:.1f} points", points=100 * share)


def _steps(chart: go.Figure, drawn: ColumnShares) -> None:
    x = _axis_values(drawn.column, drawn.edges)
    for values, name, colour, dash in (
        (drawn.real, "real", REAL, "solid"),
        (drawn.synthetic, "synthetic", SYNTHETIC, "dash"),
    ):
        if values is None:
            continue
        chart.add_scatter(
            x=x,
            y=np.append(values, values[-1:]),
            line={"shape": "hv", "color": colour, "width": 2, "dash": dash},
            mode="lines",
            fill="tozeroy" if name == "real" else None,
            fillcolor="rgba(127, 133, 141, 0.28)",
            name=say(name),
            hovertemplate=say("{table}: %{{y:.1%}} of rows from %{{x}} on<extra></extra>", table=say(name)),
        )
    chart.update_xaxes(title=label(drawn.column.name), showgrid=False, fixedrange=True)
    chart.update_yaxes(title=say("share of rows"), tickformat=".0%", rangemode="tozero", nticks=4, fixedrange=True)


def _axis_values(column: Column, numbers: Floats) -> npt.NDArray[np.generic]:
    """Days since 1970 as dates; other numbers as they are."""
    if column.kind is not Kind.DATE:
        return numbers
    return np.datetime_as_string(_EPOCH + np.round(numbers).astype(np.int64))


def _bars(chart: go.Figure, drawn: ColumnShares) -> None:
    places = np.arange(len(drawn.labels), dtype=np.float64)
    width = min(0.36, 0.09 * max(len(drawn.labels), 1))
    for values, name, colour, pattern, side in (
        (drawn.real, "real", REAL, "", -0.5),
        (drawn.synthetic, "synthetic", SYNTHETIC, "/", 0.5),
    ):
        if values is None:
            continue
        chart.add_bar(
            x=values,
            y=places if drawn.synthetic is None else places + side * width,
            width=width,
            orientation="h",
            marker={"color": colour, "pattern": {"shape": pattern, "size": 4, "solidity": 0.55}},
            customdata=[label(text) for text in drawn.labels],
            meta=[label(drawn.column.name)],
            name=say(name),
            hovertemplate=say("{table}: %{{x:.1%}} of rows are %{{customdata}}<extra></extra>", table=say(name)),
        )
    chart.update_yaxes(
        tickvals=places,
        ticktext=[label(text, LETTERS) for text in drawn.labels],
        range=[len(places) - 0.5, -0.5],
        showgrid=False,
        fixedrange=True,
    )
    chart.update_xaxes(title=say("share of rows"), tickformat=".0%", rangemode="tozero", nticks=5, fixedrange=True)


def day(number: float) -> str:
    """A date of the domain, from its days since 1970."""
    return str(_EPOCH + np.int64(round(number)))
