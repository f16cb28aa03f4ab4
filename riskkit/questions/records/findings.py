"""What an audit of many records found, read back from what was kept: a person for each record, and the count of all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from riskkit.core import Bools, Estimate, Floats, Ints
from riskkit.language import again
from riskkit.questions.records.releases import After, Growth, growth
from riskkit.show.estimates import estimate
from riskkit.show.unit import PERSON
from riskkit.stats import campaign
from riskkit.stats.campaign import Achieved
from riskkit.stats.multiplicity import benjamini_hochberg

GUESS = 0.5
"""What guessing reaches."""
FRESH = "fresh"
"""The stage of numbers from trainings that did not choose the record."""


class Three(NamedTuple):
    """A value with its interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.2f} [{self.low:.2f}, {self.high:.2f}]"


@dataclass(frozen=True, slots=True)
class Told:
    """A set of columns that exposes the record; see :class:`riskkit.questions.records.certificate.Telling`."""

    columns: tuple[str, ...]
    above: int
    both: int
    is_proof: bool
    seen: float
    part: float
    own: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Best:
    """The best attack there can be on the record: AUC, advantage, share named, chance of a proof, and its curve.

    ``after`` is its AUC after each count of releases, where there are several.
    """

    auc: Three
    advantage: Three
    tpr: Three
    proof: Three
    method: str
    curve: tuple[float, ...]
    telling: tuple[Told, ...]
    after: tuple[After, ...] = ()

    @property
    def is_exact(self) -> bool:
        """Whether it has no error of drawn rows."""
        return self.auc.low == self.auc.high


@dataclass(frozen=True, slots=True, eq=False)
class Person:
    """One record, or one person. Figures are None where the scores never differed, or that game was not played.

    ``rows`` are how many rows a person has, whose first is ``row``; 0 where records are counted. ``after`` is the AUC
    of the attack that was played after each count of releases; empty of one.
    """

    row: int
    outlierness: float
    copies: int
    is_drawn: bool
    is_fresh: bool
    n: int
    auc: Three | None
    advantage: Three | None
    tpr: Three | None
    epsilon: tuple[float, float]
    curve: tuple[float, ...]
    is_listed: bool
    first_auc: Three | None
    traditional: Three | None
    best: Best | None
    rows: int = 0
    after: tuple[After, ...] = ()

    def is_above(self, limit: float) -> bool:
        """Whether its estimate lies above the limit."""
        return self.auc is not None and self.auc.value > limit

    def is_missed(self, limit: float) -> bool:
        """Whether the game of resampled tables puts it at the limit or below, this one above."""
        return self.is_above(limit) and self.traditional is not None and self.traditional.value <= limit

    def could_be(self, limit: float) -> bool:
        """Whether the best attack lies above the limit, though nobody showed it."""
        return not self.is_listed and self.best is not None and self.best.auc.value > limit


@dataclass(frozen=True, eq=False)
class Risks:
    """What was achieved on every record, so that any limit can be judged: the one place where records are counted.

    ``first`` is the first look at everyone, ``fresh`` that on fresh trainings of the records at ``again``. Where
    ``screened`` is a limit, the first look only chose those not shown to be below it, and nobody else can be listed.
    """

    first: Achieved
    fresh: Achieved | None
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


def risks(result: Mapping[str, Any]) -> Risks:
    """What was kept for judging."""
    records, settings, sides = result["records"], result["settings"], result["sides"]
    again = np.flatnonzero([one["fresh"] is not None for one in records])
    return Risks(
        _achieved([one["first"] for one in records], sides["first"]),
        _achieved([records[at]["fresh"] for at in again], sides["fresh"]) if len(again) else None,
        again,
        float(settings["screen_limit"]) if settings.get("screen") else None,
        sum(bool(one["drawn"]) for one in records),
        int(result["total"]),
        float(settings.get("level", 0.95)),
    )


def _achieved(kept: Sequence[Sequence[float] | None], sides: Sequence[int]) -> Achieved:
    pairs = [(0.5, 0.0) if one is None else (float(one[0]), float(one[1])) for one in kept]
    auc, variance = (np.array(part, dtype=np.float64) for part in zip(*pairs, strict=True)) if pairs else ((), ())
    return Achieved(
        np.asarray(auc), np.asarray(variance), int(sides[0]), int(sides[1]), np.array([one is not None for one in kept])
    )


