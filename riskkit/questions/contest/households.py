"""The SNAKE challenge: whole households were in or out, and attackers are scored by how sure they rightly were."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

from riskkit import registry
from riskkit.core import Bools, Estimate, Floats, Role, Table
from riskkit.discreet import Discreet
from riskkit.errors import DesignError, told
from riskkit.games import households
from riskkit.games.households import HouseholdGame
from riskkit.jobs.pool import Clock, Pool, Progress
from riskkit.phrases import phrase
from riskkit.questions.contest import household_words as said
from riskkit.questions.contest.household_words import Told
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


@dataclass(frozen=True, eq=False, repr=False)
class SnakeResult(Discreet):
    """A finished plan of the mode ``snake``; ``is_in`` the truth of each household asked about."""

    plan: ContestPlan
    is_in: Bools
    rows: int
    played: tuple[Asked, ...]
    control: Asked | None

    def _scores(self, one: Asked, level: float) -> dict[str, Estimate]:
        return {
            name: snake(sure, self.is_in, level=level).labelled(anonymiser=one.anonymiser, attacker=name)
            for name, sure in one.sureness.items()
        }

    @cached_property
    def told(self) -> tuple[Told, ...]:
        """The table, one row an anonymiser."""
        return tuple(
            said.told(
                one.anonymiser,
                self._scores(one, self.plan.level),
                self._scores(one, 1 - (1 - self.plan.level) / len(one.sureness)),
            )
            for one in self.played
            if one.sureness
        )

    @cached_property
    def controls(self) -> dict[str, Estimate]:
        """What each attacker scores on the planted control; empty where none was played."""
        return {} if self.control is None else self._scores(self.control, self.plan.level)

    @property
    def seeing(self) -> tuple[str, ...] | None:
        """The attackers that found the control; None where none was played."""
        if self.control is None:
            return None
        return tuple(name for name, score in self.controls.items() if score.low > said.CHANCE)

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """The score of every attacker against every anonymiser."""
        return tuple(score for row in self.told for score in row.scores.values())

    @property
    def notes(self) -> tuple[str, ...]:
        """What could not be played, and why; each once."""
        every = (*self.played, *([self.control] if self.control else []))
        return tuple(dict.fromkeys(note for one in every for note in one.notes))

    def as_dict(self) -> dict[str, Any]:
        """All but rows of people, as plain values; whatever the workers, the same."""
        asked = len(self.is_in)
        return {
            "estimates": [score.as_dict() for score in self.estimates],
            "settings": {"question": "contest", **self.plan.as_dict()},
            "households": {"asked": asked, "inside": int(self.is_in.sum()), "rows": self.rows},
            "anonymisers": [
                {
                    "anonymiser": row.anonymiser,
                    "uploaded": False,
                    "best_attacker": row.best,
                    "worst": row.worst.as_dict(),
                    "looks": len(row.scores),
                }
                for row in self.told
            ],
            "controls": [
                {**score.as_dict(), "found": name in (self.seeing or ())} for name, score in self.controls.items()
            ],
            "sentences": [said.sentence(row, asked) for row in self.told],
            "notes": list(self.notes),
        }

    def kept(self) -> dict[str, Any]:
        """:meth:`as_dict`: no household is named, so there is nothing more to keep."""
        return self.as_dict()


def play_snake(
    table: Table,
    household: npt.ArrayLike,
    plan: ContestPlan,
    *,
    workers: int = 1,
    progress: Callable[[Progress], None] = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> SnakeResult:
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
        game = households.deal(
            table, household, rows=plan.sample, asked=plan.asked, least=plan.least, seed=plan.seed
        )  # fmt: skip
        units = [*[CONTROL] * plan.control, *plan.anonymisers]
        pool = Pool(workers, Clock(len(units), progress), cancelled)
        played = list(pool.map(phrase("Releases and attacks"), _play, (plan, game), units))
    control = played.pop(0) if plan.control else None
    return SnakeResult(plan, game.is_in, len(game.targets), tuple(played), control)


def _play(given: tuple[ContestPlan, HouseholdGame], units: Sequence[str]) -> list[Asked]:
    return [_one(*given, name) for name in units]


def _one(plan: ContestPlan, game: HouseholdGame, name: str) -> Asked:
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
    return np.array(text.data.column(column).to_pylist())


def large(household: npt.NDArray[Any], least: int) -> int:
    """How many households have so many rows or more."""
    return int((np.unique(household, return_counts=True)[1] >= least).sum())


def unseen(column: str) -> dict[str, Choice]:
    """The choice that keeps the households' column from attackers and anonymisers."""
    return {column: Choice(role=Role.IGNORED)}


def lines(result: SnakeResult) -> list[str]:
    """The result for people: sentences, then a line for each attacker of each anonymiser."""
    every = [f"{e.labels['anonymiser']:<32} {e.labels['attacker']:<22} {e} (guessing 0.50)" for e in result.estimates]
    return [*result.as_dict()["sentences"], "", *every]
