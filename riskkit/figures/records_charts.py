"""The figures of the Records page. As :mod:`riskkit.figures.canvas`: each carries the sentence it shows."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from riskkit import wording
from riskkit.core import Estimate
from riskkit.figures.canvas import CEILING, CHANCE, IN, INK, KEY, empty, level
from riskkit.figures.chart_data import ROW as ROW_NUMBER
from riskkit.figures.planes import roc
from riskkit.figures.rows import intervals
from riskkit.language import again, counted, say
from riskkit.questions.records.certificate import Three
from riskkit.questions.records.releases import GUESS
from riskkit.questions.records.result import Person, RecordsFinding
from riskkit.questions.records.words import person_in_sentence, person_title
from riskkit.show.blocks import Axis, RocCurve, RocLine
from riskkit.show.model import Bar, Chart
from riskkit.wording import shorten

BAND = "rgba(116,120,196,0.25)"
NAME, FEW = 40, 12
"""Letters of a name, and ranks that each have a tick."""
DRAGS = {"box": "select", "lasso": "lasso"}
"""What dragging draws, by the way in which people are chosen."""
SEEN = 0.005
"""The smallest change of an AUC that is one."""


def everybody(
    finding: RecordsFinding, people: Sequence[Person], chosen: Collection[int] = (), *, by: str = "points"
) -> go.Figure:
    """Everybody by falling risk, with intervals as a band; above it what the best attack could reach.

    People are chosen ``by`` clicking points, or by drawing a box or a lasso around them. Streamlit takes clicks only
    while dragging draws nothing, so it is the one or the other.
    """
    ranked = [person for person in finding.ranked() if person in set(people)]
    figure = empty(_everybody_finding(ranked), height=430)
    rank = np.arange(1, len(ranked) + 1)
    aucs = [person.auc for person in ranked if person.auc is not None]
    low, high = [auc.low for auc in aucs], [auc.high for auc in aucs]
    figure.add_scatter(x=rank, y=high, mode="lines", line={"width": 0}, hoverinfo="skip", showlegend=False)
    figure.add_scatter(
        x=rank,
        y=low,
        mode="lines",
        line={"width": 0},
        fill="tonexty",
        fillcolor=BAND,
        hoverinfo="skip",
        name=say("interval"),
    )
    _optimal(figure, rank.tolist(), ranked)
    _dots(figure, rank.tolist(), [auc.value for auc in aucs], ranked, chosen)
    _limit(figure, finding, across=True)
    figure.update_xaxes(title=say("Rank, 1 is exposed most"), range=[0, len(ranked) + 1], tickformat="d")
    if len(ranked) <= FEW:
        figure.update_xaxes(dtick=1)
    figure.update_yaxes(title=say("Risk (AUC; guessing 0.50)"), range=[0.38, 1.02], tickformat=".1f")
    return _legend(figure).update_layout(dragmode=DRAGS.get(by, False))


def _optimal(figure: go.Figure, x: Sequence[float], people: Sequence[Person]) -> None:
    points = [
        (place, person.best.auc, person.row) for place, person in zip(x, people, strict=True) if person.best is not None
    ]
    if not points:
        return
    figure.add_scatter(
        x=[place for place, *_ in points],
        y=[auc.value for _, auc, _ in points],
        mode="markers",
        name=say("best possible attack, estimated"),
        marker={"symbol": "line-ew-open", "size": 7, "color": CEILING, "line": {"width": 2, "color": CEILING}},
        customdata=[[row, str(auc)] for _, auc, row in points],
        meta=[again(ROW_NUMBER), None],
        hovertemplate=say("best attack %{customdata[1]}<extra></extra>"),
    )


def _dots(
    figure: go.Figure, x: Sequence[float], y: Sequence[float], people: Sequence[Person], chosen: Collection[int]
) -> None:
    """A point for each record: listed ones are triangles, chosen ones diamonds, larger where there is but one."""
    mark = 15 if len(chosen) <= 1 else 11
    kinds = ["chosen" if each.row in chosen else "exposed" if each.is_listed else "" for each in people]
    listed = sum(person.is_listed for person in people)
    for kind, name, sign, size in (
        ("", f"{say('no exposure found')} ({len(people) - listed:,})", "circle", 6),
        ("exposed", f"{say('▲ exposed')} ({listed:,})", "triangle-up", 9),
        ("chosen", say("◆ chosen"), "diamond", mark),
    ):
        places = [i for i, own in enumerate(kinds) if own == kind]
        if not places:
            continue
        figure.add_scatter(
            x=[x[i] for i in places],
            y=[y[i] for i in places],
            mode="markers",
            name=name,
            marker={"symbol": sign, "size": size, "color": [IN if people[i].is_listed else INK for i in places]},
            customdata=[[people[i].row, str(people[i].auc), people[i].n] for i in places],
            meta=[again(ROW_NUMBER), say("Risk [interval]"), say("Trainings")],
            hovertemplate=say(
                "record %{customdata[0]:d}<br>%{customdata[1]}, guessing 0.50<br>%{customdata[2]} trainings"
                "<extra></extra>"
            ),
        )


def _limit(figure: go.Figure, finding: RecordsFinding, *, across: bool) -> None:
    """Chance, and the limit where somebody set one; ``across``: with their names."""
    lines: list[tuple[float, str, dict[str, Any]]] = [(GUESS, say("guessing"), {"color": CHANCE, "width": 1})]
    if finding.is_set:
        limit = {"color": CHANCE, "width": 1.5, "dash": "dash"}
        lines.append((finding.limit, say("limit {limit:g}", limit=finding.limit), limit))
    for height, text, line in lines:
        if across:
            level(figure, height, text, **line)
        else:
            figure.add_hline(height, line=line)


def _legend(figure: go.Figure) -> go.Figure:
    figure.update_layout(
        legend={**KEY, "y": -0.2},
        clickmode="event+select",
        dragmode=False,
    )
    return figure


def _everybody_finding(ranked: Sequence[Person]) -> str:
    if not ranked or ranked[0].auc is None:
        return say("No record with a number passes this filter")
    first = ranked[0]
    listed = sum(person.is_listed for person in ranked)
    return counted(
        listed,
        "{who} is exposed most; of {ranked:,} here at least {n:,} is exposed",
        "{who} is exposed most; of {ranked:,} here at least {n:,} are exposed",
        who=person_title(first),
        ranked=len(ranked),
    )


def against_traditional(ranked: RecordsFinding, people: Sequence[Person], chosen: Collection[int] = ()) -> go.Figure:
    """This table's own risk against the average over tables; those it misses are in the marked corner."""
    both = [person for person in people if person.auc is not None and person.traditional is not None]
    missed = sum(person.is_missed(ranked.limit) for person in both)
    high = sum(person.is_above(ranked.limit) for person in both)
    finding = say(
        "Averaging over tables misses {missed:,} of {high:,} people above {limit:g}",
        missed=missed,
        high=high,
        limit=ranked.limit,
    )
    figure = empty(
        finding if high else say("Nobody shown is above {limit:g} in this table", limit=ranked.limit), height=430
    )
    figure.add_shape(
        type="rect",
        x0=0.3,
        x1=ranked.limit,
        y0=ranked.limit,
        y1=1.02,
        fillcolor=IN,
        opacity=0.12,
        line={"width": 0},
        layer="below",
    )
    figure.add_annotation(x=0.32, y=1.0, xanchor="left", yanchor="top", text=f"missed: {missed:,}", showarrow=False)
    figure.add_shape(type="line", x0=0.3, x1=1, y0=0.3, y1=1, line={"color": CHANCE, "width": 1}, layer="below")
    figure.add_vline(ranked.limit, line={"color": CHANCE, "width": 1.5, "dash": "dash"})
    x = [person.traditional.value for person in both if person.traditional is not None]
    _dots(figure, x, [person.auc.value for person in both if person.auc is not None], both, chosen)
    _limit(figure, ranked, across=False)
    figure.update_xaxes(title=say("Average over tables (AUC)"), range=[0.3, 1.02], tickformat=".1f")
    figure.update_yaxes(title=say("In this table (AUC)"), range=[0.3, 1.02], tickformat=".1f")
    return _legend(figure)


