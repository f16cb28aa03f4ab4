"""Playing it: a sample of whole households, the releases made of it, and what each attacker says of each household."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Unpack

import numpy as np

from riskkit import registry
from riskkit.base.threads import single_thread
from riskkit.core import Bools, Estimate, Floats, Ints, Table
from riskkit.errors import DesignError
from riskkit.games import households
from riskkit.games.households import HouseholdGame
from riskkit.jobs.pool import Pool, Steering
from riskkit.phrases import phrase
from riskkit.questions.households.homes import homes
from riskkit.questions.households.plan import HouseholdsPlan
from riskkit.questions.households.result import (
    CHANCE,
    Counts,
    HouseholdCounts,
    HouseholdsResult,
    Planted,
    Standing,
)
from riskkit.questions.opponents import CONTROL, label, made_attackers, not_run
from riskkit.seeds import stream
from riskkit.stats.intervals import snake
from riskkit.table.load import Tables


@dataclass(frozen=True, slots=True, eq=False)
class Release:
    """One release: how sure each attacker was of each household, and what could not be run."""

    anonymiser: str
    sureness: Mapping[str, Floats]
    notes: tuple[str, ...]


def run_households(tables: Tables, plan: HouseholdsPlan, **steering: Unpack[Steering]) -> HouseholdsResult:
    """Every attacker against every anonymiser of the plan.

    Raises
    ------
    DesignError
        No column names the households, there are too few of them, or nothing takes part.
    """
    if not plan.anonymisers:
        raise DesignError(phrase("Nothing takes part: name an anonymiser."))
    if not plan.attackers:
        raise DesignError(phrase("Nobody attacks: name an attacker."))
    for spelled in plan.anonymisers:
        registry.check_ready(registry.parse("generators", spelled))
    table, household = homes(tables, plan.household)
    return play_table(table, household, plan, **steering)


def play_table(table: Table, household: Ints, plan: HouseholdsPlan, **steering: Unpack[Steering]) -> HouseholdsResult:
    """The same on a table whose (n,) rows have these households."""
    with single_thread():
        game = deal(table, household, plan)
        units = [*[CONTROL] * plan.control, *plan.anonymisers]
        pool = Pool.open(len(units), **steering)
        releases = list(pool.map(phrase("Releases and attacks"), _play, (plan, game), units))
    control = releases.pop(0) if plan.control else None
    return _result(plan, len(table), game, releases, control)


def deal(table: Table, household: Ints, plan: HouseholdsPlan) -> HouseholdGame:
    """Who is asked about, and who of them is in.

    Raises
    ------
    DesignError
        There are too few such households, or too few rows to fill the sample.
    """
    rows = plan.sample or len(table) // 2
    return households.deal(table, household, rows=rows, asked=plan.asked, least=plan.least, seed=plan.seed)


def _result(
    plan: HouseholdsPlan, rows: int, game: HouseholdGame, releases: Sequence[Release], control: Release | None
) -> HouseholdsResult:
    every = [*releases, *([control] if control else [])]
    table = []
    for release in releases:
        if release.sureness:
            scores = _scores(release, game.is_in, plan.level)
            wide = _scores(release, game.is_in, 1 - (1 - plan.level) / len(scores))
            table.append((Standing.measure(release.anonymiser, scores, wide), scores))
    planted = {} if control is None else _scores(control, game.is_in, plan.level)
    return HouseholdsResult(
        plan=plan,
        estimates=tuple(score for _, scores in table for score in scores.values()),
        counts=Counts(rows, len(game.sample), plan.release or len(game.sample)),
        households=HouseholdCounts(len(game.is_in), int(game.is_in.sum()), len(game.targets)),
        standings=tuple(standing for standing, _ in table),
        controls=tuple(Planted(score, score.low > CHANCE) for score in planted.values()),
        notes=tuple(dict.fromkeys(note for release in every for note in release.notes)),
    )


def _scores(release: Release, is_in: Bools, level: float) -> dict[str, Estimate]:
    return {
        name: snake(sure, is_in, level=level).label(anonymiser=release.anonymiser, attacker=name)
        for name, sure in release.sureness.items()
    }


def _play(arena: tuple[HouseholdsPlan, HouseholdGame], units: Sequence[str]) -> list[Release]:
    return [_attack(*arena, name) for name in units]


def _attack(plan: HouseholdsPlan, game: HouseholdGame, name: str) -> Release:
    method = label(name, plan.anonymisers)
    rng, notes = stream(plan.seed, "snake", "release", method), []
    attackers = made_attackers(plan.attackers)
    try:
        release = _release(plan, game, name, rng)
    except DesignError as refusal:
        return Release(name, {}, (not_run(name, refusal),))
    sureness: dict[str, Floats] = {}
    for attacker, attack in attackers.items():
        try:
            sureness[attacker] = game.sureness(attack, f"{attacker} {method}", release)
        except DesignError as refusal:
            notes.append(not_run(name, refusal, attacker))
    return Release(name, sureness, tuple(notes))


def _release(plan: HouseholdsPlan, game: HouseholdGame, name: str, rng: np.random.Generator) -> Table:
    """What the anonymiser makes of the sample; the control's is the sample itself."""
    if name == CONTROL:
        return game.sample
    rows = plan.release or len(game.sample)
    made: Table = registry.parse("generators", name).fit(game.sample, rng).sample(rows, rng)
    return made
