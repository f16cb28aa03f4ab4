"""The verdict on a page: the very finding and the very judgement of the report, and the give-aways above them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from threading import Lock

import streamlit as st

from riskkit import wording
from riskkit.audit import report_facts
from riskkit.audit.comparison_words import inside
from riskkit.audit.give_aways import give_aways_of
from riskkit.dashboard.frame import limits, state
from riskkit.dashboard.frame.shell import AUDIT_PAGE, REPORT_PAGE, plain, quiet
from riskkit.dashboard.frame.views import LINE
from riskkit.errors import RiskkitError
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit
from riskkit.judging import give_aways
from riskkit.judging.give_aways import GiveAway, State
from riskkit.judging.judge import judge
from riskkit.judging.measurement import EPSILON, SCALES, Judgement, Limit, Measured, Verdict, title
from riskkit.language import Readings, again, counted, joined, kept, phrase, say, unbroken
from riskkit.questions.limits import scales
from riskkit.questions.promises import SEEN_TOGETHER
from riskkit.report.build import at_limit, compares_sides, give_away_lines, read, unguessed
from riskkit.report.lines import OF_METHODS, OF_PEOPLE, first_sentence, if_made, remedy, weight
from riskkit.show import glossary
from riskkit.show.model import Class, Findings, GiveAwayLine, Given, Part, Played, RunFinding, WhatIf

Judged = tuple[RunFinding, Judgement]
Split = Callable[[str], tuple[str, str]]
_LOOKING = Lock()
"""Of twenty people who open an audit, one has the file looked at, and the others read what was found."""
BY_FILE = Readings(
    {
        True: phrase("Repair the file first, then test the new one: no test can clear this one."),
        False: phrase("Settle first whether the file exposes people by itself: until then no test can clear it."),
    }
)
"""Why no test can clear a file that shows something by itself, and one of which it is open."""
UNITS: Mapping[str, str] = {
    "excess": kept("more members than others; by chance 0"),
    "residual": kept("of members who would otherwise be guessed wrong are guessed right; by chance 0 %"),
    "hits": kept("hit rate; guessing {guess}"),
}
"""What the one number of a page is a number of: a share of people, or the difference of two."""


SENTENCE = re.compile(r"(?<=[.。])\s+(?=[A-Z])|(?<=。)(?=.)")
"""Where one sentence ends and another begins."""


def whole(sentence: str) -> tuple[str, str]:
    """All of it large."""
    return sentence, ""


def found_give_aways(audit: Audit) -> tuple[GiveAway, ...]:
    """What the released file says by itself; looked for again only when a file or a choice has changed."""

    def make() -> tuple[GiveAway, ...]:
        return give_aways_of(state.tables(audit))

    def known() -> tuple[GiveAway, ...]:
        with st.spinner(say("Looking for copies, row order and identifiers")), _LOOKING:
            return audit.note("give-aways", make)

    return state.cached("give-aways", audit, known)


def facts_of(audit: Audit, run: Run | None = None) -> Given:
    """What a finding of the audit is read beside: its files, how the release was made, what the file gives away.

    And the other runs that say something of it: whether the files are of one population, or of the same promise.
    """
    name, made_by, row = audit.name, audit.provenance, audit.answers.row

    def make() -> Given:
        seen = found_give_aways(audit)
        return report_facts.build_given(name, state.tables(audit), (), made_by, seen, row=row, kept={})

    facts, together = state.cached(f"given {made_by} {row} {name}", audit, make), _together(audit, run)

    def runs() -> tuple[Played, ...]:
        return tuple(report_facts.played_run(candidate, audit) for candidate in together)

    seen = " ".join(candidate.id for candidate in together)
    return replace(facts, runs=state.cached(f"runs {seen}", audit, runs))


def run_verdicts(audit: Audit, run: Run) -> tuple[Judged, ...]:
    """What the run found with what the audit's limit makes of it: about this release first, what-ifs after it."""
    beside = facts_of(audit, run)
    seen = " ".join(candidate.id for candidate in beside.runs)
    findings = state.cached(
        f"findings {run.id} {beside.provenance} {beside.has_several_rows} {seen}",
        audit,
        lambda: read(report_facts.played_run(run, audit), beside, kind=Class.RESTRICTED),
    )
    limits_of_each = [_on_scale(finding, limit_of(audit, run)) for finding in findings]
    return tuple(
        (at_limit(finding, limit), judge(finding.measured, limit))
        for finding, limit in zip(findings, limits_of_each, strict=True)
    )


