"""What an audit of every record found: a row for each of them, and figures over all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from riskkit.core import Bools, Estimate, Floats, Ints
from riskkit.discreet import Discreet
from riskkit.plain import plain
from riskkit.questions.records.certificate import CURVE, Certificate
from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.records.releases import After
from riskkit.show.for_whom import ForWhom
from riskkit.stats import campaign, tpr
from riskkit.stats.campaign import Achieved, Many
from riskkit.stats.epsilon import epsilon_bound, epsilon_ceiling
from riskkit.stats.intervals import Interval
from riskkit.stats.summary import AUC_METHOD, advantage_interval, auc_interval

GAME = {
    "question": "records",
    "worlds": "fixed",
    "neighbours": "with or without the record, all other rows alike",
    "random": "membership and the generator's seed",
    "attack": "queries, one line in the counts of all sets of columns",
}
"""The game, for every result. The plan says the rest."""
LIMITS: Floats = np.array([0.6, 0.7, 0.8, 0.9])
"""Risks above which records are counted, whatever limit is judged by."""
FPR_GRID: Floats = np.array([0.005, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9])
"""Where the trade-off curve of a record is shown; smaller shares than 3 in the releases without it are left out."""
ATTACK = "queries"


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
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
    def of(cls, many: Many, plan: RecordsPlan) -> Shown:
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
            tpr.tpr_interval(*arms, plan.fpr, level) if n_out * plan.fpr >= 3 else None,
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


@dataclass(frozen=True, eq=False, repr=False)
class RecordsResult(Discreet):
    """A finished plan. Arrays are (m,), in the order in which records were chosen.

    ``first`` are the scores of the first look at everyone; ``fresh`` those of the records at ``again``, from fresh
    trainings; ``traditional`` those of the other game, None where it was not played. ``copies`` counts the other rows
    that equal the record; ``total`` rows stand in the real table; ``certificates`` is what the optimal attacker could
    do, where it was asked. Where people have several rows, a record is a person, ``rows`` the first row of each,
    ``rows_each`` how many they have, ``total`` counts people, and ``unit`` says so. ``for_whom``
    compares certificates between groups. ``after`` is the AUC of the attack on each after each count of releases, on
    the trainings of the first look; empty of one release.
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
    unit: Mapping[str, Any] = field(default_factory=dict)
    for_whom: ForWhom | None = None
    after: tuple[tuple[After, ...], ...] = ()

    @cached_property
    def at_first(self) -> Shown:
        """What the first look showed."""
        return Shown.of(self.first, self.plan)

    @cached_property
    def afresh(self) -> Shown | None:
        """What the fresh trainings showed of the records at :attr:`again`."""
        return None if self.fresh is None else Shown.of(self.fresh, self.plan)

    @property
    def counted(self) -> int:
        """Of how many records :attr:`overall` counts: all of the table where a drawn part speaks for the rest."""
        return self.total if self.plan.drawn else len(self.rows)

    @cached_property
    def overall(self) -> tuple[Estimate, ...]:
        """How many records lie above each of :data:`LIMITS`, and how far the two games lie apart."""
        labels, level = {"generator": self.plan.generator, "attack": ATTACK}, self.plan.level
        found = campaign.records_above(Achieved.of(self.first), LIMITS, level, drawn=self.plan.drawn, total=self.total)
        if self.traditional is not None:
            found += campaign.compared(self.first, self.traditional, LIMITS, level)
        return tuple(estimate.labelled(**labels) for estimate in found)

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """Every estimate with its labels; ``record`` is the row number."""
        found: list[Estimate] = list(self.overall)
        for position in range(len(self.rows)):
            found += self._of(position, self.at_first, position, FIRST_LOOK)
        if self.afresh is not None:
            for at, position in enumerate(self.again.tolist()):
                found += self._of(position, self.afresh, at, AFRESH)
        if self.traditional is not None:
            shown = Shown.of(self.traditional, self.plan)
            for position in range(len(self.rows)):
                found += self._of(position, shown, position, "traditional")
        found += [estimate for one in self.certificates for estimate in one.estimates]
        return tuple(found)

    def _of(self, position: int, shown: Shown, at: int, stage: str) -> list[Estimate]:
        """The estimates of one record at one stage; none where its scores never differ."""
        if not shown.decided[at]:
            return []
        labels = {"generator": self.plan.generator, "attack": ATTACK, "record": str(self.rows[position])}
        labels["stage"] = stage
        level, n = self.plan.level, shown.trainings
        shares = "Korn-Graubard, square-and-add, by training"
        parts: list[tuple[str, Interval, str, dict[str, str]]] = []
        parts += [("auc", shown.auc, AUC_METHOD, {}), ("advantage", shown.advantage, shares, {})]
        if shown.tpr is not None:
            fpr = {"fpr": f"{self.plan.fpr:g}"}
            parts.append(("tpr_at_fpr", shown.tpr, tpr.METHOD, fpr))
        found = [
            Estimate(name, *_ends(interval, at), level, method, n, {**labels, **more})
            for name, interval, method, more in parts
        ]
        method = "Clopper-Pearson, one release a training; the high end is the ceiling"
        bound = float(shown.epsilon[at])
        return [*found, Estimate("epsilon_lower", bound, bound, shown.ceiling, level, method, n, labels)]

    def as_dict(self) -> dict[str, Any]:
        """Every estimate, settings and notes as plain values."""
        return {
            "estimates": [estimate.as_dict() for estimate in self.estimates],
            "settings": {**GAME, **self.plan.as_dict(), **self.unit},
            "notes": list(self.notes),
            "total": self.total,
            "sides": self.sides,
            "records": self.records(),
            **({} if self.for_whom is None else {"for_whom": plain(self.for_whom.without_values())}),
        }

    def kept(self) -> dict[str, Any]:
        """What pages show: figures over all records, and a row for each of them."""
        return {
            "estimates": [estimate.as_dict() for estimate in self.overall],
            "settings": {**GAME, **self.plan.as_dict(), **self.unit},
            "notes": list(self.notes),
            "total": self.total,
            "sides": self.sides,
            "fpr_grid": fpr_grid(self.first.outside.shape[1]).tolist(),
            "certificate_grid": list(CURVE),
            "records": self.records(),
            **({} if self.for_whom is None else {"for_whom": plain(self.for_whom)}),
        }

    @property
    def sides(self) -> dict[str, list[int]]:
        """Trainings with and without the record, by stage."""
        stages = {FIRST_LOOK: self.first, AFRESH: self.fresh}
        return {name: [m.inside.shape[1], m.outside.shape[1]] for name, m in stages.items() if m is not None}

    def records(self) -> list[dict[str, Any]]:
        """A row for each record that was played.

        ``first`` and ``fresh`` are the AUC of that stage with its own variance: with the numbers of trainings all that
        is needed to judge the records by any limit. Both are None where the scores never differ.
        """
        stages = {FIRST_LOOK: Achieved.of(self.first), AFRESH: None if self.fresh is None else Achieved.of(self.fresh)}
        traditional = None if self.traditional is None else Shown.of(self.traditional, self.plan)
        afresh = {position: at for at, position in enumerate(self.again.tolist())} if self.fresh is not None else {}
        certificates = {one.record: one.as_dict() for one in self.certificates}
        out = []
        for position, row in enumerate(self.rows.tolist()):
            is_fresh = position in afresh
            shown, at = (self.afresh, afresh[position]) if is_fresh else (self.at_first, position)
            assert shown is not None
            first = _three(self.at_first.auc, position) if is_fresh else None
            out.append(
                {
                    "row": row,
                    **({} if self.rows_each is None else {"rows": int(self.rows_each[position])}),
                    "outlierness": float(self.outlierness[position]),
                    "copies": int(self.copies[position]),
                    "drawn": position >= len(self.rows) - self.plan.drawn,
                    "stage": AFRESH if is_fresh else FIRST_LOOK,
                    **_row(shown, at),
                    "first": _judged(stages[FIRST_LOOK], position),
                    "fresh": _judged(stages[AFRESH], afresh.get(position)),
                    "first_auc": first,
                    "traditional": None if traditional is None else _three(traditional.auc, position),
                    "certificate": certificates.get(row),
                    **({"after": [list(one) for one in self.after[position]]} if self.after else {}),
                }
            )
        return out


FIRST_LOOK, AFRESH = "first", "fresh"


def _judged(achieved: Achieved | None, at: int | None) -> list[float] | None:
    """What a limit needs of one record at one stage."""
    if achieved is None or at is None or not achieved.decided[at]:
        return None
    return [float(achieved.auc[at]), float(achieved.variance[at])]


def _row(shown: Shown, at: int) -> dict[str, Any]:
    """The figures of one record; None for all of them where its scores never differ."""
    says = bool(shown.decided[at])
    return {
        "n": shown.trainings,
        "auc": _three(shown.auc, at) if says else None,
        "advantage": _three(shown.advantage, at) if says else None,
        "tpr": _three(shown.tpr, at) if says and shown.tpr is not None else None,
        "epsilon": [float(shown.epsilon[at]), shown.ceiling],
        "curve": shown.curve[at].tolist() if says else None,
    }


def _ends(interval: Interval, at: int) -> tuple[float, float, float]:
    value, low, high = (float(part[at]) for part in interval)
    return value, min(low, value), max(high, value)


def _three(interval: Interval, at: int) -> list[float]:
    return list(_ends(interval, at))
