"""Playing a contest: every anonymiser is dealt a sample, its release is shown to every attacker, hits are counted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from riskkit import registry
from riskkit.audit.contest_plan import PEOPLE, UPLOADED, ContestPlan
from riskkit.audit.contest_result import ContestResult, Played
from riskkit.audit.pool import Clock, Pool, Progress
from riskkit.core import Bools, Ints, Table
from riskkit.errors import DesignError
from riskkit.games import contest
from riskkit.games.contest import ContestGame, Population
from riskkit.seeds import stream
from riskkit.table.load import Tables
from riskkit.utility import measures
from riskkit.utility.trees import Question, questions

TEST_ROWS = 15_060
"""Most rows that trees and classifiers are tested on, as many as in the contest of 2020."""
Guesses = Mapping[tuple[str, str], Ints]
"""Row numbers of the population that a person's own attacker names, by attacker and anonymiser."""


@dataclass(frozen=True, slots=True, eq=False)
class _Arena:
    """What every unit of work needs: the population, releases that were given, guesses that were given."""

    plan: ContestPlan
    population: Population
    holdout: Table | None
    releases: Mapping[str, Table]
    guesses: Guesses
    questions: tuple[Question, ...]
    keep: bool

    def sample(self, name: str, number: int) -> Bools:
        """Who is in the sample of an anonymiser in that round."""
        return contest.sampled(self.population, self.plan.sample, self.plan.seed, name, number)

    def release(self, name: str, number: int, sample: Table) -> Table:
        """The release that was given, or the one the anonymiser makes of the sample."""
        if name in self.releases:
            return self.releases[name]
        rng = stream(self.plan.seed, "contest", "release", name, number)
        rows = self.plan.release or len(sample)
        made: Table = registry.parse("generators", name).fit(sample, rng).sample(rows, rng)
        return made

    def test(self, is_in: Bools, rng: np.random.Generator) -> Table:
        """People whom no release was made from: the holdout, else rows of the population that were not in."""
        if self.holdout is not None:
            return self.holdout.rows(np.sort(rng.permutation(len(self.holdout))[:TEST_ROWS]))
        return self.population.table.rows(np.sort(rng.permutation(np.flatnonzero(~is_in))[:TEST_ROWS]))