def _together(audit: Audit, run: Run | None) -> tuple[Run, ...]:
    """The finished runs that compare the files, and those of one promise with this run; it may be among them."""
    of_promise = SEEN_TOGETHER if run is not None and run.question in SEEN_TOGETHER else ()
    return tuple(
        candidate
        for candidate in audit.runs()
        if candidate.state == "finished" and (candidate.question in of_promise or compares_sides(candidate.question))
    )


Standing = tuple[str, tuple[tuple[str, str], ...], tuple[str, ...]]
"""A verdict on a release, each question with its own, and what the file exposes people by."""
FEW_ROWS = 20_000
"""Rows up to which the list of audits reads the tests of one whose page nobody has opened."""


def keep_overall(audit: Audit, findings: Findings) -> None:
    """Keep the verdict on the release and what it stands on for the list of audits."""
    states = [(run.id, run.state) for run in audit.runs()]
    audit.note("standing", lambda: _standing(findings), of=_follows_from(audit, states))


def overall(audit: Audit, states: Sequence[tuple[str, str]]) -> Standing | None:
    """The verdict on the release and what it stands on; None where nobody has seen it as its runs stand.

    A leak that tests show is said without that: whatever the file shows besides, it stays one. ``states`` are id and
    state of these runs, the newest first.
    """
    of = _follows_from(audit, states)
    known: Standing | None = audit.noted("standing", of=of)
    files = audit.files
    if known is not None or "synthetic" not in files or sum(each["rows"] for each in files.values()) > FEW_ROWS:
        return known
    with suppress(RiskkitError):
        known = audit.note("tested", lambda: _standing(report_facts.of_tests(audit)), of=of)
    return known if known is not None and Verdict(known[0]).shows_leak else None


def verdict_of_each(audit: Audit, *, is_to_judge: bool = False) -> dict[str, Verdict]:
    """The verdict of every question that has one; none where nobody has judged them as the runs stand.

    Where it ``is_to_judge``, they are judged now if that is soon done.
    """
    states = [(run.id, run.state) for run in audit.runs()]
    of = _follows_from(audit, states)
    known: Standing | None = audit.noted("standing", of=of) or audit.noted("tested", of=of)
    if known is None and is_to_judge and any(state == "finished" for _, state in states):
        overall(audit, states)
        known = audit.noted("tested", of=of)
    return {} if known is None else {question: Verdict(word) for question, word in known[1]}


def _standing(findings: Findings) -> Standing:
    judged = [(answer.question, answer.judgement) for answer in findings.answered() if answer.judgement is not None]
    shown = tuple(line.code for line in findings.give_aways if line.state is State.SHOWN)
    return str(findings.overall.verdict), tuple((question, str(own.verdict)) for question, own in judged), shown


def in_words(standing: Standing) -> str:
    """A verdict with what it stands on as Markdown: icon and word, red where a leak is shown."""
    verdict, each, codes = Verdict(standing[0]), [Verdict(word) for _, word in standing[1]], standing[2]
    word, many = f"**{title(verdict)}**", sum(own is not Verdict.DESCRIBED for own in each)
    leaks = sum(own.shows_leak for own in each)
    tests = (
        counted(many, "leaks in {leaks} of {n:,} test", "leaks in {leaks} of {n:,} tests", leaks=leaks)
        if verdict.shows_leak
        else counted(many, "{n:,} test", "{n:,} tests")
    )
    beside = " · ".join(["", *dict.fromkeys(map(inside, codes)), tests])
    return f"{f':red[{word}]' if verdict.shows_leak else word} {quiet(beside.strip())}"


