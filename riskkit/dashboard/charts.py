"""The figures of the pages. Each carries the sentence it shows; colours are fixed and never speak alone.

Grounds are transparent and text takes the theme's colour, so one figure serves the light and the dark theme. All line
and point colours reach a contrast of 3 on both grounds.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from riskkit import wording
from riskkit.core import Bools, Estimate, Floats, Ints
from riskkit.dashboard import chart_tools
from riskkit.dashboard.chart_data import ROW as ROW_NUMBER
from riskkit.dashboard.chart_rows import guide, label_rows, row_label, rows_height
from riskkit.dashboard.frame import plain
from riskkit.language import counted, say
from riskkit.questions.membership import words
from riskkit.questions.membership.bounds import most_named
from riskkit.questions.membership.outliers import OutlierMap
from riskkit.questions.membership.result import Outcome
from riskkit.questions.promises import Claim

IN, OUT, CHANCE, INK = "#D55E00", "#0072B2", "#8A8A8A", "#7478C4"
"""Made with the record, made without it, guessing, and everything that is neither."""
CONTROL, CEILING = "#009E73", "#6F7277"
"""The planted leak, and what keeps a leak away; the most there can be, the darkest grey still seen on the dark ground.
"""
LINES = ((INK, "solid"), ("#A37B00", "dash"), ("#B0729A", "dashdot"), (CHANCE, "longdash"), (INK, "dot"))
"""Colour and dash of the attacks of one picture, in order."""
SIDES = ((False, say("without the record"), OUT, "diamond", "◆"), (True, say("with the record"), IN, "circle", "●"))
"""The two arms of a game: colour and shape say the same."""
CLEAR = "rgba(0,0,0,0)"
GRID = "rgba(138,138,138,0.22)"
LEGEND = 36
"""Letters of one line in the legend of a picture that takes half a page."""


def show(figure: go.Figure, key: str, control: str = "", **more: Any) -> Any:
    """Draw the figure under the sentence it shows, which is also its description for screen readers.

    ``control`` is the key of what saves it, where the figure's own changes with what is chosen in it.
    """
    finding = str(figure.layout.meta)
    return chart_tools.drawn(figure, control or key, f"**{plain(finding)}**", finding, chart=key, **more)


def success(rows: Sequence[tuple[str, Estimate]], others: Sequence[tuple[str, Estimate]] = ()) -> go.Figure:
    """How well each attack does, with its interval. ``rows`` are (who, accuracy or AUC), drawn from top to bottom.

    ``others`` stand grey below them, for comparison: the sentence says nothing of them.
    """
    every = [*rows, *others]
    heights = np.arange(len(every), 0, -1)
    labels = [row_label(wording.number(estimate), who) for who, estimate in every]
    figure = empty(_success_finding([estimate for _, estimate in rows]), height=rows_height(labels))
    guide(figure, 0.5, heights.tolist(), {"color": CHANCE, "width": 1})
    figure.add_annotation(x=0.5, y=1, yref="paper", yanchor="bottom", text=say("chance"), showarrow=False)
    _successes(figure, rows, heights[: len(rows)], INK)
    _successes(figure, others, heights[len(rows) :], CHANCE)
    label_rows(figure, labels)
    of_pairs = rows[0][1].name == "auc"
    axis = (
        say("AUC: the release with the record scores higher") if of_pairs else say("Share of releases answered rightly")
    )
    figure.update_xaxes(title=axis, range=[-0.01, 1.02], tickformat=".1f")
    figure.update_yaxes(visible=False, range=[0.5, len(every) + 0.75])
    return figure


def _successes(figure: go.Figure, rows: Sequence[tuple[str, Estimate]], heights: Ints, colour: str) -> None:
    """The marks of these rows; a triangle lies wholly above guessing."""
    if not rows:
        return
    estimates = [estimate for _, estimate in rows]
    value, low, high = (np.array([getattr(e, name) for e in estimates]) for name in ("value", "low", "high"))
    figure.add_scatter(
        x=value,
        y=heights,
        mode="markers",
        error_x={"type": "data", "symmetric": False, "array": high - value, "arrayminus": value - low, "color": colour},
        marker={
            "symbol": ["triangle-up" if words.is_above_chance(e) else "circle-open" for e in estimates],
            "size": 12,
            "color": colour,
            "line": {"width": 2, "color": colour},
        },
        customdata=[[who, wording.number(e), e.n] for who, e in rows],
        meta=[say("Attack"), None, say("Trainings")],
        hovertemplate=say(
            "%{customdata[0]}<br>%{customdata[1]}, chance 0.50<br>%{customdata[2]} trainings<extra></extra>"
        ),
        showlegend=False,
    )


def _success_finding(estimates: Sequence[Estimate]) -> str:
    above = sum(map(words.is_above_chance, estimates))
    best = max(estimates, key=lambda e: e.value)
    intervals = counted(len(estimates), "{n:,} interval", "{n:,} intervals")
    if above and best.name == "auc":
        return counted(
            above,
            "The strongest attack picks the right release in {best} of pairs; {n} of {intervals} lies wholly above "
            "guessing",
            "The strongest attack picks the right release in {best} of pairs; {n} of {intervals} lie wholly above "
            "guessing",
            best=wording.share(best),
            intervals=intervals,
        )
    if above:
        return counted(
            above,
            "The most successful attack is right in {best} of releases; {n} of {intervals} lies wholly above guessing",
            "The most successful attack is right in {best} of releases; {n} of {intervals} lie wholly above guessing",
            best=wording.share(best),
            intervals=intervals,
        )
    return say("No attack's interval lies wholly above guessing (50 %)")


def roc(
    rows: Sequence[tuple[str, Outcome]], *, log: bool = False, band: bool = False, claimed: Claim | None = None
) -> go.Figure:
    """Share named against share falsely accused, one line an attack, of outcomes of one game.

    On log axes nothing is drawn below one in the trainings without the record: they cannot show a smaller rate.
    ``band`` shades the interval of the line with the largest area, ``claimed`` draws the most that a method allows
    which keeps that promise.
    """
    figure = empty(_roc_finding(rows), height=430 + 40 * (band + (claimed is not None)))
    trainings_out = min(outcome.scores.trainings(False) for _, outcome in rows)
    floor = 1 / max(trainings_out, 1)
    start = floor if log else 0.0
    chance = np.geomspace(floor, 1, 50) if log else np.array([0.0, 1.0])
    figure.add_scatter(
        x=chance, y=chance, mode="lines", line={"color": CHANCE, "width": 1}, name=say("chance 0.50"), hoverinfo="skip"
    )
    if band:
        _band(figure, rows, start)
    if claimed is not None:
        _region(figure, claimed, start)
    for index, (who, outcome) in enumerate(rows):
        curve, area = outcome.curve(), outcome.estimates.get("auc")
        if curve is None:
            continue
        colour, dash = LINES[index % len(LINES)]
        figure.add_scatter(
            x=np.maximum(curve.fpr, start),
            y=np.maximum(curve.tpr, start),
            mode="lines",
            line={"color": colour, "dash": dash, "width": 2.5},
            name="<br>".join([*_lines(who), *([say("AUC {area}", area=area)] if area else [])]),
            hovertemplate=say("named %{y:.0%} at %{x:.0%} false alarms<extra></extra>"),
        )
    kind: dict[str, Any] = {"range": [0, 1.005]}
    if log:
        ticks = [tick for tick in (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1) if tick >= floor]
        kind = {"type": "log", "range": [np.log10(floor), 0.02], "tickvals": ticks}
    figure.update_xaxes(title=say("False alarms (share of releases without the record)"), tickformat="~g", **kind)
    figure.update_yaxes(title=say("Named (share of releases with the record)"), tickformat="~g", **kind)
    figure.update_layout(legend={"orientation": "h", "y": -0.3 if band else -0.2, "yanchor": "top", "x": 0})
    if log:
        figure.add_annotation(
            x=0,
            y=1,
            xref="paper",
            yref="paper",
            xanchor="left",
            yanchor="bottom",
            showarrow=False,
            text=say("Rates below 1 in {trainings} cannot be seen", trainings=trainings_out),
        )
    return figure


def _lines(text: str) -> list[str]:
    """A name in lines short enough for the legend of half a page."""
    return textwrap.wrap(text, LEGEND)


def _band(figure: go.Figure, rows: Sequence[tuple[str, Outcome]], start: float) -> None:
    """The interval of the line with the largest area, at each share of false alarms by itself."""
    known = [index for index, (_, outcome) in enumerate(rows) if "auc" in outcome.estimates]
    if not known:
        return
    strongest = max(known, key=lambda place: rows[place][1].estimates["auc"].value)
    level = rows[strongest][1].estimates["auc"].level
    band = rows[strongest][1].band(level)
    if band is None:
        return
    shade = {"mode": "lines", "line": {"width": 0}, "hoverinfo": "skip"}
    red, green, blue = (int(LINES[strongest % len(LINES)][0][place : place + 2], 16) for place in (1, 3, 5))
    figure.add_scatter(x=band.fpr, y=np.maximum(band.low, start), showlegend=False, **shade)
    figure.add_scatter(
        x=band.fpr,
        y=np.maximum(band.high, start),
        fill="tonexty",
        fillcolor=f"rgba({red},{green},{blue},0.2)",
        name="<br>".join(
            _lines(say("{level:.0%} interval of {who}, point by point", level=level, who=rows[strongest][0]))
        ),
        **shade,
    )


def _region(figure: go.Figure, claimed: Claim, start: float) -> None:
    """The most that a promise allows, dashed, and what lies above it lightly shaded."""
    fpr = np.unique(np.append(np.geomspace(max(start, 1e-4), 1, 200), [0.0 if start == 0 else start, 1.0]))
    epsilon = claimed.epsilon or 0.0
    most = np.maximum(most_named(fpr, epsilon, claimed.delta), start)
    figure.add_scatter(
        x=fpr,
        y=most,
        mode="lines",
        line={"color": CHANCE, "dash": "dash", "width": 2},
        name=say("most that ε = {epsilon:g} allows", epsilon=epsilon),
        hovertemplate=say("at most %{y:.0%} at %{x:.0%} false alarms<extra></extra>"),
    )
    figure.add_scatter(
        x=fpr,
        y=np.ones(len(fpr)),
        mode="lines",
        line={"width": 0},
        fill="tonexty",
        fillcolor="rgba(213,94,0,0.10)",
        hoverinfo="skip",
        showlegend=False,
    )


def _roc_finding(rows: Sequence[tuple[str, Outcome]]) -> str:
    known = [(who, outcome.estimates["auc"]) for who, outcome in rows if "auc" in outcome.estimates]
    if not known:
        return say("Share of releases named at each share of false alarms")
    who, area = max(known, key=lambda pair: pair[1].value)
    if not words.is_above_chance(area):
        return say("No attack tells the releases apart; the highest AUC is {area}, chance 0.50", area=area)
    return say("{who} tells them apart best: AUC {area}, chance 0.50", who=who, area=area)


def targets(rows: Sequence[tuple[str, Sequence[tuple[int, Estimate]]]]) -> go.Figure:
    """Right answers against how many targets went in or out together; one line an attack, with its intervals."""
    figure = empty(_targets_finding(rows), height=380)
    figure.add_hline(0.5, line={"color": CHANCE, "width": 1})
    for index, (who, points) in enumerate(rows):
        colour, dash = LINES[index % len(LINES)]
        value, low, high = (np.array([getattr(e, name) for _, e in points]) for name in ("value", "low", "high"))
        figure.add_scatter(
            x=[count for count, _ in points],
            y=value,
            mode="lines+markers",
            name=who,
            line={"color": colour, "dash": dash, "width": 2.5},
            marker={"size": 9, "color": colour},
            error_y={"type": "data", "symmetric": False, "array": high - value, "arrayminus": value - low},
            customdata=[[wording.number(e), e.n] for _, e in points],
            meta=[None, say("Trainings")],
            hovertemplate=say(
                "%{x} targets: %{customdata[0]}, chance 0.50<br>%{customdata[1]} trainings<extra></extra>"
            ),
        )
    figure.update_xaxes(title=say("Targets in or out together (log scale)"), type="log", dtick=1)
    figure.update_yaxes(title=say("Share of releases answered rightly"), range=[-0.01, 1.03], tickformat=".1f")
    figure.update_layout(legend={"orientation": "h", "y": -0.25, "yanchor": "top", "x": 0})
    return figure


def _targets_finding(rows: Sequence[tuple[str, Sequence[tuple[int, Estimate]]]]) -> str:
    """From how many targets on an attack is told from guessing, in the runs that were played."""
    above = [(count, who) for who, points in rows for count, e in points if words.is_above_chance(e)]
    if not above:
        return say("No attack is distinguished from guessing (50 %), however many targets go in together")
    count, who = min(above)
    return say(
        "{who} does better than guessing from {targets} on, in the runs that were played",
        who=who,
        targets=counted(count, "{n:,} target", "{n:,} targets"),
    )


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
        meta=[ROW_NUMBER, say("Distance from the middle M"), say("Rank")],
        hovertemplate=say("row %{customdata[0]:d}<br>M %{customdata[1]:.2f}, rank %{customdata[2]:d}<extra></extra>"),
        showlegend=False,
    )
    if by_rank:
        figure.add_hline(outlier_map.median, line={"color": CHANCE, "width": 1})
        figure.add_annotation(
            x=0,
            xref="paper",
            xanchor="left",
            y=outlier_map.median,
            yanchor="bottom",
            text=say("median"),
            showarrow=False,
        )
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
