"""The units of work of an audit of every record: releases that all records share, and one record's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby

import numpy as np

from riskkit.core import Bools, Estimate, Floats, Ints
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
from riskkit.stats.campaign import Many
from riskkit.stats.epsilon import epsilon_bound, epsilon_ceiling
from riskkit.stats.intervals import Interval
from riskkit.stats.summary import AUC_METHOD, advantage_interval, auc_interval
from riskkit.table.agreements import Agreement, CountSums, Places, Words

# What was played against every record, and what it comes to: a row for each of them, and figures over all.

LIMITS: Floats = np.array([0.6, 0.7, 0.8, 0.9])
"""Risks above which records are counted, whatever limit is judged by."""
FPR_GRID: Floats = np.array([0.005, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9])
"""Where the trade-off curve of a record is shown; smaller shares than 3 in the releases without it are left out."""
ATTACK = "queries"
"""The attack that is played on worlds of one person at a time."""


@dataclass(frozen=True, slots=True, eq=False)
class ShownCampaign:
    """What was achieved against some records, each (m,): ``auc``, ``advantage`` and ``tpr`` with their intervals.

    ``epsilon`` are the lower bounds and ``ceiling`` the largest that so many trainings could show.
    """

    auc: Interval
    advantage: Interval
    tpr: Interval | None
    epsilon: Floats
    ceiling: float
    curve: Floats
    decided: Bools
    trainings: int

    @classmethod
    def measure(cls, many: Many, plan: RecordsPlan) -> ShownCampaign:
        """Every figure of these scores."""
        arms, level = many.arms, plan.level
        n_in, n_out = many.inside.shape[1], many.outside.shape[1]
        hits, alarms = (many.inside > 0).sum(axis=1), (many.outside > 0).sum(axis=1)
        bounds = {
            pair: epsilon_bound(pair[0], n_in, pair[1], n_out, level=level)
            for pair in set(zip(hits.tolist(), alarms.tolist(), strict=True))
        }
        auc = auc_interval(*arms, level)
        if plan.is_by_subsets:
            auc = (auc[0], *subsets.ends(auc[0], min(n_in, n_out), level))
        return cls(
            auc,
            advantage_interval(*arms, level),
            roc.tpr_interval(*arms, plan.fpr, level) if n_out * plan.fpr >= 3 else None,
            np.array([bounds[pair] for pair in zip(hits.tolist(), alarms.tolist(), strict=True)]),
            epsilon_ceiling(n_in, n_out, level=level),
            campaign.curves(many, fpr_grid(n_out)),
            many.is_decided(),
            many.trainings,
        )


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
    def by_luck(self) -> Floats | None:
        """(m,) the exact chance of so high an AUC without a leak; None where nobody was dealt into trainings."""
        if not self.plan.is_by_subsets:
            return None
        return subsets.by_luck(self.first.inside, self.first.outside, self.plan.blocks)

    @cached_property
    def first_look(self) -> ShownCampaign:
        """What the first look showed."""
        return ShownCampaign.measure(self.first, self.plan)

    @cached_property
    def afresh(self) -> ShownCampaign | None:
        """What the fresh trainings showed of the records at :attr:`again`."""
        return None if self.fresh is None else ShownCampaign.measure(self.fresh, self.plan)

    @cached_property
    def overall(self) -> tuple[Estimate, ...]:
        """How many records lie above each of :data:`LIMITS`, and how far the two games lie apart."""
        labels, level = {"generator": self.plan.generator, "attack": self.attack}, self.plan.level
        achieved = replace(campaign.CampaignAucs.measure(self.first), by_luck=self.by_luck)
        out = campaign.records_above(achieved, LIMITS, level, drawn=self.plan.drawn, total=self.total)
        if self.traditional is not None:
            out += campaign.compare_risks(self.first, self.traditional, LIMITS, level)
        return (*(estimate.label(**labels) for estimate in out), *self.attacks)

    @property
    def each(self) -> tuple[Estimate, ...]:
        """Every estimate of each record with its labels; ``record`` is the row number."""
        out: list[Estimate] = []
        for position in range(len(self.rows)):
            out += self._estimates(position, self.first_look, position, FIRST_LOOK)
        if self.afresh is not None:
            for place, position in enumerate(self.again.tolist()):
                out += self._estimates(position, self.afresh, place, AFRESH)
        if self.traditional is not None:
            shown = ShownCampaign.measure(self.traditional, self.plan)
            for position in range(len(self.rows)):
                out += self._estimates(position, shown, position, "traditional")
        for certificate in self.certificates:
            out += certificate.estimates(self.plan.generator, self.plan.level)
        return tuple(out)

    def _estimates(self, position: int, shown: ShownCampaign, place: int, stage: str) -> list[Estimate]:
        """The estimates of one record at one stage; none where its scores never differ."""
        if not shown.decided[place]:
            return []
        labels = {"generator": self.plan.generator, "attack": self.attack, "record": str(self.rows[position])}
        labels["stage"] = stage
        level, n = self.plan.level, shown.trainings
        shares = "Korn-Graubard, square-and-add, by training"
        parts: list[tuple[str, Interval, str, dict[str, str]]] = []
        how = subsets.METHOD if self.plan.is_by_subsets else AUC_METHOD
        parts += [("auc", shown.auc, how, {}), ("advantage", shown.advantage, shares, {})]
        if shown.tpr is not None:
            fpr = {"fpr": f"{self.plan.fpr:g}"}
            parts.append(("tpr_at_fpr", shown.tpr, roc.TPR_METHOD, fpr))
        out = [
            Estimate(name, *_three(interval, place), level, method, n, {**labels, **more})
            for name, interval, method, more in parts
        ]
        method = "Clopper-Pearson, one release a training; the high end is the ceiling"
        bound = float(shown.epsilon[place])
        return [*out, Estimate("epsilon_lower", bound, bound, shown.ceiling, level, method, n, labels)]

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
        stages = {FIRST_LOOK: self.first, AFRESH: self.fresh}
        return {name: (m.inside.shape[1], m.outside.shape[1]) for name, m in stages.items() if m is not None}

    def records(self) -> tuple[Person, ...]:
        """A row for each record that was played."""
        first, fresh = (
            None if many is None else campaign.CampaignAucs.measure(many) for many in (self.first, self.fresh)
        )
        traditional = None if self.traditional is None else ShownCampaign.measure(self.traditional, self.plan)
        places = {position: place for place, position in enumerate(self.again.tolist())} if fresh is not None else {}
        certificates = {certificate.record: certificate for certificate in self.certificates}
        out = []
        for position, row in enumerate(self.rows.tolist()):
            is_fresh = position in places
            shown, place = (self.afresh, places[position]) if is_fresh else (self.first_look, position)
            assert shown is not None
            says = bool(shown.decided[place])
            out.append(
                Person(
                    row=row,
                    rows=None if self.rows_each is None else int(self.rows_each[position]),
                    outlierness=float(self.outlierness[position]),
                    copies=int(self.copies[position]),
                    is_drawn=position >= len(self.rows) - self.plan.drawn,
                    stage=AFRESH if is_fresh else FIRST_LOOK,
                    n=shown.trainings,
                    auc=_three(shown.auc, place) if says else None,
                    advantage=_three(shown.advantage, place) if says else None,
                    tpr=_three(shown.tpr, place) if says and shown.tpr is not None else None,
                    epsilon=Bound(float(shown.epsilon[place]), shown.ceiling),
                    curve=tuple(shown.curve[place].tolist()) if says else None,
                    first=_stage_auc(first, position),
                    fresh=_stage_auc(fresh, places.get(position)),
                    first_auc=_three(self.first_look.auc, position) if is_fresh else None,
                    traditional=None if traditional is None else _three(traditional.auc, position),
                    best=certificates.get(row),
                    after=self.after[position] if self.after else None,
                    bound=self.bound,
                    is_group=True if self.plan.together else None,
                    by_luck=None if self.by_luck is None else float(self.by_luck[position]),
                )
            )
        return tuple(out)


def _stage_auc(achieved: campaign.CampaignAucs | None, place: int | None) -> StageAuc | None:
    """What a limit needs of one record at one stage; None where its scores never differ."""
    if achieved is None or place is None or not achieved.decided[place]:
        return None
    return StageAuc(float(achieved.auc[place]), float(achieved.variance[place]))


def _three(interval: Interval, place: int) -> Three:
    value, low, high = (float(part[place]) for part in interval)
    return Three(value, min(low, value), max(high, value))


FIXED, TRADITIONAL, AUXILIARY = "fixed", "traditional", "auxiliary"
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

    def words(self, ask: ReleaseCounts, position: int) -> tuple[Words, ...]:
        """The words of the own releases of one record."""
        return self.own(ask.game, position, ask.stage, range(ask.own))


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
    return [judge_scores(field, position, shelf, field.words, shadows, asks) for position in positions]


def judge_scores(
    field: Field,
    position: int,
    shelf: Shelf,
    own_words: Callable[[ReleaseCounts, int], tuple[Words, ...]],
    shadows: ReleaseCounts,
    asks: Sequence[ReleaseCounts],
) -> tuple[Floats, ...]:
    """The scores of the releases with the record and of those without it, for each ask in turn.

    The attacker learns from the shadows first; nothing that is counted is among them. Of several releases two arrays
    stand behind the first look's: (counts, trainings) scores of one who sees fewer of them, and learnt from as many.
    """

    def both(ask: ReleaseCounts) -> Sides:
        """The words of the releases with the record, and of those without it."""
        of_all, of_one = field.release_words(position, shelf[ask.game, ask.stage]), own_words(ask, position)
        return (of_all, of_one) if ask.game == FIXED else (of_one, of_all)

    learnt, counted = both(shadows), [both(ask) for ask in asks]
    line = WordWeights.learn(*(CountSums.count(words, field.groups(position)) for words in learnt))
    scores = tuple(line.scores(words) for pair in counted for words in pair)
    if not field.ends or not asks or asks[0].stage == FRESH:
        return scores
    return (*scores, *_fewer_releases(field, position, learnt, counted[0]))


def _fewer_releases(field: Field, position: int, learnt: Sides, counted: Sides) -> tuple[Floats, Floats]:
    """(counts, trainings) the scores with the record, and without, of an attacker who sees the first releases alone."""
    inside: list[Floats] = []
    outside: list[Floats] = []
    for end in field.ends:
        line = WordWeights.learn(*(CountSums.count(_first(words, end), field.groups(position)) for words in learnt))
        for out, words in zip((inside, outside), counted, strict=True):
            out.append(line.scores(_first(words, end)))
    return np.array(inside), np.array(outside)


def _first(words: tuple[Words, ...], rows: int) -> tuple[Words, ...]:
    """The words of so many rows of every release, the first."""
    return tuple(np.ascontiguousarray(group[:, :rows]) for group in words)


def fill(field: Field, pool: Pool, asks: Sequence[ReleaseCounts]) -> dict[tuple[str, str], Places]:
    """Make the releases that all records share.

    Those of a fit that is made once take so little that they are no units of their own.
    """
    units = [Release(ask.game, ask.stage, number) for ask in asks for number in range(ask.shared)]
    if field.fixed_table.settled is not None:
        made = iter(shared_places(field, units))
    else:
        made = pool.map(phrase("Releases that all records share"), shared_places, field, units)
    return {(ask.game, ask.stage): np.stack([next(made) for _ in range(ask.shared)]) for ask in asks}


def play(
    field: Field,
    pool: Pool,
    positions: Sequence[int],
    shelf: Shelf,
    shadows: ReleaseCounts,
    asks: Sequence[ReleaseCounts],
    stage: str,
) -> Iterator[tuple[Floats, ...]]:
    """What :func:`judge_scores` says of each of these records, in order.

    Where a training is quick a record is a unit of work; else every training is one, and is there again after an
    interruption.
    """
    if field.fixed_table.settled is not None:
        yield from pool.map(stage, whole, field, list(positions), shelf, shadows, asks)
        return
    every = (shadows, *asks)
    units = [
        Release(ask.game, ask.stage, number, position)
        for position in positions
        for ask in every
        for number in range(ask.own)
    ]
    made = pool.map(stage, own, field, units)
    for position in positions:
        scores = {ask: _stack([next(made) for _ in range(ask.own)]) for ask in every}
        yield judge_scores(field, position, shelf, lambda ask, _, own_scores=scores: own_scores[ask], shadows, asks)  # type: ignore[misc]
    for _ in made:  # lets the pool tidy up
        pass


def _stack(each: Sequence[tuple[Words, ...]]) -> tuple[Words, ...]:
    return tuple(np.stack(words) for words in zip(*each, strict=True))


def units_of(
    field: Field, records: int, shadows: ReleaseCounts, asks: Sequence[ReleaseCounts], *, fills: bool = True
) -> int:
    """How many units of work :func:`fill` and :func:`play` come to."""
    if field.fixed_table.settled is not None:
        return records
    shelves = sum(ask.shared for ask in (shadows, *asks)) if fills else 0
    return shelves + records * sum(ask.own for ask in (shadows, *asks))
