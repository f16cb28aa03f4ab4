"""The figures of attribute inference. As :mod:`riskkit.dashboard.charts`: each carries the sentence it shows.

That sentence names columns as they are; whoever shows it keeps them from being read as markup.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from riskkit import wording
from riskkit.core import Estimate
from riskkit.dashboard.chart_rows import ROW, guide
from riskkit.dashboard.charts import CHANCE, IN, INK, empty
from riskkit.dashboard.data_charts import label, shortened
from riskkit.language import counted, say
from riskkit.questions.attributes import words
from riskkit.questions.attributes.findings import Answer, Cell, Groups
from riskkit.show.names import known as known_set

CONTROL, CEILING = "#009E73", "#6F7277"
"""People who were not in; and the ceiling, the darkest grey that is still seen on the dark ground."""
LOOKS = {
    "baseline": (CHANCE, "dot", "line-ns"),
    "control": (CONTROL, "solid", "diamond"),
    "members": (IN, "solid", "circle"),
    "ceiling": (CEILING, "dash", "line-ns"),
}
"""Colour, dash of the outline and sign of a bar: each says which one it is by itself."""
LETTERS, NAME = 22, 40
"""Of a name on an axis, and in a sentence."""
CELL = 46
"""Pixels of one row of a heatmap."""
AROUND = 0.3
"""Half the height of a bar."""


def bars(answer: Answer, measure: str) -> go.Figure:
    """Baseline, control, members and ceiling of one measure with their intervals, from top to bottom.

    Baseline and ceiling run on beside every bar, so that the two sides are read between them.
    """
    rows = answer.bars(measure)
    figure = empty(_bars_finding(answer, measure), height=int(ROW * 1.25 * len(rows)) + 70)
    for (side, estimate), height in zip(rows, range(len(rows), 0, -1), strict=True):
        colour, dash, sign = LOOKS[side]
        figure.add_shape(
            type="rect",
            x0=0,
            x1=estimate.value,
            y0=height - AROUND,
            y1=height + 0.04,
            fillcolor=colour,
            opacity=0.28,
            line={"width": 0},
            layer="below",
        )
        figure.add_shape(
            type="rect",
            x0=0,
            x1=estimate.value,
            y0=height - AROUND,
            y1=height + 0.04,
            line={"color": colour, "dash": dash},
        )
        if side in ("baseline", "ceiling"):
            beside = (-AROUND - 0.05, 0.06)
            guide(
                figure, estimate.value, range(1, len(rows) + 1), {"color": colour, "width": 1.5, "dash": dash}, *beside
            )
        _point(figure, side, estimate, height - AROUND / 2 + 0.02, colour, sign)
        figure.add_annotation(
            x=0,
            xref="paper",
            xanchor="left",
            y=height + 0.08,
            yanchor="bottom",
            showarrow=False,
            text=f"<b>{wording.number(estimate)}</b>  {words.SAID[side]}",
        )
    ends = [end for _, shown in rows for end in (shown.low, shown.high)]
    is_share = measure not in ("log_loss", "mae", "r2")
    span = [min(0.0, *ends) if ends else 0.0, 1.005 if is_share else 1.05 * max([0.1, *ends])]
    figure.update_xaxes(title=_axis(answer, measure), range=span, tickformat=".2f" if is_share else "~g")
    figure.update_yaxes(visible=False, range=[0.55, len(rows) + 0.55])
    return figure


def _point(figure: go.Figure, side: str, estimate: Estimate, height: float, colour: str, sign: str) -> None:
    figure.add_scatter(
        x=[estimate.value],
        y=[height],
        mode="markers",
        name=side,
        customdata=[[words.SAID[side], estimate.n]],
        meta=[say("Guess"), say("Records")],
        showlegend=False,
        error_x={
            "type": "data",
            "symmetric": False,
            "array": [estimate.high - estimate.value],
            "arrayminus": [estimate.value - estimate.low],
            "color": colour,
            "thickness": 2.5,
            "width": 7,
        },
        marker={"symbol": sign, "size": 9, "color": colour, "line": {"width": 2, "color": colour}},
        hovertemplate=say(
            "{side}<br>{number}<br>{n:,} records<extra></extra>",
            side=words.SAID[side],
            number=wording.number(estimate),
            n=estimate.n,
        ),
    )


def _axis(answer: Answer, measure: str) -> str:
    about = {
        "accuracy": say("Share of people guessed rightly"),
        "within": say("Share of people guessed within the tolerance"),
        "log_loss": say("Log loss (natural logarithm; less is better for the attacker)"),
        "mae": say(
            "Mean error in the unit of {label} (less is better for the attacker)", label=label(answer.secret, LETTERS)
        ),
        "r2": say("R² (share of the spread explained)"),
    }
    return about.get(measure, say("{measure} (no unit)", measure=words.TITLES[measure]))


def _bars_finding(answer: Answer, measure: str) -> str:
    known = dict(answer.bars(measure))
    if measure != answer.measure or not {"members", "baseline"} <= set(known):
        return say(
            "{measure} of {secret}, with its intervals",
            measure=words.TITLES[measure],
            secret=shortened(answer.secret, NAME),
        )
    gain = answer.contrast("delta")
    about = {"secret": shortened(answer.secret, NAME), "baseline": known["baseline"].value}
    lifted = say("The release does not clearly lift the guess of {secret} above {baseline:.2f}", **about)
    if gain is not None and gain.low > 0:
        lifted = say("The release lifts the guess of {secret} above {baseline:.2f}", **about)
    residual = answer.contrast("residual")
    if residual is None:
        return lifted
    if residual.low > 0:
        return say("{lifted}; people in it are easier to guess than others", lifted=lifted)
    return say("{lifted}; people in it are not seen to be easier to guess than others", lifted=lifted)


def heatmap(cells: Sequence[Cell], what: str) -> go.Figure:
    """``delta`` or ``residual`` of every secret (down) and known set (across).

    A triangle marks what lies wholly above 0, a field without a number says so.
    """
    secrets, known = (list(dict.fromkeys(getattr(cell, name) for cell in cells)) for name in ("secret", "known"))
    there = {(cell.secret, cell.known): (cell, getattr(cell, what)) for cell in cells}
    figure = empty(_heatmap_finding(cells, what), height=CELL * len(secrets) + 110)
    grid = [[there.get((secret, name), (None, None)) for name in known] for secret in secrets]
    value = np.array([[np.nan if estimate is None else estimate.value for _, estimate in row] for row in grid])
    top = max(float(np.nanmax(np.abs(value), initial=0.0, where=np.isfinite(value))), 0.02)
    figure.add_heatmap(
        x=list(range(len(known))),
        y=list(range(len(secrets))),
        z=value,
        zmin=-top,
        zmax=top,
        colorscale=[[0, "#0072B2"], [0.5, "#ECECE8"], [1, IN]],
        text=[[_field(cell, estimate, what) for cell, estimate in row] for row in grid],
        texttemplate="%{text}",
        customdata=[[_hover(cell, estimate) for cell, estimate in row] for row in grid],
        hovertemplate="%{customdata}<extra></extra>",
        xgap=2,
        ygap=2,
        colorbar={"title": {"text": words.CONTRASTS[what], "side": "right"}, "thickness": 10, "tickformat": "+.2f"},
    )
    figure.update_xaxes(
        title=say("Known to the attacker"),
        tickvals=list(range(len(known))),
        ticktext=[label(known_set(name), LETTERS) for name in known],
        showgrid=False,
        zeroline=False,
        side="top",
    )
    figure.update_yaxes(
        tickvals=list(range(len(secrets))),
        ticktext=[label(secret, LETTERS) for secret in secrets],
        autorange="reversed",
        showgrid=False,
        zeroline=False,
    )
    return figure


def _field(cell: Cell | None, estimate: Estimate | None, what: str) -> str:
    if cell is None or estimate is None:
        return "–"
    number = f"{estimate.value:+.2f}".replace("-0.00", "0.00").replace("+0.00", "0.00")
    return f"{'▲ ' if cell.marked(what) else ''}{number}"


def _hover(cell: Cell | None, estimate: Estimate | None) -> str:
    if cell is None:
        return say("not asked")
    number = (
        say("no number")
        if estimate is None
        else say("{number}, {n:,} records", number=wording.number(estimate), n=estimate.n)
    )
    return say(
        "{secret}<br>known: {columns}<br>{number}<br>{refusal}",
        secret=label(cell.secret),
        columns=label(known_set(cell.columns), 80),
        number=number,
        refusal=label(cell.refusal, 80),
    )


def _heatmap_finding(cells: Sequence[Cell], what: str) -> str:
    named = {
        "delta": say("the release lifts the guess above the baseline"),
        "residual": say("being in makes it easier to guess"),
    }
    shown = [(cell, getattr(cell, what)) for cell in cells if getattr(cell, what) is not None]
    if not shown:
        return say("No field of the sweep has a number")
    above = sum(cell.marked(what) for cell, _ in shown)
    cell, most = max(shown, key=lambda pair: pair[1].value)
    return say(
        "In {above} of {fields} {named}; most for {secret}: {number}",
        above=above,
        fields=counted(len(shown), "{n:,} field", "{n:,} fields"),
        named=named[what],
        secret=shortened(cell.secret, NAME),
        number=wording.number(most),
    )


def groups(by_group: Groups) -> go.Figure:
    """The comparison in each group; under the worst one, the interval that allows for having looked at them all."""
    rows = sorted(by_group.each, key=lambda estimate: -estimate.value)
    figure = empty(_groups_finding(by_group), height=ROW * len(rows) + 80)
    guide(figure, 0, range(1, len(rows) + 1), {"color": CHANCE, "width": 1}, high=0.1)
    worst = None if by_group.worst is None else by_group.worst.labels["group"]
    for estimate, place in zip(rows, range(len(rows), 0, -1), strict=True):
        name = estimate.labels["group"]
        drawn = [(estimate, float(place), INK, say("each by itself"))]
        if name == worst and by_group.worst is not None:
            drawn.append((by_group.worst, place - 0.2, IN, say("allowing for all groups")))
        for shown, height, colour, how in drawn:
            _interval(figure, shown, height, colour, f"{label(name)}, {how}")
        figure.add_annotation(
            x=0,
            xref="paper",
            xanchor="left",
            y=place + 0.14,
            yanchor="bottom",
            showarrow=False,
            text=f"<b>{wording.number(estimate)}</b>  {label(name)}{_worst(by_group) if name == worst else ''}",
        )
    figure.update_xaxes(title=say("{measure} (no unit)", measure=words.CONTRASTS[by_group.name]), tickformat="+.3~f")
    figure.update_yaxes(visible=False, range=[0.5, len(rows) + 0.75])
    return figure


def _worst(by_group: Groups) -> str:
    shown = by_group.worst is not None and by_group.worst.low > 0
    return say(" · highest lower end ▲") if shown else say(" · highest lower end")


def _interval(figure: go.Figure, estimate: Estimate, height: float, colour: str, who: str) -> None:
    bound: dict[str, Any] = {"array": [estimate.high - estimate.value], "arrayminus": [estimate.value - estimate.low]}
    figure.add_scatter(
        x=[estimate.value],
        y=[height],
        mode="markers",
        showlegend=False,
        customdata=[[who, estimate.n]],
        meta=[say("Group"), say("Records")],
        error_x={"type": "data", "symmetric": False, "color": colour, **bound},
        marker={"symbol": "triangle-up" if estimate.low > 0 else "circle-open", "size": 11, "color": colour},
        hovertemplate=say(
            "{who}<br>{number}<br>{n:,} records<extra></extra>", who=who, number=wording.number(estimate), n=estimate.n
        ),
    )


def _groups_finding(by_group: Groups) -> str:
    what = say("{measure} by {column}", measure=words.CONTRASTS[by_group.name], column=shortened(by_group.column, NAME))
    looked = counted(len(by_group.each), "{n:,} group", "{n:,} groups")
    if by_group.worst is None:
        return say("{what}: no group has a number", what=what)
    if by_group.worst.low > 0:
        name = shortened(by_group.worst.labels["group"], NAME)
        return say(
            "{what}: {name} has the highest lower end and lies above 0, allowing for {looked}: {number}",
            what=what,
            name=name,
            looked=looked,
            number=wording.number(by_group.worst),
        )
    return say("{what}: no group lies above 0, allowing for {looked}", what=what, looked=looked)
