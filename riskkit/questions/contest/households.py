"""The SNAKE challenge: whole households were in or out, and attackers are scored by how sure they rightly were."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

from riskkit import registry
from riskkit.core import Bools, Estimate, Floats, Role, Table
from riskkit.errors import DesignError, told
from riskkit.games import households
from riskkit.games.households import HouseholdGame
from riskkit.jobs.pool import Clock, Pool, Progress
from riskkit.phrases import phrase
from riskkit.questions.contest import household_words as words
from riskkit.questions.contest.household_result import (
    CHANCE,
    Counts,
    Households,
    HouseholdsResult,
    Planted,
    Standing,
)
from riskkit.questions.contest.plan import CONTROL, ContestPlan
from riskkit.seeds import stream
from riskkit.stats.weighted import snake
from riskkit.table.schema import Choice
from riskkit.table.text import TextTable


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """One release: how sure each attacker was of each household, and what could not be run."""

    anonymiser: str
    sureness: Mapping[str, Floats]
    notes: tuple[str, ...]


def play_snake(
    table: Table,
    household: npt.ArrayLike,
    plan: ContestPlan,
    *,
    workers: int = 1,
    progress: Callable[[Progress], None] = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> HouseholdsResult:
    """Every attacker against every anonymiser of the plan.

    Parameters
    ----------
    household
        (n,) equal for rows of one household.
    workers, progress, cancelled
        As :func:`riskkit.questions.contest.run.run_contest` has them.

    Raises
    ------
    Cancelled
        ``cancelled`` said so.
    DesignError
        There are too few such households.
    """
    with threadpool_limits(1):
        game = households.deal(table, household, rows=plan.sample, asked=plan.asked, least=plan.least, seed=plan.seed)
        units = [*[CONTROL] * plan.control, *plan.anonymisers]
        pool = Pool(workers, Clock(len(units), progress), cancelled)
        played = list(pool.map(phrase("Releases and attacks"), _play, (plan, game), units))
    control = played.pop(0) if plan.control else None
    return _result(plan, game, played, control)


def _result(plan: ContestPlan, game: HouseholdGame, played: Sequence[Asked], control: Asked | None) -> HouseholdsResult:
    every = [*played, *([control] if control else [])]
    asked, table = len(game.is_in), []
    for release in played:
        if release.sureness:
            scores = _scores(release, game.is_in, plan.level)
            wide = _scores(release, game.is_in, 1 - (1 - plan.level) / len(scores))
            table.append((Standing.of(release.anonymiser, scores, wide), scores))
    planted = {} if control is None else _scores(control, game.is_in, plan.level)
    return HouseholdsResult(
        plan=plan,
        estimates=tuple(score for _, scores in table for score in scores.values()),
        counts=Counts(),
        households=Households(asked, int(game.is_in.sum()), len(game.targets)),
        standings=tuple(standing for standing, _ in table),
        controls=tuple(Planted(score, score.low > CHANCE) for score in planted.values()),
        sentences=tuple(words.sentence(standing, scores, asked) for standing, scores in table),
        notes=tuple(dict.fromkeys(note for release in every for note in release.notes)),
    )


def _scores(release: Asked, is_in: Bools, level: float) -> dict[str, Estimate]:
    return {
        name: snake(sure, is_in, level=level).labelled(anonymiser=release.anonymiser, attacker=name)
        for name, sure in release.sureness.items()
    }


def _play(given: tuple[ContestPlan, HouseholdGame], units: Sequence[str]) -> list[Asked]:
    return [_of_release(*given, name) for name in units]


def _of_release(plan: ContestPlan, game: HouseholdGame, name: str) -> Asked:
    rng, notes = stream(plan.seed, "snake", "release", name), []
    try:
        release = _release(plan, game, name, rng)
    except DesignError as refusal:
        return Asked(name, {}, (phrase("{name} was not played: {why}", name=name, why=told(refusal)),))
    sureness: dict[str, Floats] = {}
    for attacker, attack in plan.made_attackers.items():
        try:
            sureness[attacker] = game.sureness(attack, f"{attacker} {name}", release)
        except DesignError as refusal:
            notes.append(
                phrase("{attacker} against {name} was not run: {why}", attacker=attacker, name=name, why=told(refusal))
            )
    return Asked(name, sureness, tuple(notes))


def _release(plan: ContestPlan, game: HouseholdGame, name: str, rng: np.random.Generator) -> Table:
    """What the anonymiser makes of the sample; the control's is the sample itself."""
    if name == CONTROL:
        return game.sample
    made: Table = registry.parse("generators", name).fit(game.sample, rng).sample(plan.release or plan.sample, rng)
    return made


def homes(text: TextTable, column: str) -> npt.NDArray[Any]:
    """(n,) who lives with whom, as the file says.

    Raises
    ------
    DesignError
        It has no such column.
    """
    if column not in text.columns:
        raise DesignError(phrase("The base has no column of that name for its households. Check how it is spelled."))
    return np.array(text.column(column).to_pylist())


def large(household: npt.NDArray[Any], least: int) -> int:
    """How many households have so many rows or more."""
    return int((np.unique(household, return_counts=True)[1] >= least).sum())


def unseen(column: str) -> dict[str, Choice]:
    """The choice that keeps the households' column from attackers and anonymisers."""
    return {column: Choice(role=Role.IGNORED)}


def lines(result: HouseholdsResult) -> list[str]:
    """The result for people: sentences, then a line for each attacker of each anonymiser."""
    every = [f"{e.labels['anonymiser']:<32} {e.labels['attacker']:<22} {e} (guessing 0.50)" for e in result.estimates]
    return [*result.sentences, "", *every]