@dataclass(frozen=True, slots=True, eq=False)
class Finding:
    """A whole result as one limit shows it. ``people`` are in the order played; ``total`` rows stand in the real table.

    ``limit`` is the one that people set, ``is_set``, or else guessing.
    """

    people: tuple[Person, ...]
    total: int
    limit: float
    is_set: bool
    risks: Risks
    fpr: float
    fpr_grid: tuple[float, ...]
    certificate_grid: tuple[float, ...]
    estimates: tuple[Estimate, ...]
    settings: Mapping[str, Any]
    notes: tuple[str, ...]

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
        return self.settings.get("unit") == PERSON

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
        return ceiling(best, float(self.settings.get("level", 0.95))) if len(best) == len(self.people) else None

    @property
    def growth(self) -> tuple[Growth, ...]:
        """What several releases come to, over everybody with a certificate; empty of one release."""
        return growth([person.best.after for person in self.people if person.best is not None], self.limit)

    @property
    def played_growth(self) -> tuple[Growth, ...]:
        """What the attack that was played comes to after several releases, over everybody; empty of one release."""
        return growth([person.after for person in self.people if person.after], self.limit)

    def estimate(self, name: str, limit: float | None = None) -> Estimate | None:
        """The estimate of that name; one that speaks of a limit at that limit."""
        for found in self.estimates:
            if found.name == name and (limit is None or float(found.labels.get("limit", "nan")) == limit):
                return found
        return None

    def limits(self) -> tuple[float, ...]:
        """The limits above which people were counted."""
        return tuple(float(found.labels["limit"]) for found in self.estimates if found.name == "records_above")

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
    return max((min(one.value + by * (one.high - one.value), 1.0) for one in best), default=None)


def read(result: Mapping[str, Any], limit: float | None = None) -> Finding:
    """A kept result as a finding under that limit; without one, under guessing."""
    settings, achieved = result["settings"], risks(result)
    bar = GUESS if limit is None else limit
    listed = achieved.listed(bar).tolist() if len(result["records"]) else []
    return Finding(
        people=tuple(_person(one, is_listed) for one, is_listed in zip(result["records"], listed, strict=True)),
        total=int(result["total"]),
        limit=bar,
        is_set=limit is not None,
        risks=achieved,
        fpr=float(settings["fpr"]),
        fpr_grid=tuple(result["fpr_grid"]),
        certificate_grid=tuple(result.get("certificate_grid", ())),
        estimates=tuple(estimate(one) for one in result["estimates"]),
        settings=settings,
        notes=tuple(map(again, result["notes"])),
    )


def _person(kept: Mapping[str, Any], is_listed: bool) -> Person:
    best = kept["certificate"]
    return Person(
        row=int(kept["row"]),
        outlierness=float(kept["outlierness"]),
        copies=int(kept.get("copies", 0)),
        is_drawn=bool(kept["drawn"]),
        is_fresh=kept["stage"] == FRESH,
        n=int(kept["n"]),
        auc=_three(kept["auc"]),
        advantage=_three(kept["advantage"]),
        tpr=_three(kept["tpr"]),
        epsilon=(float(kept["epsilon"][0]), float(kept["epsilon"][1])),
        curve=tuple(kept["curve"] or ()),
        is_listed=is_listed,
        first_auc=_three(kept["first_auc"]),
        traditional=_three(kept["traditional"]),
        best=None if best is None else _best(best),
        rows=int(kept.get("rows", 0)),
        after=after(kept),
    )


def _best(kept: Mapping[str, Any]) -> Best:
    auc, advantage, tpr, proof = (Three(*kept[name]) for name in ("auc", "advantage", "tpr", "proof"))
    telling = tuple(
        Told(
            tuple(one["columns"]), one["above"], one["both"], one["proof"], one["seen"], one["part"], one.get("own", 0)
        )
        for one in kept["telling"]
    )
    return Best(auc, advantage, tpr, proof, kept["method"], tuple(kept["curve"]), telling, after(kept))


def after(kept: Mapping[str, Any]) -> tuple[After, ...]:
    """The AUC after each count of releases, of a certificate or a record as it is kept; none of one release."""
    return tuple(After(int(one[0]), *map(float, one[1:])) for one in kept.get("after", ()))


def _three(kept: Sequence[float] | None) -> Three | None:
    return None if kept is None else Three(*kept)
