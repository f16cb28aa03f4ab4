"""Playing a contest: every anonymiser is dealt a sample, its release is shown to every attacker, hits are counted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from riskkit import registry
from riskkit.base import stages
from riskkit.base.threads import one_thread
from riskkit.core import Bools, Ints, Table
from riskkit.errors import DesignError, message_of
from riskkit.games import contest
from riskkit.games.anonymity import anonymity
from riskkit.games.contest import ContestGame, ContestPopulation
from riskkit.jobs.pool import Clock, Pool, Progress
from riskkit.phrases import phrase
from riskkit.questions.contest import usefulness as measured
from riskkit.questions.contest.matrix import Matrix
from riskkit.questions.contest.plan import PEOPLE, SEEK, ContestPlan
from riskkit.questions.contest.played import PlayedRelease, Useful, unplayed
from riskkit.questions.contest.points import UPLOADED
from riskkit.questions.contest.result import ContestResult
from riskkit.questions.opponents import CONTROL, label
from riskkit.seeds import stream
from riskkit.table.load import Tables
from riskkit.table.usefulness import ComparedTables, TreeQuestion, tree_questions

TEST_ROWS = 15_060
"""Most rows that trees and classifiers are tested on, as many as in the contest of 2020."""


@dataclass(frozen=True, slots=True, eq=False)
class _Arena:
    """What every unit of work needs: the plan, the population, releases that were given."""

    plan: ContestPlan
    population: ContestPopulation
    holdout: Table | None
    releases: Mapping[str, Table]
    questions: tuple[TreeQuestion, ...]
    keep: bool

    def label(self, name: str) -> str:
        """What streams of chance call who takes part."""
        return label(name, self.plan.anonymisers)

    def sample(self, name: str, number: int) -> Bools:
        """Who is in the sample of an anonymiser in that round."""
        return contest.sampled(self.population, self.plan.sample, self.plan.seed, self.label(name), number)

    def release(self, name: str, number: int, sample: Table) -> Table:
        """The release that was given, or the one the anonymiser makes of the sample; the control's is the sample."""
        if name in self.releases:
            return self.releases[name]
        rng = stream(self.plan.seed, "contest", "release", self.label(name), number)
        if name == CONTROL:
            return sample.rows(rng.permutation(len(sample)))
        rows = self.plan.release or len(sample)
        made: Table = registry.parse("generators", name).fit(sample, rng).sample(rows, rng)
        return made

    def test(self, is_in: Bools, rng: np.random.Generator) -> Table:
        """People whom no release was made from: the holdout, else rows of the population that could have been in."""
        if self.holdout is not None:
            return self.holdout.rows(np.sort(rng.permutation(len(self.holdout))[:TEST_ROWS]))
        others = self.population.eligible[~is_in[self.population.eligible]]
        return self.population.table.rows(np.sort(rng.permutation(others)[:TEST_ROWS]))


