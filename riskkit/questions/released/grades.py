"""From the answers of attacks on a released file to estimates, planted controls and the look without it.

Everything that a verdict stands on allows for all attacks together, and the planted controls are measured by the same
test as the attacks themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from riskkit import registry
from riskkit.base import stages
from riskkit.core import Estimate, Scores
from riskkit.errors import DesignError, TooFewTrainings, message_of
from riskkit.games.planted_copies import PlantedKind
from riskkit.games.released import ReleasedGame
from riskkit.jobs.pool import Pool
from riskkit.phrases import phrase
from riskkit.questions.blind import BlindGuess
from riskkit.questions.released import sentences
from riskkit.questions.released.plan import ReleasedPlan
from riskkit.seeds import stream
from riskkit.stats import records
from riskkit.stats.permuted import Joint, joint_aucs
from riskkit.stats.same import auc_difference

FPRS = (0.1, 0.01)
"""Shares of false alarms at which the share named is given, where there are records enough."""

TESTS = ("attacks", "control")
"""All attacks together are tested on the game, and on the leak planted for it."""
Answer = Scores | str
"""The scores of an attack, or the sentence why there are none."""


@dataclass(frozen=True, slots=True, eq=False)
class PlantedControl:
    """What an attack made of the leak planted for it; where ``auc`` is None, ``why`` says why there is no number.

    ``kind`` is what was planted, one of :class:`riskkit.games.planted_copies.PlantedKind`.
    """

    attack: str
    auc: Estimate | None
    planted: str
    why: str = ""
    kind: str = PlantedKind.ROWS.value


@dataclass(frozen=True, slots=True, eq=False)
class ReleasedFinding:
    """What one attack did. ``scores`` is None where it could not be run; the notes then say why."""

    attack: str
    scores: Scores | None
    estimates: tuple[Estimate, ...]
    control: PlantedControl | None
    notes: tuple[str, ...]

    @property
    def has_auc(self) -> bool:
        """Whether it counts as looked at."""
        return any(estimate.name == "auc" for estimate in self.estimates)


@dataclass(frozen=True, slots=True, eq=False)
class JointGrade:
    """An attack's AUC and p-value that allow for all attacks together.

    ``beyond`` is what is left of the AUC where the sides are told apart without the release: one half plus what the
    attack reaches above the one who never saw it, on the same records; None where they are not told apart.
    """

    attack: str
    auc: Estimate
    p: float
    beyond: Estimate | None

    @property
    def counted(self) -> Estimate:
        """The AUC that a verdict may count as a leak."""
        return self.auc if self.beyond is None or self.auc.low < self.beyond.low else self.beyond


def looks_for(attack: str) -> PlantedKind:
    """What is planted for this attack: what it is there to see."""
    return PlantedKind(getattr(registry.parse("released", attack), "looks_for", PlantedKind.ROWS))


def tested(answers: Sequence[tuple[Answer, Answer]], plan: ReleasedPlan, pool: Pool) -> tuple[Joint | None, ...]:
    """The tests of all attacks together, in the game and on the leak planted for it; None where none has a number.

    ``answers`` are the scores of each attack in the game and in that with the planted leak.
    """
    scored = {
        what: [answer for answer in each if not isinstance(answer, str) and not _refusal(answer)]
        for what, each in zip(TESTS, zip(*answers, strict=True), strict=True)
    }
    return tuple(pool.map(phrase("Labels dealt anew"), dealt, scored, TESTS, plan.seed, (1 + plan.level) / 2))


def dealt(scored: Mapping[str, Sequence[Scores]], some: Sequence[str], seed: int, level: float) -> list[Joint | None]:
    """Those of these tests for which there are scores; ``level`` is that of either end of an interval."""
    return [
        joint_aucs(scored[what], stream(seed, "released", "labels", what), level=level) if scored[what] else None
        for what in some
    ]


def graded(answers: Sequence[Answer], plan: ReleasedPlan) -> tuple[ReleasedFinding, ...]:
    """What each attack of the plan did, by its ``answers`` in the game; the planted controls are not there yet."""
    return tuple(
        _finding(text, answer, plan)
        for text, answer in stages.parts(
            phrase("What each attack reaches"), list(zip(plan.attacks, answers, strict=True))
        )
    )


def controlled(
    findings: Sequence[ReleasedFinding],
    answers: Sequence[Answer],
    planted: Mapping[str, ReleasedGame | str],
    test: Joint | None,
) -> tuple[ReleasedFinding, ...]:
    """The same findings with their controls; ``answers`` are those in the game with the leak ``planted`` for each
    attack, ``test`` all of them together."""
    controls = _controls([finding.attack for finding in findings], answers, planted, test)
    return tuple(
        finding if finding.scores is None else replace(finding, control=control)
        for finding, control in zip(findings, controls, strict=True)
    )


def _finding(attack: str, answer: Answer, plan: ReleasedPlan) -> ReleasedFinding:
    if isinstance(answer, str):
        return ReleasedFinding(
            attack, None, (), None, (phrase("{attack} was not run: {why}", attack=attack, why=answer),)
        )
    wanted: list[Callable[[], Estimate]] = [lambda: records.auc(answer, level=plan.level)]
    wanted += [lambda fpr=fpr: records.tpr_at_fpr(answer, fpr, level=plan.level) for fpr in FPRS]  # type: ignore[misc]
    estimates: list[Estimate] = []
    notes: list[str] = []
    for make in wanted:
        try:
            estimates.append(make().labelled(attack=attack))
        except TooFewTrainings as refusal:  # of all attacks alike
            notes.append(message_of(refusal))
        except DesignError as refusal:
            notes.append(phrase("{attack}: {why}", attack=attack, why=message_of(refusal)))
    return ReleasedFinding(attack, answer, tuple(estimates), None, tuple(notes))


def _controls(
    attacks: Sequence[str],
    answers: Sequence[Answer],
    planted: Mapping[str, ReleasedGame | str],
    test: Joint | None,
) -> list[PlantedControl]:
    aucs = iter(() if test is None else test.aucs)
    out = []
    for attack, answer in zip(attacks, answers, strict=True):
        game, kind, what = planted[attack], looks_for(attack), "nothing"
        if not isinstance(game, str):
            in_words = sentences.planted if kind is PlantedKind.ROWS else sentences.planted_values
            what = in_words(game.copies, game.replaced, len(game.release), game.records(True))
        refusal = _refusal(answer)
        auc = None if refusal else next(aucs).labelled(attack=attack)
        out.append(PlantedControl(attack, auc, what, refusal, str(kind)))
    return out


def _refusal(answer: Answer) -> str:
    """Why there is no AUC; empty where there is one."""
    if isinstance(answer, str):
        return answer
    try:
        records.check(answer)
    except DesignError as refusal:
        return message_of(refusal)
    return ""


def together(
    findings: Sequence[ReleasedFinding], plan: ReleasedPlan, joint: Joint | None, without: BlindGuess
) -> tuple[JointGrade, ...]:
    """What the attacks that have a number reach, by intervals and p-values of the test of all of them."""
    scored = [
        (finding.attack, finding.scores) for finding in findings if finding.scores is not None and finding.has_auc
    ]
    if joint is None:
        return ()
    return tuple(
        JointGrade(
            attack,
            auc.labelled(attack=attack),
            p,
            _beyond(scores, without, plan, len(scored)).labelled(attack=attack) if without.apart else None,
        )
        for (attack, scores), auc, p in zip(scored, joint.aucs, joint.p, strict=True)
    )


def estimates(findings: Sequence[ReleasedFinding], each: Sequence[JointGrade]) -> tuple[Estimate, ...]:
    """All of them, with the AUC of each attack as the verdict takes it: what is printed decides."""
    aucs = {reached.attack: reached.auc for reached in each}
    own = [(finding.attack, estimate) for finding in findings for estimate in finding.estimates]
    return tuple(aucs[attack] if estimate.name == "auc" else estimate for attack, estimate in own)


def _beyond(scores: Scores, without: BlindGuess, plan: ReleasedPlan, looks: int) -> Estimate:
    """One half plus what the attack reaches above the look without the release, on the same records."""
    assert without.scores is not None
    each = records.level_of_each(plan.level, looks)
    gain = auc_difference(scores, without.scores, level=each)
    value, low, high = (float(np.clip(0.5 + end, 0.0, 1.0)) for end in (gain.value, gain.low, gain.high))
    method = f"0.5 + AUC less AUC without the release: {gain.method.replace('by training', 'by record')}"
    return Estimate("auc", value, low, high, plan.level, f"{method}, Bonferroni over {looks}", gain.n)
