"""The page Report: the verdict over all questions, one line for each, and what each stands on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import astuple
from datetime import UTC, datetime
from functools import partial
from typing import Any

import streamlit as st

from riskkit import registry
from riskkit.audit import selftest
from riskkit.audit.report_facts import build_findings, read_given, uncured
from riskkit.audit.selftest_result import keep, last
from riskkit.dashboard.forms import provenance
from riskkit.dashboard.frame import limits, shell, state, verdicts
from riskkit.dashboard.frame.shell import plain
from riskkit.dashboard.pages import answer_lines, report_files
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit, Store
from riskkit.judging.measurement import Judgement
from riskkit.language import joined, say
from riskkit.report import plots
from riskkit.report.build import rejudge
from riskkit.report.lines import gaps, if_made
from riskkit.show import glossary, in_words
from riskkit.show.blocks import CountMatrix, Frontier, Grid, Picture, printed_blocks
from riskkit.show.model import Class, Findings, RunFinding, WhatIf
from riskkit.show.profile import ROOM

GROUND = "#FFFFFF"
"""The ground of a chart: it is drawn in dark ink, so it brings its paper along in the dark theme."""


def show(audit: Audit) -> None:
    """The whole page for an audit with a real table."""
    judged = rejudge(current(audit, report_files.options(audit)), kept := audit.limits)
    st.header(verdicts.answer_to_release(judged.overall), anchor=False)
    verdicts.warning_line(judged.give_aways)
    answer_lines.why(judged)
    if judged.overall.settle and not judged.overall.code.startswith(answer_lines.BY_ITSELF):
        st.markdown(say("**What would decide it.** {settle}", settle=plain(judged.overall.settle)))
    answer_lines.copies(judged)
    selftest_fold(state.store())
    report_files.downloads(audit, judged)
    answer_lines.lines(judged)
    untested = "" if last(state.store().home) else say("This installation was not checked against planted leaks.")
    st.markdown(say("**What was not tested.** {what}", what=plain(f"{gaps(judged)} {untested}".strip())))
    if any(answer.shown is None and answer.applies for answer in judged.answers):  # that one does not apply is said
        answer_lines.silent(judged)
    limits.controls(audit, [answer.question for answer in judged.answered()], is_open=bool(kept))
    if "synthetic" in audit.files:
        provenance.fold(audit)
    _details(judged)


def current(audit: Audit, options: report_files.Options) -> Findings:
    """The findings of the audit as it stands, read again only when something of it has changed."""
    removed = len(state.store().receipts())
    answers = [str(audit.provenance), audit.answers.row]
    named = [audit.name, *answers, removed, uncured(audit), list(map(_mark, audit.runs())), *astuple(options)]
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


def _details(findings: Findings) -> None:
    st.header(say("Question by question"), anchor=False)
    for answer in findings.answered():
        if answer.finding is not None:
            with st.expander(plain(answer.title)):
                st.markdown(f"**{plain(answer.finding.sentence)}**")
                _draw_section(answer.finding, answer.judgement)
        titles = shell.tell_apart(dict(enumerate(map(if_made, answer.what_ifs))), partial(_differing, answer.what_ifs))
        for place, what_if in enumerate(answer.what_ifs):
            with st.expander(f"{plain(answer.title)} · {plain(titles[place])}"):
                _draw_section(what_if.finding, what_if.judgement)
    with st.expander(say("What the words mean")):
        for name, meaning in glossary.report_glossary().items():
            st.markdown(f"**{plain(name)}.** {plain(meaning)}")


def _differing(what_ifs: Sequence[WhatIf], place: int) -> str:
    """The settings of one of several what-ifs that are not those of all."""
    every = [what_if.finding.settings for what_if in what_ifs]
    own = every[place].items()
    return joined(f"{name}: {text}" for name, text in own if any(each.get(name) != text for each in every))


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
