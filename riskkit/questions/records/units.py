"""The units of work of an audit of every record: releases that all records share, and one record's own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby

import numpy as np

from riskkit.core import Estimate, Floats, Ints
from riskkit.games import fits
from riskkit.games.records import FixedTable, OtherPeople, WordWeights, words_of
from riskkit.jobs.pool import Pool
from riskkit.phrases import phrase
from riskkit.questions.compared import Several
from riskkit.questions.origin import ReleaseOrigin
from riskkit.questions.records.certificate import CURVE, Certificate, Three
from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.records.releases import After
from riskkit.questions.records.result import (
    AFRESH,
    COMBINED,
    FIRST_LOOK,
    Bound,
    Counts,
    Person,
    RecordsResult,
    StageAuc,
)
from riskkit.show.for_whom import ForWhom
from riskkit.stats import campaign, roc, subsets
from riskkit.stats.campaign import CampaignAucs, Many
from riskkit.stats.epsilon import epsilon_bound, epsilon_ceiling
from riskkit.stats.intervals import Interval
from riskkit.stats.summary import AUC_METHOD, advantage_interval, auc_interval
from riskkit.table.agreements import Agreement, CountSums, Places, Words

# What was played against every record, and what it comes to: a row for each of them, and figures over all.

LIMITS: Floats = np.array([0.6, 0.7, 0.8, 0.9])
"""Risks above which records are counted, whatever limit is judged by."""
FPR_GRID: Floats = np.array([0.005, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9])
"""Where the trade-off curve of a record is shown; smaller shares than 3 in the releases without it are left out."""
FIXED, TRADITIONAL, AUXILIARY = "fixed", "traditional", "auxiliary"
"""The games: on this very table, among other people, and that from which an attacker learns who knows others."""
ATTACK = "queries"
"""The attack that is played on worlds of one person at a time."""


SHARES_METHOD = "Korn-Graubard, square-and-add, by training"
EPSILON_METHOD = "Clopper-Pearson, one release a training; the high end is the ceiling"


@dataclass(frozen=True, slots=True, eq=False)
class ShownCampaign:
    """What was achieved against some records, each (m,): the ``intervals`` of each number, and ``methods`` of theirs.

    ``epsilon`` are the lower bounds and ``ceiling`` the largest that so many trainings could show.
    """

    achieved: CampaignAucs
    intervals: Mapping[str, Interval]
    methods: Mapping[str, str]
    epsilon: Floats
    ceiling: float
    curve: Floats
    trainings: int

    @classmethod
    def measure(cls, many: Many, plan: RecordsPlan) -> ShownCampaign:
        """Every figure of these scores."""
        arms, level, achieved = many.arms, plan.level, CampaignAucs.measure(many)
        hits, alarms = (many.inside > 0).sum(axis=1), (many.outside > 0).sum(axis=1)
        pairs, place = np.unique(np.column_stack([hits, alarms]), axis=0, return_inverse=True)
        n_in, n_out = achieved.n_in, achieved.n_out
        bounds = [epsilon_bound(hit, n_in, alarm, n_out, level=level) for hit, alarm in pairs.tolist()]
        auc, method = auc_interval(*arms, level), AUC_METHOD
        if plan.is_by_subsets:
            auc, method = (auc[0], *subsets.ends(auc[0], achieved.fewest, level)), subsets.METHOD
            achieved = replace(achieved, by_luck=subsets.by_luck(many.inside, many.outside, plan.blocks))
        intervals = {"auc": auc, "advantage": advantage_interval(*arms, level)}
        if n_out * plan.fpr >= 3:
            intervals["tpr_at_fpr"] = roc.tpr_interval(*arms, plan.fpr, level)
        return cls(
            achieved,
            intervals,
            {"auc": method, "advantage": SHARES_METHOD, "tpr_at_fpr": roc.TPR_METHOD},
            np.array(bounds)[place.ravel()],
            epsilon_ceiling(n_in, n_out, level=level),
            campaign.curves(many, fpr_grid(n_out)),
            many.trainings,
        )

    def numbers(self, place: int) -> dict[str, Three]:
        """The numbers of one record; none where its scores never differ."""
        if not self.achieved.decided[place]:
            return {}
        return {name: _three(interval, place) for name, interval in self.intervals.items()}

    def stage(self, place: int) -> StageAuc | None:
        """What a limit needs of one record; None where its scores never differ."""
        known = self.achieved
        return StageAuc(float(known.auc[place]), float(known.variance[place])) if known.decided[place] else None


def fpr_grid(n_out: int) -> Floats:
    """The shares of false alarms at which so many releases without a record say anything."""
    grid: Floats = FPR_GRID[n_out * FPR_GRID >= 3]
    return grid


@dataclass(frozen=True, eq=False)
class Campaign:
    """A plan as it was played. Arrays are (m,), in the order in which records were chosen.

    ``first`` are the scores of the first look at everyone; ``fresh`` those of the records at ``again``, from fresh
    trainings; ``traditional`` those of the other game, None where it was not played. ``copies`` counts the other rows
    that equal the record; ``total`` rows stand in the real table; ``certificates`` is what the optimal attacker could
    do, where it was asked. Where people have several rows, a record is a person, ``rows`` the first row of each,
    ``rows_each`` how many they have, ``total`` counts people, and ``several`` says so. ``for_whom`` compares
    certificates between groups. ``after`` is the AUC of the attack on each after each count of releases, on the
    trainings of the first look; empty of one release. ``bound`` is what the noise of the method allows against anybody,
    where it was asked for and nobody has a certificate. ``attacks`` is what each attack reaches on
    everybody, where it was played on parts of the people. ``origins`` say whether the method can have made the release.
    """

    plan: RecordsPlan
    total: int
    rows: Ints
    outlierness: Floats
    copies: Ints
    first: Many
    again: Ints
    fresh: Many | None
    traditional: Many | None = None
    certificates: Sequence[Certificate] = ()
    notes: tuple[str, ...] = ()
    rows_each: Ints | None = None
    several: Several | None = None
    for_whom: ForWhom | None = None
    after: tuple[tuple[After, ...], ...] = ()
    bound: float | None = None
    attacks: tuple[Estimate, ...] = ()
    origins: tuple[ReleaseOrigin, ...] | None = None

    @property
    def attack(self) -> str:
        """What the attack is called."""
        return COMBINED if self.plan.is_by_subsets else ATTACK

    @cached_property
    def stages(self) -> Mapping[str, ShownCampaign]:
        """What each stage showed, of all records or, on fresh trainings, of those at :attr:`again`."""
        every = {FIRST_LOOK: self.first, AFRESH: self.fresh, TRADITIONAL: self.traditional}
        return {name: ShownCampaign.measure(many, self.plan) for name, many in every.items() if many is not None}

    @cached_property
    def overall(self) -> tuple[Estimate, ...]:
        """How many records lie above each of :data:`LIMITS`, and how far the two games lie apart."""
        labels, level = {"generator": self.plan.generator, "attack": self.attack}, self.plan.level
        achieved = self.stages[FIRST_LOOK].achieved
        out = campaign.records_above(achieved, LIMITS, level, drawn=self.plan.drawn, total=self.total)
        if self.traditional is not None:
            out += campaign.compare_risks(self.first, self.traditional, LIMITS, level)
        return (*(estimate.label(**labels) for estimate in out), *self.attacks)

    @property
    def each(self) -> tuple[Estimate, ...]:
        """Every estimate of each record with its labels; ``record`` is the row number."""
        out: list[Estimate] = []
        for stage, shown in self.stages.items():
            for place, row in enumerate(self.rows[self.again] if stage == AFRESH else self.rows):
                out += self._estimates(str(row), shown, place, stage)
        for certificate in self.certificates:
            out += certificate.estimates(self.plan.generator, self.plan.level)
        return tuple(out)

    def _estimates(self, row: str, shown: ShownCampaign, place: int, stage: str) -> list[Estimate]:
        """The estimates of one record at one stage; none where its scores never differ."""
        numbers, level, n = shown.numbers(place), self.plan.level, shown.trainings
        labels = {"generator": self.plan.generator, "attack": self.attack, "record": row, "stage": stage}
        more = {"tpr_at_fpr": {"fpr": f"{self.plan.fpr:g}"}}
        out = [
            Estimate(name, *three, level, shown.methods[name], n, labels | more.get(name, {}))
            for name, three in numbers.items()
        ]
        bound = float(shown.epsilon[place])
        epsilon = Estimate("epsilon_lower", bound, bound, shown.ceiling, level, EPSILON_METHOD, n, labels)
        return [*out, epsilon] if out else []

    def result(self) -> RecordsResult:
        """All that is kept, and every estimate beside it."""
        return RecordsResult(
            plan=self.plan,
            overall=self.overall,
            counts=Counts(self.several),
            notes=self.notes,
            total=self.total,
            sides=self.sides,
            fpr_grid=tuple(fpr_grid(self.first.outside.shape[1]).tolist()),
            certificate_grid=CURVE,
            records=self.records(),
            for_whom=self.for_whom,
            origins=self.origins,
            each=self.each,
        )

    @property
    def sides(self) -> dict[str, tuple[int, int]]:
        """Trainings with and without the record, by stage."""
        every = {name: shown.achieved for name, shown in self.stages.items() if name != TRADITIONAL}
        return {name: (achieved.n_in, achieved.n_out) for name, achieved in every.items()}

    def records(self) -> tuple[Person, ...]:
        """A row for each record that was played."""
        first, traditional = self.stages[FIRST_LOOK], self.stages.get(TRADITIONAL)
        places = {position: place for place, position in enumerate(self.again.tolist())}
        certificates = {certificate.record: certificate for certificate in self.certificates}
        by_luck = first.achieved.by_luck
        out = []
        for position, row in enumerate(self.rows.tolist()):
            is_fresh = position in places
            stage, place = (AFRESH, places[position]) if is_fresh else (FIRST_LOOK, position)
            shown = self.stages[stage]
            numbers = shown.numbers(place)
            out.append(
                Person(
                    row=row,
                    rows=None if self.rows_each is None else int(self.rows_each[position]),
                    outlierness=float(self.outlierness[position]),
                    copies=int(self.copies[position]),
                    is_drawn=position >= len(self.rows) - self.plan.drawn,
                    stage=stage,
                    n=shown.trainings,
                    auc=numbers.get("auc"),
                    advantage=numbers.get("advantage"),
                    tpr=numbers.get("tpr_at_fpr"),
                    epsilon=Bound(float(shown.epsilon[place]), shown.ceiling),
                    curve=tuple(shown.curve[place].tolist()) if numbers else None,
                    first=first.stage(position),
                    fresh=shown.stage(place) if is_fresh else None,
                    first_auc=_three(first.intervals["auc"], position) if is_fresh else None,
                    traditional=None if traditional is None else _three(traditional.intervals["auc"], position),
                    best=certificates.get(row),
                    after=self.after[position] if self.after else None,
                    bound=self.bound,
                    is_group=True if self.plan.together else None,
                    by_luck=None if by_luck is None else float(by_luck[position]),
                )
            )
        return tuple(out)


def _three(interval: Interval, place: int) -> Three:
    value, low, high = (float(part[place]) for part in interval)
    return Three(value, min(low, value), max(high, value))


SHADOW, FIRST, FRESH = "shadow", "first", "fresh"

Sides = tuple[tuple[Words, ...], tuple[Words, ...]]
"""The words of releases with the record, and of those without it."""
Shelf = Mapping[tuple[str, str], Places]
"""(releases, d, n) the releases that all records share, by game and stage."""


@dataclass(frozen=True, slots=True)
class ReleaseCounts:
    """So many releases of a game and a stage: ``shared`` by all records, and each record's ``own``."""

    game: str
    stage: str
    shared: int
    own: int


