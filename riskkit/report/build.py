"""From the runs of an audit to its findings: every question read, judged, and put in order."""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

from riskkit import wording
from riskkit.core import Estimate, Kind, Role
from riskkit.errors import DesignError, Gravity, sentence_of
from riskkit.judging import give_aways
from riskkit.judging.give_aways import State
from riskkit.judging.judge import ERROR, OF_QUESTIONS, allowance, by_luck, judge, settle_of_luck, together
from riskkit.judging.measurement import Control, Judgement, Limit, Measured, Verdict
from riskkit.judging.provenance import Cover
from riskkit.judging.reasons import REASONS, Reason
from riskkit.language import again, counted, joined, say
from riskkit.plain import estimate
from riskkit.questions import questions
from riskkit.questions.attributes.plan import ALL
from riskkit.questions.result import Typed
from riskkit.questions.standard import sensitive
from riskkit.report import texts
from riskkit.show.blocks import Sentence, is_on_page
from riskkit.show.model import WHAT_IF, Answer, Chart, Class, Findings, GiveAwayLine, Given, Played, RunFinding, WhatIf
from riskkit.show.names import FEW, Names
from riskkit.show.profile import Profile
from riskkit.show.run_finding import counts_people, finding, with_reasons

# The one guard for all questions: what was noticed of the files, and what nobody looked at, bars "within the limit".
#
# Four things stand in the way of saying that there is no leak, whatever the numbers of a question are: a doubt about
# the files that the steward has not answered, something that the release gives away by itself, a column that no
# question has read, and a holdout that one of them tells from the real table without the release. They hold for every
# question about the files, and for the audit as a whole; no question has a guard of its own.

MODELLED = (str(Kind.NUMERIC), str(Kind.CATEGORICAL), str(Kind.DATE))
"""Kinds of columns that questions read."""
IN_USE = (str(Role.KNOWN), str(Role.SECRET))
SIDES_DIFFER = ("sides_differ", "sides_differ_too")
"""Reasons that say that real table and holdout are told apart without the release."""


def doubts(facts: Given, names: Names, runs: Iterable[Played]) -> tuple[Reason, ...]:
    """What stands in the way of "within the limit", the gravest first: give-aways, doubts about files, unread columns.

    ``runs`` are those that have finished on the files as they are; a column is read where one of them reads it.
    """
    gives_away = any(give_away.state in (State.SHOWN, State.OPEN) for give_away in facts.give_aways)
    columns = unread(facts, runs)
    return (
        *((Reason("gives_away"),) if gives_away else ()),
        *_noticed_reasons(facts, names),
        *((Reason("not_read", {"columns": joined(map(names.column, columns))}),) if columns else ()),
        *((Reason("sides_differ_too"),) if any(map(partial(_tells_sides, facts=facts), facts.runs)) else ()),
    )


def compares_sides(question: str) -> bool:
    """Whether runs of that question look whether real table and holdout differ without the release."""
    known = questions().get(question)
    return known is not None and known.result.is_apart is not Typed.is_apart


def _tells_sides(run: Played, facts: Given) -> bool:
    """Whether a finished run on the files as they are distinguishes real table and holdout without the release."""
    known = questions().get(run.question)
    if known is None or not compares_sides(run.question):
        return False
    if not (run.is_current and _is_whole(run) and known.is_about(run, facts)):
        return False
    try:
        return known.result.from_plain(run.result or {}).is_apart
    except Exception:  # noqa: BLE001  what cannot be read is said where it is read
        return False


def _noticed_reasons(facts: Given, names: Names) -> tuple[Reason, ...]:
    """What reading noticed: problems whose code is a reason, one reason a code with all of its columns."""
    columns: dict[str, dict[str, None]] = {}
    count: Counter[str] = Counter()
    for problem in facts.preparation:
        code = str(problem["code"])
        if code in REASONS and problem["gravity"] == str(Gravity.QUESTION):
            columns.setdefault(code, {})[names.column(str(problem.get("column", "")))] = None
            count[code] += int(problem.get("count", 0) or 0)
    return tuple(
        Reason(code, {"columns": joined(filter(None, own)), "count": names.count(count[code]), "each": tuple(own)})
        for code, own in columns.items()
    )


