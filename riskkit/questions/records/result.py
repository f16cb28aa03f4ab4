"""The result of an audit of every record, as it is kept, read and shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from statistics import NormalDist
from typing import Any, ClassVar, NamedTuple

import numpy as np

from riskkit.core import Bools, Estimate, Floats, Ints, Table
from riskkit.errors import DesignError
from riskkit.plain import entry, plain
from riskkit.questions.compared import Several
from riskkit.questions.origin import ReleaseOrigin
from riskkit.questions.records.certificate import Certificate, Three
from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.records.releases import GUESS, After, Growth, growth
from riskkit.questions.result import Typed
from riskkit.show.for_whom import ForWhom
from riskkit.stats import campaign
from riskkit.stats.campaign import CampaignAucs
from riskkit.stats.multiplicity import benjamini_hochberg
from riskkit.table.neighbours import nearest
from riskkit.table.points import points_of

# A record, or a person with several rows, as a result keeps it: what was achieved, and what could be.


# The rows of a release that look most like one person of the real table. They describe; they prove nothing.


@dataclass(frozen=True, slots=True)
class Near:
    """A released row: its number, its distance from the person, and the columns in which both have the same value."""

    row: int
    distance: float
    same: tuple[str, ...]


def nearest_released(real: Table, release: Table, row: int, k: int = 5) -> list[Near]:
    """The ``k`` rows of the release nearest to that row of the real table, or all where it has fewer.

    Distance is the root of squared differences of numbers, in standard deviations, plus 1 for each category that
    differs.

    Raises
    ------
    DesignError
        The release has no rows, or the real table no such row.
    """
    if not 0 <= row < len(real) or not len(release):
        raise DesignError.phrase("There is no row {row} in the real table, or the release is empty.", row=row)
    person = real.rows([row])
    query, among = points_of((person, release))
    distance, places = nearest(query, among, min(k, len(release)))
    return [
        Near(int(place), float(far), same_values(person, release, int(place)))
        for far, place in zip(distance[0], places[0], strict=True)
    ]


def same_values(person: Table, release: Table, place: int) -> tuple[str, ...]:
    """The columns in which that row of the release has the person's value; missing equals missing."""
    codes: Bools = person.codes[0] == release.codes[place]
    own, other, schema = person.numbers[0], release.numbers[place], person.schema
    numbers: Bools = (own == other) | (np.isnan(own) & np.isnan(other))
    return tuple(
        column.name
        for column in schema.modelled
        if (numbers if column.is_numeric else codes)[schema.places[column.name]]
    )


COMBINED, PLANTED_AUC = "combination", "planted_auc"
"""On parts of the people: what all attacks say together, and what is measured on the planted leak, the mean AUC of a
planted person. Its labels say how many they are, and how many of them would be listed."""
LIRA, RMIA = "combination-lira", "combination-rmia"
"""What is made of them with many trainings: each person's own two laws, and each beside all others. Membership has
attacks of these names that are something else."""
FIRST_LOOK, AFRESH = "first", "fresh"
"""The stages: everybody at first, then on trainings that did not choose the record."""


class StageAuc(NamedTuple):
    """The AUC of one stage with its own variance: what is needed to judge the record by any limit."""

    auc: float
    variance: float


class Bound(NamedTuple):
    """A lower bound on epsilon, and the largest that so many trainings could show."""

    low: float
    ceiling: float