@dataclass(frozen=True, slots=True)
class Release:
    """One release of one training: the shared one of that number, or the own one of the record at ``position``."""

    game: str
    stage: str
    number: int
    position: int = -1


@dataclass(frozen=True, eq=False)
class Field:
    """Everything a unit of work needs: who is asked about, and the games.

    ``people`` (m,) are all rows of each person, ``rows`` (m,) the first of them, and the agreement's records are the
    rows of one person after another's. ``ends`` are the released rows up to each count of releases but the last, after
    which the attack is played too; none of one release.
    """

    rows: Ints
    agreement: Agreement
    games: Mapping[str, FixedTable | OtherPeople]
    people: tuple[Ints, ...]
    ends: tuple[int, ...] = ()

    @property
    def at_once(self) -> int:
        """How many trainings belong side by side."""
        return fits.batch_size(self.fixed_table.deal.generator)

    @property
    def fixed_table(self) -> FixedTable:
        """The game on this very table."""
        game = self.games[FIXED]
        assert isinstance(game, FixedTable)
        return game

    def shadows(self, own: int) -> ReleaseCounts:
        """What the attacker learns from."""
        return ReleaseCounts(AUXILIARY if AUXILIARY in self.games else FIXED, SHADOW, own, own)

    @cached_property
    def _starts(self) -> Ints:
        """(m + 1,) where each person's rows begin among the records of the agreement, and where the last one's end."""
        return np.cumsum([0, *map(len, self.people)])

    def records(self, position: int) -> tuple[int, int]:
        """The first record of the agreement that is asked about at that position, and how many there are."""
        return int(self._starts[position]), len(self.people[position])

    def groups(self, position: int) -> tuple[tuple[int, ...], ...]:
        """The columns that are looked at together, for each row that is asked about at that position."""
        return self.agreement.groups * self.records(position)[1]

    def own(self, game: str, position: int, stage: str, numbers: Sequence[int]) -> tuple[Words, ...]:
        """The words of own releases of one record, or of one person."""
        first, rows = self.records(position)
        releases = self.games[game].own(self.people[position], stage, numbers)
        return words_of(self.agreement, first, releases, rows)

    def release_words(self, position: int, places: Places) -> tuple[Words, ...]:
        """The words that shared releases have for one record, or for one person."""
        first, rows = self.records(position)
        return tuple(words for block in range(first, first + rows) for words in self.agreement.words(block, places))


