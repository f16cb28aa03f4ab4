"""Studies of the game for many records: each part is one plan of it, its two risks are set beside each other.

Of a table that was released several times, how far the median person has come after each release stands instead.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from riskkit.core import Estimate, Table
from riskkit.jobs.pool import Progress
from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.records.play import run_records
from riskkit.questions.records.releases import GUESS, Growth
from riskkit.questions.records.result import read
from riskkit.table.load import Tables

TRADITIONAL = "traditional"


@dataclass(frozen=True, slots=True, eq=False)
class RecordRow:
    """What one record's risk is in one part of a study: ``seeded`` in that very table, ``averaged`` over others.

    Either is an AUC, None where its scores never differ or the game was not played.
    """

    part: str
    record: str
    seeded: Estimate | None
    averaged: Estimate | None
    notes: tuple[str, ...]

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """Those that there are."""
        return tuple(estimate for estimate in (self.seeded, self.averaged) if estimate is not None)

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "part": self.part,
            "record": self.record,
            "estimates": [estimate.as_dict() for estimate in self.estimates],
        }


@dataclass(frozen=True, slots=True, eq=False)
class ReleasesRow:
    """What so many releases come to in one part of a study: the best attack there can be, and the one that was played.

    ``best`` is None where nobody has a certificate. ``limit`` is what people are counted above, None where none is set.
    """

    part: str
    releases: int
    best: Growth | None
    played: Growth
    limit: float | None
    notes: tuple[str, ...]

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """The medians, between those of the people's lower and of their upper ends."""
        labels = {"part": self.part, "releases": str(self.releases)}
        each = {"certificate": self.best, "auc": self.played}
        return tuple(
            Estimate(name, growth.median, growth.low, growth.high, 0.95, "median over people", growth.people, labels)
            for name, growth in each.items()
            if growth is not None
        )

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        own = {"best": self.best, "played": self.played}
        return {
            "part": self.part,
            "releases": self.releases,
            "limit": self.limit,
            "estimates": [estimate.as_dict() for estimate in self.estimates],
            "people": {name: growth.people for name, growth in own.items() if growth is not None},
            "above": {
                name: growth.above for name, growth in own.items() if growth is not None and self.limit is not None
            },
        }


def trainings(plan: RecordsPlan) -> int:
    """How many trainings the plan comes to, for records that are named; releases that all share count once."""
    either = plan.traditional + plan.shadows
    return plan.inside + either + len(plan.named) * (plan.outside + either)


def play(
    table: Table,
    part: str,
    plan: RecordsPlan,
    holdout: Table | None,
    *,
    workers: int,
    progress: Callable[[Progress], None],
    limit: float | None = None,
) -> list[RecordRow] | list[ReleasesRow]:
    """One row a record, or where there are several releases one a count of them that was looked at.

    Raises
    ------
    DesignError
        The plan cannot be played on this table.
    """
    tables = Tables(table, None, holdout, table.schema, (), ())
    result = run_records(tables, plan, workers=workers, progress=progress)
    if plan.releases > 1:
        finding = read(result, GUESS if limit is None else limit)
        best = {growth.releases: growth for growth in finding.growth}
        return [
            ReleasesRow(part, growth.releases, best.get(growth.releases), growth, limit, result.notes)
            for growth in finding.played_growth
        ]
    aucs = {(e.labels["record"], e.labels["stage"]): e for e in result.estimates if e.name == "auc"}
    out = []
    for record in (str(person.row) for person in result.records):
        seeded = aucs.get((record, "fresh"), aucs.get((record, "first")))
        out.append(RecordRow(part, record, seeded, aucs.get((record, TRADITIONAL)), result.notes))
    return out
