"""The question about columns whose real and released values hardly meet: which value means which?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd
import streamlit as st

from riskkit.core import Column, Kind
from riskkit.dashboard import data, frame
from riskkit.jobs.store import OF_CHILDREN, Audit, ColumnChoice, Tables
from riskkit.language import counted, say

ASKED = 8
"""Columns that are asked about at once; the others follow when these are answered."""


def questions(audit: Audit, tables: Tables) -> None:
    """A form for each such column: released values with the real ones they mean, or that they differ in truth."""
    every = asked(tables)
    if not every:
        return
    st.markdown(f"### {say('Do these values mean the same?')}")
    st.caption(
        say(
            "The real and the released values of these columns hardly overlap, or agree only in another order. If the "
            "two files write the same value in two ways, riskkit does not recognise a copied row, so nothing can be "
            "within a limit until you have answered."
        )
    )
    for question in every[:ASKED]:
        with st.container(border=True):
            st.markdown(_seen(question))
            _question(audit, question)
    if (more := len(every) - ASKED) > 0:
        st.caption(
            counted(
                more,
                "{n:,} more column is asked about after these.",
                "{n:,} more columns are asked about after these.",
            )
        )


@dataclass(frozen=True, slots=True)
class ColumnQuestion:
    """A column that is asked about: the name decisions have, what people call it, and what its values likely mean."""

    name: str
    title: str
    column: Column
    shared: float
    code: str
    likely: Sequence[tuple[str, str]]


def asked(tables: Tables) -> list[ColumnQuestion]:
    """Every such column of both tables, those of the first before those of the second."""
    first = {column.name for column in tables.schema.columns}
    every = [
        ColumnQuestion(
            apart.column,
            apart.column,
            tables.schema.column(apart.column),
            apart.shared,
            apart.code,
            tables.likely(apart.column),
        )
        for apart in tables.apart
    ]
    children = tables.children
    for column_apart in () if children is None else children.apart:
        assert children is not None
        name = f"{OF_CHILDREN}{column_apart.column}"
        column, likely = children.schema.column(column_apart.column), children.likely(column_apart.column)
        title = data.titled(name, first)
        every.append(ColumnQuestion(name, title, column, column_apart.shared, column_apart.code, likely))
    return every


def _seen(question: ColumnQuestion) -> str:
    """Why the column is asked about."""
    name = frame.plain(question.title)
    if question.code == "codes_apart":
        return say("**{column}**: the values have the same shares, in another order.", column=name)
    if question.code == "line_apart":
        return say("**{column}**: the numbers agree once they are mirrored, moved or scaled.", column=name)
    return say(
        "**{column}**: {shared:.0%} of the released values occur in the real file.", column=name, shared=question.shared
    )


def _question(audit: Audit, asked_column: ColumnQuestion) -> None:
    name, column = asked_column.name, asked_column.column
    shown = [{"released": released, "real": level} for released, level in asked_column.likely]
    with st.form(f"meeting_{name}", border=False):
        same, edited = False, pd.DataFrame(shown)
        if shown:
            st.caption(
                say(
                    "Check the likely meaning of each released value. Correct it, or leave it empty if it "
                    "means no real value."
                )
            )
            edited = st.data_editor(
                edited,
                key=f"meeting_{name}_{audit.revision}",
                hide_index=True,
                disabled=["released"],
                column_config=_config([level for level in column.levels if level] or [row["real"] for row in shown]),
                alt=say("Released values of {column} with the real values they mean", column=asked_column.title),
            )
            same = st.form_submit_button(
                say("Read the release this way"),
                key=f"meeting_same_{name}",
                type="primary",
                help=say("Every page uses it."),
            )
        elif column.kind is not Kind.CATEGORICAL:
            st.caption(say("If the unit or the notation differs, write the values in the same way in both files."))
        hint = say("Kept with this audit and shown in its report; the column no longer prevents a verdict.")
        differ = st.form_submit_button(say("They really differ"), key=f"meeting_differ_{name}", help=hint)
    if same:
        data.save(audit, meant(name, edited.to_dict("records"), audit.choices))
    if differ:
        data.save(audit, {**audit.choices, name: replace(_choice(audit.choices, name), differs=True)})


def _config(levels: Sequence[str]) -> dict[str, Any]:
    return {
        "released": st.column_config.TextColumn(say("Released value")),
        "real": st.column_config.SelectboxColumn(say("means the real value"), options=list(levels)),
    }


def meant(name: str, rows: Sequence[Mapping[Any, Any]], before: Mapping[str, ColumnChoice]) -> dict[str, ColumnChoice]:
    """The choices with what these rows say that released values mean; rows without a real value say nothing."""
    pairs = tuple(
        (str(row["released"]), str(row["real"])) for row in rows if isinstance(row["real"], str) and row["real"]
    )
    choice = _choice(before, name)
    kept = tuple(pair for pair in choice.read_as if pair[0] not in dict(pairs))
    return {**before, name: replace(choice, read_as=(*kept, *pairs), differs=False)}


def _choice(choices: Mapping[str, ColumnChoice], name: str) -> ColumnChoice:
    return choices.get(name, ColumnChoice())