def unread(facts: Given, runs: Iterable[Played]) -> tuple[str, ...]:
    """The columns of the first table that questions can read and that none of these runs has read, in file order.

    A column that no question can read is a doubt about the files: :mod:`riskkit.table.evidence.overlap` notices it.
    """
    if not facts.files:
        return ()
    modelled = [name for name, kind, role in facts.columns if kind in MODELLED and role in IN_USE]
    texts = [name for name, kind, role in facts.columns if (kind, role) == (str(Kind.TEXT), str(Role.TEXT))]
    seen: set[str] = set()
    for run in runs:
        known = questions().get(run.question)
        if known is None or not run.plan:  # a question or a plug-in that is no longer here: nobody knows what it read
            continue
        columns = known.reads(run.plan)
        seen.update(modelled if columns is None else columns)
        seen.update(texts if known.reads_texts(run.plan) else ())
    return tuple(name for name, _, _ in facts.columns if name in {*modelled, *texts} - seen)


# A run of a question that this report has no words for: its numbers are shown, its verdict is its own.


def read_of_unknown(run: Played, names: Names, facts: Given) -> tuple[RunFinding, ...]:  # noqa: ARG001  every reader is called alike
    """The finding of a finished run."""
    assert run.result is not None
    result = run.result
    estimates = tuple(filter(None, (_estimate(stored, names) for stored in result.get("estimates", ()))))
    return (
        finding(
            run,
            names,
            sentence=say("{estimates:,} numbers were measured; the tables hold them.", estimates=len(estimates)),
            measured=Measured(
                scale="auc",
                guess=0.5,
                strongest=None,
                widest=None,
                who="",
                looks=0,
                control=Control.none(""),
                reasons=(Reason("unknown_question"),),
            ),
            estimates=estimates,
        ),
    )


def _estimate(stored: Mapping[str, Any], names: Names) -> Estimate | None:
    try:
        return names.estimate(estimate(stored))
    except (DesignError, KeyError, TypeError):
        return None


# From judged runs to the verdict on a question, and from questions and give-aways to the one on the release.


def decisive(findings: Sequence[RunFinding], limit: Limit | None) -> tuple[RunFinding, Judgement]:
    """The run a question is judged by: one that shows a leak, else the one with most behind it.

    A run that shows a leak is never outvoted by another that does not. Of several the strongest counts.
    """
    judged = [(finding, judge(finding.measured, limit)) for finding in findings]
    leaks = [pair for pair in judged if pair[1].shows_leak]

    def low(pair: tuple[RunFinding, Judgement]) -> float:
        strongest = pair[0].measured.strongest
        return -math.inf if strongest is None else strongest.low

    def weight(pair: tuple[RunFinding, Judgement]) -> int:
        strongest = pair[0].measured.strongest
        return -1 if strongest is None else strongest.n

    return max(leaks, key=low) if leaks else max(judged, key=weight)


def _repairs(give_aways: Sequence[GiveAwayLine]) -> str:
    """What takes these away, each once."""
    return " ".join(dict.fromkeys(give_away.repair for give_away in give_aways))


