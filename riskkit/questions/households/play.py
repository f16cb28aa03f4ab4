"""Playing it: a sample of whole households, the releases made of it, and what each attacker says of each household."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Unpack

import numpy as np

from riskkit import registry
from riskkit.base.threads import single_thread
from riskkit.core import MISSING, Bools, Column, Estimate, Floats, Ints, Role, Table
from riskkit.errors import DesignError, nearest
from riskkit.games import households
from riskkit.games.households import HouseholdGame
from riskkit.jobs.pool import Pool, Steering
from riskkit.language import counted, say
from riskkit.phrases import phrase
from riskkit.questions.forecasts import FEWEST, Forecast, pilot, shared_seconds, spread
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

# Who lives with whom: the column that says it, apart from the table that everybody else sees.


def homes(tables: Tables, column: str) -> tuple[Table, Ints]:
    """The real table without that column, and (n,) the household of each row, in the order of their names.

    A row without a name is a household of its own. An empty ``column`` is the one whose role is *household*.

    Raises
    ------
    DesignError
        No column is named and none has the role, there is no such column, or it is out of use.
    """
    named = column or role_column(tables)
    if not named:
        raise DesignError.phrase(
            "Name the column that says who lives together: --household COLUMN, or the role household on the Data page."
        )
    known = {candidate.name: candidate for candidate in tables.schema.columns}
    if named not in known:
        raise DesignError.phrase(
            "The real table has no column {named!r}{near}.", named=named, near=nearest(named, known)
        )
    if named in tables.identifiers:
        return tables.real, _number_texts(tables.identifiers[named]["real"])
    if not known[named].is_modelled:
        raise DesignError.phrase(
            "The column that says who lives together is out of use, so its values are not there. Put it in use, or "
            "give it the role household, on the Data page."
        )
    return _without(tables.real, known[named]), _number_texts(_texts(tables.real, known[named]))


def role_column(tables: Tables) -> str:
    """The column whose role says who lives together; empty where none has it."""
    persons = tables.persons
    return persons.column if persons is not None and persons.unit == Role.HOUSEHOLD else ""


def _number_texts(texts: Sequence[str]) -> Ints:
    """(n,) the place of each text among all different ones; an empty text has a place of its own behind them."""
    names = np.array(texts)
    is_named = names != MISSING
    numbers = np.empty(len(names), dtype=np.int64)
    different, numbers[is_named] = np.unique(names[is_named], return_inverse=True)
    numbers[~is_named] = len(different) + np.arange(int((~is_named).sum()))
    return numbers


def _place(table: Table, column: Column) -> int:
    own = table.schema.numeric if column.is_numeric else table.schema.categorical
    return own.index(column)


def _texts(table: Table, column: Column) -> list[str]:
    """(n,) the values as the file writes them; a missing one is empty."""
    place = _place(table, column)
    if column.is_numeric:
        return [MISSING if np.isnan(value) else f"{value:.{column.decimals}f}" for value in table.numbers[:, place]]
    return [column.levels[code] for code in table.codes[:, place]]


def _without(table: Table, column: Column) -> Table:
    """The same rows under a schema in which the column is not used."""
    place, schema = _place(table, column), table.schema.with_column(replace(column, role=Role.IGNORED))
    if column.is_numeric:
        return Table(schema, table.codes, np.delete(table.numbers, place, axis=1))
    return Table(schema, np.delete(table.codes, place, axis=1), table.numbers)


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
        raise DesignError.phrase("Nothing takes part: name an anonymiser.")
    if not plan.attackers:
        raise DesignError.phrase("Nobody attacks: name an attacker.")
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


# What a question about households will take, from the same one among few of them and among twice as many.


def forecast(tables: Tables, plan: HouseholdsPlan, *, workers: int = 1) -> Forecast:
    """Play it in two small parts of the table; where a part holds too few households, nobody knows how long it takes.

    Raises
    ------
    DesignError
        The plan cannot be played on these tables; the same sentence the run would end with.
    """
    table, household = homes(tables, plan.household)
    deal(table, household, plan)
    some = replace(plan, anonymisers=spread(plan.anonymisers), sample=plan.sample or len(table) // 2)
    releases, timed = len(plan.anonymisers) + plan.control, len(some.anonymisers) + plan.control
    seconds, numbers = math.inf, {"releases": releases, "attackers": len(plan.attackers)}
    with suppress(DesignError):
        trial = pilot(lambda rows: _small_part(table, household, some, rows / len(table)), len(table))
        seconds = trial.loads + shared_seconds(trial.whole / max(timed, 1), releases, workers)
    return Forecast(seconds, numbers, could_show(household, plan))


def could_show(household: Ints, plan: HouseholdsPlan) -> str:
    """How many households can be asked about, and what guessing scores."""
    start = say(
        "{households} of {least:,} people or more; {asked:,} are asked about, half of them in",
        households=counted(large(household, plan.least), "{n:,} household", "{n:,} households"),
        least=plan.least,
        asked=plan.asked,
    )
    return say("{told}. Guessing scores 0.50; always right and sure scores 1.", told=start)


def large(household: Ints, least: int) -> int:
    """How many households have so many rows or more."""
    return int((np.unique(household, return_counts=True)[1] >= least).sum())


def _small_part(table: Table, household: Ints, plan: HouseholdsPlan, share: float) -> Callable[[], object]:
    """The same among that share of the households."""
    _, home = np.unique(household, return_inverse=True)
    part = np.flatnonzero(home < math.ceil(share * (home.max() + 1)))
    asked = max(min(round(share * plan.asked), large(household[part], plan.least)), 2)
    sample = max(round(share * plan.sample), FEWEST)
    small = replace(plan, asked=asked, sample=sample, release=round(share * plan.release))
    return partial(play_table, table.rows(part), household[part], small)