def run_contest(
    tables: Tables,
    plan: ContestPlan,
    *,
    releases: Mapping[str, Table] | None = None,
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
    with one_thread():  # more threads would change the last bits of sums with the number of cores
        uploaded = dict(releases or {})
        if plan.source == PEOPLE and tables.synthetic is not None:
            uploaded[UPLOADED] = tables.synthetic
        names = list(dict.fromkeys([*uploaded, *plan.anonymisers]))
        if not names:
            raise DesignError(phrase("Nothing takes part in the contest; name an anonymiser or give a release."))
        _refuse_rounds(plan, uploaded)
        for spelled in plan.anonymisers:
            registry.check_ready(registry.parse("generators", spelled))
        stages.say(phrase("Making the population"))
        population = plan.people(tables)
        holdout = None if plan.source == PEOPLE else tables.holdout
        asked = tree_questions(tables.real.schema)
        arena = _Arena(plan, population, holdout, uploaded, asked, keep)
        _refuse_strangers(plan, len(population))
        units = [(CONTROL, 0)] * plan.control + [(name, number) for number in range(plan.rounds) for name in names]
        pool = Pool(workers, Clock(len(units), progress), cancelled)
        played = list(pool.map(phrase("Releases and attacks"), _play, arena, units))
    control = played.pop(0) if plan.control else None
    return Matrix(plan, population, tuple(played), tuple(uploaded), arena.questions, control).result(keep=keep)


def _refuse_rounds(plan: ContestPlan, uploaded: Mapping[str, Table]) -> None:
    if plan.rounds > 1 and uploaded:
        raise DesignError(
            phrase("A release that was given is one release, so it cannot be played in several rounds; play 1.")
        )


def _refuse_strangers(plan: ContestPlan, rows: int) -> None:
    for attacker, anonymiser, named in plan.own:
        if max(named) >= rows:
            raise DesignError(
                phrase(
                    "{attacker} names a row for {anonymiser!r} beyond the population's {rows:,}; rows count from 0.",
                    attacker=attacker,
                    anonymiser=anonymiser,
                    rows=rows,
                )
            )


# --------------------------------------------------------------------------------------------------------------
# Units of work


def _play(arena: _Arena, units: Sequence[tuple[str, int]]) -> list[PlayedRelease]:
    return [_one(arena, name, number) for name, number in units]


def _one(arena: _Arena, name: str, number: int) -> PlayedRelease:
    """One release, shown to every attacker; a refusal of the anonymiser or an attacker is kept as its sentence."""
    plan, notes = arena.plan, []
    attackers = plan.made_attackers
    is_in = arena.sample(name, number)
    sample = arena.population.table.rows(np.flatnonzero(is_in))
    try:
        release = arena.release(name, number, sample)
        labels = arena.label(name), number
        game = contest.deal(arena.population, is_in, release, plan.guesses, plan.seed, *labels)
    except DesignError as refusal:
        return unplayed(name, number, is_in, phrase("{name} was not played: {why}", name=name, why=message_of(refusal)))
    if plan.mode == SEEK:
        game = game.seek(plan.sample)
    hits: dict[str, int] = {}
    named: dict[str, Ints] = {}
    for attacker, attack in attackers.items():
        try:
            chosen = game.named(game.scores(attack, attacker), attacker)
        except DesignError as refusal:
            notes.append(
                phrase(
                    "{attacker} against {name} was not run: {why}",
                    attacker=attacker,
                    name=name,
                    why=message_of(refusal),
                )
            )
            continue
        hits[attacker], named[attacker] = game.hits(chosen), game.row[chosen]
    for attacker, anonymiser, rows in plan.own if number == 0 else ():
        if anonymiser == name:
            named[attacker] = np.array(rows, dtype=np.int64)
            hits[attacker] = _own(game, named[attacker])
    useful, refused = _usefulness(arena, release, sample, is_in, name, number)
    return PlayedRelease(
        anonymiser=name,
        number=number,
        is_in=is_in,
        hits=hits,
        named=named,
        useful=useful,
        asked=len(game.row),
        inside=int(game.is_in.sum()),
        notes=(*notes, *refused),
        release=release if arena.keep else None,
        rows=game.row if arena.keep and plan.mode == SEEK else None,
        anonymity=anonymity(release, arena.population.table, is_in),
    )


def _own(game: ContestGame, rows: Ints) -> int:
    """The hits of rows of the population that somebody named."""
    return int(np.isin(rows, game.row[game.is_in]).sum())


def _usefulness(
    arena: _Arena, release: Table, sample: Table, is_in: Bools, name: str, number: int
) -> tuple[Useful, tuple[str, ...]]:
    """Every number of usefulness: against the sample, and against people whom no release was made from."""
    plan, labels = arena.plan, (arena.label(name), number)
    rng = stream(plan.seed, "contest", "test", *labels)
    test = arena.test(is_in, rng)
    try:
        values = measured.usefulness(ComparedTables(release, sample, test, arena.questions, plan.scale))
        elsewhere = measured.usefulness(ComparedTables(release, test, test, (), plan.scale), of_others=True)
        learnt = product(plan.classifiers, zip(measured.LEARNT, (release, sample), strict=True))
        for spelled, (part, rows) in learnt:
            model = registry.parse("inference", spelled)
            own = stream(plan.seed, "contest", part, spelled, *labels)
            values[measured.learnt_from(part, spelled)] = measured.accuracy(model, rows, test, plan.secret, own)
    except DesignError as refusal:
        return Useful({}, {}, 0), (
            phrase("The usefulness of {name} is not known: {why}", name=name, why=message_of(refusal)),
        )
    return Useful(values, elsewhere, len(test)), ()