def _follows_from(audit: Audit, states: Sequence[tuple[str, str]]) -> str:
    """What a verdict follows from beside the files: the runs, limits, what was said of the release, and its method."""
    uncured = report_facts.uncured(audit)
    return repr((str(audit.provenance), audit.answers.row, audit.limits, uncured, list(states)))


def limit_of(audit: Audit, run: Run) -> Limit | None:
    """The limit that somebody set for the run's question; None where nobody did."""
    return audit.limits.get(run.question)


def show(
    audit: Audit,
    run: Run,
    *,
    split: Split = whole,
    control: bool = True,
    beneath: Callable[[RunFinding], None] = lambda _: None,
    more: Callable[[str], None] = lambda _: None,
) -> tuple[Judged, ...]:
    """Verdict, sentence and reason of what the run found: of this release, or of the first what-if where none is.

    The sentence gives the reason of the verdict, and one number stands under it; the whole of what was found is in a
    fold, in the two parts that ``split`` makes of it. A run of an earlier version of the data has its sentence and no
    verdict, as in the report. :func:`what_ifs` draws the rest. Without ``control`` the page says itself what came of
    the planted leak. ``beneath`` draws what stands above the fold, ``more`` what else belongs into it.
    """
    judged = run_verdicts(audit, run)
    finding, judgement = judged[0]
    is_current = run.revision == audit.revision
    if is_current:
        _verdict(audit, run, finding, judgement)
    first = first_sentence(finding, judgement if is_current else None)
    large, *further = SENTENCE.split(first, maxsplit=1)
    st.header(unbroken(plain(large)), anchor=False)
    if beside := " ".join([*further, *([weight(finding, judgement)] if is_current else [])]).strip():
        st.markdown(plain(beside))
    if is_current:
        headline(finding.measured, judgement, notes=_what_was_tested(audit, run, finding))
        if judgement.verdict is Verdict.DESCRIBED:  # never in a fold: what a description does not show
            st.markdown(plain(judgement.why))
        is_to_change = judgement.shows_leak or judgement.verdict is Verdict.DESCRIBED
        if is_to_change and (finding.change or (judgement.shows_leak and not finding.what_if)):
            change = remedy(finding)
            is_of_file = judgement.shows_leak and not finding.what_if and run.question not in OF_METHODS
            if is_of_file and _exposes_by_itself(audit):
                later = change[:1].lower() + change[1:]
                change = say("Repair the file first, and test the new one. If it leaks too: {change}", change=later)
            st.markdown(say("**What lowers it.** {change}", change=plain(change)))
        elif judgement.settle:
            first_repair = judgement.code == "gives_away"
            settle = (
                by_file(give_away_lines(facts_of(audit), kind=Class.RESTRICTED)) if first_repair else judgement.settle
            )
            st.markdown(say("**What would decide it.** {settle}", settle=plain(settle)))
    beneath(finding)
    with st.expander(say("In full, and how sure it is")):
        full, small = split(finding.sentence)
        for cause in finding.measured.reasons:  # what the verdict says of itself is said once
            small = small.replace(cause.why, "").strip() if cause.why in judgement.why else small
        for text in filter(None, (full if full != first else "", small)):
            st.markdown(plain(text))
        rest = judgement.why.removeprefix(first).strip()
        if is_current and rest and judgement.verdict is not Verdict.DESCRIBED:
            reason(replace(judgement, why=rest, settle=""), finding.measured)  # what would decide it stands above
        more(finding.sentence)
        if control and finding.measured.control.sentence:
            st.caption(plain(finding.measured.control.sentence), help=glossary.TERMS["membership.control"])
    return judged


def _exposes_by_itself(audit: Audit) -> bool:
    """Whether the file is shown to expose people by itself, which a repair takes away."""
    return any(line.state is State.SHOWN for line in give_away_lines(facts_of(audit), kind=Class.RESTRICTED))


