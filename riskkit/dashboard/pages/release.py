"""The page Audit: three files, four short questions, one button; then the same page is the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from riskkit import wording
from riskkit.audit import comparison_words
from riskkit.audit.comparison import exposed_rows, titles_of
from riskkit.audit.report_facts import leaks_of_method
from riskkit.core import Role
from riskkit.dashboard.forms import provenance
from riskkit.dashboard.frame import limits, run_state, shell, state, styles, tour, verdicts, views
from riskkit.dashboard.frame.shell import plain
from riskkit.dashboard.pages import (
    answer_lines,
    data,
    data_files,
    data_format,
    data_recodes,
    question_page,
    release_run,
    report,
    what_you_can_do,
)
from riskkit.dashboard.pages.release_run import EffortPlans
from riskkit.dashboard.pages.report_files import ON_SCREEN
from riskkit.errors import DesignError, RiskkitError
from riskkit.jobs.files import EVERY_SLOT
from riskkit.jobs.store import Audit, Tables
from riskkit.judging.give_aways import State
from riskkit.language import again, joined, kept, phrase, say
from riskkit.questions.standard import PERSON, SEVERAL, StewardAnswers, likely_secrets
from riskkit.report import texts
from riskkit.report.build import rejudge
from riskkit.report.texts import slot as slot_title
from riskkit.show.model import Findings

INVITATION = phrase(
    "Drop three files, answer what you can, press one button: riskkit says whom the release exposes, and how sure "
    "that is. Nothing leaves this computer."
)
HOLDOUT = kept(
    "A holdout is a table of people from the same population whom the generator never saw. Without it, nobody can "
    "tell how much an attack on the file would reach anyway."
)


def page(audit: Audit | None) -> None:
    """Whatever the open audit has come to."""
    if audit is None or not audit.files:
        welcome(audit)
        return
    if not {"real", "synthetic"} <= set(audit.files):
        unready(audit, None)
        return
    if (twice := data_files.twice(audit)) and not audit.runs():
        unready(audit, DesignError(twice))
        return
    try:
        tables = state.tables(audit)
    except RiskkitError as error:
        unready(audit, error)
    else:
        _ready(audit, tables)


def welcome(audit: Audit | None) -> None:
    """No file is there yet: where they go, and the sample to look at first."""
    with st.container():  # as in the other states, so that the places for files stay the same ones to browser and keys
        st.header(say("Nothing is loaded yet"), anchor=False)
        st.markdown(again(INVITATION))
    data_files.slots(audit)
    data_files.second(audit)
    st.caption(say(HOLDOUT))
    st.markdown(f"**{say('No files at hand?')}**")
    with st.container(horizontal=True):
        if st.button(say("Open the demo"), key="demo", type="primary"):
            tour.open_demo()
        shell.sample_button(beside=True)


def unready(audit: Audit, why: RiskkitError | None) -> None:
    """A table is missing, or the files do not fit together."""
    with st.container():
        if why is None:
            missing = [slot for slot in ("real", "synthetic") if slot not in audit.files]
            tables = say(" and the ").join(map(slot_title, missing))
            st.markdown(say("The {tables} table is still missing; drop it here to go on.", tables=tables))
            for asked in dict.fromkeys(run.question for run in audit.runs() if run.state == "finished"):
                if (place := question_page.page_of(asked)) is not None:
                    label = say("Tried before there is a release: {question}", question=run_state.question(asked))
                    st.page_link(place, label=label, icon=":material/arrow_forward:")
        else:
            shell.sentence_error(why)
    data_files.slots(audit)
    data_files.second(audit)
    st.caption(say(HOLDOUT))
    data_format.encoding_questions(audit)
    data_recodes.name_questions(audit)
    if audit.choices:
        with st.expander(say("Decisions about columns")):
            data.forget_button(audit)


def _ready(audit: Audit, tables: Tables) -> None:
    """The answers there are, the one button, and below it what it is about."""
    findings = rejudge(report.current(audit, ON_SCREEN), audit.limits)
    asked = release_run.effort_plans(audit, tables)
    is_answered = any(answer.state for answer in findings.answers)  # asked of this release, finished or not
    if is_answered:
        verdicts.keep_overall(audit, findings)
        answers(audit, findings, asked)
    else:
        with st.container():
            _boxes(audit, findings)
    if not is_answered:
        _about(audit, tables)
    has_all = _has_all(asked, findings)
    if not (asked.live or has_all):
        release_run.show(audit, tables, asked)
    if not is_answered:
        return
    if not asked.live:
        what_you_can_do.draw(audit, titles_of(findings, leaks_of_method(findings)), exposed_rows(findings))
    if findings.answered() and findings.kept is not None:
        views.picture(findings.kept, "release.usefulness")
    ways = (
        (shell.REPORT_PAGE, say("The report to sign"), ":material/assignment:"),
        (shell.RECORDS_PAGE, say("Who is exposed most"), ":material/groups:"),
        (shell.COMPARE_PAGE, say("Compare with another release"), ":material/compare_arrows:"),
    )
    styles.place("answers")
    with st.container(horizontal=True):
        for place, label, icon in ways:
            if state.exists(place):
                st.page_link(place, label=label, icon=icon)
    if has_all and not asked.live:
        with st.expander(say("Run it again, with another effort")):
            release_run.show(audit, tables, asked)
    names = joined(audit.files[slot]["name"] for slot in EVERY_SLOT if slot in audit.files)
    with st.expander(say("Files and what is known of them: {names}", names=plain(names))):
        _about(audit, tables)


def _has_all(asked: EffortPlans, findings: Findings) -> bool:
    """Whether all that the effort asks has an answer about this release, at whatever effort."""
    answered = {answer.question for answer in findings.answered()}
    return bool(asked.runs) and not asked.is_stopped and {plan.question for plan, _ in asked.runs} <= answered


def _about(audit: Audit, tables: Tables) -> None:
    """The three files, and what was said of them."""
    data_files.slots(audit)
    styles.skip_links(["run"])  # what is said of the files has two stops of the Tab key for each question
    data_files.second(audit)
    if "holdout" not in audit.files:
        st.caption(say(HOLDOUT))
    data_format.encoding_questions(audit)
    if label := data.attention(tables):
        st.page_link(shell.DATA_PAGE, label=label, icon=":material/help:")
    ask_steward(audit, tables)


# --------------------------------------------------------------------------------------------------------------
# The answers


def answers(audit: Audit, findings: Findings, asked: EffortPlans) -> None:
    """The verdict in one sentence, how far the audit is, then a line for each question that has been asked."""
    _overall(audit, findings, asked)
    if asked.live:
        release_run.progress(audit, asked)
    else:
        styles.skip_links(["answers"])  # every line has four stops of the Tab key
    answer_lines.lines(findings, is_live=bool(asked.live))
    if findings.answered():
        if not findings.overall.shows_leak:
            st.caption(plain(again(texts.NOT_PROOF)))
        answer_lines.silent(findings)
        answer_lines.copies(findings)
        limits.controls(audit, [answer.question for answer in findings.answered()], is_open=False)


def _overall(audit: Audit, findings: Findings, asked: EffortPlans) -> None:
    judged = findings.overall
    is_shown = judged.shows_leak or judged.code.startswith(answer_lines.BY_ITSELF)
    if asked.live and not is_shown:
        st.header(say("The audit is under way"), anchor=False)
        return
    st.header(verdicts.answer_to_release(judged), anchor=False)
    _boxes(audit, findings)
    answer_lines.why(findings)
    if findings.uncured and judged.code != "method_leaks":
        st.markdown(plain(comparison_words.method_leaks(titles_of(findings, findings.uncured))))


def _boxes(audit: Audit, findings: Findings) -> None:
    """A box for what the file shows by itself, under it the button that takes it away, and what that does not cure."""
    give_aways = findings.give_aways
    for each in sorted(give_aways, key=lambda each: each.code != "row_order"):
        verdicts.boxes([each])
        what_you_can_do.repair_button(audit, each, give_aways)
    leaks = [answer.title for answer in findings.answered() if answer.judgement and answer.judgement.shows_leak]
    if leaks and any(each.state is State.SHOWN for each in give_aways):
        texts_beside = [say("Tests show leaks too: {questions}.", questions=joined(leaks))]
        if of_method := titles_of(findings, leaks_of_method(findings)):
            uncured = wording.and_joined(of_method)
            texts_beside.append(
                say("For {questions} make the release again: no change of the file cures them.", questions=uncured)
            )
        st.markdown(plain(" ".join(texts_beside)))


# --------------------------------------------------------------------------------------------------------------
# The four questions of the page Audit, each answered with one click and changed at any time


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


def ask_steward(audit: Audit, tables: Tables) -> None:
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