def shared_places(field: Field, units: Sequence[Release]) -> list[Places]:
    """The releases of these numbers as places."""
    made = [
        release for (game, stage, _), numbers in _runs(units) for release in field.games[game].shared(stage, numbers)
    ]
    return [field.agreement.places(release) for release in made]


def own(field: Field, units: Sequence[Release]) -> list[tuple[Words, ...]]:
    """For each release of one record the words of its rows."""
    return [
        words
        for (game, stage, position), numbers in _runs(units)
        for words in zip(*field.own(game, position, stage, numbers), strict=True)
    ]


def _runs(units: Sequence[Release]) -> Iterator[tuple[tuple[str, str, int], list[int]]]:
    """The numbers of releases that differ in nothing else and follow one another, with what they share."""
    for same, run in groupby(units, key=lambda unit: (unit.game, unit.stage, unit.position)):
        yield same, [unit.number for unit in run]


def whole(
    field: Field, positions: Sequence[int], shelf: Shelf, shadows: ReleaseCounts, asks: Sequence[ReleaseCounts]
) -> list[tuple[Floats, ...]]:
    """For each record what :func:`judge_scores` says, its own releases made here."""
    return [
        judge_scores(
            field,
            position,
            shelf,
            {ask: field.own(ask.game, position, ask.stage, range(ask.own)) for ask in (shadows, *asks)},
            shadows,
            asks,
        )
        for position in positions
    ]