def against_outlierness(finding: RecordsFinding, people: Sequence[Person], chosen: Collection[int] = ()) -> go.Figure:
    """Risk against how unlike others a person is."""
    known = [person for person in people if person.auc is not None]
    figure = empty(_outlier_finding(finding, known), height=430)
    y = [person.auc.value for person in known if person.auc is not None]
    _dots(figure, [person.outlierness for person in known], y, known, chosen)
    _limit(figure, finding, across=True)
    figure.update_xaxes(title=say("Distance to the five most similar others (no unit)"), rangemode="tozero")
    figure.update_yaxes(title=say("Risk (AUC; guessing 0.50)"), range=[0.38, 1.02], tickformat=".1f")
    return _legend(figure)


def _outlier_finding(finding: RecordsFinding, known: Sequence[Person]) -> str:
    high = [person for person in known if person.is_above(finding.limit)]
    if not high:
        return say("Nobody shown is above {limit:g}", limit=finding.limit)
    middle = float(np.median([person.outlierness for person in known]))
    usual = sum(person.outlierness <= middle for person in high)
    return say(
        "{usual:,} of {high:,} people above {limit:g} stand out less than the median person shown",
        usual=usual,
        high=len(high),
        limit=finding.limit,
    )


def bracket(person: Person, limit: float | None) -> go.Figure:
    """What no attack can exceed, and what was shown of one person, one under the other; the limit where one is set."""
    best = None if person.best is None else person.best.auc
    known = (
        (say("best attack"), best, "ceiling"),
        (say("tested, fresh trainings") if person.is_fresh else say("tested"), person.auc, "members"),
        (say("average over tables"), person.traditional, ""),
    )
    bars = tuple(Bar(who, _estimate(three, person), kind, limit=limit) for who, three, kind in known if three)
    figure = intervals(Chart(_bracket_finding(person), say("Risk (AUC; guessing 0.50)"), bars, GUESS, (0.4, 1.0)))
    if best is not None and person.auc is not None:
        between = {"fillcolor": IN, "opacity": 0.1, "line": {"width": 0}, "layer": "below"}
        figure.add_vrect(max(person.auc.low, GUESS), best.high, **between)
    return figure


