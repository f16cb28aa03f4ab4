"""The question about columns that a file calls otherwise than the real one: which column is which?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import streamlit as st

from riskkit.dashboard import data, frame, state
from riskkit.jobs.store import Audit, ColumnChoice, Misnamed
from riskkit.language import counted, say

ASKED = 40
"""Columns of a file that are asked about at once; the others follow when these are answered."""
ABSENT = " "
"""What is chosen where a file has no such column; names have no space at an end."""


def questions(audit: Audit) -> None:
    """A form for each file that lacks columns of the real one and has others; kept whatever else is wrong."""
    every = state.kept("names", audit, audit.misnamed)
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
            _question(audit, question)


def _question(audit: Audit, question: Misnamed) -> None:
    left = question.left
    st.markdown(
        counted(
            len(left.lacking),
            "**{file}** lacks {n:,} column of the real table.",
            "**{file}** lacks {n:,} columns of the real table.",
            file=frame.plain(question.file),
        )
    )
    key = f"names_{question.before}{question.slot}"
    names = {"": say("Not said yet"), ABSENT: say("It is not in this file")}
    options = ["", *([ABSENT] if question.slot != "holdout" else []), *left.extra]
    with st.form(key, border=False):
        chosen = {
            name: st.selectbox(
                say("Which column of this file is **{column}**?", column=frame.plain(data.titled(name))),
                options,
                index=options.index(left.likely.get(name, "")),
                format_func=lambda own: names.get(own, own),
                key=f"{key}_{place}_{audit.revision}",
                help=say("The column of this file that holds the same of people."),
            )
            for place, name in enumerate(left.lacking[:ASKED])
        }
        hint = say("Kept with this audit and shown in its report; the file on your disk stays as it is.")
        saved = st.form_submit_button(say("Read the file this way"), key=f"{key}_save", type="primary", help=hint)
    if saved:
        _keep(audit, question, {name: own for name, own in chosen.items() if own})


def _keep(audit: Audit, question: Misnamed, chosen: Mapping[str, str]) -> None:
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