def judge_scores(
    field: Field,
    position: int,
    shelf: Shelf,
    own_words: Mapping[ReleaseCounts, tuple[Words, ...]],
    shadows: ReleaseCounts,
    asks: Sequence[ReleaseCounts],
) -> tuple[Floats, ...]:
    """The scores of the releases with the record and of those without it, for each ask in turn.

    The attacker learns from the shadows first; nothing that is counted is among them. Of several releases two arrays
    stand behind the first look's: (counts, trainings) scores of one who sees fewer of them, and learnt from as many.
    """

    def both(ask: ReleaseCounts) -> Sides:
        """The words of the releases with the record, and of those without it."""
        of_all, of_one = field.release_words(position, shelf[ask.game, ask.stage]), own_words[ask]
        return (of_all, of_one) if ask.game == FIXED else (of_one, of_all)

    def learn(learnt: Sides) -> WordWeights:
        return WordWeights.learn(*(CountSums.count(words, field.groups(position)) for words in learnt))

    learnt, counted = both(shadows), [both(ask) for ask in asks]
    line = learn(learnt)
    scores = [line.scores(words) for pair in counted for words in pair]
    if field.ends and asks and asks[0].stage != FRESH:
        fewer = []
        for end in field.ends:
            line = learn(_first(learnt, end))
            fewer.append([line.scores(words) for words in _first(counted[0], end)])
        scores += [np.array(side) for side in zip(*fewer, strict=True)]
    return tuple(scores)