def _what_was_tested(audit: Audit, run: Run, finding: RunFinding) -> list[str]:
    """Secrets that were not guessed; of a test of single people how many it tested, and how they are numbered."""
    if left := unguessed(facts_of(audit), [report_facts.played_run(run, audit)]):
        return [say("not guessed: {columns}", columns=wording.and_joined(left))]
    if finding.question not in OF_PEOPLE:
        return []
    every, tested = facts_of(audit).people, finding.tested
    people = counted(every, "{tested:,} of {n:,} person tested", "{tested:,} of {n:,} people tested", tested=tested)
    return [*([people] if 0 < tested < every else []), say("record 0 is the first row")]


def headline(measured: Measured, judged: Judgement | None, *, has_bar: bool = False, notes: Sequence[str] = ()) -> None:
    """The one number of a question, with the limit beside it and, unless a bar shows it, what guessing reaches.

    Behind it stand these ``notes``.
    """
    if measured.strongest is None:
        return
    limit = None if judged is None or judged.limit is None else judged.limit.value
    scale = SCALES[measured.scale]
    value = measured.in_words(limit)
    about = plain(f"{scale.title}. {again(scale.plain)} {measured.who}".strip())
    beside = [] if limit is None else [say("limit {limit}", limit=measured.level_in_words(limit))]
    guess = measured.level_in_words(measured.guess)
    if measured.scale == EPSILON:
        about = f"{value}. {about}"
        value = f"{scale.title}: {say('not shown') if measured.has_nothing_to_show else value}"
        about = f"{say('ε bounds how much one person can change a release.')} {about}"
        beside = beside if has_bar else [say("a smaller ε is safer"), *beside]
    elif measured.scale in UNITS and not has_bar:
        unit = UNITS[measured.scale]
        beside = [say(unit, guess=guess), *beside]
    elif measured.scale not in UNITS:
        beside = [scale.title, *([] if has_bar else [say("guessing {guess}", guess=guess)]), *beside]
    beside += notes
    note = f" {quiet(plain(joined(beside)))}" if beside else ""
    st.markdown(f"**{plain(value)}**{note}", help=about)


def _verdict(audit: Audit, run: Run, finding: RunFinding, judgement: Judgement) -> None:
    """The label of a what-if; then the verdict with the limit it was given by beside it."""
    with st.container(horizontal=True, vertical_alignment="center"):
        _label(finding.what_if)
        badge(judgement, is_what_if=bool(finding.what_if))
        if run.question in scales():
            limits.beside(audit, run.question)
        is_nameless = finding.what_if and run.question in OF_METHODS and not audit.provenance.is_known
        if is_nameless and state.exists(REPORT_PAGE):
            st.page_link(
                REPORT_PAGE,
                label=say("Say how the release was made"),
                icon=":material/arrow_forward:",
                help=say("On the page Report. Then it is known whether this is a verdict on the release."),
            )


def part_verdict(sentence: str, judgement: Judgement, what_if: str) -> None:
    """One of several things that a run asked, in small: label of a what-if, verdict, sentence, and why."""
    _label(what_if)
    badge(judgement, is_what_if=bool(what_if))
    st.markdown(plain(sentence))
    st.caption(plain(judgement.why))


def _label(what_if: str) -> None:
    if len(what_if) > LINE:
        about = plain(f"{what_if}. {glossary.TERMS['what_if']}")
        st.caption(say("If it had been made otherwise"), help=about, width="content")
    elif what_if:
        st.caption(plain(what_if), help=glossary.TERMS["what_if"], width="content")


def what_ifs(judged: Sequence[Judged], more: Callable[[RunFinding], None] = lambda _: None) -> None:
    """What the run says of methods that did not make this release, folded: never red, and no part of any verdict.

    ``more`` draws what a page shows of each beside it.
    """
    for finding, judgement in judged[1:]:
        with st.expander(plain(if_made(WhatIf(finding, judgement)))):
            st.markdown(f"**{plain(finding.sentence)}**")
            reason(judgement, finding.measured)
            more(finding)