def overall(
    answers: Iterable[Answer],
    give_aways: Sequence[GiveAwayLine],
    doubts: Sequence[Reason] = (),
    limits: Mapping[str, Limit] | None = None,
    uncured: Collection[str] = (),
) -> Judgement:
    """The gravest verdict about this release: give-aways come first, then every question that is about it.

    A leak must be shown with all questions allowed for (:mod:`riskkit.judging.judge`); where one is shown by a
    question taken alone and not so, the release is undecided.

    What-ifs never count. A give-away that is shown decides alone; one that is open stands in the way of "within the
    limit", as do ``doubts`` (what was noticed of the files, and columns that no question has read), one of the
    ``limits`` that no test of this release was held against, and leaks of its method from before the file was changed,
    by the questions ``uncured``.
    """
    shown = [give_away for give_away in give_aways if give_away.state is State.SHOWN]
    if shown:
        why = say(
            "The file exposes people by itself. {sentences}",
            sentences=" ".join(give_away.sentence for give_away in shown),
        )
        return Judgement(Verdict.LEAK, None, why, _repairs(shown), "give_away")
    every = [answer for answer in answers if is_judged(answer.question)]
    judged = [(answer, answer.judgement) for answer in every if answer.judgement is not None]
    if not judged:
        return _nothing(every)
    asked, chances = _count_questions(every), _chances(every)
    alone = [(answer, judgement) for answer, judgement in judged if judgement.shows_leak]
    leaks = [pair for pair in alone if chances[pair[0].question] <= OF_QUESTIONS]
    figures = {
        **asked,
        "error": ERROR,
        "chances": {answer.question: float(f"{chances[answer.question]:.2g}") for answer, _ in alone},
    }
    if alone and not leaks:
        same = say(", ").join(answer.title for answer, _ in alone)
        why = by_luck(same, min(chances.values()), **asked)
        return Judgement(Verdict.UNDECIDED, None, why, settle_of_luck(same), "luck", figures=figures)
    worst = min((judgement.verdict for _, judgement in leaks or judged), key=lambda verdict: verdict.gravity)
    open_ones = [give_away for give_away in give_aways if give_away.state is State.OPEN]
    others = (judgement for _, judgement in judged if judgement.code != "gives_away")
    if open_ones and all(judgement.verdict is Verdict.WITHIN for judgement in others):
        why = " ".join(give_away.sentence for give_away in open_ones)
        return Judgement(Verdict.UNDECIDED, None, why, _repairs(open_ones), "give_away_open")
    if worst is Verdict.WITHIN and doubts:
        why, settle = (" ".join(texts) for texts in zip(*((doubt.why, doubt.settle) for doubt in doubts), strict=True))
        return Judgement(Verdict.UNDECIDED, None, why, settle, doubts[0].code)
    limited = [answer for answer in every if answer.applies and (limits or {}).get(answer.question) is not None]
    untested = say(", ").join(answer.title for answer in limited if answer.judgement is None)
    if worst is Verdict.WITHIN and untested:
        why = say("A limit is set for tests that nobody ran on this release: {same}.", same=untested)
        settle = say("Run these tests, or take their limits away.")
        return Judgement(Verdict.UNDECIDED, None, why, settle, "limit_not_tested")
    if worst is Verdict.WITHIN and uncured:
        before = say(", ").join(answer.title for answer in every if answer.question in uncured)
        why = say(
            "Before this file was changed, its method was shown to leak by: {same}. A change of the file does not cure "
            "that, and nobody asks it of the changed file.",
            same=before,
        )
        settle = say("Make the release again without exposed people, or by a method that promises an ε.")
        return Judgement(Verdict.UNDECIDED, None, why, settle, "method_leaks")
    same = say(", ").join(answer.title for answer, judgement in leaks or judged if judgement.verdict is worst)
    why = {
        Verdict.ABOVE: say("Above the limit: {same}.", same=same),
        Verdict.LEAK: say("A leak is shown by: {same}.", same=same),
        Verdict.UNDECIDED: say("Undecided: {same}.", same=same),
        Verdict.WITHIN: say("Every question asked of this release is within its limit: {same}.", same=same),
    }[worst]
    left = say(", ").join(answer.title for answer in every if answer.judgement is None)
    if left:
        why += " " + say("Not tested: {left}.", left=left)
    if worst is not Verdict.WITHIN and asked["runs"]:
        why += " " + allowance(**asked)
    settle = " ".join(
        say("{title}: {text}", title=answer.title, text=judgement.settle)
        for answer, judgement in judged
        if judgement.settle
    )
    settle = settle if worst is Verdict.UNDECIDED else ""
    return Judgement(worst, None, why, settle, "questions", figures=figures)


def is_judged(question: str) -> bool:
    """Whether the verdict on a release has a part of that question; one that describes has none."""
    known = questions().get(question)
    return known is None or known.is_judged


def _about(answer: Answer) -> list[RunFinding]:
    """The runs of a question that are about this release and have a number."""
    own = () if answer.finding is None else (answer.finding, *answer.others)
    return [finding for finding in own if finding.measured.strongest is not None]


def _count_questions(answers: Sequence[Answer]) -> dict[str, int]:
    """How many questions have a number about this release, and by how many runs."""
    runs = [len(_about(answer)) for answer in answers]
    return {"questions": sum(number > 0 for number in runs), "runs": sum(runs)}


def _chances(answers: Sequence[Answer]) -> dict[str, float]:
    """By question the error of saying that it shows a leak, with every run of every question allowed for.

    Each run is judged by the limit of its question; an answer that shows a leak without one has none.
    """
    runs = [(answer, finding.measured) for answer in answers for finding in _about(answer)]
    limits = [None if answer.judgement is None else answer.judgement.limit for answer, _ in runs]
    every = together([(measured, limit) for (_, measured), limit in zip(runs, limits, strict=True)])
    out: dict[str, float] = {}
    for (answer, _), chance in zip(runs, every.tolist(), strict=True):
        out[answer.question] = min(chance, out.get(answer.question, 1.0))
    return out


