"""The page Audit: three files, four short questions, one button; then the same page is the answer."""

from __future__ import annotations

import streamlit as st

from riskkit.dashboard import (
    data_files,
    data_reading,
    frame,
    limits,
    release_answers,
    release_run,
    release_said,
    report,
    state,
    styles,
    what_you_can_do,
)
from riskkit.dashboard.report_files import ON_SCREEN
from riskkit.errors import RiskkitError
from riskkit.jobs.store import Audit, Tables
from riskkit.language import counted, kept, say
from riskkit.report.build import rejudged

RECORDS_PAGE, COMPARE_PAGE, REPORT_PAGE = "pages/3_records.py", "pages/7_compare.py", "pages/7_report.py"
INVITATION = say(
    "Drop three files, answer what you can, press one button: riskkit says whom the release gives away, and how "
    "sure that is. Nothing leaves this computer."
)
HOLDOUT = kept(
    "A holdout is a table of people from the same population whom the generator never saw. Without it, nobody can "
    "tell how much an attack on the file would reach anyway."
)


def page(audit: Audit | None) -> None:
    """Whatever the open audit has come to."""
    if audit is None or not audit.files:
        _welcome(audit)
        return
    if not {"real", "synthetic"} <= set(audit.files):
        _unready(audit, None)
        return
    try:
        tables = state.tables(audit)
    except RiskkitError as error:
        _unready(audit, error)
    else:
        _ready(audit, tables)


def _welcome(audit: Audit | None) -> None:
    """No file is there yet: where they go, and the sample to look at first."""
    with st.container():  # as in the other states, so that the places for files stay the same ones to browser and keys
        st.header(say("Nothing is loaded yet"), anchor=False)
        st.markdown(INVITATION)
    data_files.slots(audit)
    data_files.second(audit)
    st.caption(say(HOLDOUT))
    st.markdown(f"**{say('No files at hand?')}**")
    frame.sample_button()


def _unready(audit: Audit, why: RiskkitError | None) -> None:
    """A table is missing, or the files do not fit together."""
    with st.container():
        if why is None:
            missing = [slot for slot in ("real", "synthetic") if slot not in audit.files]
            tables = say(" and the ").join(frame.SLOT[slot] for slot in missing)
            st.markdown(say("The {tables} table is still missing; drop it here to go on.", tables=tables))
        else:
            frame.sentence_error(why)
            st.page_link(frame.DATA_PAGE, label=say("Mend it on the page Data"), icon=":material/arrow_forward:")
    data_files.slots(audit)
    data_files.second(audit)
    st.caption(say(HOLDOUT))
    data_reading.encoding_questions(audit)


def _ready(audit: Audit, tables: Tables) -> None:
    """The answers there are, the one button, and below it what it is about."""
    findings = rejudged(report.current(audit, ON_SCREEN), audit.limits)
    asked = release_run.asked(audit, tables)
    is_answered = release_answers.has_any(findings)
    if is_answered:
        release_answers.show(audit, findings, asked)
    else:
        with st.container():
            release_answers.give_aways(findings)
    if not is_answered:
        _about(audit, tables)
    if not asked.live:
        release_run.show(audit, tables, asked)
    if is_answered:
        _onward()
        if not asked.live:
            what_you_can_do.draw(audit)
        limits.controls(audit, [answer.question for answer in findings.answered()], is_open=False)
        with st.expander(say("Files and what is known of them")):
            _about(audit, tables)


def _about(audit: Audit, tables: Tables) -> None:
    """The three files, and what was said of them."""
    data_files.slots(audit)
    styles.skip_links(["run"])  # what is said of the files has two stops of the Tab key for each question
    data_files.second(audit)
    if "holdout" not in audit.files:
        st.caption(say(HOLDOUT))
    data_reading.encoding_questions(audit)
    open_questions = sum(problem.gravity.name == "QUESTION" for problem in tables.problems)
    if open_questions:
        st.page_link(
            frame.DATA_PAGE,
            label=counted(
                open_questions, "{n:,} thing needs an answer from you", "{n:,} things need an answer from you"
            ),
            icon=":material/help:",
        )
    release_said.questions(audit, tables)


def _onward() -> None:
    """Where to go from the answers."""
    ways = (
        (REPORT_PAGE, say("The report to sign"), ":material/assignment:"),
        (RECORDS_PAGE, say("Who is exposed most"), ":material/groups:"),
        (COMPARE_PAGE, say("Compare with another release"), ":material/compare_arrows:"),
    )
    styles.place("answers")
    with st.container(horizontal=True):
        for place, label, icon in ways:
            if state.exists(place):
                st.page_link(place, label=label, icon=icon)
