"""Pairs of columns of the Data page: whose dependence the release has lost, and whose it has made up."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from riskkit.audit.dependence import Dependence, PairOfColumns, dependence
from riskkit.dashboard.frame import chart_tools, state
from riskkit.figures import canvas
from riskkit.figures.canvas import SYNTHETIC, label
from riskkit.jobs.store import Audit, Tables
from riskkit.language import counted, say
from riskkit.wording import shorten

LOST = "#A37B00"
"""Ochre: neither the purple of the release nor a colour of in, out and control."""
DRAWN = 15
"""Columns of the picture, those with the largest changes; the table is about all that were looked at."""
LISTED = 12
"""Pairs that the table lists of those lost, and of those made up."""
LETTERS, CELL = 18, 34
"""Of a name on an axis; pixels of a row."""
CHANGE = 0.1
"""The change at which a field is at least half coloured, so that chance alone is never drawn strong."""


def show(audit: Audit, tables: Tables) -> None:
    """The heading, the picture, and the pairs; nothing where there is no release or no pair."""
    if tables.synthetic is None:
        return
    released = tables.synthetic

    def made() -> Dependence | None:
        with st.spinner(say("Comparing pairs of columns")):
            return dependence(tables.real, released)

    measured = state.cached("dependence", audit, lambda: audit.note("dependence", made))
    if measured is None:
        return
    st.markdown(f"### {say('Which columns still belong together?')}")
    chart_tools.show(figure(measured), "data.pairs")
    st.caption(
        say("Dependence (Cramér's V, 0 to 1) **lost** in the release: brown, ▽. **Made up**: purple, △. Kept: grey."),
        help=" ".join(_about(measured)),
    )
    lines = pair_rows(measured)
    if lines:
        st.dataframe(
            lines,
            hide_index=True,
            column_config={
                "pair": say("Columns"),
                "what": say("What happened"),
                "real": say("Real table"),
                "released": say("Release"),
                "change": say("Change"),
            },
            alt=say("Pairs of columns whose dependence was lost or made up, the largest losses first"),
        )


def _about(measured: Dependence) -> list[str]:
    """What the numbers are, what chance does, and what is left out."""
    notes = [
        say(
            "Strength of dependence is Cramér's V, corrected for its bias: 0.00 is none, 1.00 is that one column "
            "decides the other. Numbers and dates are cut into 8 groups of equal size, rare categories count as one."
        ),
        say(
            "Another sample of the same people would differ by up to {noise:.2f} at its worst pair, in 19 of 20 cases; "
            "that was seen by dealing the real rows into two parts.",
            noise=measured.noise,
        ),
    ]
    if measured.total > len(measured.columns):
        notes.append(
            say(
                "Shown are the first {shown} of {total:,} columns.",
                shown=len(measured.columns),
                total=measured.total,
            )
        )
    if len(measured.columns) > DRAWN:
        notes.append(say("The picture has the {drawn} columns with the largest changes.", drawn=DRAWN))
    return notes


def beyond(measured: Dependence) -> tuple[list[PairOfColumns], list[PairOfColumns]]:
    """The pairs whose dependence was lost, and those whose it was made up, beyond chance; the largest change first."""
    pairs = [pair for pair in measured.pairs() if measured.is_beyond_chance(pair)]
    return [pair for pair in pairs if pair.change < 0], [pair for pair in reversed(pairs) if pair.change > 0]


def pair_rows(measured: Dependence) -> list[dict[str, str]]:
    """A line for each of those pairs, the most lost first, then the most made up."""
    lost, made_up = beyond(measured)
    rows = [(pair, say("▽ lost")) for pair in lost[:LISTED]] + [(pair, say("△ made up")) for pair in made_up[:LISTED]]
    return [
        {
            "pair": f"{pair.first} × {pair.second}",
            "what": what,
            "real": f"{pair.real:.2f}",
            "released": f"{pair.released:.2f}",
            "change": f"{round(pair.released, 2) - round(pair.real, 2):+.2f}",  # as the two beside it are shown
        }
        for pair, what in rows
    ]


def figure(measured: Dependence) -> go.Figure:
    """The change of every pair as a triangle: columns by their largest loss, what is beyond chance with a mark."""
    drawn = _column_order(measured)
    names = [label(measured.columns[position], LETTERS) for position in drawn]
    real, released = (part[np.ix_(drawn, drawn)] for part in (measured.real, measured.released))
    change = np.where(np.tri(len(drawn), k=-1, dtype=np.bool_), released - real, np.nan)[1:, :-1]
    reach = max(float(np.nanmax(np.abs(change), initial=0.0, where=np.isfinite(change))), 2 * CHANGE)
    chart = canvas.empty(finding(measured), height=CELL * len(drawn) + 110)
    chart.add_heatmap(
        x=list(range(len(drawn) - 1)),
        y=list(range(len(drawn) - 1)),
        z=change,
        zmin=-reach,
        zmax=reach,
        colorscale=[[0, LOST], [0.5, canvas.GRID], [1, SYNTHETIC]],
        customdata=[
            [_hover(names[down + 1], names[by], real[down + 1, by], released[down + 1, by]) for by in range(len(row))]
            for down, row in enumerate(change)
        ],
        hovertemplate="%{customdata}<extra></extra>",
        hoverongaps=False,
        xgap=2,
        ygap=2,
        showscale=False,
    )
    signs = {(by, down): _sign(value, measured.noise) for (down, by), value in np.ndenumerate(change)}
    beyond_chance = {place: sign for place, sign in signs.items() if sign}
    chart.add_scatter(
        x=[across for across, _ in beyond_chance],
        y=[down for _, down in beyond_chance],
        mode="markers",
        # white with a dark edge is seen on every field, in either theme
        marker={
            "symbol": list(beyond_chance.values()),
            "size": 9,
            "color": "#FFFFFF",
            "line": {"width": 1.5, "color": "#131417"},
        },
        hoverinfo="skip",
        showlegend=False,
    )
    chart.update_xaxes(
        tickvals=list(range(len(drawn) - 1)), ticktext=names[:-1], showgrid=False, zeroline=False, tickangle=-45
    )
    chart.update_yaxes(
        tickvals=list(range(len(drawn) - 1)), ticktext=names[1:], autorange="reversed", showgrid=False, zeroline=False
    )
    return chart


def _column_order(measured: Dependence) -> list[int]:
    """The columns to draw, by their largest change, then by their largest loss."""
    change = measured.released - measured.real
    most = np.argsort(-np.abs(change).max(axis=1), kind="stable")[:DRAWN]
    return [int(position) for position in most[np.argsort(change[most].min(axis=1), kind="stable")]]


def _sign(change: float, noise: float) -> str:
    """The mark of a change beyond chance, small enough for a field on a phone; the table has the number."""
    if not np.isfinite(change) or abs(change) <= noise:
        return ""
    return "triangle-down" if change < 0 else "triangle-up"


def _hover(first: str, second: str, real: float, released: float) -> str:
    return say(
        "{first} × {second}<br>real {real:.2f}, released {released:.2f}",
        first=first,
        second=second,
        real=real,
        released=released,
    )


def finding(measured: Dependence) -> str:
    """Which pair changed most beyond chance, and how many did."""
    lost, made_up = beyond(measured)
    if not lost and not made_up:
        return say("No pair of columns is further apart than another sample of the same people would be")
    notes = [_pair_sentence(lost, is_lost=True)] if lost else []
    notes += [_pair_sentence(made_up, is_lost=False)] if made_up else []
    return "; ".join(notes)


def _pair_sentence(pairs: Sequence[PairOfColumns], *, is_lost: bool) -> str:
    first = pairs[0]
    about = {
        "pair": f"{shorten(first.first, LETTERS)} × {shorten(first.second, LETTERS)}",
        "real": first.real,
        "released": first.released,
    }
    if is_lost:
        return counted(
            len(pairs),
            "{n:,} pair of columns lost dependence: {pair}, from {real:.2f} to {released:.2f}",
            "{n:,} pairs of columns lost dependence, most of all {pair}: from {real:.2f} to {released:.2f}",
            **about,
        )
    return counted(
        len(pairs),
        "{n:,} pair has dependence that is not in the real table: {pair}, from {real:.2f} to {released:.2f}",
        "{n:,} pairs have dependence that is not in the real table, most of all {pair}: from {real:.2f} to "
        "{released:.2f}",
        **about,
    )
