"""The result of an audit of every record, as it is kept, read and shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np

from riskkit.core import Bools, Estimate, Table, interval
from riskkit.errors import DesignError
from riskkit.phrases import phrase
from riskkit.plain import entry, plain
from riskkit.questions.compared import Several
from riskkit.questions.records.certificate import Certificate, Telling
from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.records.releases import After
from riskkit.questions.result import Typed
from riskkit.show.for_whom import ForWhom
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
        raise DesignError(phrase("There is no row {row} in the real table, or the release is empty.", row=row))
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
    numbers: Bools = (person.numbers[0] == release.numbers[place]) | (
        np.isnan(person.numbers[0]) & np.isnan(release.numbers[place])
    )
    schema = person.schema
    held = {column.name for column, same in zip(schema.categorical, codes, strict=True) if same}
    held |= {column.name for column, same in zip(schema.numeric, numbers, strict=True) if same}
    return tuple(column.name for column in schema.modelled if column.name in held)


FIRST_LOOK, AFRESH = "first", "fresh"
"""The stages: everybody at first, then on trainings that did not choose the record."""


class Three(NamedTuple):
    """A value with its interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return interval(self.value, self.low, self.high)


class StageAuc(NamedTuple):
    """The AUC of one stage with its own variance: what is needed to judge the record by any limit."""

    auc: float
    variance: float


class Bound(NamedTuple):
    """A lower bound on epsilon, and the largest that so many trainings could show."""

    low: float
    ceiling: float


@dataclass(frozen=True, slots=True)
class Best:
    """The best attack there can be on the record: AUC, advantage, share named, chance of a proof, and its curve.

    ``after`` is its AUC after each count of releases; None of one release.
    """

    auc: Three
    advantage: Three
    tpr: Three
    proof: Three
    method: str
    curve: tuple[float, ...]
    telling: tuple[Telling, ...]
    after: tuple[After, ...] | None = field(default=None, metadata=entry(is_left_out=True))

    @classmethod
    def keep(cls, certificate: Certificate) -> Best:
        """That certificate as it is kept."""
        auc, advantage, tpr, proof = (Three(each.value, each.low, each.high) for each in certificate.estimates)
        curve = tuple(round(value, 6) for value in certificate.curve)
        method, telling = certificate.auc.method, certificate.telling
        return cls(auc, advantage, tpr, proof, method, curve, telling, certificate.after or None)

    @property
    def is_exact(self) -> bool:
        """Whether it has no error of drawn rows."""
        return self.auc.low == self.auc.high


@dataclass(frozen=True, slots=True)
class Person:
    """One record, or one person. Figures are None where the scores never differed, or that game was not played.

    ``rows`` are how many rows a person has, whose first is ``row``; None where records are counted. ``is_group`` where
    these rows were named as a group, and are nobody's; else None. ``first`` and
    ``fresh`` are what a limit needs of each stage. ``after`` is the AUC of the attack that was played after each count
    of releases, on the trainings of the first look; None of one release. ``bound`` is the AUC that
    no attack exceeds by the noise that the method adds, where that is all that is known; None elsewhere. ``by_luck`` is
    the exact chance of so high an AUC without a leak, where trainings on parts of the people were played; else None.
    ``is_listed`` is said under a limit, and not kept.
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
    best: Best | None = field(metadata=entry("certificate"))
    after: tuple[After, ...] | None = field(default=None, metadata=entry(is_left_out=True))
    is_group: bool | None = field(default=None, metadata=entry("group", is_left_out=True))
    bound: float | None = field(default=None, metadata=entry(is_left_out=True))
    by_luck: float | None = field(default=None, metadata=entry(is_left_out=True))
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
    certificates between groups. ``each`` is every estimate of each record, until the result is read back.
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