def run_contest(
    tables: Tables,
    plan: ContestPlan,
    *,
    releases: Mapping[str, Table] | None = None,
    guesses: Guesses | None = None,
    workers: int = 1,
    keep: bool = False,
    progress: Callable[[Progress], None] = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> ContestResult:
    """Play every round of the plan.

    Parameters
    ----------
    tables
        The real table is the base of the population. Where the plan's source is ``people`` the loaded synthetic table
        takes part as ``uploaded``.
    releases
        Releases made elsewhere, by name; each was made of the sample that this plan deals to that name.
    guesses
        Rows that attackers of one's own name, for the first round.
    workers
        Processes that work side by side. They change the time, never a number.
    keep
        Whether releases are kept, for the bundle.
    progress, cancelled
        Told how far it is, and asked whether to stop, after every few releases.

    Raises
    ------
    Cancelled
        ``cancelled`` said so.
    DesignError
        The population cannot be made, or nothing takes part.
    """
    with threadpool_limits(1):  # more threads would change the last bits of sums with the number of cores
        given = dict(releases or {})
        if plan.source == PEOPLE and tables.synthetic is not None:
            given[UPLOADED] = tables.synthetic
        names = list(dict.fromkeys([*given, *plan.anonymisers]))
        if not names:
            raise DesignError("Nothing takes part in the contest; name an anonymiser or give a release.")
        _refuse_rounds(plan, given)
        population = plan.people(tables)
        holdout = None if plan.source == PEOPLE else tables.holdout
        asked = questions(tables.real.schema)
        arena = _Arena(plan, population, holdout, given, dict(guesses or {}), asked, keep)
        _refuse_strangers(arena, names)
        units = [(name, number) for number in range(plan.rounds) for name in names]
        pool = Pool(workers, Clock(len(units), progress), cancelled)
        played = list(pool.map("Releases and attacks", _play, arena, units))
    return ContestResult(plan, population, tuple(played), tuple(given), arena.questions)


def _refuse_rounds(plan: ContestPlan, given: Mapping[str, Table]) -> None:
    if plan.rounds > 1 and given:
        raise DesignError("A release that was given is one release, so it cannot be played in several rounds; play 1.")


def _refuse_strangers(arena: _Arena, names: Sequence[str]) -> None:
    for attacker, anonymiser in arena.guesses:
        if anonymiser not in names:
            raise DesignError(
                f"{attacker} names rows for {anonymiser!r}, which takes no part. Name it as it is spelled."
            )


# --------------------------------------------------------------------------------------------------------------
# Units of work


def _play(arena: _Arena, units: Sequence[tuple[str, int]]) -> list[Played]:
    return [_one(arena, name, number) for name, number in units]


def _one(arena: _Arena, name: str, number: int) -> Played:
    """One release, shown to every attacker; a refusal of the anonymiser or an attacker is kept as its sentence."""
    plan, notes = arena.plan, []
    is_in = arena.sample(name, number)
    sample = arena.population.table.rows(np.flatnonzero(is_in))
    try:
        release = arena.release(name, number, sample)
        game = contest.deal(arena.population, is_in, release, plan.guesses, plan.seed, name, number)
    except DesignError as refusal:
        return Played(name, number, is_in, {}, {}, {}, 0, 0, None, (f"{name} was not played: {refusal}",))
    if plan.mode == "hide-and-seek":
        game = game.seek(plan.sample)
    hits: dict[str, int] = {}
    named: dict[str, Ints] = {}
    for attacker, attack in plan.made_attackers.items():
        try:
            chosen = game.named(game.scores(attack, attacker), attacker)
        except DesignError as refusal:
            notes.append(f"{attacker} against {name} was not run: {refusal}")
            continue
        hits[attacker], named[attacker] = game.hits(chosen), game.row[chosen]
    for (attacker, anonymiser), rows in arena.guesses.items() if number == 0 else ():
        if anonymiser == name:
            hits[attacker], named[attacker] = _own(game, rows), rows
    found, refused = _usefulness(arena, release, sample, is_in, (name, number))
    kept = release if arena.keep else None
    asked, inside = len(game.row), int(game.is_in.sum())
    return Played(name, number, is_in, hits, named, found, asked, inside, kept, (*notes, *refused))


def _own(game: ContestGame, rows: Ints) -> int:
    """The hits of rows of the population that somebody named."""
    return int(np.isin(rows, game.row[game.is_in]).sum())


def _usefulness(
    arena: _Arena, release: Table, sample: Table, is_in: Bools, labels: tuple[str, int]
) -> tuple[dict[str, float], tuple[str, ...]]:
    plan, rng = arena.plan, stream(arena.plan.seed, "contest", "test", *labels)
    test = arena.test(is_in, rng)
    try:
        found = measures.usefulness(release, sample, test, arena.questions, scale=plan.scale)  # type: ignore[arg-type]
        for spelled in plan.classifiers:
            model = registry.parse("inference", spelled)
            for what, rows in (("accuracy", release), ("ceiling", sample)):
                own = stream(plan.seed, "contest", what, spelled, *labels)
                found[f"{what} {spelled}"] = measures.accuracy(model, rows, test, plan.secret, own)
    except DesignError as refusal:
        return {}, (f"The usefulness of {labels[0]} is not known: {refusal}",)
    return found, ()


def play(tables: Tables, plan: ContestPlan, **how: Any) -> dict[str, Any]:
    """What is kept of a run."""
    return run_contest(tables, plan, **how).as_dict()
