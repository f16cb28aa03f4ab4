"""Playing a contest: every anonymiser is dealt a sample, its release is shown to every attacker, hits are counted."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import product
from pathlib import Path
from typing import Any, Protocol, Unpack

import numpy as np

from riskkit import registry
from riskkit.base import distributions, stages
from riskkit.base.threads import single_thread
from riskkit.core import Bools, Estimate, Ints, Table
from riskkit.errors import DesignError, message_of
from riskkit.games import contest
from riskkit.games.anonymity import anonymity, worst
from riskkit.games.contest import ContestPopulation
from riskkit.jobs.pool import Pool, Steering
from riskkit.phrases import phrase
from riskkit.questions.contest import points
from riskkit.questions.contest.entries import HandedIn
from riskkit.questions.contest.plan import PEOPLE, SEEK, ContestPlan
from riskkit.questions.contest.points import (
    LEARNT,
    UPLOADED,
    Ranking,
    Row,
    Spot,
    about,
    frontiers,
    learnt_from,
    measures,
    ranking,
)
from riskkit.questions.contest.result import (
    Bundle,
    ContestResult,
    Counts,
    Guessing,
    Order,
    Others,
    Planted,
    PlayedRelease,
    Safety,
    Standing,
    Useful,
)
from riskkit.questions.forecasts import FEWEST, Forecast, pilot, shared_seconds, spread
from riskkit.questions.opponents import CONTROL, label, not_run
from riskkit.seeds import stream
from riskkit.stats.hits import Draw, best_of_random_law, hits, over_rounds
from riskkit.stats.intervals import clopper_pearson
from riskkit.table.load import Tables
from riskkit.table.usefulness import ComparedTables, TreeQuestion, tree_questions

# What the releases of a contest come to: the matrix of hits, who may take part, points, and the frontier.


@dataclass(frozen=True)
class Matrix:
    """Every release as it was played. ``uploaded`` names those that were given; ``control`` is the planted one."""

    plan: ContestPlan
    population: ContestPopulation
    played: tuple[PlayedRelease, ...]
    uploaded: tuple[str, ...]
    questions: tuple[TreeQuestion, ...]
    control: PlayedRelease | None = None

    def result(self, *, keep: bool = False) -> ContestResult:
        """All that is kept; with ``keep`` the releases too, for the bundle."""
        draw, rows = self.draw, self.rows
        pictures = {measure: self.frontier(measure) for measure in self.frontier_measures}
        learnt = (learnt_from(part, spelled) for spelled in self.plan.classifiers for part in LEARNT)
        measured = (*measures(), *learnt)
        return ContestResult(
            plan=self.plan,
            estimates=tuple(hits for row in rows for hits in row.hits.values()) + tuple(self.useful.values()),
            counts=Counts(len(self.population)),
            chance=None if draw is None else _guessing(draw, len(self.plan.attackers)),
            standings=() if draw is None else tuple(self._standing(row, draw) for row in rows),
            ranking=self.ranking,
            controls=() if draw is None else tuple(self._controls(draw)),
            frontiers=pictures,
            sentences=() if draw is None else tuple(points.sentence(row, draw, self.plan.mode) for row in rows),
            uploads=points.uploaded_sentences(pictures[self.frontier_measures[0]]),
            lesson="" if draw is None else points.lesson(rows, draw),
            measures={name: about(name, self.plan.secret) for name in measured},
            order=Order(measured, self.frontier_measures),
            others=self._others(),
            trees=tuple(f"{tree.column}={tree.level}, {tree.depth} deep" for tree in self.questions),
            notes=self.notes,
            bundle=Bundle(self.population, self.played) if keep else None,
        )

    @cached_property
    def draw(self) -> Draw | None:
        """What every attacker was asked; None where nothing could be played."""
        first = next((release for release in self.played if release.asked), None)
        if first is None:
            return None
        guesses = first.inside if self.plan.mode == SEEK else self.plan.guesses
        return Draw(first.asked, first.inside, guesses)

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """The matrix, one row an anonymiser in the order of the plan."""
        draw = self.draw
        if draw is None:
            return ()
        out = []
        for name in self.anonymisers:
            own = [release for release in self.played if release.anonymiser == name and release.hits]
            attackers = [who for who in own[0].hits if all(who in release.hits for release in own)] if own else []
            if not attackers:
                continue
            counts = {who: np.array([release.hits[who] for release in own], dtype=np.int64) for who in attackers}
            each = 1 - (1 - self.plan.level) / len(attackers)
            plain, wide = (
                {who: _hits(count, draw, level).label(anonymiser=name, attacker=who) for who, count in counts.items()}
                for level in (self.plan.level, each)
            )
            out.append(points.row(name, plain, wide, draw))
        return tuple(out)

    @property
    def anonymisers(self) -> tuple[str, ...]:
        """Everybody whose releases were played, in the order of the plan."""
        return tuple(dict.fromkeys(release.anonymiser for release in self.played))

    @cached_property
    def useful(self) -> dict[tuple[str, str], Estimate]:
        """Usefulness by anonymiser and measure, as far as it has an interval.

        Over rounds it is Student's. Of one release only the accuracy of a model has one, over the people it was asked
        about; the other numbers describe that release and estimate nothing.
        """
        out = {}
        for name in self.anonymisers:
            own = self._releases(name)
            for measure in _shared_parts([release.usefulness for release in own]):
                values = np.array([release.usefulness[measure] for release in own])
                if self.plan.rounds > 1:
                    value = _mean(values, measure, self.plan.level)
                elif measure.split(" ")[0] in LEARNT:
                    value = _share(float(values[0]), own[0].useful.tested, measure, self.plan.level)
                else:
                    continue
                out[name, measure] = value.label(anonymiser=name)
        return out

    def _releases(self, name: str) -> list[PlayedRelease]:
        return [release for release in self.played if release.anonymiser == name and release.usefulness]

    def usefulness(self, name: str) -> dict[str, float]:
        """Every measure of an anonymiser's releases, its mean over rounds."""
        return _over([release.useful.sample for release in self._releases(name)])

    def elsewhere(self, name: str) -> dict[str, float]:
        """The same against people whom no release was made from."""
        return _over([release.useful.elsewhere for release in self._releases(name)])

    def frontier(self, measure: str) -> tuple[Spot, ...]:
        """Every anonymiser by usefulness and the hits of its best attacker, and who beats it."""
        spots = []
        for row in self.rows:
            name, value = row.anonymiser, self.usefulness(row.anonymiser).get(measure)
            if value is not None:
                useful = self.useful.get((name, measure))
                spots.append(Spot(name, value, useful, row.worst, name in self.uploaded))
        return points.frontier(spots)

    @cached_property
    def ranking(self) -> Ranking:
        """Who wins, who may not take part and why, and what attackers are paid."""
        preliminary, rows = dict(self.plan.preliminary), []
        for row in self.rows:
            _, missed = points.qualifies(self.usefulness(row.anonymiser), self.plan.rules)
            rows.append(replace(row, misses=missed, preliminary=preliminary.get(row.anonymiser)))
        return ranking(rows, 1 if self.draw is None else self.draw.guesses)

    @property
    def notes(self) -> tuple[str, ...]:
        """What could not be played, and why; each once."""
        every = (*self.played, *([self.control] if self.control else []))
        known = (
            phrase(
                "Only who meets {condition} could be in, which everybody knows; nobody else is asked about.",
                condition=self.plan.condition,
            ),
        )
        notes = (note for release in every for note in release.notes)
        return tuple(dict.fromkeys([*(known if self.plan.condition else ()), *notes]))

    @property
    def frontier_measures(self) -> tuple[str, ...]:
        """Measures that a frontier is drawn for: those that suit any table, then what is learnt from the release."""
        return (*frontiers(), *(learnt_from("accuracy", spelled) for spelled in self.plan.classifiers))

    def _controls(self, draw: Draw) -> list[Planted]:
        """What each attacker finds of the planted control; none where it was not played."""
        counts = {} if self.control is None else self.control.hits
        labelled = [
            hits(count, draw, level=self.plan.level).label(anonymiser=CONTROL, attacker=name)
            for name, count in counts.items()
        ]
        return [Planted(control, points.is_found(control, draw)) for control in labelled]

    def _others(self) -> Others:
        sample = {} if self.control is None else self.control.useful.elsewhere
        return Others(max((release.useful.tested for release in self.played), default=0), dict(sample))

    def _standing(self, row: Row, draw: Draw) -> Standing:
        name, useful = row.anonymiser, self.usefulness(row.anonymiser)
        preliminary = dict(self.plan.preliminary).get(name)
        takes_part, missed = points.qualifies(useful, self.plan.rules)
        safety = (100 * (1 - end / draw.guesses) for end in (row.worst.value, row.worst.high, row.worst.low))
        counted = [release.anonymity for release in self.played if release.anonymiser == name]
        known = [anonymity for anonymity in counted if anonymity is not None]
        return Standing(
            name=name,
            is_uploaded=name in self.uploaded,
            best=row.best,
            worst=row.worst,
            looks=len(row.hits),
            chance=row.chance,
            safety=Safety(*safety),
            preliminary=preliminary,
            anonymity=worst(known) if known else None,
            points=points.anonymiser_points(row.worst.value / draw.guesses, preliminary),
            evaded=points.evaded_attackers(row, draw),
            usefulness=useful,
            elsewhere=self.elsewhere(name),
            takes_part=takes_part,
            misses=missed,
        )


