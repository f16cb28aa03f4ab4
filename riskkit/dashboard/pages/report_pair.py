"""A good and a bad release of the sample cohort side by side, in one click: what a verdict looks like."""

from __future__ import annotations

from datetime import UTC, datetime

import streamlit as st

from riskkit.audit import sample
from riskkit.audit.reporting import build_findings, read_given
from riskkit.dashboard.frame import running, shell, state, verdicts
from riskkit.dashboard.frame.shell import plain
from riskkit.jobs.runs import LIVE
from riskkit.jobs.store import Audit
from riskkit.judging.limits import own
from riskkit.judging.measured import title as titled
from riskkit.language import say
from riskkit.questions.membership import words
from riskkit.report import plots
from riskkit.report.lines import line
from riskkit.show import in_words
from riskkit.show.model import Class, Findings

KEY = "report.pair"
ABOUT = say(
    "Two releases of one made-up cohort, asked the same question under the same limit: one by a Bayesian network, "
    "and one that copies people and changes a few cells of each. Nobody in it is real."
)


def side_by_side() -> None:
    """The button, and under it the two releases once it was pressed."""
    st.header(say("What a good and a bad release look like"), anchor=False)
    st.markdown(ABOUT)
    if st.button(say("Show the two releases side by side"), key=f"{KEY}.show", icon=":material/compare:"):
        st.session_state[KEY] = True
    if st.session_state.get(KEY):
        with st.spinner(say("Opening the two releases")):
            live = any(run.state in LIVE for run in sample.start_pair(state.store(), running.workers()))
        (_looking_again if live else _draw_both)()


@st.fragment(run_every=1.5)
def _looking_again() -> None:
    """Both as they stand, until both have ended: then the page is drawn once more and looks no further."""
    _draw_both()
    runs = [run for audit in sample.pair(state.store()).values() for run in audit.runs("released")]
    if not any(run.state in LIVE for run in runs):
        st.rerun()


def _draw_both() -> None:
    """Both as they stand."""
    with shell.guard():
        for cell, (title, audit) in zip(st.columns(2, gap="large"), sample.pair(state.store()).items(), strict=True):
            with cell, st.container(key=f"{KEY}.{audit.id}"):
                _draw_run(title, audit)


def _draw_run(title: str, audit: Audit) -> None:
    st.markdown(f"**{plain(title)}**")
    run = next(iter(audit.runs("released")), None)
    if run is None or run.state in LIVE:
        progress = {} if run is None else run.progress
        st.progress(progress.get("done", 0) / max(progress.get("total", 1), 1), say("The attacks are running"))
        return
    if run.state != "finished":
        st.markdown(say("The attacks did not finish. Press the button again."))
        return
    findings: Findings = state.cached(f"pair {run.id}", audit, lambda: _findings(audit))
    answer = next(candidate for candidate in findings.answers if candidate.question == "released")
    assert answer.finding is not None
    assert answer.judgement is not None
    _, _, who, value, limit = line(answer)
    st.header(titled(answer.judgement.verdict), anchor=False)
    st.markdown(plain(answer.finding.sentence))
    st.metric(say("AUC of {who}", who=who), value, help=words.GLOSSARY["auc"])
    st.caption(say("Guessing 0.50, limit {limit}. {why}", limit=limit, why=plain(answer.judgement.why)))
    if st.button(say("Open its report"), key=f"{KEY}.open.{audit.id}", help=say("Make this audit the open one.")):
        st.session_state.pop(KEY)
        state.show(audit)
        st.rerun(scope="app")
    if answer.finding.chart is not None:
        st.image(
            plots.svg(answer.finding.chart, sample.PAIR_LIMIT, ground="#FFFFFF"),
            alt=in_words.picture_in_words(answer.finding.chart, sample.PAIR_LIMIT),
            width="stretch",
        )


def _findings(audit: Audit) -> Findings:
    facts = read_given(audit, state.tables(audit), verdicts.found_give_aways(audit))
    limit = own(sample.PAIR_LIMIT, say("chosen for this example"))
    return build_findings(facts, {"released": limit}, kind=Class.SHAREABLE, made=datetime.now(UTC))
