"""Runs that a store keeps, with the questions that they ask: the plan of one, and the work of those that wait."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from riskkit.jobs import worker
from riskkit.jobs.runs import Run
from riskkit.questions import question


def plan_of(run: Run) -> Any:
    """What that run plays: the plan of its question.

    Raises
    ------
    RiskkitError
        This version does not know the question, or a plug-in of the plan.
    """
    asked = run.request
    return question(asked["question"]).plan.from_dict(asked["plan"])


def work(folder: Path, *, alone: bool = False) -> bool:
    """:func:`riskkit.jobs.worker.work`, handed the questions that it plays."""
    return worker.work(folder, question, alone=alone)
