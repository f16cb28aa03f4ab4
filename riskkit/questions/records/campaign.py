"""What was played against every record, and what it comes to: a row for each of them, and figures over all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from riskkit.core import Bools, Estimate, Floats, Ints
from riskkit.questions.records.certificate import CURVE, Certificate
from riskkit.questions.records.person import AFRESH, FIRST_LOOK, Best, Bound, Person, StageAuc, Three
from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.records.releases import After
from riskkit.questions.records.result import Counts, RecordsResult
from riskkit.questions.unit import Several
from riskkit.show.for_whom import ForWhom
from riskkit.stats import campaign, roc
from riskkit.stats.campaign import Many
from riskkit.stats.epsilon import epsilon_bound, epsilon_ceiling
from riskkit.stats.intervals import Interval
from riskkit.stats.summary import AUC_METHOD, advantage_interval, auc_interval

LIMITS: Floats = np.array([0.6, 0.7, 0.8, 0.9])
"""Risks above which records are counted, whatever limit is judged by."""
FPR_GRID: Floats = np.array([0.005, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9])
"""Where the trade-off curve of a record is shown; smaller shares than 3 in the releases without it are left out."""
ATTACK = "queries"


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
    def of(cls, many: Many, plan: RecordsPlan) -> ShownCampaign:
        """Every figure of these scores."""
        arms, level = many.arms, plan.level
        n_in, n_out = many.inside.shape[1], many.outside.shape[1]
        hits, alarms = (many.inside > 0).sum(axis=1), (many.outside > 0).sum(axis=1)
        bounds = {
            pair: epsilon_bound(pair[0], n_in, pair[1], n_out, level=level)
            for pair in set(zip(hits.tolist(), alarms.tolist(), strict=True))
        }
        return cls(
            auc_interval(*arms, level),
            advantage_interval(*arms, level),
            roc.tpr_interval(*arms, plan.fpr, level) if n_out * plan.fpr >= 3 else None,
            np.array([bounds[pair] for pair in zip(hits.tolist(), alarms.tolist(), strict=True)]),
            epsilon_ceiling(n_in, n_out, level=level),
            campaign.curves(many, fpr_grid(n_out)),
            many.decided(),
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
    where it was asked for and nobody has a certificate.
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

    @cached_property
    def at_first(self) -> ShownCampaign:
        """What the first look showed."""
        return ShownCampaign.of(self.first, self.plan)

    @cached_property
    def afresh(self) -> ShownCampaign | None:
        """What the fresh trainings showed of the records at :attr:`again`."""
        return None if self.fresh is None else ShownCampaign.of(self.fresh, self.plan)

    @cached_property
    def overall(self) -> tuple[Estimate, ...]:
        """How many records lie above each of :data:`LIMITS`, and how far the two games lie apart."""
        labels, level = {"generator": self.plan.generator, "attack": ATTACK}, self.plan.level
        achieved = campaign.CampaignAucs.of(self.first)
        out = campaign.records_above(achieved, LIMITS, level, drawn=self.plan.drawn, total=self.total)
        if self.traditional is not None:
            out += campaign.compared(self.first, self.traditional, LIMITS, level)
        return tuple(estimate.labelled(**labels) for estimate in out)

    @property
    def each(self) -> tuple[Estimate, ...]:
        """Every estimate of each record with its labels; ``record`` is the row number."""
        out: list[Estimate] = []
        for position in range(len(self.rows)):
            out += self._of(position, self.at_first, position, FIRST_LOOK)
        if self.afresh is not None:
            for place, position in enumerate(self.again.tolist()):
                out += self._of(position, self.afresh, place, AFRESH)
        if self.traditional is not None:
            shown = ShownCampaign.of(self.traditional, self.plan)
            for position in range(len(self.rows)):
                out += self._of(position, shown, position, "traditional")
        out += [estimate for certificate in self.certificates for estimate in certificate.estimates]
        return tuple(out)

    def _of(self, position: int, shown: ShownCampaign, place: int, stage: str) -> list[Estimate]:
        """The estimates of one record at one stage; none where its scores never differ."""
        if not shown.decided[place]:
            return []
        labels = {"generator": self.plan.generator, "attack": ATTACK, "record": str(self.rows[position])}
        labels["stage"] = stage
        level, n = self.plan.level, shown.trainings
        shares = "Korn-Graubard, square-and-add, by training"
        parts: list[tuple[str, Interval, str, dict[str, str]]] = []
        parts += [("auc", shown.auc, AUC_METHOD, {}), ("advantage", shown.advantage, shares, {})]
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
            each=self.each,
        )

    @property
    def sides(self) -> dict[str, tuple[int, int]]:
        """Trainings with and without the record, by stage."""
        stages = {FIRST_LOOK: self.first, AFRESH: self.fresh}
        return {name: (m.inside.shape[1], m.outside.shape[1]) for name, m in stages.items() if m is not None}

    def records(self) -> tuple[Person, ...]:
        """A row for each record that was played."""
        first, fresh = (None if many is None else campaign.CampaignAucs.of(many) for many in (self.first, self.fresh))
        traditional = None if self.traditional is None else ShownCampaign.of(self.traditional, self.plan)
        places = {position: place for place, position in enumerate(self.again.tolist())} if fresh is not None else {}
        certificates = {certificate.record: Best.of(certificate) for certificate in self.certificates}
        out = []
        for position, row in enumerate(self.rows.tolist()):
            is_fresh = position in places
            shown, place = (self.afresh, places[position]) if is_fresh else (self.at_first, position)
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
                    first=_judged(first, position),
                    fresh=_judged(fresh, places.get(position)),
                    first_auc=_three(self.at_first.auc, position) if is_fresh else None,
                    traditional=None if traditional is None else _three(traditional.auc, position),
                    best=certificates.get(row),
                    after=self.after[position] if self.after else None,
                    bound=self.bound,
                    is_group=True if self.plan.together else None,
                )
            )
        return tuple(out)


def _judged(achieved: campaign.CampaignAucs | None, place: int | None) -> StageAuc | None:
    """What a limit needs of one record at one stage; None where its scores never differ."""
    if achieved is None or place is None or not achieved.decided[place]:
        return None
    return StageAuc(float(achieved.auc[place]), float(achieved.variance[place]))


def _three(interval: Interval, place: int) -> Three:
    value, low, high = (float(part[place]) for part in interval)
    return Three(value, min(low, value), max(high, value))
