"""What all figures share: colours, ground, rows and their labels; and the map of records that stand out.

Each figure carries the sentence it shows; colours are fixed and never speak alone.

Grounds are transparent and text takes the theme's colour, so one figure serves the light and the dark theme. All line
and point colours reach a contrast of 3 on both grounds.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from riskkit.core import Bools, Estimate, Floats
from riskkit.figures.chart_data import ROW as ROW_NUMBER
from riskkit.language import again, phrase, say
from riskkit.questions.membership.people import OutlierMap
from riskkit.report.plots import wide, wrap
from riskkit.wording import shorten

IN, OUT, CHANCE, INK = "#D55E00", "#0072B2", "#8A8A8A", "#7478C4"
"""Made with the record, made without it, guessing, and everything that is neither."""
CONTROL, CEILING = "#009E73", "#6F7277"
"""The planted leak, and what keeps a leak away; the most there can be, the darkest grey still seen on the dark ground.
"""
REAL, SYNTHETIC = "#7F858D", "#B95CAD"
"""Values of the real table, and of the release, whose fill, hatching, dash or name repeats what the colour says."""
LINES = ((INK, "solid"), ("#A37B00", "dash"), ("#B0729A", "dashdot"), (CHANCE, "longdash"), (INK, "dot"))
"""Colour and dash of the attacks of one picture, in order."""
SIDES = (
    (False, phrase("without the record"), OUT, "diamond", "◆"),
    (True, phrase("with the record"), IN, "circle", "●"),
)
"""The two arms of a game: colour and shape say the same."""
CLEAR = "rgba(0,0,0,0)"
GRID = "rgba(138,138,138,0.22)"
KEY = {"orientation": "h", "yanchor": "top", "x": 0}
"""A key below its picture."""
LEGEND = 36
"""Letters of one line in the legend of a picture that takes half a page."""
PHONE = 280
"""Pixels of a line that a window of 390 pixels shows, as :func:`riskkit.report.plots.wide` counts them."""
TITLE = 220
"""The same of the title of an axis, which is set larger and beside the numbers of the other axis."""
NEXT_LINE = 0.06
"""Height of a line of a title, as a part of that of a picture."""
LONG = 160
"""Letters of a name that stands over its row."""


def outliers(
    outlier_map: OutlierMap, chosen: Sequence[int], *, by_rank: bool = True, by_box: bool = False
) -> go.Figure:
    """The records that stand out, to be clicked or boxed; hover gives the row number and M, never a value.

    Streamlit takes clicks only while dragging draws no box, so it is the one or the other.
    """
    rank = np.arange(1, len(outlier_map.row) + 1)
    figure = empty(_outlier_finding(outlier_map), height=430)
    marked: Bools = np.isin(outlier_map.row, np.asarray(chosen, dtype=np.int64))
    figure.add_scatter(
        x=rank if by_rank else outlier_map.across,
        y=outlier_map.distance if by_rank else outlier_map.up,
        mode="markers",
        marker=_dots(outlier_map.distance, marked, by_rank),
        customdata=np.column_stack([outlier_map.row, outlier_map.distance, rank]),
        meta=[again(ROW_NUMBER), say("Distance from the middle M"), say("Rank")],
        hovertemplate=say("row %{customdata[0]:d}<br>M %{customdata[1]:.2f}, rank %{customdata[2]:d}<extra></extra>"),
        showlegend=False,
    )
    if by_rank:
        level(figure, outlier_map.median, say("median"), end="left")
        figure.update_xaxes(title=say("Rank, 1 stands out most (log scale)"), type="log", dtick=1)
        figure.update_yaxes(title=say("Distance from the middle M (no unit)"), rangemode="tozero")
    else:
        figure.update_xaxes(title=say("First main direction of the table (standard deviations)"))
        figure.update_yaxes(title=say("Second main direction (standard deviations)"))
    figure.update_layout(clickmode="event+select", dragmode="select" if by_box else False)
    return figure


def _dots(distance: Floats, marked: Bools, by_rank: bool) -> dict[str, Any]:
    """One ink where height is M; else M as colour and size. Chosen points are large diamonds, the rest steps back.

    They are no selection of Plotly's, which would not tell of a click on a point that is selected already.
    """
    reach = np.zeros(len(distance)) if by_rank else distance / max(float(distance.max(initial=0)), 1e-300)
    shape = {
        "symbol": np.where(marked, "diamond", "circle").tolist(),
        "size": np.where(marked, 15, 7 + 5 * reach),
        "opacity": np.where(marked | ~marked.any(), 1.0, 0.45),
    }
    if by_rank:
        return {**shape, "color": INK}
    bar = {"title": {"text": "M"}, "thickness": 10}
    return {**shape, "color": distance, "colorscale": [[0, CHANCE], [1, INK]], "colorbar": bar}


def _outlier_finding(outlier_map: OutlierMap) -> str:
    if not len(outlier_map.row):
        return say("The table has no rows")
    sentence = say(
        "Row {row} stands out most: M {distance:.1f}, median {median:.1f}",
        row=outlier_map.row[0],
        distance=outlier_map.distance[0],
        median=outlier_map.median,
    )
    if len(outlier_map.row) < outlier_map.total:
        sentence += say(
            "; the picture shows the {shown:,} of {total:,} rows that stand out most",
            shown=len(outlier_map.row),
            total=outlier_map.total,
        )
    return sentence


def empty(finding: str, height: int) -> go.Figure:
    """An empty figure with the ground, grid and margins that all share."""
    axis = {"gridcolor": GRID, "zerolinecolor": GRID, "automargin": True, "title": {"standoff": 8}}
    layout = {  # all at once: every change of a figure is checked anew, and a page draws many
        "meta": finding,
        "height": height,
        "margin": {"l": 8, "r": 8, "t": 26, "b": 8},
        "paper_bgcolor": CLEAR,
        "plot_bgcolor": CLEAR,
        "hovermode": "closest",
        "xaxis": axis,
        "yaxis": axis,
    }
    return go.Figure(layout=layout)


def level(
    figure: go.Figure, height: float, name: str, *, end: str = "right", is_above: bool = True, **line: Any
) -> None:
    """A line across at that height, such as chance, with its name at one end of it."""
    figure.add_hline(height, line={"color": CHANCE, "width": 1, **line})
    figure.add_annotation(
        x=1 if end == "right" else 0,
        xref="paper",
        xanchor=end,
        y=height,
        yanchor="bottom" if is_above else "top",
        showarrow=False,
        text=name,
    )


def label(text: str, letters: int = 40) -> str:
    """Text that came with a file, for a chart: cut where it is long, and none of it read as markup."""
    return html.escape(shorten(text, letters), quote=False)


def faint(colour: str) -> str:
    """That colour as a ground behind lines."""
    red, green, blue = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.2)"


def row_lines(number: str, who: str) -> list[str]:
    """What stands over the marks of a row, as markup: one line, or more where that is wider than a phone."""
    if wide(f"{number}  {who}") <= PHONE:
        return [f"<b>{number}</b>  {label(who, LONG)}"]
    return [f"<b>{number}</b>", *in_lines(who)]


def in_lines(text: str) -> list[str]:
    """Text that came with a file in lines that a phone shows, three at most, none of it read as markup."""
    return [html.escape(line, quote=False) for line in wrap(text, PHONE)]


def wrap_titles(figure: go.Figure) -> None:
    """Set the title of each axis in lines that a phone shows; plotly would cut it at the edges of the picture.

    A key below the picture makes room for the further lines.
    """
    for axis, room in ((figure.layout.xaxis, TITLE), (figure.layout.yaxis, PHONE)):
        if axis.title.text and "<br>" not in axis.title.text:
            lines = wrap(axis.title.text, room)
            axis.title.text = "<br>".join(lines)
            if axis is figure.layout.xaxis and (figure.layout.legend.y or 0) < 0:
                figure.layout.legend.y -= NEXT_LINE * (len(lines) - 1)


def guides(x: float, rows: Iterable[float], line: Mapping[str, Any], low: float, high: float) -> list[dict[str, Any]]:
    """A line at ``x`` beside the marks of each row, from ``low`` to ``high`` around it, and through no label between.

    ``line`` has colour, width and dash. They are the figure's ``shapes``, to be handed to it all at once: it checks all
    that it has with each that is added.
    """
    return [
        {"type": "line", "x0": x, "x1": x, "y0": row + low, "y1": row + high, "line": dict(line), "layer": "below"}
        for row in rows
    ]


def error_bars(estimates: Sequence[Estimate], colour: str) -> dict[str, Any]:
    """The intervals of these numbers, as plotly takes them."""
    ends = {"array": [e.high - e.value for e in estimates], "arrayminus": [e.value - e.low for e in estimates]}
    return {"type": "data", "symmetric": False, "color": colour, **ends}


def in_rows(
    figure: go.Figure,
    rows: Sequence[tuple[Any, float, Estimate]],
    colour: str,
    symbol: str | Sequence[str],
    size: float,
    *,
    has_ends: bool = True,
    edge: float = 2,
    **more: Any,
) -> None:
    """Marks with their intervals across, each at the height of its row; ``more`` goes to plotly's scatter."""
    if has_ends:
        more["error_x"] = {**error_bars([e for *_, e in rows], colour), **more.get("error_x", {})}
    figure.add_scatter(
        x=[e.value for *_, e in rows],
        y=[height for _, height, _ in rows],
        mode="markers",
        marker={
            "symbol": symbol,
            "size": size,
            "color": colour,
            **({"line": {"width": edge, "color": colour}} if edge else {}),
        },
        **more,
    )