@dataclass(frozen=True, slots=True)
class Person:
    """One record, or one person. Figures are None where the scores never differed, or that game was not played.

    ``rows`` are how many rows a person has, whose first is ``row``; None where records are counted. ``is_group`` where
    these rows were named as a group, and are nobody's; else None. ``first`` and
    ``fresh`` are what a limit needs of each stage. ``after`` is the AUC of the attack that was played after each count
    of releases, on the trainings of the first look; None of one release. ``bound`` is the AUC that
    no attack exceeds by the noise that the method adds, where that is all that is known; None elsewhere. ``by_luck`` is
    the exact chance of so high an AUC without a leak, where trainings on parts of the people were played; else None.
    ``is_listed`` is said under a limit, and not kept; ``auc`` then allows for everybody looked at, and ``alone`` is the
    interval for this record alone.
    """

    row: int
    rows: int | None = field(metadata=entry(is_left_out=True))
    outlierness: float
    copies: int
    is_drawn: bool = field(metadata=entry("drawn"))
    stage: str
    n: int
    auc: Three | None
    advantage: Three | None
    tpr: Three | None
    epsilon: Bound
    curve: tuple[float, ...] | None
    first: StageAuc | None
    fresh: StageAuc | None
    first_auc: Three | None
    traditional: Three | None
    best: Certificate | None = field(metadata=entry("certificate"))
    after: tuple[After, ...] | None = field(default=None, metadata=entry(is_left_out=True))
    is_group: bool | None = field(default=None, metadata=entry("group", is_left_out=True))
    bound: float | None = field(default=None, metadata=entry(is_left_out=True))
    by_luck: float | None = field(default=None, metadata=entry(is_left_out=True))
    alone: Three | None = field(default=None, metadata=entry(is_kept=False))
    is_listed: bool = field(default=False, metadata=entry(is_kept=False))

    @property
    def is_fresh(self) -> bool:
        """Whether its numbers are of trainings that did not choose it."""
        return self.stage == AFRESH

    def is_above(self, limit: float) -> bool:
        """Whether its estimate lies above the limit."""
        return self.auc is not None and self.auc.value > limit

    def is_missed(self, limit: float) -> bool:
        """Whether the game of resampled tables puts it at the limit or below, this one above."""
        return self.is_above(limit) and self.traditional is not None and self.traditional.value <= limit

    def could_be(self, limit: float) -> bool:
        """Whether the best attack lies above the limit, though nobody showed it."""
        return not self.is_listed and self.best is not None and self.best.auc.value > limit


@dataclass(frozen=True, slots=True)
class Counts:
    """What the plan came to on these tables: the unit where people have several rows."""

    several: Several | None = field(metadata=entry(is_spread=True))


@dataclass(frozen=True, slots=True, repr=False)
class RecordsResult(Typed):
    """A finished plan.

    ``overall`` are how many records lie above each of several limits, and how far the two games lie apart; ``total``
    rows, or people, stand in the real table. ``sides`` are the trainings with and without the record, by stage. Curves
    of ``records`` are at ``fpr_grid``, those of the best attack at ``certificate_grid``. ``for_whom`` compares
    certificates between groups. ``origins`` say whether the method can have made the release. ``each`` is every
    estimate of each record, until the result is read back.
    """

    GAME: ClassVar[Mapping[str, str]] = {
        "worlds": "fixed",
        "neighbours": "with or without the record, all other rows alike",
        "random": "membership and the generator's seed",
        "attack": "queries, one line in the counts of all sets of columns",
    }

    plan: RecordsPlan
    overall: tuple[Estimate, ...] = field(metadata=entry("estimates"))
    counts: Counts = field(metadata=entry("settings"))
    notes: tuple[str, ...]
    total: int
    sides: Mapping[str, tuple[int, int]]
    fpr_grid: tuple[float, ...]
    certificate_grid: tuple[float, ...]
    records: tuple[Person, ...]
    for_whom: ForWhom | None = field(default=None, metadata=entry(is_left_out=True))
    origins: tuple[ReleaseOrigin, ...] | None = field(default=None, metadata=entry(is_left_out=True))
    each: tuple[Estimate, ...] = field(default=(), metadata=entry(is_kept=False))

    SUBSETS: ClassVar[Mapping[str, str]] = {
        "worlds": "random parts of the people, each person in so many of the trainings",
        "neighbours": "with or without the person, all others dealt by themselves",
        "random": "who is in which training, and the generator's seed",
        "attack": "combination of the attacks on a released file, learnt from other people and other trainings",
    }
    """What is said of the game on parts of the people."""

    @property
    def game(self) -> Mapping[str, str]:
        """See :attr:`riskkit.questions.result.Typed.game`."""
        return self.SUBSETS if self.plan.is_by_subsets else self.GAME

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """Every estimate with its labels; ``record`` is the row number."""
        return (*self.overall, *self.each)

    @property
    def counted(self) -> int:
        """Of how many records :attr:`overall` counts: all of the table where a drawn part speaks for the rest."""
        return self.total if self.plan.drawn else len(self.records)

    @property
    def looks(self) -> int:
        """How many records have a number."""
        return sum(record.auc is not None for record in self.records)

    @property
    def counts_people(self) -> bool:
        """Whether people are counted, who may have several rows, or a group of rows is the one that is asked about."""
        return self.counts.several is not None

    @property
    def group(self) -> int:
        """How many rows the group has that was asked about; 0 where none was."""
        return self.counts.several.most_rows if self.plan.together and self.counts.several is not None else 0

    def as_dict(self) -> dict[str, Any]:
        """All estimates, settings, notes and records as plain values; what curves are drawn at is left to pages."""
        values = {
            name: value for name, value in super(RecordsResult, self).as_dict().items() if not name.endswith("_grid")
        }
        return {**values, "estimates": plain(self.estimates)}


