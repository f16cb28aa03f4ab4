"""The figures of the contest. As :mod:`riskkit.dashboard.charts`: each carries the sentence it shows."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from riskkit.core import Estimate
from riskkit.dashboard import forms
from riskkit.dashboard.chart_rows import error_bars
from riskkit.dashboard.charts import CHANCE, IN, INK, OUT, empty
from riskkit.dashboard.data_charts import label
from riskkit.errors import ParameterError
from riskkit.language import counted, joined, say
from riskkit.questions.contest.points import UPLOADED, Spot
from riskkit.questions.contest.points import called as called_so
from riskkit.questions.contest.result import ContestResult
from riskkit.questions.contest.words import called, count
from riskkit.questions.opponents import true_name
from riskkit.wording import shortened

CELL, LETTERS, NAME, ACROSS = 58, 26, 40, 12
"""Pixels of one row; letters of a name on the axis of rows, in a sentence, and in one line of the axis of columns."""
BEST = say("the best")
AREA, DOT, LETTER, LINE = (520, 330), 7, 7, 15
"""Pixels that names are laid out for, between a phone and a wide screen: the picture, half a spot, a letter, a line."""
Box = tuple[float, float, float, float]
"""Left, right, top and bottom."""


def matrix(result: ContestResult) -> go.Figure:
    """Hits of every attacker (across) against every anonymiser (down), with the most of each row at the right.

    The neutral colour is what guessing finds. A triangle up marks more than guessing explains, one down fewer.
    """
    return table(
        [
            ContestLine(row.name, _named(row.name, row.is_uploaded), result.hits(row.name), row.best, row.worst)
            for row in result.standings
        ],
        result.attackers,
        HitScale(result.guessing.expected, float(result.guessing.guesses), "{:.4g}", "{:.1f}"),
        _matrix_finding(result),
    )


@dataclass(frozen=True, slots=True)
class ContestLine:
    """One row of :func:`table`: a name, what stands on the axis, the number of each attacker and of the best."""

    name: str
    label: str
    cells: Mapping[str, Estimate]
    best: str
    worst: Estimate


@dataclass(frozen=True, slots=True)
class HitScale:
    """What guessing reaches and the most there is, and how values and the ends of intervals are written."""

    chance: float
    most: float
    value: str
    end: str


def table(lines: Sequence[ContestLine], attackers: Sequence[str], scale: HitScale, finding: str) -> go.Figure:
    """Every attacker (across) against every release (down), coloured by how far a number is from guessing."""
    across = [*attackers, BEST]
    grid = [[*(line.cells.get(name) for name in attackers), line.worst] for line in lines]
    figure = empty(finding, height=CELL * len(lines) + 150)
    figure.add_heatmap(
        x=list(range(len(across))),
        y=list(range(len(lines))),
        z=[[np.nan if cell is None else cell.value for cell in row] for row in grid],
        zmin=2 * scale.chance - scale.most,
        zmax=scale.most,
        colorscale=[[0, OUT], [0.5, "#ECECE8"], [1, IN]],
        text=[[_field(cell, scale) for cell in row] for row in grid],
        texttemplate="%{text}",
        customdata=[
            [_hover(line, name, cell, scale) for name, cell in zip(across, row, strict=True)]
            for line, row in zip(lines, grid, strict=True)
        ],
        hovertemplate="%{customdata}<extra></extra>",
        xgap=2,
        ygap=2,
        showscale=False,
    )
    figure.add_vline(len(across) - 1.5, line={"color": INK, "width": 2})
    figure.update_xaxes(
        title=say("Attacker"),
        tickvals=list(range(len(across))),
        side="top",
        showgrid=False,
        zeroline=False,
        ticktext=[*(_lines(attacker(name)) for name in attackers), f"<b>{BEST}</b>"],
    )
    figure.update_yaxes(
        tickvals=list(range(len(lines))),
        ticktext=[line.label for line in lines],
        autorange="reversed",
        showgrid=False,
        zeroline=False,
    )
    return figure


def attacker(name: str) -> str:
    """What people call an attacker of riskkit; another's own has the name that it was handed in with."""
    try:
        return forms.named("released", true_name(name))
    except ParameterError:
        return name


def _release(name: str) -> str:
    """What people call a release of which only the name is known: the loaded one is theirs."""
    return called_so(name, is_uploaded=name == UPLOADED)


