"""The four questions of the page Audit, each answered with one click and changed at any time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from riskkit.core import Role
from riskkit.dashboard.forms import provenance
from riskkit.dashboard.frame import shell, state
from riskkit.dashboard.frame.shell import plain
from riskkit.jobs.store import Audit, Tables
from riskkit.language import again, joined, kept, phrase, say
from riskkit.questions.standard import PERSON, SEVERAL, StewardAnswers, likely_secrets

UNKNOWN = phrase("I don't know")
SECRETS, KNOWN = "secrets", "known"
ROWS = {
    "": kept("I don't know"),
    PERSON: kept("A person"),
    SEVERAL: kept("One of several rows of a person"),
}
NAMED = {Role.PERSON: kept("A person"), Role.HOUSEHOLD: kept("A household")}
"""Whom a column may name whose rows are counted as one."""
SEVERAL_ROWS = kept(
    "riskkit counts each row as a person. A person with several rows is exposed more than any one of these rows, so "
    "no verdict will say “within the limit”."
)


COUNTED = kept(
    "People are counted, each with all of their rows, by attacks on the released file, by attribute inference and in "
    "the games of membership and records. Questions that count rows are not asked."
)


def questions(audit: Audit, tables: Tables) -> None:
    """The four, side by side."""
    st.markdown(f"**{say('What is known of them?')}** {shell.quiet(say('Leave open what you do not know.'))}")
    answers = audit.answers.within(tables.schema)
    made, row, secret, known = st.columns(4, gap="medium")
    with made:
        provenance.menu(audit)
    with row:
        _row(audit, tables, answers)
    columns = [column.name for column in tables.schema.modelled]
    with secret:
        _secrets(audit, tables, answers, columns)
    with known:
        _columns(
            audit,
            KNOWN,
            say("Which columns would an attacker know?"),
            columns,
            answers.known,
            say(
                "What somebody may know about a person beforehand. If you name none, riskkit takes every other column."
            ),
        )
        if not answers.known:
            st.caption(say("None named: every other column."))


def _row(audit: Audit, tables: Tables, answers: StewardAnswers) -> None:
    state.keep(
        st.selectbox,
        _key(audit, "row"),
        answers.row,
        lambda row: audit.answer(replace(audit.answers, row=row)),
        say("What does a row stand for?"),
        list(ROWS),
        format_func=lambda row: say(ROWS[row]),
        help=say(SEVERAL_ROWS),
    )
    if answers.row == SEVERAL or tables.persons is not None:
        _person(audit, tables)


def _person(audit: Audit, tables: Tables) -> None:
    """Which column names the person; guessed from what is asked about columns that repeat."""
    persons, real = tables.persons, audit.text("real")
    named, unit = ("", Role.PERSON) if persons is None else (persons.column, persons.unit)
    # the role is that column's alone, as the page Data would give it; one that had it before gets its own back
    state.keep(
        st.selectbox,
        _key(audit, "person"),
        named,
        lambda name: audit.choose_unit(name, unit),
        say("Which column says whose row it is?"),
        ["", *(() if real is None else real.columns)],
        format_func=lambda name: name or again(UNKNOWN),
        help=say("People are then counted, each with all of their rows. Nothing is learnt from the column."),
    )
    if persons is not None:
        state.keep(
            st.radio,
            _key(audit, "unit"),
            str(unit),
            lambda role: audit.choose_unit(named, Role(role)),
            say("Whom does it name?"),
            list(NAMED),
            format_func=lambda role: say(NAMED[role]),
            horizontal=True,
            help=say("A household is in or out with all of its people, so it is counted as one."),
        )
    if persons is not None and persons.has_several_rows:
        st.caption(say(COUNTED))
        return
    st.caption(say(SEVERAL_ROWS))
    likely = [problem.column for problem in tables.problems if problem.code in ("repeated_people", "group_id")]
    if persons is None and likely:
        st.caption(plain(say("It may be {columns}.", columns=joined(likely))))


def _secrets(audit: Audit, tables: Tables, answers: StewardAnswers, columns: Sequence[str]) -> None:
    _columns(
        audit,
        SECRETS,
        say("Which columns are sensitive?"),
        columns,
        answers.secrets,
        say(
            "What somebody would want to learn about a person. If you name none, riskkit takes the columns whose "
            "names suggest it, or else every column in turn."
        ),
    )
    if answers.secrets:
        return
    likely = joined(likely_secrets(tables.schema))
    if not likely:
        st.caption(say("None named: every column in turn."))
    elif any(column.role is Role.SECRET for column in tables.schema.modelled):
        st.caption(plain(say("Secret on the page Data: {columns}", columns=likely)))
    else:
        st.caption(plain(say("Guessed: {columns}", columns=likely)))


def _columns(audit: Audit, what: str, label: str, columns: Sequence[str], named: Sequence[str], hint: str) -> None:
    there = [name for name in named if name in columns]

    def keep(names: Sequence[str]) -> None:
        change: dict[str, Any] = {what: tuple(names)}
        audit.answer(replace(audit.answers, **change))

    state.keep(
        st.multiselect, _key(audit, what), there, keep, label, columns, placeholder=again(UNKNOWN), help=hint, wrap=True
    )


def _key(audit: Audit, what: str) -> str:
    return f"release.{audit.id}.{what}"