def _nothing(answers: Sequence[Answer]) -> Judgement:
    """No question is about this release yet."""
    if any(answer.is_what_if for answer in answers):
        why = say(
            "Every question that was asked is about a method, and none of these is known to have made this release."
        )
        settle = say("Say how the release was made, or ask the questions that need nothing but the file.")
        return Judgement(Verdict.UNDECIDED, None, why, settle, "only_what_ifs")
    why, settle = say("No question has been answered yet."), say("Run at least one question to its end.")
    return Judgement(Verdict.UNDECIDED, None, why, settle, "nothing_asked")


COUNTED = ("finished",)
UNFINISHED = ("running", "queued", "paused", "interrupted", "failed", "cancelled", "purged")
"""States of runs that say nothing, the most telling first."""
STOPPED = ("paused", "interrupted", "failed", "cancelled")
"""States of runs that ended before their end."""


def findings(
    facts: Given,
    limits: Mapping[str, Limit],
    *,
    kind: Class,
    made: datetime,
    version: str,
    cover: Cover | None = None,
    tells_columns: bool = False,
    profile: Profile | None = None,
) -> Findings:
    """The findings of an audit.

    Parameters
    ----------
    limits
        By question, on the scale of :func:`riskkit.questions.limits.scales`. None for a question: only a leak above
        guessing can be shown.
    made
        When, with its zone. The same audit, limits and time give the same bytes of every output.
    cover
        What the steward says on page one; None: nothing.
    tells_columns
        Name the columns in a shareable report too: their names stand in the released file anyway.
    profile
        How they are laid out; None: plain.
    """
    names, cover = Names.of(facts, kind, tells_columns=tells_columns), cover or Cover()
    basis = _basis(facts, kind, tells_columns=tells_columns)
    lines = _give_aways(facts, names)
    finished = [run for run in facts.runs if run.is_current and _is_whole(run)]
    noticed = doubts(facts, names, [run for run in finished if _is_about(run, facts)])
    answers = _answers(facts, limits, names, noticed)
    return Findings(
        basis=basis,
        id=_hash([basis, _plain(limits)]),
        title=cover.title or again(texts.TITLE),
        made=made.isoformat(timespec="seconds"),
        by=cover.by,
        kind=kind,
        tells_columns=names.tells_columns,
        audit=names.told(facts.audit),
        files=tuple(replace(file, name=names.told(file.name)) for file in facts.files),
        schema=tuple((names.column(name), kind_, role) for name, kind_, role in facts.columns),
        preparation=tuple(_problem(problem, names) for problem in facts.preparation),
        answers=answers,
        overall=overall(answers, lines, noticed, limits, facts.uncured),
        limits=dict(limits),
        version=version,
        versions=dict(facts.versions),
        made_by=names.called(facts.provenance.method, "generators") if facts.provenance.is_known else "",
        give_aways=lines,
        doubts=noticed,
        profile=profile,
        titles=facts.titles,
        cover=cover,
        people=facts.people,
        kept=facts.kept,
        uncured=facts.uncured,
        unguessed=tuple(map(names.column, unguessed(facts, finished))),
    )


def unguessed(facts: Given, runs: Iterable[Played]) -> tuple[str, ...]:
    """The columns that look sensitive and are no secret of these runs, where secrets were named and guessed."""
    named = [set(run.plan.get("secrets", ())) for run in runs if run.question == "attributes"]
    if not all(named) or not named:
        return ()
    modelled = [(name, role) for name, kind, role in facts.columns if kind in MODELLED and role in IN_USE]
    secret = [name for name, role in modelled if role == Role.SECRET] or sensitive([name for name, _ in modelled])
    return tuple(name for name in secret if not {name, ALL} & set[str]().union(*named))


def rejudge(findings: Findings, limits: Mapping[str, Limit]) -> Findings:
    """The same findings under other limits; nothing is run or read again."""
    answers = tuple(_judge_answer(answer, limits) for answer in findings.answers)
    verdict = overall(answers, findings.give_aways, findings.doubts, limits, findings.uncured)
    return replace(
        findings, answers=answers, overall=verdict, limits=dict(limits), id=_hash([findings.basis, _plain(limits)])
    )