def _first(sides: Sides, rows: int) -> Sides:
    """The words of so many rows of every release, the first, on either side."""
    inside, outside = (tuple(np.ascontiguousarray(group[:, :rows]) for group in words) for words in sides)
    return inside, outside


def play(
    field: Field,
    pool: Pool,
    positions: Sequence[int],
    shelf: dict[tuple[str, str], Places],
    shadows: ReleaseCounts,
    asks: Sequence[ReleaseCounts],
    stage: str,
) -> list[tuple[Floats, ...]]:
    """What :func:`judge_scores` says of each of these records; what all share is put on the shelf if it is not there.

    Where a training is quick a record is a unit of work; else every training is one, and is there again after an
    interruption.
    """
    every, is_quick = (shadows, *asks), field.fixed_table.settled is not None
    missing = [ask for ask in every if (ask.game, ask.stage) not in shelf]
    units = [Release(ask.game, ask.stage, number) for ask in missing for number in range(ask.shared)]
    step = phrase("Releases that all records share")
    made = iter(shared_places(field, units)) if is_quick else pool.map(step, shared_places, field, units)
    shelf |= {(ask.game, ask.stage): np.stack([next(made) for _ in range(ask.shared)]) for ask in missing}
    if is_quick:
        return list(pool.map(stage, whole, field, list(positions), shelf, shadows, asks))
    units = [
        Release(ask.game, ask.stage, number, position)
        for position in positions
        for ask in every
        for number in range(ask.own)
    ]
    words = pool.map(stage, own, field, units)
    scores = []
    for position in positions:
        own_words = {
            ask: tuple(map(np.stack, zip(*(next(words) for _ in range(ask.own)), strict=True))) for ask in every
        }
        scores.append(judge_scores(field, position, shelf, own_words, shadows, asks))
    for _ in words:  # lets the pool tidy up
        pass
    return scores


def units_of(field: Field, records: int, every: Sequence[ReleaseCounts], new: Sequence[ReleaseCounts]) -> int:
    """How many units of work :func:`play` comes to, which puts the ``new`` ones on the shelf."""
    if field.fixed_table.settled is not None:
        return records
    return sum(ask.shared for ask in new) + records * sum(ask.own for ask in every)