def warn(audit: Audit) -> None:
    """What the file gives away by itself, in one box; the page Audit has it in full.

    Files that cannot be read are said where they are needed.
    """
    if {"real", "synthetic"} <= set(audit.files):
        with suppress(RiskkitError):
            warning_line(give_away_lines(facts_of(audit), kind=Class.RESTRICTED))


def warning_line(lines: Iterable[GiveAwayLine]) -> None:
    """One box for all give-aways that are shown, and those that nobody has settled; the page Audit has all in full."""
    every = list(lines)
    shown = _of(every, State.SHOWN)
    if shown:
        what = dict.fromkeys(_what(line) for line in shown)
        opening = say("This release exposes people: {what}.", what=wording.and_joined(what))
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f":red[:material/visibility: **{plain(opening)}**]", width="content")
            if state.exists(AUDIT_PAGE):
                st.page_link(AUDIT_PAGE, label=say("Repair it first"), icon=":material/arrow_forward:", width="content")
    boxes(_of(every, State.OPEN))


def _of(lines: Iterable[GiveAwayLine], state: State) -> list[GiveAwayLine]:
    return [line for line in lines if line.state is state]


def _what(line: GiveAwayLine) -> str:
    return give_aways.short(GiveAway(line.code, line.state))


def by_file(lines: Iterable[GiveAwayLine]) -> str:
    """Why no test can clear the file, by what is seen of these give-aways."""
    return BY_FILE[any(line.state is State.SHOWN for line in lines)]


def boxes(lines: Iterable[GiveAwayLine]) -> None:
    """A box for each give-away that is shown, or that nobody has settled."""
    for line in lines:
        if line.state is State.SHOWN and line.brief:  # a button beneath it shuffles, or removes copies
            repair = "" if line.code in ("row_order", "copies") else line.repair
            st.error(f"**{plain(line.brief)}** {plain(repair)}".strip(), icon=":material/visibility:")
        elif line.state is State.SHOWN:
            opening = say("This release exposes people: {what}", what=_what(line))
            st.error(plain(f"{line.sentence} {line.repair}"), title=opening, icon=":material/visibility:")
        elif line.state is State.OPEN:
            sentence = plain(f"{line.sentence} {line.repair}")
            st.warning(sentence, title=say("This release may expose people by itself"), icon=":material/help:")


def badge(judgement: Judgement, *, is_what_if: bool = False) -> None:
    """A verdict as icon and word; the colour says nothing that they do not say, and a what-if has none."""
    st.badge(title(judgement.verdict), color="red" if judgement.shows_leak and not is_what_if else "gray")


def reason(judgement: Judgement, measured: Measured) -> None:
    """Why the verdict is what it is, and what would decide it. Hovering says what its number measures."""
    scale = SCALES[measured.scale]
    about = [f"{scale.title}. {again(scale.plain)}"]
    if measured.looks > 1:
        about.append(say("The interval is corrected for {looks:,} findings.", looks=measured.looks))
    st.markdown(plain(judgement.why), help=" ".join(about))
    if judgement.settle:
        st.markdown(say("**What would decide it.** {settle}", settle=plain(judgement.settle)))


def each(finding: RunFinding, limit: Limit | None) -> list[tuple[Part, Judgement]]:
    """Everything that the run asked, judged one by one, in its order."""
    own = _on_scale(finding, limit)
    return [(part, judge(part.measured, own)) for part in finding.parts]


def answer_to_release(judged: Judgement) -> str:
    """The verdict on a release with its icon, and of a leak what follows from it."""
    verdict = title(judged.verdict)
    return say("{verdict}: do not release it", verdict=verdict) if judged.shows_leak else verdict


def _on_scale(finding: RunFinding, limit: Limit | None) -> Limit | None:
    """The limit, if it is on the scale that was measured."""
    return limit if scales().get(finding.question) == finding.measured.scale else None