def _answers(facts: Given, limits: Mapping[str, Limit], names: Names, noticed: Sequence[Reason]) -> tuple[Answer, ...]:
    asked = dict.fromkeys([*questions(), *(run.question for run in facts.runs)])
    return tuple(_judge_answer(_answer(question, facts, names, noticed), limits) for question in asked)


def _answer(question: str, facts: Given, names: Names, noticed: Sequence[Reason]) -> Answer:
    known = questions().get(question)
    title, asks = again((known.title, known.meaning)) if known else (question, "")
    runs = [run for run in facts.runs if run.question == question]
    current, done = _all_read([run for run in runs if run.is_current], names, facts, noticed)
    stopped = sum(run.state in STOPPED for run in current)
    own = [finding for finding in done if not finding.what_if]
    what_ifs = tuple(_what_if(finding, None) for finding in done if finding.what_if)
    if own:
        return Answer(question, title, asks, "finished", own[0], tuple(own[1:]), stopped=stopped, what_ifs=what_ifs)
    foremost = _foremost([run for run in current if _is_about(run, facts)])
    state = _state(foremost) if foremost is not None else WHAT_IF if current else "earlier" if runs else ""
    judgement = _unfinished_judgement(foremost, names) if known is None or known.is_judged else None
    applies = bool(runs) or question not in facts.beside
    return Answer(
        question, title, asks, state, judgement=judgement, stopped=stopped, what_ifs=what_ifs, applies=applies
    )


def _all_read(
    runs: Sequence[Played], names: Names, facts: Given, noticed: Sequence[Reason]
) -> tuple[list[Played], list[RunFinding]]:
    """The runs, and what those found that have finished; one whose result cannot be read counts as failed.

    What the others found is still said, but no absence of a leak: there may be one in what nobody could read.
    """
    known, done = list[Played](), list[RunFinding]()
    for run in runs:
        try:
            done += _read(run, names, facts, noticed) if _is_whole(run) else ()
            known.append(run)
        except Exception as error:  # noqa: BLE001  it ends its own question, and no report
            known.append(replace(run, state="failed", result=None, error=sentence_of(error)))
    unread = () if known == list(runs) else (Reason("result_unread"),)
    return known, [_bar(finding, unread) for finding in done]


def _is_about(run: Played, facts: Given) -> bool:
    """Whether a run of that plan, once it has finished, says anything of this release."""
    known = questions().get(run.question)
    return known is None or known.is_about(run, facts)


def give_away_lines(facts: Given, *, kind: Class, tells_columns: bool = False) -> tuple[GiveAwayLine, ...]:
    """The give-aways of the file as that class of reader may see them."""
    return _give_aways(facts, Names.of(facts, kind, tells_columns=tells_columns))


def _give_aways(facts: Given, names: Names) -> tuple[GiveAwayLine, ...]:
    """They as that reader sees them; what stands on a holdout of other people is open."""
    differs = any(reason.code in (*SIDES_DIFFER, "grids_differ") for reason in doubts(facts, names, ()))
    return tuple(
        GiveAwayLine(
            give_away.code,
            give_away.state,
            give_aways.sentence(give_away, names.count, names.column),
            give_aways.repair(give_away),
            int(give_away.figures.get("release", 0)),
            give_aways.brief(give_away, names.count),
        )
        for give_away in (each.of_other_people() if differs else each for each in facts.give_aways)
    )


def read(run: Played, facts: Given, *, kind: Class, tells_columns: bool = False) -> tuple[RunFinding, ...]:
    """What one finished run found, for that class of reader; columns that it alone does not read are unread."""
    names = Names.of(facts, kind, tells_columns=tells_columns)
    return _read(run, names, facts, doubts(facts, names, [run]))


def _read(run: Played, names: Names, facts: Given, noticed: Sequence[Reason]) -> tuple[RunFinding, ...]:
    """What the reader of its question makes of it, with what stands in the way of its verdict whatever the question."""
    known = questions().get(run.question)
    findings_read = _with_view((known.read if known else read_of_unknown)(run, names, facts), run, names, facts)
    of_files = tuple(each for each in noticed if each.code == "gives_away" or known is None or known.reads_files)
    if any(each.code in SIDES_DIFFER for own in findings_read for each in own.measured.reasons):
        of_files = tuple(each for each in of_files if each.code not in SIDES_DIFFER)
    of_rows = () if not facts.has_several_rows or counts_people(run.result) else (Reason("rows_not_people"),)
    return tuple(_bar(finding, (*(() if finding.what_if else of_files), *of_rows)) for finding in findings_read)