def _lines(text: str) -> str:
    """A name of an axis in lines as short as its column."""
    return "<br>".join(label(line) for line in textwrap.wrap(text, ACROSS))


def _named(name: str, is_uploaded: bool) -> str:
    title = label(called_so(name, is_uploaded=is_uploaded), LETTERS)
    return f"<b>{title}</b>" if is_uploaded else title


def _field(cell: Estimate | None, scale: HitScale) -> str:
    if cell is None:
        return "–"
    mark = "▲ " if cell.low > scale.chance else "▽ " if cell.high < scale.chance else ""
    low, high = (scale.end.format(end) for end in (cell.low, cell.high))
    return f"{mark}{scale.value.format(cell.value)}<br>[{low},<br>{high}]"  # on three lines, to be read on a phone


def _hover(line: ContestLine, name: str, cell: Estimate | None, scale: HitScale) -> str:
    who = (
        say("{best}, the best, allowing for all attackers", best=attacker(line.best))
        if name == BEST
        else attacker(name)
    )
    status = say("was not run")
    if cell is not None:
        low, high = (scale.end.format(end) for end in (cell.low, cell.high))
        status = say(
            "{value} [{low}, {high}] of {most:,.4g}",
            value=scale.value.format(cell.value),
            low=low,
            high=high,
            most=scale.most,
        )
    return say(
        "{anonymiser}<br>{attacker}<br>{told}<br>guessing {guessing}",
        anonymiser=label(_release(line.name), 80),
        attacker=label(who, 80),
        told=status,
        guessing=scale.end.format(scale.chance),
    )


def _matrix_finding(result: ContestResult) -> str:
    chance = result.guessing
    leaks = [standing for standing in result.standings if standing.worst.low > chance.expected]
    if not leaks:
        return say(
            "No attacker is shown to find more than guessing ({expected:.1f} of {guesses:,})",
            expected=chance.expected,
            guesses=chance.guesses,
        )
    most = max(leaks, key=lambda standing: standing.worst.value)
    return say(
        "In {leaks} of {releases} the best attacker finds more than "
        "guessing ({expected:.1f}); most in {release}: {count}",
        leaks=len(leaks),
        releases=counted(len(result.standings), "{n:,} release", "{n:,} releases"),
        expected=chance.expected,
        release=shortened(called(most), NAME),
        count=count(most.worst),
    )


# --------------------------------------------------------------------------------------------------------------
# Privacy against usefulness


def frontier(spots: Sequence[Spot], result: ContestResult, title: str) -> go.Figure:
    """Every release by its usefulness and the hits of its best attacker, fewer being higher up.

    Those that another one beats are grey and hollow; the release that was loaded is a large diamond.
    """
    expected = result.guessing.expected
    figure = empty(_frontier_finding(spots), height=480)
    figure.add_hline(expected, line={"color": CHANCE, "width": 1})
    figure.add_annotation(
        x=1,
        xref="paper",
        xanchor="right",
        y=expected,
        yanchor="bottom",
        showarrow=False,
        text=say("guessing {expected:.1f}", expected=expected),
    )
    best = sorted((spot for spot in spots if not spot.beaten), key=lambda spot: spot.usefulness)
    figure.add_scatter(
        x=[spot.usefulness for spot in best],
        y=[spot.worst.value for spot in best],
        mode="lines",
        hoverinfo="skip",
        line={"color": INK, "width": 1.5, "dash": "dot", "shape": "vh"},
        showlegend=False,
    )
    low, high = (
        end([*(getattr(spot.worst, side) for spot in spots), expected]) for end, side in ((min, "low"), (max, "high"))
    )
    room = 0.12 * max(high - low, 1.0)
    places = _places(spots, high - low + 2 * room)
    for spot in sorted(spots, key=lambda spot: (spot.usefulness, spot.name)):
        _spot(figure, spot, places.get(spot.name))
    figure.update_xaxes(title=say("Usefulness: {title} (1: as useful as the real rows)", title=title), tickformat="~g")
    figure.update_yaxes(
        title=say("Hits of the best attacker, of {guesses:,} (higher up: fewer)", guesses=result.guessing.guesses),
        range=[high + room, low - room],
        zeroline=False,
    )
    return figure


