"""Two releases of one real table, question by question: what each verdict stands on, and the difference on the same
people."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import numpy as np

from riskkit.audit.report_facts import build_findings, leaks_of_method, read_given
from riskkit.core import Estimate, Role
from riskkit.errors import DesignError
from riskkit.jobs.store import Audit
from riskkit.judging.give_aways import State
from riskkit.judging.measurement import Judgement
from riskkit.judging.reasons import Bars, Reason
from riskkit.language import again, joined, say
from riskkit.questions import questions
from riskkit.report.lines import OF_METHODS
from riskkit.show.model import FURTHER, RELEASE, Answer, Class, Findings, GiveAwayLine, Given, Played
from riskkit.show.names import Names
from riskkit.show.pairs import HIGHER, LOWER, SOME_HIGHER, Paired, Same

ONLY_ONE = "only one"
"""A question that one of the two releases was not asked."""
NOT_COMPARED = "not compared"
"""Both were asked, and not the same of the same people, or of one more was looked at; or the two intervals share
values."""


@dataclass(frozen=True, slots=True)
class AuditSide:
    """What one release's audit says to a question; None where it says nothing.

    ``gap`` says what was not looked at in it and was in the other: so far it cannot be called the better one.
    """

    answer: Answer | None
    gap: str = ""

    @property
    def judgement(self) -> Judgement | None:
        """The verdict, where there is one."""
        return None if self.answer is None or self.answer.finding is None else self.answer.judgement

    @property
    def estimate(self) -> Estimate | None:
        """The number that the verdict stands on."""
        if self.answer is None or self.answer.finding is None:
            return None
        return self.answer.finding.measured.strongest

    @property
    def shows_leak(self) -> bool:
        """Whether its verdict is that a leak is shown."""
        return self.judgement is not None and self.judgement.shows_leak

    @property
    def scale(self) -> str:
        """On which scale that is; empty where there is none."""
        return "" if self.answer is None or self.answer.finding is None else self.answer.finding.measured.scale

    @property
    def guess(self) -> float | None:
        """What guessing reaches."""
        return None if self.answer is None or self.answer.finding is None else self.answer.finding.measured.guess


@dataclass(frozen=True, slots=True)
class ComparedQuestion:
    """One question of both. ``pairs`` are the differences on the same people, the one that decides most first.

    ``is_alike`` where both were asked with the same settings.
    """

    question: str
    title: str
    asks: str
    scale: str
    before: AuditSide
    after: AuditSide
    pairs: tuple[Paired, ...] = ()
    limit: float | None = None
    is_alike: bool = True

    @property
    def change(self) -> str:
        """``lower``, ``higher``, ``some higher``, ``not shown``, ``not compared`` or ``only one``.

        Where the same people were asked about, their difference decides; else two intervals that lie apart. No release
        is the better one of which less was looked at.
        """
        return self._difference() if self.side_in_doubt is None else NOT_COMPARED

    @property
    def side_in_doubt(self) -> AuditSide | None:
        """The release that has the lower number and cannot be called the better one; None where there is none."""
        lower = {LOWER: self.after, SOME_HIGHER: self.after, HIGHER: self.before}.get(self._difference())
        return lower if lower is not None and lower.gap else None

    def _difference(self) -> str:
        """The change by the numbers alone."""
        old, new, guess = self.before.estimate, self.after.estimate, self.after.guess
        if old is None or new is None:
            return ONLY_ONE
        if self.pairs:
            leaks = guess is not None and new.low > guess
            is_some = leaks and self.pairs[0].change != HIGHER and any(pair.change == HIGHER for pair in self.pairs)
            return SOME_HIGHER if is_some else self.pairs[0].change
        if self.before.scale != self.after.scale or not self.is_alike:
            return NOT_COMPARED
        if new.high < old.low:
            return LOWER
        return HIGHER if new.low > old.high else NOT_COMPARED

    @property
    def is_of_method(self) -> bool:
        """Whether it measured the method that made both, so that the number of one is that of the other."""
        return self.question in OF_METHODS and self.before.estimate == self.after.estimate is not None


@dataclass(frozen=True, slots=True)
class ComparedAudits:
    """Two audits of one real table; ``left_out`` people are in the first alone.

    ``has_same_holdout``: without it, nobody who was not in was asked about twice. ``uncured`` are the titles of
    questions about the method that showed a leak before a repair, and are not asked of the repaired file.
    """

    before: Findings
    after: Findings
    lines: tuple[ComparedQuestion, ...]
    left_out: int = 0
    has_same_holdout: bool = True
    uncured: tuple[str, ...] = ()

    @property
    def questions(self) -> tuple[ComparedQuestion, ...]:
        """The questions that either release was asked: leaks in the second first, then leaks in the first."""
        either = (line for line in self.lines if line.before.estimate or line.after.estimate)
        return tuple(sorted(either, key=lambda line: (not line.after.shows_leak, not line.before.shows_leak)))

    @property
    def give_aways(self) -> tuple[tuple[GiveAwayLine | None, GiveAwayLine | None], ...]:
        """Every give-away of either file, beside that of the other."""
        ours, theirs = (
            {_key(give_away): give_away for give_away in side.give_aways} for side in (self.before, self.after)
        )
        return tuple((ours.get(key), theirs.get(key)) for key in dict.fromkeys([*ours, *theirs]))

    def by_file(self) -> dict[str, tuple[State | None, State | None]]:
        """How each give-away stands in either file, by its code; None where a file has nothing of the kind.

        Of several identifiers in a file it is the gravest.
        """
        sides = []
        for side in (self.before, self.after):
            lines = sorted(side.give_aways, key=lambda line: list(State).index(line.state), reverse=True)
            sides.append({line.code: line.state for line in lines})
        return {code: (sides[0].get(code), sides[1].get(code)) for code in dict.fromkeys([*sides[0], *sides[1]])}

    def count(self, *changes: str) -> int:
        """How many questions changed so."""
        return sum(line.change in changes for line in self.lines)


def _key(line: GiveAwayLine) -> tuple[str, str, int]:
    """Which give-away it is; columns of identifiers, and of texts, are told apart by what is said of them."""
    mark = " free text in " if line.code == "texts" else " identifiers in "
    return line.code, line.sentence.partition(mark)[2].partition(" ")[0].rstrip(","), line.release


def compare(
    before: Audit, after: Audit, *, kind: Class = Class.RESTRICTED, facts: tuple[Given, Given] | None = None
) -> ComparedAudits:
    """Compare the release of the second audit with that of the first.

    Parameters
    ----------
    kind
        Who reads it.
    facts
        What both reports are made from, where it was read before.

    Raises
    ------
    DesignError
        They are not of one real table, or one of them has no release.
    InputError
        Their files cannot be read.
    """
    gone, is_back = leave_out(before, after)
    ours, theirs = facts or (read_given(before), read_given(after))
    moment = datetime.now(UTC)
    first, second = (
        build_findings(half, audit.limits, kind=kind, made=moment, tells_columns=True)
        for half, audit in ((ours, before), (theirs, after))
    )
    shared = _holdout(before) == _holdout(after)
    halves: tuple[Half, Half] = (before, ours, first), (after, theirs, second)
    pair = _pairing(*halves, gone, is_back, kind) if shared else _no_pairs
    answers = [{answer.question: answer for answer in side.answers} for side in (first, second)]
    gaps = _gap_of_files(first, second), _gap_of_files(second, first)
    lines = []
    for name, known in questions().items():
        own, other = answers[0].get(name), answers[1].get(name)
        sides = (
            AuditSide(own, gaps[0] or _gap_of_answer(own, other)),
            AuditSide(other, gaps[1] or _gap_of_answer(other, own)),
        )
        limit = next(
            (side.judgement.limit.value for side in sides[::-1] if side.judgement and side.judgement.limit), None
        )
        pairs = pair(name, limit) if all(side.estimate for side in sides) else ()
        scale = next((side.scale for side in sides if side.estimate), known.scale)
        title, asks = again((known.title, known.meaning))
        plans = [None if (run := _run(half, name)) is None else {**run.plan, "seed": None} for half in halves]
        is_alike = plans[0] == plans[1]
        lines.append(ComparedQuestion(name, title, asks, scale, sides[0], sides[1], pairs, limit, is_alike))
    opened = _open(first, second, gaps[0]), _open(second, first, gaps[1])
    return ComparedAudits(*opened, tuple(lines), len(gone), shared, titles_of(second, second.uncured))


def titles_of(findings: Findings, asked: Collection[str]) -> tuple[str, ...]:
    """What these questions are called, in the order of the findings."""
    return tuple(answer.title for answer in findings.answers if answer.question in asked)


def exposed_rows(findings: Findings) -> tuple[int, ...]:
    """The rows of the real table that tests of the method show to be exposed, the clearest first."""
    leaks = leaks_of_method(findings)
    shown = [
        (risk.estimate.low, record)
        for answer in findings.answers
        if answer.question in leaks and answer.finding is not None
        for risk in answer.finding.at_risk
        if risk.estimate.low > answer.finding.measured.guess
        and (record := risk.estimate.labels.get("record", "")).isdigit()
    ]
    return tuple(dict.fromkeys(int(record) for _, record in sorted(shown, reverse=True)))


# --------------------------------------------------------------------------------------------------------------
# One real table


def leave_out(before: Audit, after: Audit) -> tuple[tuple[int, ...], bool]:
    """The rows of the larger real table that are not in the other, and whether that is the second audit's.

    Raises
    ------
    DesignError
        They are audits of different real tables, one audit twice, or a release is not loaded.
    """
    if before.id == after.id:
        raise DesignError(say("This is one audit twice. Choose two."))
    files = before.files, after.files
    for audit, own in zip((before, after), files, strict=True):
        if not {"real", "synthetic"} <= set(own):
            sentence = say("{name} has no real table or no release, so there is nothing to compare.", name=audit.name)
            raise DesignError(sentence)
    if files[0]["real"]["sha256"] == files[1]["real"]["sha256"]:
        return (), False
    for small, large, is_back in ((after, before, False), (before, after, True)):
        facts = small.mending
        if facts.get("of") == large.id and facts.get("left_out"):
            rows = tuple(map(int, facts["left_out"]))
            if int(large.files["real"]["rows"]) - len(rows) == int(small.files["real"]["rows"]):
                return rows, is_back
    raise DesignError(
        say(
            "These two audits are about different real tables, so their numbers are about different people. Choose two "
            "audits that were made with the same file of real people."
        )
    )


def _holdout(audit: Audit) -> str:
    return str(audit.files.get("holdout", {}).get("sha256", ""))


# --------------------------------------------------------------------------------------------------------------
# What was looked at in one of the two alone


def _gap_of_files(side: Findings, other: Findings) -> str:
    """Which file or column the audit of a release does not have or read, and the other one does; else empty."""
    slots = [
        {file.slot for file in each.files if not file.slot.startswith((RELEASE, FURTHER))} for each in (side, other)
    ]
    if slots[1] - slots[0]:
        return say("Its audit lacks a file that the other one has: a holdout or a second table.")
    roles = [{name: role for name, _, role in each.schema} for each in (side, other)]
    left = [name for name, role in roles[0].items() if _is_less(role, roles[1].get(name, role))]
    return say("Its audit reads {columns} otherwise than the other one.", columns=joined(left)) if left else ""


def _open(side: Findings, other: Findings, gap: str) -> Findings:
    """The findings of one side; what the other file exposes is open where not all was looked at that was in it."""
    seen = {_key(line) for line in side.give_aways if line.state in (State.SHOWN, State.OPEN)}
    shown = (line for line in other.give_aways if line.state is State.SHOWN and _key(line) not in seen)
    lines = {_key(line): replace(line, state=State.OPEN, sentence=gap) for line in shown if gap}
    others = (line for line in side.give_aways if _key(line) not in lines)
    return replace(side, give_aways=(*others, *lines.values()))


def _is_less(role: str, other: str) -> bool:
    """Whether a column in that role is left out of what is looked at in the other, or does not say whose a row is."""
    return role != other and (role == Role.IGNORED or other in (Role.PERSON, Role.HOUSEHOLD))


def _gap_of_answer(side: Answer | None, other: Answer | None) -> str:
    """The first doubt about what one audit answers that the other does not have: there a leak may hide."""
    doubts: list[dict[tuple[str, str], Reason]] = []
    for each in (side, other):
        reasons = () if each is None or each.finding is None else each.finding.measured.reasons
        doubts.append(
            {(reason.code.removesuffix("_too"), str(reason.figures.get("columns"))): reason for reason in reasons}
        )
    own, their = doubts
    new = (reason for key, reason in own.items() if key not in their and key[0] != "gives_away")
    return next((reason.why for reason in new if reason.bars is not Bars.LEAK), "")


# --------------------------------------------------------------------------------------------------------------
# The same people

Half = tuple[Audit, Given, Findings]


def _no_pairs(question: str, limit: float | None) -> tuple[Paired, ...]:  # noqa: ARG001  as :func:`_pairing` returns
    return ()


def _pairing(
    before: Half, after: Half, gone: Sequence[int], is_back: bool, kind: Class
) -> Callable[[str, float | None], tuple[Paired, ...]]:
    """What pairs the runs of a question that both verdicts stand on.

    The rows of the larger real table are those that are numbered; where that is the second, differences are turned.
    """
    large, small = (after, before) if is_back else (before, after)
    audit, facts, _ = large
    names = Names.of(facts, kind, tells_columns=True)
    row = _rows(gone)
    _, person = np.unique(audit.tables().real.keys(), return_inverse=True)
    same = Same(row, person.tolist(), methods=(facts.provenance.method, small[1].provenance.method))

    def pair(question: str, limit: float | None) -> tuple[Paired, ...]:
        how = questions()[question].pair
        runs = [_run(half, question) for half in (large, small)]
        if how is None or runs[0] is None or runs[1] is None:
            return ()
        pairs = how(runs[0], runs[1], names, replace(same, limit=limit))
        return tuple(paired.turned() for paired in pairs) if is_back else pairs

    return pair


def _rows(gone: Sequence[int]) -> Callable[[int], int | None]:
    """The number of each row where these are taken out."""
    out = np.array(sorted(gone), dtype=np.int64)

    def row(number: int) -> int | None:
        place = int(np.searchsorted(out, number))
        return None if place < len(out) and out[place] == number else number - place

    return row


def _run(half: Half, question: str) -> Played | None:
    """The run that the verdict of the question stands on, with its result."""
    _, facts, findings = half
    answer = next((candidate for candidate in findings.answers if candidate.question == question), None)
    if answer is None or answer.finding is None:
        return None
    return next((run for run in facts.runs if run.id == answer.finding.id and run.result is not None), None)