def _bar(finding: RunFinding, reasons: Sequence[Reason]) -> RunFinding:
    """The finding, and each of its parts, with these reasons."""
    parts = tuple(
        replace(part, measured=with_reasons(part.measured, reasons)) if part.of_release else part
        for part in finding.parts
    )
    return replace(finding, measured=with_reasons(finding.measured, reasons), parts=parts)


def _with_view(findings: tuple[RunFinding, ...], run: Played, names: Names, facts: Given) -> tuple[RunFinding, ...]:
    """What its question shows of the whole run, at the first finding; of a reader that shows each, as it does.

    Picture and sentences of its page follow from a view. A picture that the reader of the question chose for paper
    stays.
    """
    known = questions().get(run.question)
    if known is None or known.view is None or run.result is None:
        return findings
    if not any(finding.view for finding in findings):
        first, *others = findings
        findings = (replace(first, view=known.view(known.result.from_plain(run.result), names)), *others)
    if run.question in SAME_RECORD and not findings[0].what_if:
        first, *others = findings
        under = next((place + 1 for place, block in enumerate(first.view) if isinstance(block, Chart)), 0)
        sentence = _same_record(first, run, names, facts)
        findings = (replace(first, view=(*first.view[:under], *sentence, *first.view[under:])), *others)
    return tuple(map(_following, findings))


SAME_RECORD = ("membership", "records")
"""Questions that may have a number each for one record."""


def _same_record(finding: RunFinding, run: Played, names: Names, facts: Given) -> Iterator[Sentence]:
    """What the other question finds for the record that Membership names first, why, and which number to cite."""
    is_game = run.question == SAME_RECORD[0]
    others = (each for each in facts.runs if each.question == SAME_RECORD[is_game] and each.is_current)
    beside = next((each for each in others if _is_whole(each) and _is_about(each, facts)), None)
    if beside is None or beside.plan.get("together") or run.plan.get("together"):
        return
    known = questions()
    try:
        theirs = known[beside.question].read(beside, names, facts)[0]
    except Exception:  # noqa: BLE001  what cannot be read is said where it is read
        return
    games, records = (finding, theirs) if is_game else (theirs, finding)
    top = games.measured.strongest
    row = "" if top is None else top.labels.get("record", "")
    risk = next((each for each in records.estimates if each.name == "auc" and each.labels.get("record") == row), None)
    if top is None or risk is None:
        return
    who = say("person {row}", row=row) if counts_people(run.result) else say("record {record}", record=row)
    about = {"title": again(known[beside.question].title), "auc": risk if is_game else top, "who": who}
    has_whole = {
        each.question: (each.result or {}).get("settings", {}).get("worlds") == "fixed" for each in (run, beside)
    }
    if len(set(has_whole.values())) == 1:
        mine, other = (top, risk) if is_game else (risk, top)
        if other.value <= mine.high:
            return  # they agree, or this one is the higher
        text = say(
            "{title} finds {auc} for {who}: same table, other attack. For this release, cite the higher number.",
            **about,
        )
        yield Sentence(f"same {row}", text, say("A person is as exposed as the strongest attack shows."))
        return
    parts, whole = (again(known[name].title) for name in sorted(has_whole, key=has_whole.__getitem__))
    text = say(
        "{title} finds {auc} for {who}. {whole} keeps all other rows as they are, {parts} trains on random parts of "
        "the people. For this release cite {whole}.",
        whole=whole,
        parts=parts,
        **about,
    )
    yield Sentence(f"same {row}", text)


def _following(finding: RunFinding) -> RunFinding:
    """The finding with the picture and the sentences that its view has for the page of its question."""
    pictures = (block for block in finding.view if isinstance(block, Chart))
    sentences = tuple(block.text for block in finding.view if isinstance(block, Sentence) and is_on_page(block))
    return replace(finding, chart=finding.chart or next(pictures, None), extra=(*sentences, *finding.extra))


def _is_whole(run: Played) -> bool:
    """Whether it has finished, and what verdicts are made from was not removed for its age since."""
    return run.state in COUNTED and run.result is not None and not run.result.get("purged")


def _state(run: Played) -> str:
    return "purged" if run.state in COUNTED else run.state


