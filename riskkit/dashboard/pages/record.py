"""The values of attacked records: folded, masked until asked for, and only ever in cells that read them as text."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import streamlit as st

from riskkit.core import MISSING, Column, Kind, Table
from riskkit.dashboard.frame import state, switches
from riskkit.jobs.store import Audit
from riskkit.language import kept, say
from riskkit.questions.membership import words
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.membership.result import Outcome

CONFIDENTIAL = kept(
    "This shows confidential values of a person on this screen. Look around you, and do not paste them anywhere."
)
EPOCH = date(1970, 1, 1).toordinal()


def values(audit: Audit, plan: MembershipPlan, outcomes: Sequence[Outcome]) -> None:
    """The fold that shows what a target looks like, once the warning has been answered."""
    with st.expander(say("Show the target's values")):
        st.markdown(f":material/visibility: {say(CONFIDENTIAL)}")
        if not switches.toggle(say("Show them"), key="membership.reveal"):
            return
        rules = list(dict.fromkeys(outcome.labels["target"] for outcome in outcomes))
        for rule in rules:
            tables = state.tables(audit)
            chosen = plan.choose(tables.real, rule, tables.persons)
            for position, row in enumerate(chosen.index.tolist()):
                labels = {"record": "made up" if row < 0 else str(row), "position": str(position)}
                st.caption(words.record(labels).capitalize())
                lines = [{say("Column"): name, say("Value"): value} for name, value in cells(chosen.table, position)]
                st.dataframe(lines, hide_index=True, alt=say("Values of a target"))


def cells(table: Table, position: int) -> list[tuple[str, str]]:
    """The columns of one row with their values, as the file wrote them."""
    codes, numbers = iter(table.codes[position].tolist()), iter(table.numbers[position].tolist())
    return [
        (column.name, _text(column, next(numbers if column.is_numeric else codes))) for column in table.schema.modelled
    ]


def _text(column: Column, value: float) -> str:
    """A value as the file wrote it."""
    if not column.is_numeric:
        level = column.levels[int(value)]
        return say("missing") if level == MISSING else level
    if value != value:
        return say("missing")
    if column.kind is Kind.DATE:
        return date.fromordinal(EPOCH + int(value)).strftime(column.date_format or "%Y-%m-%d")
    return f"{value:.{column.decimals}f}"
