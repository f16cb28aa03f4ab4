"""Studies of the game for many records: each part is one plan of it, its two risks are set beside each other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from riskkit.core import Estimate, Table
from riskkit.jobs.pool import Progress
from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.records.play import run_records
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
) -> list[RecordRow]:
    """One row a record.

    Raises
    ------
    DesignError
        The plan cannot be played on this table.
    """
    tables = Tables(table, None, holdout, table.schema, (), ())
    result = run_records(tables, plan, workers=workers, progress=progress)
    aucs = {(e.labels["record"], e.labels["stage"]): e for e in result.estimates if e.name == "auc"}
    out = []
    for record in (str(person.row) for person in result.records):
        seeded = aucs.get((record, "fresh"), aucs.get((record, "first")))
        out.append(RecordRow(part, record, seeded, aucs.get((record, TRADITIONAL)), result.notes))
    return out