# What an audit of many records found, as a limit shows it: who is listed, and the count of all.


@dataclass(frozen=True, eq=False)
class Risks:
    """What was achieved on every record, so that any limit can be judged: the one place where records are counted.

    ``first`` is the first look at everyone, ``fresh`` that on fresh trainings of the records at ``again``. Where the
    plan has a screen, the first look only chose those not shown to be below it, and nobody else can be listed.
    """

    result: RecordsResult
    first: CampaignAucs
    fresh: CampaignAucs | None
    again: Ints

    def p(self, limit: float) -> Floats:
        """(m,) the chance of so high an AUC, were the true one at the limit; 1 for who was not played on."""
        if not self.result.plan.screen:
            return campaign.p_above(self.first, limit)
        p = np.ones(len(self.first))
        if self.fresh is not None:
            p[self.again] = campaign.p_above(self.fresh, limit)
        return p

    def listed(self, limit: float) -> Bools:
        """(m,) who is above the limit; at most one in twenty of the list is expected there by chance."""
        return benjamini_hochberg(self.p(limit), 1 - self.result.plan.level)

    def above(self, limit: float) -> Estimate:
        """How many records of the table lie above the limit."""
        limits, level = np.array([limit]), self.result.plan.level
        drawn = sum(record.is_drawn for record in self.result.records)
        return campaign.records_above(self.first, limits, level, drawn=drawn, total=self.result.total)[0]

    @cached_property
    def lows(self) -> Floats:
        """(m,) the highest limit above which each record is listed: the lower end that looking at everybody leaves.

        Who is listed above a limit is listed above every lower one, so everybody's own is found by halving; the highest
        of all, on which a verdict stands, is found most finely.
        """
        lows, is_highest = np.full(len(self.first), LOWEST), True
        above = self.listed(GUESS)
        open_ones = [(LOWEST, GUESS, self.listed(LOWEST) & ~above, 0), (GUESS, 1.0 - 1e-9, above, 0)]
        while open_ones:
            low, high, who, halvings = open_ones.pop()
            if not who.any():
                continue
            if halvings >= (FINELY if is_highest or low == GUESS else HALVINGS):
                lows[who], is_highest = low, False
                continue
            middle = (low + high) / 2
            above = who & self.listed(middle)
            open_ones += [(low, middle, who & ~above, halvings + 1), (middle, high, above, halvings + 1)]
        return lows


LOWEST, HALVINGS, FINELY = 0.01, 7, 30
"""The lowest limit that is looked at, and how often what lies above it is halved; of the record listed highest,
and of one listed barely above guessing."""


def risks(result: RecordsResult) -> Risks:
    """What was kept for judging."""
    records = result.records
    again = np.flatnonzero([record.fresh is not None for record in records])
    first = _achieved_aucs([record.first for record in records], result.sides["first"])
    if result.plan.is_by_subsets:
        first = replace(first, by_luck=np.array([1.0 if each.by_luck is None else each.by_luck for each in records]))
    fresh = _achieved_aucs([records[place].fresh for place in again], result.sides["fresh"]) if len(again) else None
    return Risks(result, first, fresh, again)


def _achieved_aucs(kept: Sequence[StageAuc | None], sides: tuple[int, int]) -> CampaignAucs:
    auc, variance = np.array([each or (0.5, 0.0) for each in kept], dtype=np.float64).reshape(-1, 2).T
    return CampaignAucs(auc.copy(), variance.copy(), *sides, np.array([each is not None for each in kept]))