def _foremost(runs: Sequence[Played]) -> Played | None:
    """Of runs that say nothing the most telling one."""
    there = [run for run in runs if _state(run) in UNFINISHED]
    return min(there, key=lambda run: UNFINISHED.index(_state(run)), default=None)


def _judge_answer(answer: Answer, limits: Mapping[str, Limit]) -> Answer:
    """The answer with the run its verdict stands on first; without one it stays as undecided as it is."""
    limit = limits.get(answer.question)
    what_ifs = tuple(_what_if(what_if.finding, limit) for what_if in answer.what_ifs)
    if answer.finding is None:
        return replace(answer, what_ifs=what_ifs)
    every = tuple(at_limit(finding, limit) for finding in (answer.finding, *answer.others))
    chosen, judgement = decisive(every, limit)
    others = tuple(finding for finding in every if finding is not chosen)
    judgement = _beside(judgement, len(others), answer.stopped)
    return replace(answer, finding=chosen, others=others, judgement=judgement, what_ifs=what_ifs)


def _what_if(finding: RunFinding, limit: Limit | None) -> WhatIf:
    """The what-if under that limit."""
    return WhatIf(at_limit(finding, limit), judge(finding.measured, limit))


def at_limit(finding: RunFinding, limit: Limit | None) -> RunFinding:
    """The finding with the sentence that counts people above this limit, or the chart that draws it, if it has one."""
    value = None if limit is None else limit.value
    chart = finding.chart if finding.charted is None else finding.charted(value)
    sentence = finding.sentence if finding.counts is None else finding.counts.sentence(value)
    brief = finding.brief if finding.counts is None or value is None else ""  # it counts at no limit
    return replace(finding, chart=chart, sentence=sentence, brief=brief)


def _unfinished_judgement(run: Played | None, names: Names) -> Judgement | None:
    """What a question comes to that was asked but has no finished run: nothing is decided, and what would."""
    if run is None:
        return None
    state = _state(run)
    why = texts.STATES[state]
    if run.error and state in STOPPED:
        why += f" {names.told(again(run.error)) or again(texts.REASON_WITHHELD)}"
    settle = texts.SETTLES[state]
    if state != "purged" and 0 < run.done < run.total:
        left = f" ({wording.duration(run.seconds_left)})" if run.seconds_left is not None else ""
        settle += say(
            " {undone:,} of {all} are left{left}.",
            undone=run.total - run.done,
            all=wording.plural(run.total, run.unit),
            left=left,
        )
    return Judgement(Verdict.UNDECIDED, None, why, settle, f"run_{state}")


def _beside(judgement: Judgement, others: int, stopped: int) -> Judgement:
    """The judgement, saying what other runs there were: whoever asks often finds something by luck."""
    why = judgement.why
    if others:
        why += counted(
            others,
            " Beside it stands {n:,} other run of this question, which the interval does not allow for.",
            " Beside it stand {n:,} other runs of this question, which the interval does not allow for.",
        )
    if stopped:
        why += counted(
            stopped,
            " {n:,} run of this question did not finish and is not counted.",
            " {n:,} runs of this question did not finish and are not counted.",
        )
    return replace(judgement, why=why)


def _problem(problem: Mapping[str, object], names: Names) -> dict[str, object]:
    """One line of the data preparation; of a shareable report what it was about, not which column or file."""
    column = str(problem.get("column", ""))
    kept: dict[str, object] = {
        "gravity": str(problem.get("gravity", "")),
        "code": str(problem.get("code", "")),
        "column": names.column(column) if column else "",
        "count": int(str(problem.get("count", 0) or 0)),
    }
    if names.tells:
        kept |= {name: problem.get(name, "") for name in ("what", "do", "file")}
    elif names.withholds(int(str(kept["count"]))):
        kept["count"] = again(FEW)
    return kept


def _basis(facts: Given, kind: Class, *, tells_columns: bool) -> str:
    """The hash of what was found, before any limit."""
    runs = sorted(run.id for run in facts.runs)
    files = [file.sha256 for file in facts.files]
    searched = [sorted(_hash(remedy["search"]) for remedy in facts.remedies)] if facts.remedies else []
    return _hash([runs, files, str(kind), tells_columns, str(facts.provenance), *searched])


def _plain(limits: Mapping[str, Limit]) -> dict[str, object]:
    return {name: limit.as_dict() for name, limit in limits.items()}


def _hash(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:32]
