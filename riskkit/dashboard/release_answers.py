"""The answers of an audit on one page: the verdict over all, what the file gives away by itself, a line a question."""

from __future__ import annotations

import streamlit as st

from riskkit.dashboard import release_run, state, styles, verdicts
from riskkit.dashboard.any_question import page_of
from riskkit.dashboard.frame import plain, quiet
from riskkit.dashboard.release_run import EffortPlans
from riskkit.dashboard.report import BY_ITSELF, verdict
from riskkit.jobs.runs import LIVE
from riskkit.jobs.store import Audit
from riskkit.judging.give_aways import State
from riskkit.judging.limits import SCALES
from riskkit.judging.measured import Judgement
from riskkit.judging.verdict import title
from riskkit.language import again, joined, say
from riskkit.report import plots, texts
from riskkit.report.lines import line
from riskkit.show.model import Answer, Findings

WIDTHS = (2.1, 2.6, 5.0)


def has_any(findings: Findings) -> bool:
    """Whether anything was asked of this release, finished or not."""
    return any(answer.state for answer in findings.answers)


def give_aways(findings: Findings) -> None:
    """What the file gives away by itself; it is known before anything is asked."""
    verdicts.boxes(findings.give_aways)


def show(audit: Audit, findings: Findings, asked: EffortPlans) -> None:
    """The verdict in one sentence, how far the audit is, then a line for each question that has been asked."""
    _overall(findings, asked)
    if asked.live:
        release_run.progress(audit, asked)
    else:
        styles.skip_links(["answers"])  # every line has four stops of the Tab key
    lines = [answer for answer in findings.answers if answer.shown or (answer.judgement and answer.state not in LIVE)]
    for answer in lines:
        with st.container(key=f"release-line-{answer.question}"):
            _line(answer)
    if any(answer.shown for answer in lines):
        caption = say(
            "Dotted line: what guessing reaches. Upright line: the limit. Thick line: the value with its interval."
        )
        st.caption(caption)
        _rest(findings)


def _rest(findings: Findings) -> None:
    """What was not asked, what the file does not give away, and what no verdict says."""
    silent = [answer.title for answer in findings.answers if not answer.state]
    if silent:
        st.caption(plain(say("Not asked: {questions}.", questions=joined(silent))))
    calm = [give_away.sentence for give_away in findings.give_aways if give_away.state not in (State.SHOWN, State.OPEN)]
    st.caption(plain(" ".join([*calm, texts.NOT_PROOF])))


def _overall(findings: Findings, asked: EffortPlans) -> None:
    judged = findings.overall
    is_shown = judged.shows_leak or judged.code.startswith(BY_ITSELF)
    if asked.live and not is_shown:
        st.header(say("The audit is under way"), anchor=False)
        return
    st.header(title(judged.verdict), anchor=False)
    verdicts.boxes(findings.give_aways)
    if not judged.code.startswith(BY_ITSELF):  # else the boxes say why
        st.markdown(plain(judged.why), help=texts.OVERALL_NOTE)


def _line(answer: Answer) -> None:
    """One question: its name and verdict, its bar with value and guessing, the sentence with the reason."""
    name, picture, text = st.columns(WIDTHS, gap="medium", vertical_alignment="top")
    with name:
        _name(answer)
        verdict(answer)
    finding = answer.shown
    if finding is None:
        with text:
            if answer.judgement is not None:
                st.markdown(plain(answer.judgement.why))
                st.caption(plain(answer.judgement.settle))
        return
    measured = finding.measured
    judged = answer.judgement if answer.finding is not None else answer.what_ifs[0].judgement
    limit = None if judged is None or judged.limit is None else judged.limit.value
    _, _, who, value, _ = line(answer)
    with picture:
        if measured.strongest is not None:
            beside = say("guessing {guess:.2f}", guess=measured.guess)
            if limit is not None:
                beside += say(", limit {limit:.2f}", limit=limit)
            st.image(plots.bar(measured, limit, on_screen=True), width="stretch", alt=f"{value}, {beside}")
            scale = SCALES[measured.scale]
            st.markdown(f"**{plain(value)}** {quiet(plain(beside))}", help=f"{scale.title}. {again(scale.plain)} {who}")
    with text:
        st.markdown(plain(finding.plain or finding.sentence))
        if judged is not None:
            _why(judged)


def _why(judged: Judgement) -> None:
    """Why the verdict is what it is, and what would decide it; where only a limit is missing, in a word."""
    whole = plain(" ".join(filter(None, (judged.why, judged.settle))))
    if judged.code == "no_limit":
        st.caption(say("No leak is shown, and no limit is set."), help=whole)
    else:
        st.caption(whole)


def _name(answer: Answer) -> None:
    """The question's name, which leads to its page."""
    place = page_of(answer.question, has_icon=False)  # names of answers stand below each other
    if place is not None and (not isinstance(place, str) or state.exists(place)):
        st.page_link(place, label=f"**{plain(answer.title)}**", help=answer.asks or None)
    else:
        st.markdown(f"**{plain(answer.title)}**", help=answer.asks or None)