def _estimate(three: Three, person: Person) -> Estimate:
    """The same as a number of that person; one without a width was worked out, not measured."""
    method = wording.EXACT_BOUND if three.low == three.high else ""
    return Estimate("auc", *three, 0.95, method, person.n)


def _bracket_finding(person: Person) -> str:
    if person.auc is None:
        return say("There is no number for {who}", who=person_in_sentence(person))
    if person.best is None:
        return say(
            "By the attack that was run, the risk of {who} is {auc}", who=person_in_sentence(person), auc=person.auc
        )
    return say(
        "The risk of {who} lies between {low:.2f} and {high:.2f}",
        who=person_in_sentence(person),
        low=max(person.auc.low, 0.5),
        high=person.best.auc.high,
    )


def trade_off(finding: RecordsFinding, person: Person) -> go.Figure:
    """Share named against share falsely accused: the attack, and above it the best there can be."""
    result, best = finding.result, person.best
    grid, curve = (0.0, *result.fpr_grid, 1.0), (0.0, *(person.curve or ()), 1.0)  # whoever says "in" of none, of all
    own = [RocLine(say("attack that was run"), grid, curve)] if person.curve else []
    most = None if best is None else RocLine(say("best possible attack"), result.certificate_grid, best.curve)
    return roc(
        RocCurve(
            "trade_off",
            _trade_finding(finding, person),
            Axis(say("Falsely accused (releases without the person)")),
            Axis(say("Named (share of releases with the person)")),
            tuple(own),
            (),
            floor=0.0,
            is_log=False,
            most=most,
        )
    )


def _trade_finding(finding: RecordsFinding, person: Person) -> str:
    false_alarms = say("falsely accusing {fpr:g} %", fpr=100 * finding.result.plan.fpr)
    if person.best is None:
        named = say("no number") if person.tpr is None else f"{100 * person.tpr.value:.0f} %"
        return say(
            "By {at}, the attack names {named} of the releases with {who}",
            at=false_alarms,
            named=named,
            who=person_in_sentence(person),
        )
    return say(
        "By {at}, the best attack names {share:.0f} % of the releases with {who}",
        at=false_alarms,
        share=100 * person.best.tpr.value,
        who=person_in_sentence(person),
    )


def coarser(before: float, after: Sequence[tuple[str, int, float]], people: int) -> go.Figure:
    """The best attack after each column alone was coarsened; ``after`` has column, people who share it, and AUC."""
    rows = sorted(after, key=lambda row: row[2])
    bars = [Bar(say("as it is"), _exact(before), "ceiling")]
    for name, shared, auc in rows:
        who = say("{column}, shared by {shared:,}", column=shorten(name, NAME), shared=shared)
        bars.append(Bar(who, _exact(auc), "control" if auc <= before - SEEN else ""))
    axis = say("Best attack there can be (AUC; guessing 0.50)")
    return intervals(Chart(_coarser_finding(before, rows, people), axis, tuple(bars), None, (0.5, 1.0)))


def _exact(auc: float) -> Estimate:
    """A number that was worked out and not measured."""
    return Estimate("auc", auc, auc, auc, 0.95, wording.EXACT_BOUND, 0)


def helps(before: float, after: Sequence[tuple[str, int, float]]) -> bool:
    """Whether some column lowers the best attack by as much as can be seen."""
    return any(auc <= before - SEEN for _, _, auc in after)


def _coarser_finding(before: float, rows: Sequence[tuple[str, int, float]], people: int) -> str:
    if not helps(before, rows):
        return say(
            "Coarsening any one of these columns to {people} people leaves the best attack at {before:.2f}",
            people=people,
            before=before,
        )
    name, _, auc = rows[0]
    return say(
        "Coarsening {column} lowers the best attack from {before:.2f} to {after:.2f}",
        column=shorten(name, NAME),
        before=before,
        after=auc,
    )
