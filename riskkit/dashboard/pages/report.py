"""The page Report: the verdict over all questions, one line for each, and what each stands on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import astuple
from datetime import UTC, datetime
from typing import Any

import streamlit as st

from riskkit import registry, wording
from riskkit.audit import selftest
from riskkit.audit.report_facts import build_findings, read_given
from riskkit.audit.selftest_result import keep, last
from riskkit.dashboard.forms import provenance
from riskkit.dashboard.frame import limits, shell, state, styles, verdicts
from riskkit.dashboard.frame.shell import plain
from riskkit.dashboard.pages import question_page, report_files
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit, Store
from riskkit.judging.give_aways import State
from riskkit.judging.measurement import SCALES, Judgement, Verdict, title
from riskkit.language import again, counted, joined, say
from riskkit.report import plots, texts
from riskkit.report.build import rejudge
from riskkit.report.lines import guess, if_made, in_one_sentence, line, reason
from riskkit.show import glossary, in_words
from riskkit.show.blocks import CountMatrix, Frontier, Grid, Picture, printed_blocks
from riskkit.show.model import Answer, Class, Findings, RunFinding
from riskkit.show.profile import ROOM

WIDTHS = (1.4, 2.2, 3.2, 1.7, 0.9)
LINE = "report-line-"
"""The keys of the lines begin with it."""
BY_ITSELF = "give_away"
"""Codes of overall verdicts that the give-aways of the file decide begin with it."""
LABELLED = 2
"""The first two cells of a line, question and verdict, say by themselves what they are."""
GROUND = "#FFFFFF"
"""The ground of a chart: it is drawn in dark ink, so it brings its paper along in the dark theme."""


def show(audit: Audit) -> None:
    """The whole page for an audit with a real table."""
    top = st.container()
    judged = rejudge(current(audit, report_files.options(audit)), kept := audit.limits)
    with top:
        st.header(title(judged.overall.verdict), anchor=False)
        verdicts.warning_line(judged.give_aways)
        if not judged.overall.code.startswith(BY_ITSELF):  # else the boxes say why
            short = in_one_sentence(judged)
            note = f"{plain(judged.overall.why)} {again(texts.OVERALL_NOTE)}" if short else again(texts.OVERALL_NOTE)
            st.markdown(plain(short or judged.overall.why), help=note)
            if judged.overall.settle:
                st.markdown(say("**What would decide it.** {settle}", settle=plain(judged.overall.settle)))
        settled = [each.sentence for each in judged.give_aways if each.state is not State.OPEN]  # open ones have a box
        with st.expander(say("Copies and row order")):
            st.markdown(plain(" ".join([*settled, again(texts.NOT_PROOF)])))
    report_files.downloads(audit, judged)
    _lines(judged)
    limits.controls(audit, [answer.question for answer in judged.answered()], is_open=bool(kept))
    if "synthetic" in audit.files:
        provenance.fold(audit)
    _details(judged)
    selftest_fold(state.store())


def current(audit: Audit, options: report_files.Options) -> Findings:
    """The findings of the audit as it stands, read again only when something of it has changed."""
    removed = len(state.store().receipts())
    answers = [str(audit.provenance), audit.answers.row]
    named = [audit.name, *answers, removed, list(map(_mark, audit.runs())), *astuple(options)]
    what = f"report {hashlib.sha256(repr(named).encode()).hexdigest()}"
    return state.cached(
        what,
        audit,
        lambda: build_findings(
            read_given(audit, state.tables(audit), verdicts.found_give_aways(audit)),
            {},
            kind=Class(options.kind),
            made=datetime.now(UTC).replace(microsecond=0),
            cover=options.cover,
            tells_columns=options.tells_columns,
            profile=registry.parse(ROOM, options.profile),
        ),
    )


def _mark(run: Run) -> tuple[object, ...]:
    """What a report says of a run while it has no result; a result stays as it is."""
    now = run.progress
    how_far = tuple(now.get(name) for name in ("done", "total", "error")) if now["state"] != "finished" else ()
    return run.id, now["state"], *how_far


def verdict(answer: Answer) -> None:
    """A verdict as icon and word; what-ifs under it where nothing has finished that is about this release."""
    if answer.judgement is not None:
        verdicts.badge(answer.judgement)
    else:
        st.badge(again(texts.WHAT_IF) if answer.is_what_if else again(texts.NOT_RUN), color="gray")
    if answer.finding is None:
        for what_if in answer.what_ifs:
            st.caption(plain(if_made(what_if)))


def _heads() -> dict[str, str | None]:
    """Heads of the lines, each with its plain meaning."""
    return {
        say("Question"): None,
        say("Verdict"): say(
            "Above the limit, leak shown, undecided or within the limit. None of these words says that a release may "
            "be published."
        ),
        say("What was found"): say("The reason of the verdict. Hovering names the strongest attack."),
        say("Value [interval]"): glossary.TERMS["membership.interval"],
        say("Limit"): glossary.TERMS["limit"],
    }


def _lines(findings: Findings) -> None:
    """One line for each question."""
    shown = [answer for answer in findings.answers if answer.shown is not None]
    if shown:
        styles.heads_beside(LINE, list(_heads()), LABELLED)
        with st.container(key=f"{LINE}heads"):
            for cell, (name, hint) in zip(st.columns(WIDTHS), _heads().items(), strict=True):
                cell.markdown(shell.quiet(name), help=hint)
    for answer in shown:
        if not is_aside(answer):
            _line(answer)
    asides = [answer for answer in shown if is_aside(answer)]
    if asides:
        with st.expander(aside_title(asides), expanded=len(asides) == len(shown)):
            for answer in asides:
                _line(answer)
    if silent := [answer for answer in findings.answers if answer.shown is None]:
        with st.expander(silent_title(silent)):
            for answer in silent:
                with st.container(key=f"{LINE}open-{answer.question}"):
                    st.markdown(f"**{plain(answer.title)}**", help=answer.asks or None)
                    verdict(answer)
                    _ask(answer)


def is_aside(answer: Answer) -> bool:
    """Whether nothing about this release follows from it: it describes, or is about something else."""
    judged = answer.judgement if answer.finding is not None else None
    return judged is None or judged.verdict is Verdict.DESCRIBED


def aside_title(answers: Sequence[Answer]) -> str:
    """What a fold of such answers is called."""
    return say("No verdict on this release: {names}", names=joined(answer.title for answer in answers))


def silent_title(answers: Sequence[Answer]) -> str:
    """What a fold of tests without a result is called: how many were not run, and how many do not apply."""
    beside = sum(not answer.applies for answer in answers)
    left = len(answers) - beside
    counts = (
        counted(left, "{n:,} test not run", "{n:,} tests not run") if left else "",
        counted(beside, "{n:,} test does not apply", "{n:,} tests do not apply") if beside else "",
    )
    return joined(filter(None, counts))


def _line(answer: Answer) -> None:
    """One question, with verdict, sentence, value and limit."""
    heading, _, _, value, limit = line(answer)
    with st.container(key=f"{LINE}asked-{answer.question}"):
        cells = st.columns(WIDTHS, vertical_alignment="center")
    cells[0].markdown(f"**{plain(heading)}**", help=answer.asks or None)
    with cells[1]:
        verdict(answer)
    assert answer.shown is not None
    about_release = answer.finding is not None or answer.judgement is None
    judged = answer.judgement if answer.finding is not None else None
    cells[2].markdown(plain(reason(answer.shown, judged, in_list=True)), help=plain(answer.shown.measured.who) or None)
    if not about_release and answer.judgement is not None:
        cells[2].caption(plain(f"{answer.judgement.why} {answer.judgement.settle}"))
    cells[3].markdown(f"{plain(value)}{_beside(answer)}", help=_reference(answer))
    cells[4].markdown("–" if limit in ("–", again(texts.NO_LIMIT)) else f"{plain(limit)}  \n{shell.quiet('limit')}")


def _beside(answer: Answer) -> str:
    """What guessing reaches, in small under the value."""
    reached = guess(answer)
    return "" if reached == "–" else f"  \n{shell.quiet(say('guessing {reached}', reached=reached))}"


def _reference(answer: Answer) -> str | None:
    """What the number is on, and what guessing reaches."""
    if answer.shown is None or answer.shown.measured.strongest is None:
        return None
    measured = answer.shown.measured
    scale = SCALES[measured.scale]
    units = wording.plural(measured.strongest.n, measured.unit) if measured.strongest else ""
    return say(
        "{scale}. {meaning} Guessing reaches {guess:.2f}; N = {units}.",
        scale=scale.title,
        meaning=again(scale.plain),
        guess=measured.guess,
        units=units,
    )


def _ask(answer: Answer) -> None:
    """What to do about a question without an answer."""
    judged = answer.judgement
    open_why = texts.STATES.get(answer.state, texts.STATES[""])
    why = open_why if answer.applies else say("This test does not apply to these files.")
    st.caption(plain(f"{judged.why} {judged.settle}") if judged else why)
    page = question_page.page_of(answer.question)
    if page is not None:
        title = say(page[8:-3].capitalize()) if isinstance(page, str) else page.title
        st.page_link(
            page,
            label=say("Ask it on the page {page}", page=title),
            icon=":material/arrow_forward:",
        )


def _details(findings: Findings) -> None:
    st.header(say("Question by question"), anchor=False)
    for answer in findings.answered():
        if answer.finding is not None:
            with st.expander(plain(answer.title)):
                st.markdown(f"**{plain(answer.finding.sentence)}**")
                _draw_section(answer.finding, answer.judgement)
        for what_if in answer.what_ifs:
            with st.expander(f"{plain(answer.title)} · {plain(if_made(what_if))}"):
                _draw_section(what_if.finding, what_if.judgement)
    with st.expander(say("What the words mean")):
        for name, meaning in glossary.report_glossary().items():
            st.markdown(f"**{plain(name)}.** {plain(meaning)}")


def _draw_section(finding: RunFinding, judged: Judgement | None) -> None:
    if judged is not None:
        verdicts.reason(judged, finding.measured)
    limit = None if judged is None or judged.limit is None else judged.limit.value
    if finding.chart is not None:
        _picture(finding.chart, limit)
    for block in printed_blocks(finding.view):
        if isinstance(block, Grid | CountMatrix | Frontier):
            _picture(block)
    for name, text in finding.game:
        st.markdown(f"{shell.quiet(name)}  \n{plain(text)}")
    for text in finding.extra:
        st.markdown(plain(text))
    st.markdown(say("**What this does not show**"))
    st.markdown("\n".join(f"- {plain(limit_text)}" for limit_text in finding.limits))


def _picture(picture: Picture, limit: float | None = None) -> None:
    """A picture of the report, the same drawing as on paper."""
    st.markdown(f"**{plain(picture.sentence)}**")
    svg, words = plots.svg(picture, limit, ground=GROUND), in_words.picture_in_words(picture, limit)
    st.image(svg, alt=words, width="stretch")


# --------------------------------------------------------------------------------------------------------------
# What the installed engine makes of leaks of known size


SELFTEST = "selftest.run"


def selftest_fold(store: Store) -> None:
    """The last self-test of this installation, folded, and the button that runs it again."""
    kept = _read(last(store.home))
    with st.expander(_title(kept)):
        st.caption(
            say(
                "Leaks of known size are planted in made-up tables, and what this installation measures is set beside "
                "what is true. It takes about half a minute. The result goes into the evidence pack."
            )
        )
        if st.button(say("Run the self-test"), key=SELFTEST, icon=":material/fact_check:"):
            kept = _run(store)
        if kept is not None:
            _table(kept)


def _title(kept: dict[str, Any] | None) -> str:
    if kept is None:
        return say("Does this installation measure correctly? Not tested yet")
    right = sum(check["passed"] for check in kept["checks"])
    return say(
        "Does this installation measure correctly? {right} of {every} planted leaks agree",
        right=right,
        every=len(kept["checks"]),
    )


def _run(store: Store) -> dict[str, Any] | None:
    bar = st.progress(0.0, text=say("Starting"))

    def show(done: int, total: int, plain: str) -> None:
        bar.progress(done / total, text=plain or say("Done"))

    result = selftest.selftest(show)
    bar.empty()
    return _read(keep(result, store.home))


def _read(content: bytes | None) -> dict[str, Any] | None:
    if content is None:
        return None
    kept: dict[str, Any] = json.loads(content)
    return kept


def _table(kept: dict[str, Any]) -> None:
    if not kept["passed"]:
        st.error(
            say(
                "A planted leak was measured wrongly. Install riskkit again in an environment of its own. Until "
                "then, rely on no number from this installation."
            ),
            icon=":material/error:",
        )
    rows = [
        {
            "agrees": f"● {say('agrees')}" if check["passed"] else f"▲ {say('differs')}",
            "plain": check["plain"],
            "expected": check["expected"],
            "measured": check["measured"],
        }
        for check in kept["checks"]
    ]
    columns: dict[str, Any] = {
        "agrees": st.column_config.TextColumn(say("Result"), width="small"),
        "plain": say("What was planted"),
        "expected": say("Expected"),
        "measured": say("Measured"),
    }
    st.dataframe(rows, hide_index=True, column_config=columns, alt=say("Every check of the self-test"))