@dataclass(frozen=True, slots=True, eq=False)
class RecordsFinding:
    """A whole result as one limit shows it. ``people`` are in the order played, with who is listed.

    ``limit`` is the one that people set, ``is_set``, or else guessing.
    """

    result: RecordsResult
    people: tuple[Person, ...]
    limit: float
    is_set: bool
    risks: Risks

    @property
    def above(self) -> Estimate:
        """How many of :attr:`RecordsResult.counted` people lie above the limit."""
        return self.risks.above(self.limit)

    @property
    def listed(self) -> tuple[Person, ...]:
        """Who is above the limit, corrected for having looked at everybody."""
        return tuple(person for person in self.people if person.is_listed)

    @property
    def has_traditional(self) -> bool:
        """Whether the game of resampled tables was played too."""
        return any(person.traditional is not None for person in self.people)

    @property
    def has_best(self) -> bool:
        """Whether there are certificates."""
        return any(person.best is not None for person in self.people)

    @property
    def ceiling(self) -> float | None:
        """The most that the best attack there can be reaches on anybody looked at; None where somebody has none."""
        best = [person.best.auc for person in self.people if person.best is not None]
        return ceiling(best, self.result.plan.level) if len(best) == len(self.people) else None

    @property
    def growth(self) -> tuple[Growth, ...]:
        """What several releases come to, over everybody with a certificate; empty of one release."""
        return growth([person.best.after for person in self.people if person.best is not None], self.limit)

    @property
    def played_growth(self) -> tuple[Growth, ...]:
        """What the attack that was played comes to after several releases, over everybody; empty of one release."""
        return growth([person.after for person in self.people if person.after], self.limit)

    def person(self, row: int) -> Person | None:
        """The record of that row number."""
        return next((person for person in self.people if person.row == row), None)

    def ranked(self) -> tuple[Person, ...]:
        """Everybody with a number, the highest estimate first."""
        known = [person for person in self.people if person.auc is not None]
        return tuple(sorted(known, key=lambda person: -(person.auc.value if person.auc else 0.0)))


def widening(level: float, looks: int) -> float:
    """How much longer an interval of that level becomes when it allows for so many looks (Bonferroni, normal law)."""
    each = 1 - (1 - level) / max(looks, 1)
    return NormalDist().inv_cdf((1 + each) / 2) / NormalDist().inv_cdf((1 + level) / 2)


def ceiling(best: Sequence[Three], level: float) -> float | None:
    """The highest upper end of these best attacks, at the level that allows for all of them; None of none."""
    by = widening(level, len(best))
    return max((min(three.value + by * (three.high - three.value), 1.0) for three in best), default=None)


def read(result: RecordsResult, limit: float | None = None) -> RecordsFinding:
    """A result as a finding under that limit; without one, under guessing.

    The interval of a record then allows for all that were looked at: it begins at the highest limit above which the
    record is listed, so that it says what the mark of those listed says, and ends where all together do (Bonferroni).
    The value is that of fresh trainings; where these lie below what the list has shown, all is of the first look.
    """
    achieved, bar = risks(result), GUESS if limit is None else limit
    if not result.records:
        return RecordsFinding(result, (), bar, limit is not None, achieved)
    by = widening(result.plan.level, result.looks)

    def allow(record: Person, low: float) -> Person:
        alone = record.auc
        if alone is None:
            return record
        if record.first_auc is not None and alone.value < low:
            first = record.first_auc
            record = replace(record, auc=first, stage=FIRST_LOOK, n=sum(result.sides[FIRST_LOOK]))
        value, least, high = record.auc or alone
        if low <= LOWEST:  # who was not played on is listed nowhere
            low = min(value - by * (value - least), GUESS)
        together = Three(value, min(low, value), min(value + by * (high - value), 1.0))
        return replace(record, auc=together, alone=alone)

    people = (
        replace(allow(record, low), is_listed=is_in)
        for record, low, is_in in zip(
            result.records, achieved.lows.tolist(), achieved.listed(bar).tolist(), strict=True
        )
    )
    return RecordsFinding(result, tuple(people), bar, limit is not None, achieved)
