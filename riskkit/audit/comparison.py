"""Two releases of one real table, question by question: what each verdict stands on, and the difference on the same
people."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import numpy as np

from riskkit.audit.report_facts import build_findings, read_given
from riskkit.core import Estimate
from riskkit.errors import DesignError
from riskkit.jobs.store import Audit
from riskkit.judging.measurement import Judgement
from riskkit.language import again, say
from riskkit.questions import always, questions
from riskkit.show.model import Answer, Class, Findings, GiveAwayLine, Given, Played
from riskkit.show.names import Names
from riskkit.show.pairs import HIGHER, LOWER, Paired, Same

ONLY_ONE = "only one"
"""A question that one of the two releases was not asked."""
NOT_COMPARED = "not compared"
"""Both were asked, but not the same of the same people, and the two intervals share values."""


@dataclass(frozen=True, slots=True)
class AuditSide:
    """What one release's audit says to a question; None where it says nothing."""

    answer: Answer | None

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
    def scale(self) -> str:
        """On which scale that is; empty where there is none."""
        return "" if self.answer is None or self.answer.finding is None else self.answer.finding.measured.scale

    @property
    def guess(self) -> float | None:
        """What guessing reaches."""
        return None if self.answer is None or self.answer.finding is None else self.answer.finding.measured.guess


@dataclass(frozen=True, slots=True)
class ComparedQuestion:
    """One question of both. ``pairs`` are the differences on the same people, the one that decides most first."""

    question: str
    title: str
    asks: str
    scale: str
    before: AuditSide
    after: AuditSide
    pairs: tuple[Paired, ...] = ()
    limit: float | None = None

    @property
    def change(self) -> str:
        """``lower``, ``higher``, ``not shown``, ``not compared`` or ``only one``.

        Where the same people were asked about, their difference decides; else two intervals that lie apart.
        """
        old, new = self.before.estimate, self.after.estimate
        if old is None or new is None:
            return ONLY_ONE
        if self.pairs:
            return self.pairs[0].change
        if self.before.scale != self.after.scale:
            return NOT_COMPARED
        if new.high < old.low:
            return LOWER
        return HIGHER if new.low > old.high else NOT_COMPARED

    @property
    def is_paired(self) -> bool:
        """Whether the change is that of the same people."""
        return bool(self.pairs)


@dataclass(frozen=True, slots=True)
class ComparedAudits:
    """Two audits of one real table; ``left_out`` people are in the first alone.

    ``has_same_holdout``: without it, nobody who was not in was asked about twice.
    """

    before: Findings
    after: Findings
    lines: tuple[ComparedQuestion, ...]
    left_out: int = 0
    has_same_holdout: bool = True

    @property
    def questions(self) -> tuple[ComparedQuestion, ...]:
        """The questions that either release was asked."""
        return tuple(line for line in self.lines if line.before.estimate or line.after.estimate)

    @property
    def give_aways(self) -> tuple[tuple[GiveAwayLine | None, GiveAwayLine | None], ...]:
        """Every give-away of either file, beside that of the other."""
        ours, theirs = (
            {_key(give_away): give_away for give_away in side.give_aways} for side in (self.before, self.after)
        )
        return tuple((ours.get(key), theirs.get(key)) for key in dict.fromkeys([*ours, *theirs]))

    def count(self, change: str) -> int:
        """How many questions changed so."""
        return sum(line.change == change for line in self.lines)


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
    pair = _pairing((before, ours, first), (after, theirs, second), gone, is_back, kind) if shared else _no_pairs
    answers = [{answer.question: answer for answer in side.answers} for side in (first, second)]
    lines = []
    for name, known in questions().items():
        sides = AuditSide(answers[0].get(name)), AuditSide(answers[1].get(name))
        limit = next(
            (side.judgement.limit.value for side in sides[::-1] if side.judgement and side.judgement.limit), None
        )
        pairs = pair(name, limit) if all(side.estimate for side in sides) else ()
        scale = next((side.scale for side in sides if side.estimate), known.scale)
        title, asks = again((known.title, known.meaning))
        lines.append(ComparedQuestion(name, title, asks, scale, sides[0], sides[1], pairs, limit))
    return ComparedAudits(first, second, tuple(lines), len(gone), shared)


def method_leaks(before: Audit, after: Audit, sides: tuple[Findings, Findings]) -> tuple[str, ...]:
    """The titles of questions about a method that showed a leak, and are not asked since a repair changed the file."""
    if after.mending.get("of") != before.id or after.provenance.is_known or not before.provenance.is_known:
        return ()
    answered = {answer.question for answer in sides[1].answers if answer.is_answered}
    return tuple(
        answer.title
        for answer in sides[0].answers
        if answer.judgement is not None
        and answer.judgement.verdict.shows_leak
        and answer.question not in answered
        and questions()[answer.question].is_about is not always
    )


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
