"""A record, or a person with several rows, as a result keeps it: what was achieved, and what could be."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from riskkit.core import Bools, Table, interval
from riskkit.errors import DesignError
from riskkit.phrases import phrase
from riskkit.plain import entry
from riskkit.questions.records.certificate import Certificate, Telling
from riskkit.questions.records.releases import After
from riskkit.table.neighbours import nearest
from riskkit.table.points import points_of

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
