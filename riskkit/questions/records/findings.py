"""What an audit of many records found, as a limit shows it: who is listed, and the count of all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import NormalDist

import numpy as np

from riskkit.core import Bools, Estimate, Floats, Ints
from riskkit.questions.records import result as person
from riskkit.questions.records.releases import Growth, growth
from riskkit.questions.records.result import Person, RecordsResult, Three
from riskkit.stats import campaign
from riskkit.stats.campaign import CampaignAucs
from riskkit.stats.multiplicity import benjamini_hochberg

GUESS = 0.5
"""What guessing reaches."""


@dataclass(frozen=True, eq=False)
class Risks:
    """What was achieved on every record, so that any limit can be judged: the one place where records are counted.

    ``first`` is the first look at everyone, ``fresh`` that on fresh trainings of the records at ``again``. Where
    ``screened`` is a limit, the first look only chose those not shown to be below it, and nobody else can be listed.
    """

    first: CampaignAucs
    fresh: CampaignAucs | None
    again: Ints
    screened: float | None
    drawn: int
    total: int
    level: float

    def p(self, limit: float) -> Floats:
        """(m,) the chance of so high an AUC, were the true one at the limit; 1 for who was not played on."""
        if self.screened is None:
            return campaign.p_above(self.first, limit)
        p = np.ones(len(self.first))
        if self.fresh is not None:
            p[self.again] = campaign.p_above(self.fresh, limit)
        return p

    def listed(self, limit: float) -> Bools:
        """(m,) who is above the limit; at most one in twenty of the list is expected there by chance."""
        return benjamini_hochberg(self.p(limit), 1 - self.level)

    def above(self, limit: float) -> Estimate:
        """How many records of the table lie above the limit."""
        limits = np.array([limit])
        return campaign.records_above(self.first, limits, self.level, drawn=self.drawn, total=self.total)[0]

    @cached_property
    def shown(self) -> float:
        """The highest limit above which anybody is listed: the lower end that looking at everybody leaves."""
        if not self.listed(LOWEST).any():
            return LOWEST
        low, high = LOWEST, 1.0 - 1e-9
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if self.listed(middle).any() else (low, middle)
        return low

    @cached_property
    def foremost(self) -> int | None:
        """The position of the record that is listed above the highest limit; None where nobody is listed at any."""
        p = self.p(self.shown)
        return int(p.argmin()) if self.listed(self.shown).any() else None


LOWEST, HALVINGS = 0.01, 30
"""Limits between which the highest with anybody above it is looked for, and how often that is halved."""


def risks(result: RecordsResult) -> Risks:
    """What was kept for judging."""
    records, plan = result.records, result.plan
    again = np.flatnonzero([record.fresh is not None for record in records])
    first = _achieved_aucs([record.first for record in records], result.sides["first"])
    if plan.is_by_subsets:
        first = replace(first, by_luck=np.array([1.0 if each.by_luck is None else each.by_luck for each in records]))
    return Risks(
        first,
        _achieved_aucs([records[place].fresh for place in again], result.sides["fresh"]) if len(again) else None,
        again,
        plan.screen_limit if plan.screen else None,
        sum(record.is_drawn for record in records),
        result.total,
        plan.level,
    )


def _achieved_aucs(kept: Sequence[person.StageAuc | None], sides: tuple[int, int]) -> CampaignAucs:
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
    def total(self) -> int:
        """Rows, or people, of the real table."""
        return self.result.total

    @property
    def above(self) -> Estimate:
        """How many of :attr:`counted` people lie above the limit."""
        return self.risks.above(self.limit)

    @property
    def counted(self) -> int:
        """Of how many people they are: all of the table where a drawn part speaks for the rest, else those played."""
        return self.total if self.risks.drawn else len(self.people)

    @property
    def listed(self) -> tuple[Person, ...]:
        """Who is above the limit, corrected for having looked at everybody."""
        return tuple(person for person in self.people if person.is_listed)

    @property
    def counts_people(self) -> bool:
        """Whether people are counted, who may have several rows."""
        return self.result.counts_people

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
        return growth([person.best.after or () for person in self.people if person.best is not None], self.limit)

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
    """A result as a finding under that limit; without one, under guessing."""
    achieved, bar = risks(result), GUESS if limit is None else limit
    listed = achieved.listed(bar).tolist() if result.records else []
    people = (replace(record, is_listed=is_in) for record, is_in in zip(result.records, listed, strict=True))
    return RecordsFinding(result, tuple(people), bar, limit is not None, achieved)
