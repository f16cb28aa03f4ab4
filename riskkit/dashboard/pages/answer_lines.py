"""What an audit says, on Audit and Report alike: why it has its verdict, and a line for each question."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from riskkit.dashboard.frame import state, verdicts
from riskkit.dashboard.frame.shell import plain
from riskkit.dashboard.pages import question_page
from riskkit.jobs.runs import LIVE
from riskkit.judging.give_aways import State
from riskkit.judging.judge import DESCRIBES
from riskkit.judging.measurement import Verdict
from riskkit.language import again, counted, joined, phrase, say
from riskkit.questions import questions
from riskkit.report import plots, texts
from riskkit.report.lines import first_sentence, if_made, in_one_sentence, line
from riskkit.show.model import Answer, Findings

BY_ITSELF = "give_away"
"""Codes of overall verdicts that the give-aways of the file decide begin with it."""
WIDTHS = (2.1, 2.6, 5.0)
KEY, KEY_WITH_LIMIT = (
    phrase("┆ guessing\u2002 ━\u2002interval"),
    phrase("┆ guessing\u2002 ┃ limit\u2002 ━\u2002interval"),
)
"""The marks of every line's bar."""
OF_ALL = ("no_limit", "gives_away", "one_training", "games_show")
"""Codes of verdicts whose way out is said once for all, or by the sentence."""
NO_LIMIT = phrase("No limit is set: tests can show a leak, but cannot clear the release. Set one under Limits.")
"""Why lines are undecided where nobody set a limit."""


def why(findings: Findings) -> None:
    """Why the release has its verdict, in one sentence; nothing where the boxes of give-aways say so."""
    judged = findings.overall
    if not judged.code.startswith(BY_ITSELF):
        short, note = in_one_sentence(findings), again(texts.OVERALL_NOTE)
        st.markdown(plain(short or judged.why), help=f"{plain(judged.why)} {note}" if short else note)


def copies(findings: Findings) -> None:
    """What the file says by itself in full, in a fold; what nobody has settled has a box."""
    settled = [each.sentence for each in findings.give_aways if each.state is not State.OPEN]
    with st.expander(say("Copies and row order")):
        st.markdown(plain(" ".join([*settled, again(texts.NOT_PROOF)])))


def lines(findings: Findings, *, is_live: bool = False) -> None:
    """A line for each question that has been asked; in a fold those that say nothing of this release.

    Where the audit ``is_live``, the page says by itself how far questions are that have not finished.
    """
    every = [
        answer
        for answer in findings.answers
        if answer.shown or (answer.judgement and not (is_live and answer.state in LIVE))
    ]
    asides = [answer for answer in every if answer.shown is not None and _is_aside(answer)]
    decisive = [answer for answer in every if answer not in asides]
    if any(answer.shown for answer in decisive):
        has_limit = any(answer.judgement is not None and answer.judgement.limit is not None for answer in decisive)
        st.caption(again(KEY_WITH_LIMIT) if has_limit else again(KEY))
    for answer in decisive:
        _line(answer)
    codes = {answer.judgement.code for answer in decisive if answer.judgement is not None}
    if "gives_away" in codes:
        st.caption(verdicts.by_file(findings.give_aways))
    elif "no_limit" in codes:
        st.caption(again(NO_LIMIT))
    if asides:
        names = joined(answer.title for answer in asides)
        with st.expander(say("No verdict on this release: {names}", names=names), expanded=not decisive):
            for answer in asides:
                _line(answer)
            if any(answer.judgement and answer.judgement.verdict is Verdict.DESCRIBED for answer in asides):
                st.caption(plain(again(DESCRIBES)))


def silent(findings: Findings) -> None:
    """What was not asked of these files, or does not apply to them, in a fold."""
    every = [answer for answer in findings.answers if answer.shown is None and answer.judgement is None]
    if not every:
        return
    with st.expander(_silent_title(every)):
        for answer in every:
            _name(answer)
            if answer.state:  # asked of an earlier version of the files
                st.caption(plain(texts.STATES[answer.state]))
            else:
                st.caption(plain(say("Needs {what}.", what=questions()[answer.question].wants)))


def _is_aside(answer: Answer) -> bool:
    """Whether nothing about this release follows from it: it describes, or is about something else."""
    judged = answer.judgement if answer.finding is not None else None
    return judged is None or judged.verdict is Verdict.DESCRIBED


def _silent_title(answers: Sequence[Answer]) -> str:
    """What a fold of tests without a result is called: how many were not run, and how many do not apply."""
    beside = sum(not answer.applies for answer in answers)
    left = len(answers) - beside
    counts = (
        counted(left, "{n:,} test not run", "{n:,} tests not run") if left else "",
        counted(beside, "{n:,} test does not apply", "{n:,} tests do not apply") if beside else "",
    )
    return joined(filter(None, counts))


def _line(answer: Answer) -> None:
    """One question: its name and verdict, its bar with value and guessing, the sentence with the reason."""
    with st.container(key=f"release-line-{answer.question}"):
        name, picture, text = st.columns(WIDTHS, gap="medium", vertical_alignment="top")
    with name, st.container(gap="xsmall"):
        _name(answer)
        _verdict(answer)
    finding, unfinished = answer.shown, answer.judgement if answer.finding is None else None
    if unfinished is not None:
        with text:
            st.markdown(plain(unfinished.why))
            if answer.state not in ("cancelled", "interrupted"):  # a button goes on
                st.caption(plain(unfinished.settle))
    if finding is None:
        return
    measured = finding.measured
    judged = answer.judgement if answer.finding is not None else answer.what_ifs[0].judgement
    limit = None if judged is None or judged.limit is None else judged.limit.value
    with picture, st.container(gap="xsmall"):
        if measured.strongest is not None:
            guess = measured.level_in_words(measured.guess)
            alt = say("{value}, guessing {guess}", value=line(answer)[3], guess=guess)
            st.image(plots.bar(measured, limit, on_screen=True), width="stretch", alt=alt)
            verdicts.headline(measured, judged, has_bar=True)
    with text:
        first = first_sentence(finding, judged, in_list=True)
        whole = (finding.sentence, "" if judged is None else judged.why)
        st.markdown(plain(first), help=plain(" ".join(part for part in whole if part != first)) or None)
        if judged is not None and judged.settle and judged.code not in OF_ALL:
            st.caption(plain(judged.settle))


def _name(answer: Answer) -> None:
    """The question's name, which leads to its page."""
    place = question_page.page_of(answer.question, has_icon=False)  # names of answers stand below each other
    if place is not None and (not isinstance(place, str) or state.exists(place)):
        st.page_link(place, label=f"**{plain(answer.title)}**", help=answer.asks or None)
    else:
        st.markdown(f"**{plain(answer.title)}**", help=answer.asks or None)


def _verdict(answer: Answer) -> None:
    """A verdict as icon and word; what-ifs under it where nothing has finished that is about this release."""
    if answer.judgement is not None:
        verdicts.badge(answer.judgement)
    else:
        st.badge(again(texts.WHAT_IF) if answer.is_what_if else again(texts.NOT_RUN), color="gray")
    if answer.finding is None:
        for what_if in answer.what_ifs:
            st.caption(plain(if_made(what_if)))