def _hits(counts: Ints, draw: Draw, level: float) -> Estimate:
    return hits(int(counts[0]), draw, level=level) if len(counts) == 1 else over_rounds(counts, draw, level=level)


def _mean(values: Sequence[float] | Any, measure: str, level: float) -> Estimate:
    n, mean = len(values), float(np.mean(values))
    reach = float(distributions.t.ppf((1 + level) / 2, n - 1) * np.std(values, ddof=1) / np.sqrt(n))
    return Estimate(measure, mean, mean - reach, mean + reach, level, "Student over rounds", n)


def _share(value: float, of: int, measure: str, level: float) -> Estimate:
    """The share of so many people told rightly."""
    ends = clopper_pearson(value * of, of, (1 - level) / 2)
    return Estimate.around(measure, value, ends, level, "Clopper-Pearson over people asked", of)


def _shared_parts(rounds: Sequence[Mapping[str, float]]) -> list[str]:
    """What every round has."""
    return [name for name in rounds[0] if all(name in values for values in rounds)] if rounds else []


def _over(rounds: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The mean over rounds of what every round has."""
    return {name: float(np.mean([values[name] for values in rounds])) for name in _shared_parts(rounds)}


def _guessing(draw: Draw, attackers: int) -> Guessing:
    mean, most = best_of_random_law(draw, attackers)
    return Guessing(draw.population, draw.members, draw.guesses, draw.expectation, attackers, mean, most)


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
        return contest.draw_sample(self.population, self.plan.sample, self.plan.seed, self.label(name), number)

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
    keep: bool = False,
    **steering: Unpack[Steering],
) -> ContestResult:
    """Play every round of the plan.

    Parameters
    ----------
    tables
        The real table is the base of the population. Where the plan's source is ``people`` the loaded synthetic table
        takes part as ``uploaded``.
    releases
        Releases made elsewhere, by name; each was made of the sample that this plan deals to that name.
    keep
        Whether releases are kept, for the bundle.

    Raises
    ------
    DesignError
        The population cannot be made, or nothing takes part.
    """
    with single_thread():  # more threads would change the last bits of sums with the number of cores
        uploaded = dict(releases or {})
        if plan.source == PEOPLE and tables.synthetic is not None:
            uploaded[UPLOADED] = tables.synthetic
        names = list(dict.fromkeys([*uploaded, *plan.anonymisers]))
        if not names:
            raise DesignError.phrase("Nothing takes part in the contest; name an anonymiser or give a release.")
        if plan.rounds > 1 and uploaded:
            raise DesignError.phrase(
                "A release that was given is one release, so it cannot be run in several rounds; run 1."
            )
        for spelled in plan.anonymisers:
            registry.check_ready(registry.parse("generators", spelled))
        stages.say(phrase("Making the population"))
        population = plan.people(tables)
        holdout = None if plan.source == PEOPLE else tables.holdout
        asked = tree_questions(tables.real.schema)
        arena = _Arena(plan, population, holdout, uploaded, asked, keep)
        rows = len(population)
        for attacker, anonymiser, named in plan.own:
            if max(named) >= rows:
                raise DesignError.phrase(
                    "{attacker} names a row for {anonymiser!r} beyond the population's {rows:,}; rows count from 0.",
                    attacker=attacker,
                    anonymiser=anonymiser,
                    rows=rows,
                )
        units = [(CONTROL, 0)] * plan.control + [(name, number) for number in range(plan.rounds) for name in names]
        pool = Pool.open(len(units), **steering)
        played = list(pool.map(phrase("Releases and attacks"), _play, arena, units))
    control = played.pop(0) if plan.control else None
    return Matrix(plan, population, tuple(played), tuple(uploaded), arena.questions, control).result(keep=keep)


# --------------------------------------------------------------------------------------------------------------
# Units of work


def _play(arena: _Arena, units: Sequence[tuple[str, int]]) -> list[PlayedRelease]:
    return [_play_release(arena, name, number) for name, number in units]


def _play_release(arena: _Arena, name: str, number: int) -> PlayedRelease:
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
        return PlayedRelease(name, number, is_in, {}, {}, Useful({}, {}, 0), 0, 0, (not_run(name, refusal),))
    if plan.mode == SEEK:
        game = game.seek(plan.sample)
    hits: dict[str, int] = {}
    named: dict[str, Ints] = {}
    for attacker, attack in attackers.items():
        try:
            chosen = game.name_targets(game.scores(attack, attacker), attacker)
        except DesignError as refusal:
            notes.append(not_run(name, refusal, attacker))
            continue
        hits[attacker], named[attacker] = game.hits(chosen), game.row[chosen]
    for attacker, anonymiser, rows in plan.own if number == 0 else ():
        if anonymiser == name:
            named[attacker] = np.array(rows, dtype=np.int64)
            hits[attacker] = int(np.isin(named[attacker], game.row[game.is_in]).sum())
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


def _usefulness(
    arena: _Arena, release: Table, sample: Table, is_in: Bools, name: str, number: int
) -> tuple[Useful, tuple[str, ...]]:
    """Every number of usefulness: against the sample, and against people whom no release was made from."""
    plan, labels = arena.plan, (arena.label(name), number)
    rng = stream(plan.seed, "contest", "test", *labels)
    test = arena.test(is_in, rng)
    try:
        values = points.usefulness(ComparedTables(release, sample, test, arena.questions, plan.scale))
        elsewhere = points.usefulness(ComparedTables(release, test, test, (), plan.scale), of_others=True)
        learnt = product(plan.classifiers, zip(points.LEARNT, (release, sample), strict=True))
        for spelled, (part, rows) in learnt:
            model = registry.parse("inference", spelled)
            own = stream(plan.seed, "contest", part, spelled, *labels)
            values[points.learnt_from(part, spelled)] = points.accuracy(model, rows, test, plan.secret, own)
    except DesignError as refusal:
        return Useful({}, {}, 0), (
            phrase("The usefulness of {name} is not known: {why}", name=name, why=message_of(refusal)),
        )
    return Useful(values, elsewhere, len(test)), ()


# A contest of an audit: its tables, and the files that were handed in beside them.


class Kept(Protocol):
    """What a contest needs of the audit it is played in, beside its tables."""

    @property
    def path(self) -> Path:
        """The audit's folder."""

    @property
    def revision(self) -> str:
        """The hash of files and choices."""


def run(tables: Tables, plan: ContestPlan, *, audit: Kept | None = None, **how: Any) -> ContestResult:
    """The result of a contest; handed-in releases and bundles need the ``audit`` they belong to.

    Raises
    ------
    DesignError
        There is no audit where one is needed, or a file that was handed in is gone.
    """
    if audit is not None:
        handed = HandedIn.read(audit)
        releases = {name: handed.release(name, sha256, tables.schema) for name, sha256 in plan.given}
        result = run_contest(tables, plan, releases=releases, keep=plan.bundle, **how)
        if plan.bundle:
            handed.keep_bundle(result, audit.revision)
        return result
    if plan.given or plan.bundle:
        raise DesignError.phrase(
            "A contest with releases made elsewhere reads files of its own. Ask it with the command: riskkit contest."
        )
    return run_contest(tables, plan, **how)


# What a contest will cost, from the same contest among few people and among twice as many.


def forecast_contest(tables: Tables, plan: ContestPlan, *, workers: int = 1) -> Forecast:
    """Play the plan once among few people and once among twice as many, and carry the growth on to the whole.

    A release made elsewhere is timed as a copy of its sample.

    Raises
    ------
    DesignError
        The plan cannot be played on these tables; the same sentence the run would end with.
    """
    loaded, planted = int(plan.source == PEOPLE and tables.synthetic is not None), int(plan.control)
    releases = plan.rounds * (len(plan.anonymisers) + len(plan.given) + loaded) + planted
    made = plan.anonymisers or (("identity",) if plan.given else ())
    some = replace(
        plan, own=(), given=(), preliminary=(), declared=(), condition="", bundle=False, anonymisers=spread(made)
    )
    trial = pilot(lambda rows: _small_round(tables, some, rows), _size(tables, plan))
    each = trial.whole / (len(some.anonymisers) + loaded + planted)
    numbers = {"releases": releases, "attackers": len(plan.attackers)}
    return Forecast(trial.loads + shared_seconds(each, releases, workers), numbers)


def _size(tables: Tables, plan: ContestPlan) -> int:
    """Rows of the population, as far as the files tell."""
    if plan.source == PEOPLE:
        return len(tables.real) + (0 if tables.holdout is None else len(tables.holdout))
    return plan.population


def _small_round(tables: Tables, plan: ContestPlan, rows: int) -> Callable[[], object]:
    """One round of the plan among that many people."""
    share = rows / _size(tables, plan)
    sample = min(max(round(share * plan.sample), FEWEST), rows - 1)
    small = replace(
        plan,
        population=rows if plan.source != PEOPLE else plan.population,
        sample=sample if plan.source != PEOPLE else plan.sample,
        release=round(share * plan.release),
        guesses=min(plan.guesses, rows),
        rounds=1,
    )
    cut = tables
    if plan.source == PEOPLE:
        synthetic, holdout = (None if t is None else _cut(t, share) for t in (tables.synthetic, tables.holdout))
        cut = replace(tables, real=_cut(tables.real, share), synthetic=synthetic, holdout=holdout)
    return partial(run_contest, cut, small)


def _cut(table: Table, share: float) -> Table:
    return table.rows(np.arange(min(max(math.ceil(share * len(table)), FEWEST), len(table))))
