"""From the answers of attacks on a released file to estimates, planted controls and the look without it.

Everything that a verdict stands on allows for all attacks together, and the planted controls are measured by the same
test as the attacks themselves.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from riskkit import registry
from riskkit.base import stages
from riskkit.core import Codes, Estimate, Floats, Ints, Scores
from riskkit.errors import DesignError, TooFewTrainings, message_of
from riskkit.games.planted_copies import PlantedKind
from riskkit.games.released import Piece, ReleasedAttack, ReleasedGame
from riskkit.jobs.pool import Pool
from riskkit.phrases import phrase
from riskkit.questions.compared import BlindGuess, without_release
from riskkit.questions.released import plan
from riskkit.questions.released.plan import ReleasedPlan, attacks_to_run, spelled_parts
from riskkit.seeds import stream
from riskkit.stats import records
from riskkit.stats.permutation import Joint, joint_aucs
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
    def counting(self) -> Estimate:
        """The AUC that a verdict may count as a leak."""
        return self.auc if self.beyond is None or self.auc.low < self.beyond.low else self.beyond


def looks_for(attack: str) -> PlantedKind:
    """What is planted for this attack: what it is there to see."""
    return PlantedKind(getattr(registry.parse("released", attack), "looks_for", PlantedKind.ROWS))


def test_attacks(answers: Sequence[tuple[Answer, Answer]], plan: ReleasedPlan, pool: Pool) -> tuple[Joint | None, ...]:
    """The tests of all attacks together, in the game and on the leak planted for it; None where none has a number.

    ``answers`` are the scores of each attack in the game and in that with the planted leak.
    """
    scored = {
        what: [answer for answer in each if not isinstance(answer, str) and not _refusal(answer)]
        for what, each in zip(TESTS, zip(*answers, strict=True), strict=True)
    }
    return tuple(pool.map(phrase("Labels permuted"), permutation_tests, scored, TESTS, plan.seed, (1 + plan.level) / 2))


def permutation_tests(
    scored: Mapping[str, Sequence[Scores]], some: Sequence[str], seed: int, level: float
) -> list[Joint | None]:
    """Those of these tests for which there are scores; ``level`` is that of either end of an interval."""
    return [
        joint_aucs(scored[what], stream(seed, "released", "labels", what), level=level) if scored[what] else None
        for what in some
    ]


def grade_attacks(answers: Sequence[Answer], plan: ReleasedPlan) -> tuple[ReleasedFinding, ...]:
    """What each attack of the plan did, by its ``answers`` in the game."""
    return tuple(
        _finding(text, answer, plan)
        for text, answer in stages.parts(
            phrase("What each attack reaches"), list(zip(plan.attacks, answers, strict=True))
        )
    )


def _finding(attack: str, answer: Answer, plan: ReleasedPlan) -> ReleasedFinding:
    if isinstance(answer, str):
        return ReleasedFinding(attack, None, (), (phrase("{attack} was not run: {why}", attack=attack, why=answer),))
    wanted: list[Callable[[], Estimate]] = [lambda: records.auc(answer, level=plan.level)]
    wanted += [lambda fpr=fpr: records.tpr_at_fpr(answer, fpr, level=plan.level) for fpr in FPRS]  # type: ignore[misc]
    estimates: list[Estimate] = []
    notes: list[str] = []
    for make in wanted:
        try:
            estimates.append(make().label(attack=attack))
        except TooFewTrainings as refusal:  # of all attacks alike
            notes.append(message_of(refusal))
        except DesignError as refusal:
            notes.append(phrase("{attack}: {why}", attack=attack, why=message_of(refusal)))
    return ReleasedFinding(attack, answer, tuple(estimates), tuple(notes))


def controls(
    findings: Sequence[ReleasedFinding],
    answers: Sequence[Answer],
    planted: Mapping[str, ReleasedGame | str],
    test: Joint | None,
) -> tuple[PlantedControl, ...]:
    """What each attack that ran made of the leak ``planted`` for it: its ``answers`` there, and the ``test`` of all."""
    aucs = iter(() if test is None else test.aucs)
    out = []
    for finding, answer in zip(findings, answers, strict=True):
        attack = finding.attack
        game, kind, what = planted[attack], looks_for(attack), "nothing"
        if not isinstance(game, str):
            in_words = plan.describe_planted if kind is PlantedKind.ROWS else plan.planted_values_in_words
            what = in_words(game.copies, game.replaced, len(game.release), game.records(True))
        refusal = _refusal(answer)
        auc = None if refusal else next(aucs).label(attack=attack)
        if finding.scores is not None:
            out.append(PlantedControl(attack, auc, what, refusal, str(kind)))
    return tuple(out)


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
            auc.label(attack=attack),
            p,
            _beyond(scores, without, plan, len(scored)).label(attack=attack) if without.apart else None,
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


# What is worked out for an audit of a released file, unit by unit: every attack on every part of the people.
#
# Units are small, so that a run tells soon how far it is and stops soon, and none is worked out twice: an attack that
# is made of others takes what these say, whoever asked for them.

CONTROLS = {PlantedKind.ROWS: "control", PlantedKind.VALUES: "values"}
"""The games with a planted leak, by what was planted; each attack is asked on the release as it is, and on one."""
WHAT = ("attack", CONTROLS[PlantedKind.ROWS])
"""The games in which rows near people are searched for all attacks at once."""
PEOPLE = 2_000
"""People whose nearest released rows are looked up in one unit."""
BLIND = ("", "blind", ())
"""The unit that looks at the people without the release."""
LONG = frozenset({"classifier", "domias", "ept", "gen-lra", "logan-d"})
"""Attacks that take long; who stands here changes the time alone."""
Unit = tuple[str, str, Piece]
"""An attack as it is spelled, the name of a game, and a piece of that game."""
Search = tuple[str, int | None, int, int, int]
"""The name of a game; the deal whose compared people are searched, None for released rows; how many of the nearest are
wanted; first and last person."""


def control_of(text: str) -> str:
    """The game with the leak that this attack is there to see."""
    return CONTROLS[looks_for(text)]


def load() -> None:
    """Load what a process that attacks needs."""
    from riskkit.released import _density_kernels, _tree_kernels  # noqa: F401
    from riskkit.table import _kernels  # noqa: F401

    registry.plugins("released")


def threads(workers: int) -> int:
    """Threads that search side by side in the process that hands out the work."""
    return max(min(workers, os.cpu_count() or 1), 1)


def units(games: Mapping[str, ReleasedGame | str], attacks: Sequence[str]) -> list[Unit]:
    """The units of these attacks on these games; none where a game or an attack on it is refused from the start.

    Those that take long come first, so that no worker is left alone with one at the end.
    """
    every = [
        (text, what, piece)
        for text in attacks_to_run(attacks)
        for what in ("attack", control_of(text))
        for piece in _pieces(games[what], text)
    ]
    return sorted(every, key=lambda unit: registry.parse("released", unit[0]).name not in LONG)


def searches(games: Mapping[str, ReleasedGame | str], attacks: Sequence[str]) -> list[Search]:
    """The searches for rows near people that serve several attacks.

    None where fewer than two attacks look any up. People whom a leak is planted for are compared with the same rows as
    before, so one search among these serves both games.
    """
    every = [registry.parse("released", text) for text in attacks_to_run(attacks)]
    wanted = [near for attack in every if (near := getattr(attack, "near", 0))]
    compared = [near for attack in every if (near := getattr(attack, "near_people", 0))]
    playable = {what: game for what, game in games.items() if isinstance(game, ReleasedGame) and what in WHAT}
    own = playable.get("attack")
    deals = len(own.references) if own is not None and len(compared) > 1 else 0
    among: list[tuple[str, int | None, int]] = [(what, None, max(wanted)) for what in playable if len(wanted) > 1]
    among += [("attack", deal, max(compared)) for deal in range(deals)]
    return [
        (what, deal, k, start, start + PEOPLE)
        for what, deal, k in among
        for start in range(0, len(playable[what].targets), PEOPLE)
    ]


def count(games: Mapping[str, ReleasedGame | str], attacks: Sequence[str]) -> int:
    """How many units there are in all."""
    return len(searches(games, attacks)) + 1 + len(units(games, attacks)) + len(TESTS)


def ask_attacks(
    games: Mapping[str, ReleasedGame | str], attacks: Sequence[str], level: float, pool: Pool
) -> tuple[list[tuple[Answer, Answer]], BlindGuess]:
    """What every attack says in the game, and in the one with the planted leak; and the look without the release."""
    near = searches(games, attacks)
    distances = (
        list(
            pool.map(
                phrase("Released rows near people"), search, dict(games), near, threads(pool.workers), is_here=True
            )
        )
        if near
        else []
    )
    known = _near(games, list(zip(near, distances, strict=True)))
    every = [BLIND, *units(games, attacks)]
    answers = pool.map(phrase("Attacks on the release"), work, known, every, level)
    blind = next(answers)
    assert isinstance(blind, BlindGuess)
    values = dict(zip(every[1:], answers, strict=True))
    own = {what: [text for text in attacks if what in ("attack", control_of(text))] for what in games}
    answers_of = {what: _answers(game, what, own[what], values) for what, game in games.items()}
    return [(answers_of["attack"][text], answers_of[control_of(text)][text]) for text in attacks], blind


def search(games: Mapping[str, ReleasedGame | str], some: Sequence[Search], threads: int) -> list[tuple[Floats, Codes]]:
    """The distances and positions that these searches find, by so many threads of this process.

    To hand a large release to other processes would take longer than to cut it into blocks once for all searches.
    """
    out = []
    for what, deal, k, start, stop in some:
        game, people = games[what], slice(start, stop)
        assert isinstance(game, ReleasedGame)
        if deal is None:
            distances, positions = game.nearest(k, people, threads)
        else:
            distances, positions = game.nearest_people(k, deal, people, threads)
        out.append((distances, positions.astype(np.int32)))  # they are kept, and half is enough
    return out


def _near(
    games: Mapping[str, ReleasedGame | str], searched: Sequence[tuple[Search, tuple[Floats, Codes]]]
) -> dict[str, ReleasedGame | str]:
    """The games with what was found for all their people."""
    parts: dict[tuple[str, int | None], list[tuple[Floats, Codes]]] = {}
    for (what, deal, *_), part in searched:
        parts.setdefault((what, deal), []).append(part)
    every = {key: _join_distances(of_key) for key, of_key in parts.items()}
    people = tuple(near for (_, deal), near in every.items() if deal is not None)
    out: dict[str, ReleasedGame | str] = {}
    for what, game in games.items():
        if isinstance(game, str):
            out[what] = game
            continue
        rows = slice(None) if game.within is None else game.within
        own = tuple((distances[rows], positions[rows]) for distances, positions in people)
        out[what] = replace(game, near=every.get((what, None)), near_people=own)
    return out


def _join_distances(parts: Sequence[tuple[Floats, Codes]]) -> tuple[Floats, Ints]:
    """Distances and positions of everybody, from those of people in turn."""
    distances, positions = (np.concatenate(part) for part in zip(*parts, strict=True))
    return distances, positions.astype(np.int64)


def work(games: Mapping[str, ReleasedGame | str], some: Sequence[Unit], level: float) -> list[Any]:
    """The answers of these units: scores, or the sentence why there are none."""
    return [_work(games[what if what in games else "attack"], text, what, piece, level) for text, what, piece in some]


def _work(game: ReleasedGame | str, text: str, what: str, piece: Piece, level: float) -> Floats | str | BlindGuess:
    assert isinstance(game, ReleasedGame)  # no unit is made of a game that is refused
    if (text, what, piece) == BLIND:
        return without_release(game.targets, game.record, game.is_in, game.rng, level, game.owner)
    try:
        return game.piece(registry.parse("released", text), piece, what, text)
    except DesignError as refusal:
        return message_of(refusal)


def _pieces(game: ReleasedGame | str, text: str) -> tuple[Piece, ...]:
    try:
        return () if isinstance(game, str) else game.pieces(registry.parse("released", text))
    except DesignError:
        return ()


def _answers(
    game: ReleasedGame | str, what: str, attacks: Sequence[str], values: Mapping[Unit, Floats | str]
) -> dict[str, Answer]:
    """The answer of every attack that is worked out, and of those that are made of them."""
    if isinstance(game, str):
        return dict.fromkeys(attacks, game)
    answers: dict[str, Answer] = {text: _whole(game, what, text, values) for text in attacks_to_run(attacks)}
    for text in attacks:
        attack: Any = registry.parse("released", text)
        if text not in answers:
            parts = [answers[part] for part in spelled_parts(attack)]
            refused = next((part for part in parts if isinstance(part, str)), None)
            answers[text] = refused or game.join(attack, [part for part in parts if not isinstance(part, str)])
    return answers


def _whole(game: ReleasedGame, what: str, text: str, values: Mapping[Unit, Floats | str]) -> Answer:
    """The scores of an attack from those of its pieces, or the first refusal."""
    attack: ReleasedAttack = registry.parse("released", text)
    try:
        parts = [values[text, what, piece] for piece in game.pieces(attack)]
    except DesignError as refusal:
        return message_of(refusal)
    refused = next((part for part in parts if isinstance(part, str)), None)
    return refused or game.whole(attack, [part for part in parts if not isinstance(part, str)])
