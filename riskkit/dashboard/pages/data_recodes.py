"""The question about columns whose real and released values hardly meet: which value means which?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd
import streamlit as st

from riskkit.core import Column, Kind
from riskkit.dashboard.frame import shell, state
from riskkit.dashboard.pages import data
from riskkit.jobs.store import OF_CHILDREN, Audit, ColumnChoice, Misnamed, Tables
from riskkit.language import again, counted, kept, say

ASKED = 8
"""Columns that are asked about at once; the others follow when these are answered."""


def questions(audit: Audit, tables: Tables) -> None:
    """A form for each such column: released values with the real ones they mean, or that they differ in truth."""
    every = column_questions(tables)
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
            st.markdown(_why(question))
            _question(audit, question)
    if (more := len(every) - ASKED) > 0:
        st.caption(
            counted(
                more,
                "{n:,} more column is asked about after these.",
                "{n:,} more columns are asked about after these.",
            )
        )


def doubts(audit: Audit, tables: Tables) -> None:
    """What else stands in the way of a verdict and is answered with one press: codes for missing, and dates."""
    known = {column.name for column in tables.schema.columns}
    every = [problem for problem in tables.problems if problem.code in _CHANGES and problem.column in known]
    if not every:
        return
    st.markdown(f"### {say('How are these columns to be read?')}")
    for place, problem in enumerate(every[:ASKED]):
        name = problem.column
        before = _choice(audit.choices, name)
        with st.container(border=True):
            st.markdown(f"**{shell.plain(name)}**: {shell.plain(again(problem.what))}")
            for answer, change in _CHANGES[problem.code].items():
                if st.button(say(answer), key=f"doubt_{answer}_{name}_{place}"):
                    tokens = (*before.missing_tokens, *tables.missing_codes.get(name, ()))
                    kind = {"kind": change} if change else {"missing_tokens": tuple(dict.fromkeys(tokens))}
                    data.save(audit, {**audit.choices, name: replace(before, **kind)})


_CHANGES: Mapping[str, Mapping[str, Kind | None]] = {
    "missing_code": {kept("It means missing"): None, kept("It is a number"): Kind.NUMERIC},
    "zones_differ": {kept("These are the right times"): Kind.DATE},
    "ambiguous_dates": {
        kept("The day comes first"): Kind.DATE,
        kept("Compare them as texts"): Kind.CATEGORICAL,
    },
    "unclear_dates": {kept("Compare them as texts"): Kind.CATEGORICAL},
}
"""By the code of a doubt, its answers, each with the kind that the column then has; None makes numbers missing."""


@dataclass(frozen=True, slots=True)
class ColumnQuestion:
    """A column that is asked about: the name decisions have, what people call it, and what its values likely mean."""

    name: str
    title: str
    column: Column
    shared: float
    code: str
    likely: Sequence[tuple[str, str]]
    line: tuple[float, float] | None = None


def column_questions(tables: Tables) -> list[ColumnQuestion]:
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
            tables.line(apart.column),
        )
        for apart in tables.apart
    ]
    children = tables.children
    for column_apart in () if children is None else children.apart:
        assert children is not None
        name = f"{OF_CHILDREN}{column_apart.column}"
        column, likely = children.schema.column(column_apart.column), children.likely(column_apart.column)
        title = data.column_title(name, first)
        line = children.line(column_apart.column)
        every.append(ColumnQuestion(name, title, column, column_apart.shared, column_apart.code, likely, line))
    return every


def _why(question: ColumnQuestion) -> str:
    """Why the column is asked about."""
    name = shell.plain(question.title)
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
        same, is_unit, edited = False, False, pd.DataFrame(shown)
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
        elif column.is_numeric:
            scale, offset = _line(asked_column)
            is_unit = st.form_submit_button(
                say("Read the release in this unit"),
                key=f"meeting_unit_{name}",
                type="primary",
                help=say("Every page uses it."),
            )
        elif column.kind is not Kind.CATEGORICAL:
            st.caption(say("If the notation differs, write the values in the same way in both files."))
        hint = say("Kept with this audit and shown in its report; the column no longer prevents a verdict.")
        differ = st.form_submit_button(say("They really differ"), key=f"meeting_differ_{name}", help=hint)
    if same:
        data.save(audit, choices_of_meanings(name, edited.to_dict("records"), audit.choices))
    if is_unit:
        choice = replace(_choice(audit.choices, name), scale=scale, offset=offset, differs=False)
        data.save(audit, {**audit.choices, name: choice})
    if differ:
        data.save(audit, {**audit.choices, name: replace(_choice(audit.choices, name), differs=True)})


def _line(question: ColumnQuestion) -> tuple[float, float]:
    """The scale and offset that were typed in; at first those by which released numbers are spread as the real ones."""
    st.caption(
        say("Say how released numbers become real ones: real = scale * released + offset. Dates count in days.")
        if question.line is None
        else say(
            "By this line the released numbers are spread as the real ones: real = scale * released + offset (dates "
            "count in days). Correct it if you know better."
        )
    )
    scale, offset = question.line or (1.0, 0.0)
    first, second = st.columns(2)
    with first:
        scale = st.number_input(say("Scale"), value=scale, format="%.10g", key=f"meeting_scale_{question.name}")
    with second:
        offset = st.number_input(say("Offset"), value=offset, format="%.10g", key=f"meeting_offset_{question.name}")
    return float(scale), float(offset)


def _config(levels: Sequence[str]) -> dict[str, Any]:
    return {
        "released": st.column_config.TextColumn(say("Released value")),
        "real": st.column_config.SelectboxColumn(say("means the real value"), options=list(levels)),
    }


def choices_of_meanings(
    name: str, rows: Sequence[Mapping[Any, Any]], before: Mapping[str, ColumnChoice]
) -> dict[str, ColumnChoice]:
    """The choices with what these rows say that released values mean; rows without a real value say nothing."""
    pairs = tuple(
        (str(row["released"]), str(row["real"])) for row in rows if isinstance(row["real"], str) and row["real"]
    )
    choice = _choice(before, name)
    earlier = tuple(pair for pair in choice.read_as if pair[0] not in dict(pairs))
    return {**before, name: replace(choice, read_as=(*earlier, *pairs), differs=False)}


def _choice(choices: Mapping[str, ColumnChoice], name: str) -> ColumnChoice:
    return choices.get(name, ColumnChoice())


# --------------------------------------------------------------------------------------------------------------
# Which column is which, where a file calls it otherwise than the real one


NAMES_ASKED = 40
"""Columns of a file that are asked about at once; the others follow when these are answered."""
ABSENT = " "
"""What is chosen where a file has no such column; names have no space at an end."""


def name_questions(audit: Audit) -> None:
    """A form for each file that lacks columns of the real one and has others; kept whatever else is wrong."""
    every = state.cached("names", audit, audit.misnamed_files)
    if not every:
        return
    st.markdown(f"### {say('Which column is which?')}")
    st.caption(
        say(
            "A column has the name of the real table on every page. What is chosen here already was found by its "
            "values: check it."
        )
    )
    for question in every:
        with st.container(border=True):
            _name_question(audit, question)


def _name_question(audit: Audit, question: Misnamed) -> None:
    left = question.left
    st.markdown(
        counted(
            len(left.lacking),
            "**{file}** lacks {n:,} column of the real table.",
            "**{file}** lacks {n:,} columns of the real table.",
            file=shell.plain(question.file),
        )
    )
    key = f"names_{question.before}{question.slot}"
    names = {"": say("Not said yet"), ABSENT: say("It is not in this file")}
    options = ["", *([ABSENT] if question.slot != "holdout" else []), *left.extra]
    with st.form(key, border=False):
        chosen = {
            name: st.selectbox(
                say("Which column of this file is **{column}**?", column=shell.plain(data.column_title(name))),
                options,
                index=options.index(left.likely.get(name, "")),
                format_func=lambda own: names.get(own, own),
                key=f"{key}_{place}_{audit.revision}",
                help=say("The column of this file that holds the same of people."),
            )
            for place, name in enumerate(left.lacking[:NAMES_ASKED])
        }
        hint = say("Kept with this audit and shown in its report; the file on your disk stays as it is.")
        saved = st.form_submit_button(say("Read the file this way"), key=f"{key}_save", type="primary", help=hint)
    if saved:
        _keep_names(audit, question, {name: own for name, own in chosen.items() if own})


def _keep_names(audit: Audit, question: Misnamed, chosen: Mapping[str, str]) -> None:
    """Keep what was said; what else is wrong with the files is said then."""
    own = [name for name in chosen.values() if name != ABSENT]
    if len(set(own)) < len(own):
        st.error(say("One column of the file was chosen twice. Choose another one."), icon=":material/cancel:")
        return
    audit.choose(with_names(question, chosen, audit.choices))
    st.toast(say("Your decisions about the columns are saved."), icon=":material/check:")
    st.rerun()


def with_names(
    question: Misnamed, chosen: Mapping[str, str], before: Mapping[str, ColumnChoice]
) -> dict[str, ColumnChoice]:
    """The choices with what these columns are called in the file."""
    choices = dict(before)
    for name, own in chosen.items():
        key = f"{question.before}{name}"
        choice = choices.get(key, ColumnChoice())
        called = {**dict(choice.called), question.slot: "" if own == ABSENT else own}
        choices[key] = replace(choice, called=tuple(called.items()))
    return choices
