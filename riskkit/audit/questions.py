"""The questions an audit can ask: for each its plan, how it is played, and what of its result is kept.

A run is kept with the name of its question; the worker, the store and the pages know runs only through this list.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from riskkit.audit.attributes import run_attributes
from riskkit.audit.attributes_plan import AttributePlan
from riskkit.audit.contest_plan import ContestPlan
from riskkit.audit.contest_play import play as _contest
from riskkit.audit.explanations import run_explanations
from riskkit.audit.explanations_plan import ExplanationPlan
from riskkit.audit.plan import MembershipPlan
from riskkit.audit.records import run_records
from riskkit.audit.records_plan import RecordsPlan
from riskkit.audit.released import run_released
from riskkit.audit.released_plan import ReleasedPlan
from riskkit.audit.run import MembershipResult, run_membership
from riskkit.errors import DesignError
from riskkit.plans import Plan
from riskkit.table.load import Tables


@dataclass(frozen=True, slots=True)
class Question:
    """One kind of run.

    ``play`` is called with the tables, the plan, and ``workers``, ``progress`` and ``cancelled`` as
    :func:`riskkit.audit.run.run_membership` has them; it returns what is kept as JSON. ``needs_audit`` where it is also
    called with the ``audit``, for files that lie beside the tables.
    """

    plan: type[Plan]
    play: Callable[..., dict[str, Any]]
    needs_audit: bool = False

    def played(self, audit: Any, plan: Any, **how: Any) -> dict[str, Any]:
        """What is kept of a run of that plan on the tables of an audit."""
        more = {"audit": audit} if self.needs_audit else {}
        return self.play(audit.tables(), plan, **more, **how)


def _membership(tables: Tables, plan: MembershipPlan, **how: Any) -> dict[str, Any]:
    return kept(run_membership(tables.real, plan, tables.holdout, **how))


def kept(result: MembershipResult) -> dict[str, Any]:
    """A membership result as JSON with the scores beside it, which the charts need."""
    scores = [
        {
            **finding.labels,
            "value": finding.scores.value.tolist(),
            "is_in": finding.scores.is_in.tolist(),
            "training": finding.scores.training.tolist(),
        }
        for finding in result.findings
    ]
    return {**result.as_dict(), "scores": scores}


def _released(tables: Tables, plan: ReleasedPlan, **how: Any) -> dict[str, Any]:
    return run_released(tables, plan, **how).kept()


def _attributes(tables: Tables, plan: AttributePlan, **how: Any) -> dict[str, Any]:
    return run_attributes(tables, plan, **how).kept()


def _explanations(tables: Tables, plan: ExplanationPlan, **how: Any) -> dict[str, Any]:
    return run_explanations(tables, plan, **how).kept()


def _records(tables: Tables, plan: RecordsPlan, **how: Any) -> dict[str, Any]:
    return run_records(tables, plan, **how).kept()


QUESTIONS: Mapping[str, Question] = {
    MembershipPlan.question: Question(MembershipPlan, _membership),
    RecordsPlan.question: Question(RecordsPlan, _records),
    ReleasedPlan.question: Question(ReleasedPlan, _released),
    AttributePlan.question: Question(AttributePlan, _attributes),
    ContestPlan.question: Question(ContestPlan, _contest, needs_audit=True),
    ExplanationPlan.question: Question(ExplanationPlan, _explanations),
}


def question(name: str) -> Question:
    """The question of that name.

    Raises
    ------
    DesignError
        This version does not know it.
    """
    if name not in QUESTIONS:
        raise DesignError(f"This version of riskkit knows no question {name!r}; it knows {', '.join(QUESTIONS)}.")
    return QUESTIONS[name]
