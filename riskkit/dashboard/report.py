"""The page Report: the verdict over all questions, one line for each, and what each stands on."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime

import streamlit as st

from riskkit.audit.reporting import found_in, given_of
from riskkit.audit.store import Audit
from riskkit.dashboard import frame, report_files, report_limits, report_pair, state, styles
from riskkit.dashboard.frame import plain
from riskkit.language import say
from riskkit.report import words
from riskkit.report.audited import charts, texts
from riskkit.report.audited.build import rejudged
from riskkit.report.audited.document import guess, line
from riskkit.report.audited.limits import SCALES
from riskkit.report.audited.model import Answer, Class, Findings, Judgement, RunFinding

PAGES: Mapping[str, str] = {
    "membership": "pages/2_membership.py",
    "released": "pages/2_membership.py",
    "records": "pages/3_records.py",
    "attributes": "pages/4_attributes.py",
    "explanations": "pages/5_explanations.py",
    "contest": "pages/6_contest.py",
}
"""Where each question is asked."""
WIDTHS = (1.4, 2.2, 3.2, 1.7, 0.9)
LINE = "report-line-"
"""The keys of the lines begin with it."""
LABELLED = 2
"""The first two cells of a line, question and verdict, say by themselves what they are."""
GROUND = "#FFFFFF"
"""The ground of a chart: it is drawn in dark ink, so it brings its paper along in the dark theme."""
HEAD = {
    say("Question"): None,
    say("Verdict"): say(
        "Leak shown, no leak above the limit shown, or undecided. None says that a release may be published."
    ),
    say("Worst attack"): say("The attack with the highest lower end, of all that were looked at."),
    say("Value [interval]"): words.GLOSSARY["interval"],
    say("Limit"): texts.LIMIT,
}
"""Heads of the lines, each with its plain meaning."""


def show(audit: Audit) -> None:
    """The whole page for an audit with a real table."""
    found = current(audit, report_files.ON_SCREEN)
    limits = report_limits.chosen(found)
    judged = rejudged(found, limits)
    _overall(judged)
    _lines(judged)
    report_limits.controls(found)
    options = report_files.options()
    report_files.downloads(audit, rejudged(current(audit, options), limits))
    _details(judged)
    report_pair.side_by_side()


def current(audit: Audit, options: report_files.Options) -> Findings:
    """The findings of the audit as it stands, read again only when a run has ended or the data has changed."""
    marks = [f"{run.id} {run.state}" for run in audit.runs()]
    named = f"{marks} {options.kind} {options.title} {options.by} {options.tells_columns}"
    what = f"report {hashlib.sha256(named.encode()).hexdigest()}"
    return state.kept(
        what,
        audit,
        lambda: found_in(
            given_of(audit, state.tables(audit)),
            {},
            kind=Class(options.kind),
            made=datetime.now(UTC).replace(microsecond=0),
            title=options.title,
            by=options.by,
            tells_columns=options.tells_columns,
        ),
    )


def verdict(judgement: Judgement | None, finding: RunFinding | None) -> None:
    """A verdict as icon and word; the colour says nothing that they do not say."""
    if judgement is None:
        st.badge(texts.NOT_RUN if finding is None else texts.NO_VERDICT, color="gray")
        return
    st.badge(texts.verdict(judgement.verdict), color="red" if judgement.is_leak else "gray")


def _overall(found: Findings) -> None:
    st.header(texts.verdict(found.overall.verdict), anchor=False)
    st.markdown(plain(found.overall.why), help=texts.OVERALL_NOTE)
    if found.overall.settle:
        st.markdown(say("**What would decide it.** {settle}", settle=plain(found.overall.settle)))
    st.caption(texts.NOT_PROOF)


def _lines(found: Findings) -> None:
    """One line for each question."""
    styles.heads_beside(LINE, list(HEAD), LABELLED)
    with st.container(key=f"{LINE}heads"):
        for cell, (name, told) in zip(st.columns(WIDTHS), HEAD.items(), strict=True):
            cell.markdown(frame.quiet(name), help=told)
    for answer in found.answers:
        title, _, who, value, limit = line(answer)
        with st.container(key=f"{LINE}{'asked' if answer.is_answered else 'open'}-{answer.question}"):
            cells = st.columns(WIDTHS, vertical_alignment="center")
        cells[0].markdown(f"**{plain(title)}**", help=answer.asks or None)
        with cells[1]:
            verdict(answer.judgement, answer.finding)
        if answer.finding is None:
            with cells[2]:
                _ask(answer)
            continue
        cells[2].markdown(plain(who))
        cells[3].markdown(f"{plain(value)}{_beside(answer)}", help=_reference(answer))
        cells[4].markdown(
            plain(limit) if limit in ("–", texts.NO_LIMIT) else f"{plain(limit)}  \n{frame.quiet('limit')}"
        )


def _beside(answer: Answer) -> str:
    """What guessing reaches, in small under the value."""
    reached = guess(answer)
    return "" if reached == "–" else f"  \n{frame.quiet(say('guessing {reached}', reached=reached))}"


def _reference(answer: Answer) -> str | None:
    """What the number is on, and what guessing reaches."""
    if answer.finding is None or answer.finding.measured.strongest is None:
        return None
    measured = answer.finding.measured
    scale = SCALES[measured.scale]
    units = words.plural(measured.strongest.n, measured.unit) if measured.strongest else ""
    return say(
        "{scale}. {meaning} Guessing reaches {guess:.2f}; N = {units}.",
        scale=scale.title,
        meaning=scale.plain,
        guess=measured.guess,
        units=units,
    )


def _ask(answer: Answer) -> None:
    """What to do about a question without an answer."""
    judged = answer.judgement
    st.caption(plain(f"{judged.why} {judged.settle}") if judged else texts.STATES.get(answer.state, texts.STATES[""]))
    page = PAGES.get(answer.question)
    if page is not None and state.exists(page):
        st.page_link(
            page,
            label=say("Ask it on the page {page}", page=say(page[8:-3].capitalize())),
            icon=":material/arrow_forward:",
        )


def _details(found: Findings) -> None:
    st.header(say("Question by question"), anchor=False)
    for answer in found.answered():
        assert answer.finding is not None
        with st.expander(f"{plain(answer.title)}: {plain(answer.finding.sentence)}"):
            _one(answer, answer.finding)
    with st.expander(say("What the words mean")):
        for name, told in texts.GLOSSARY.items():
            st.markdown(f"**{plain(name)}.** {plain(told)}")


def _one(answer: Answer, finding: RunFinding) -> None:
    judged = answer.judgement
    if judged is not None:
        st.markdown(plain(f"{judged.why} {judged.settle}".strip()))
    limit = None if judged is None or judged.limit is None else judged.limit.value
    if finding.chart is not None:
        _picture(charts.intervals(finding.chart, limit, ground=GROUND), finding.chart.sentence)
    if finding.grid is not None:
        _picture(charts.heatmap(finding.grid, ground=GROUND), finding.grid.sentence)
    if finding.frontier is not None:
        _picture(charts.frontier(finding.frontier, ground=GROUND), finding.frontier.sentence)
    for name, told in finding.game:
        st.markdown(f"{frame.quiet(name)}  \n{plain(told)}")
    for told in finding.extra:
        st.markdown(plain(told))
    st.markdown(say("**What this does not show**"))
    st.markdown("\n".join(f"- {plain(told)}" for told in finding.limits))


def _picture(svg: str, told: str) -> None:
    """A chart of the report, the same drawing as on paper."""
    st.markdown(f"**{plain(told)}**")
    st.image(svg, alt=told, width="stretch")
