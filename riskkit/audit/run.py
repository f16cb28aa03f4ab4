"""Playing a plan: units of work, on one core or several, with the same bytes either way."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

from riskkit.audit.plan import Cell, MembershipPlan
from riskkit.core import Estimate, FittedAttack, Floats, Scores, Table
from riskkit.errors import Cancelled, ScoreError, TooFewTrainings
from riskkit.games.membership import Game
from riskkit.stats import epsilon, summary

CHUNKS, LARGEST = 32, 50
"""A game's trainings are cut into that many pieces, or more where a piece would be larger: enough for a smooth progress
bar and a quick cancel, few enough to cost nothing."""

GAME = {
    "question": "membership",
    "worlds": "fixed",
    "neighbours": "with or without the targets, all other rows alike",
    "random": "membership and the generator's seed",
}
"""The game, for every result: what is fixed, what differs, what is random. The plan says the rest."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is: what it is doing, trainings done of all, and seconds left (None before it is known)."""

    stage: str
    done: int
    total: int
    seconds_left: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Finding:
    """What one attack did in one game: its scores, the estimates made of them, and what must be said beside them."""

    labels: dict[str, str]
    scores: Scores
    estimates: tuple[Estimate, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class MembershipResult:
    """A finished plan: one finding for each game and attack, in the order of the plan."""

    plan: MembershipPlan
    findings: tuple[Finding, ...]
    notes: tuple[str, ...]

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """All estimates, in order."""
        return tuple(estimate for finding in self.findings for estimate in finding.estimates)

    def as_dict(self) -> dict[str, Any]:
        """Estimates, settings and notes as plain values. The same seed gives the same values, whatever the workers."""
        return {
            "estimates": [estimate.as_dict() for estimate in self.estimates],
            "settings": {**GAME, **self.plan.as_dict()},
            "notes": list(self.notes),
        }


def run_membership(
    table: Table,
    plan: MembershipPlan,
    *,
    workers: int = 1,
    progress: Callable[[Progress], None] = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> MembershipResult:
    """Play every game of the plan on the real table.

    Parameters
    ----------
    workers
        Processes that train side by side. They change the time, never a number.
    progress, cancelled
        Told how far it is, and asked whether to stop, about ``CHUNKS`` times a game.

    Raises
    ------
    Cancelled
        ``cancelled`` said so.
    DesignError
        The plan cannot be played on this table.
    """
    pool = _Pool(workers, _Clock(plan.total_trainings(), progress), cancelled)
    chosen = {target: plan.choose(table, target) for target in plan.targets}
    findings: list[Finding] = []
    notes: list[str] = []
    with threadpool_limits(1):  # more threads would change the last bits of sums with the number of cores
        for cell in plan.cells():
            game = plan.game(table, cell, chosen[cell.target])
            labels = _labels(plan, cell, chosen[cell.target].index.tolist())
            played = _play(game, plan, labels, pool)
            findings += played
            notes += [note for finding in played for note in finding.notes] + _world_notes(game, labels)
    return MembershipResult(plan, tuple(findings), tuple(dict.fromkeys(notes)))


def _labels(plan: MembershipPlan, cell: Cell, index: Sequence[int]) -> dict[str, str]:
    """What a finding is about. A made-up record has no row number."""
    rows = list(index) if plan.together else [index[cell.position]]
    named = ["made up" if row < 0 else str(row) for row in rows]
    record = "made up" if set(named) == {"made up"} else "+".join(named)
    return {"generator": cell.generator, "target": cell.target, "position": str(cell.position), "record": record}


def _play(game: Game, plan: MembershipPlan, labels: dict[str, str], pool: _Pool) -> list[Finding]:
    """Shadows first, then the attacks read their briefs, then the counted trainings."""
    who = f"{labels['generator']}, {labels['target']} target"
    sides = [(number, is_in) for is_in in (True, False) for number in range(plan.shadows())]
    made = list(pool.map(f"Attacker's own releases: {who}", _shadows, game, sides))
    shadows = {True: made[: plan.shadows()], False: made[plan.shadows() :]}
    attacks = [
        attack.fit(game.brief(attack.knowledge, shadows, attack.shadows), game.rng("attack", spelled))
        for attack, spelled in zip(plan.made_attacks(), plan.attacks, strict=True)
    ]
    coin = game.coin()
    trials = [(number, bool(is_in)) for number, is_in in enumerate(coin)]
    values = np.stack(list(pool.map(f"Counted trainings: {who}", _trials, game, trials, attacks)))
    return [_finding(values[:, at], coin, plan, {**labels, "attack": text}) for at, text in enumerate(plan.attacks)]


def _finding(values: Floats, coin: Any, plan: MembershipPlan, labels: dict[str, str]) -> Finding:
    """Scores and estimates of one attack. ``values`` is (trainings, generations, n_targets).

    A group of targets is in or out as one, so a release has one score: the mean over the group.
    """
    trainings, generations, _ = values.shape
    scores = Scores(
        value=values.mean(axis=2).ravel(),
        is_in=np.repeat(coin, generations),
        training=np.repeat(np.arange(trainings), generations),
        target=np.zeros(trainings * generations, dtype=np.int64),
        attack=labels["attack"],
    )
    estimates, notes = grade(scores, level=plan.level)
    who = f"{labels['attack']} on {labels['generator']}, {labels['target']} target, record {labels['record']}"
    return Finding(
        labels,
        scores,
        tuple(estimate.labelled(**labels) for estimate in estimates),
        tuple(f"{who}: {note}" for note in notes),
    )


def grade(scores: Scores, *, level: float = 0.95) -> tuple[list[Estimate], list[str]]:
    """Every estimate these scores carry, and a sentence for each that they do not."""
    wanted: tuple[Callable[[], Estimate], ...] = (
        lambda: summary.accuracy(scores, level=level),
        lambda: summary.auc(scores, level=level),
        lambda: summary.advantage(scores, level=level),
        lambda: summary.tpr_at_fpr(scores, 0.1, level=level),
        lambda: epsilon.epsilon_lower(scores, level=level),
    )
    estimates: list[Estimate] = []
    notes: list[str] = []
    for make in wanted:
        try:
            estimates.append(make())
        except (TooFewTrainings, ScoreError) as refusal:
            notes.append(str(refusal))
    if summary.is_degenerate(scores):
        notes.append("The attack gave one and the same answer to every release, so its accuracy is a half by balance.")
    return estimates, notes


def _world_notes(game: Game, labels: dict[str, str]) -> list[str]:
    copies = game.worlds.copies
    if not copies:
        return []
    what = "exact copy" if copies == 1 else "exact copies"
    note = (
        f"Record {labels['record']} has {copies} {what} in the real table; left out of both worlds, so that the game "
        "asks whether this person was in at all."
    )
    return [note]


# --------------------------------------------------------------------------------------------------------------
# Units of work


def _shadows(game: Game, units: Sequence[tuple[int, bool]]) -> list[Table]:
    return [game.shadow(number, is_in) for number, is_in in units]


def _trials(game: Game, units: Sequence[tuple[int, bool]], attacks: Sequence[FittedAttack]) -> list[Floats]:
    return [game.trial(number, is_in, attacks) for number, is_in in units]


@cache
def _one_thread() -> None:
    """Hold this worker process to one thread for good."""
    threadpool_limits(1)


def _in_worker(work: Callable[..., list[Any]], *given: Any) -> list[Any]:
    _one_thread()
    return work(*given)


class _Clock:
    """Counts trainings and tells the caller how long the rest will take at the pace so far."""

    def __init__(self, total: int, tell: Callable[[Progress], None]) -> None:
        self.total, self.done, self.tell = total, 0, tell
        self.started = time.monotonic()

    def tick(self, stage: str, units: int) -> None:
        """Note that ``units`` more trainings are done and tell the caller."""
        self.done += units
        pace = (time.monotonic() - self.started) / self.done if self.done else None
        self.tell(Progress(stage, self.done, self.total, None if pace is None else pace * (self.total - self.done)))


@dataclass(frozen=True, slots=True, eq=False)
class _Pool:
    """Runs units in chunks, in this process or in several, and yields their results in order."""

    workers: int
    clock: _Clock
    cancelled: Callable[[], bool]

    def map(
        self, stage: str, work: Callable[..., list[Any]], game: Game, units: Sequence[Any], *rest: Any
    ) -> Iterator[Any]:
        """The results of all units, in order; stops between two chunks when cancelled."""
        size = min(max(1, -(-len(units) // CHUNKS)), LARGEST)
        chunks = [units[start : start + size] for start in range(0, len(units), size)]
        self.clock.tick(stage, 0)
        done = self._results(work, game, chunks, rest)
        try:
            for chunk, results in zip(chunks, done, strict=True):
                self.clock.tick(stage, len(chunk))
                yield from results
                if self.cancelled():
                    raise Cancelled("The run was cancelled.")
        finally:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # joblib remarks that a cancelled run leaves trainings undone
                done.close()

    def _results(
        self, work: Callable[..., list[Any]], game: Game, chunks: Sequence[Sequence[Any]], rest: tuple[Any, ...]
    ) -> Generator[list[Any]]:
        if self.workers <= 1 or len(chunks) <= 1:
            return (work(game, chunk, *rest) for chunk in chunks)
        jobs = (delayed(_in_worker)(work, game, chunk, *rest) for chunk in chunks)
        results: Generator[list[Any]] = Parallel(n_jobs=self.workers, return_as="generator")(jobs)
        return results