def _places(spots: Sequence[Spot], hits: float) -> dict[str, str]:
    """Where the name of each spot fits without covering another name or spot; those that fit nowhere are left out.

    The releases that were handed in come first, then those that nobody beats. ``hits`` is the height of the picture.
    """
    least = min(spot.usefulness for spot in spots)
    across = max(max(spot.usefulness for spot in spots) - least, 1e-9)
    points = {
        spot.name: ((spot.usefulness - least) / across * AREA[0], spot.worst.value / hits * AREA[1]) for spot in spots
    }
    taken = [(x - DOT, x + DOT, y - DOT, y + DOT) for x, y in points.values()]
    positions: dict[str, str] = {}
    for spot in sorted(spots, key=lambda dot: (not dot.is_uploaded, bool(dot.beaten), dot.usefulness)):
        x, y = points[spot.name]
        wide = LETTER * len(label(called(spot), LETTERS))
        sides = {"right": (x + DOT, x + DOT + wide), "left": (x - DOT - wide, x - DOT)}
        for side in ("right", "left") if x < AREA[0] / 2 else ("left", "right"):
            for end, (top, bottom) in {"top": (y - DOT - LINE, y - DOT), "bottom": (y + DOT, y + DOT + LINE)}.items():
                box = (*sides[side], top, bottom)
                if spot.name not in positions and not any(_meet(box, other) for other in taken):
                    positions[spot.name] = f"{end} {side}"
                    taken.append(box)
    return positions


def _meet(box: Box, other: Box) -> bool:
    return box[0] < other[1] and other[0] < box[1] and box[2] < other[3] and other[2] < box[3]


def _spot(figure: go.Figure, spot: Spot, position: str | None) -> None:
    colour = IN if spot.is_uploaded else CHANCE if spot.beaten else INK
    shape = "diamond" if spot.is_uploaded else "circle"
    worst, useful = spot.worst, spot.useful
    reach = {} if useful is None else {"error_x": _reach(useful, colour)}
    figure.add_scatter(
        x=[spot.usefulness],
        y=[worst.value],
        mode="markers+text",
        name=label(spot.name),
        text=[_named(spot.name, spot.is_uploaded) if position else ""],
        textposition=position or "top right",
        textfont={"color": colour} if spot.beaten and not spot.is_uploaded else {},
        error_y=_reach(worst, colour),
        marker={
            "symbol": f"{shape}-open" if spot.beaten else shape,
            "size": 16 if spot.is_uploaded else 11,
            "color": colour,
            "line": {"width": 2, "color": colour},
        },
        hovertemplate=_told(spot) + "<extra></extra>",
        showlegend=False,
        **reach,
    )


def _reach(estimate: Estimate, colour: str) -> dict[str, Any]:
    return {**error_bars([estimate], colour), "thickness": 1.5}


def _told(spot: Spot) -> str:
    useful = f"{spot.usefulness:.3f}" if spot.useful is None else str(spot.useful)
    others = joined(map(_release, spot.beaten))
    beaten = say("beaten by {others}", others=label(others, 80)) if spot.beaten else say("nobody beats it")
    return say(
        "{release}<br>hits {count}<br>usefulness {useful}<br>{beaten}",
        release=label(called(spot), 80),
        count=count(spot.worst),
        useful=useful,
        beaten=beaten,
    )


def _frontier_finding(spots: Sequence[Spot]) -> str:
    own = [spot for spot in spots if spot.is_uploaded]
    if not own:
        beaten = sum(bool(spot.beaten) for spot in spots)
        return say(
            "{beaten} of {releases} are beaten by another that is no less useful",
            beaten=beaten,
            releases=counted(len(spots), "{n:,} release", "{n:,} releases"),
        )
    return ". ".join(map(_sits, own))


def _sits(own: Spot) -> str:
    """The sentence over the picture: where a release sits and what protects better."""
    sits = say("{release} sits here", release=shortened(called(own), NAME).capitalize())
    if not own.beaten:
        return say("{sits}; no setting that was played protects better at the same usefulness", sits=sits)
    others = own.shown or own.beaten
    names = joined(shortened(_release(name), NAME) for name in others[:2])
    more = say(" and {more} more", more=len(others) - 2) if len(others) > 2 else ""
    if own.shown:
        return say(
            "{sits}; these settings protect better at the same usefulness: {names}{more}",
            sits=sits,
            names=names,
            more=more,
        )
    return say(
        "{sits}; in these releases attackers find fewer at the same usefulness, which may be chance: {names}{more}",
        sits=sits,
        names=names,
        more=more,
    )
