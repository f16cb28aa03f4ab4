"""Time foreseen against time taken, for every question on two tables, its process started and its engine loaded.

    python benchmarks/forecasts.py [QUESTION ...]

Each plan is foreseen as its page does it, then played in a process of its own, as a run is; the whole clock counts from
its start to its end. A forecast is good where it is within a factor of two.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from riskkit.questions.attributes.plan import AttributePlan
from riskkit.questions.attributes.play import forecast_attributes
from riskkit.questions.contest.plan import ContestPlan
from riskkit.questions.contest.run import forecast_contest
from riskkit.questions.explanations.plan import ExplanationPlan
from riskkit.questions.explanations.play import forecast_explanations
from riskkit.questions.forecasts import loading, start_seconds
from riskkit.questions.membership import play as membership
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.records.play import forecast as forecast_records
from riskkit.questions.released.plan import ReleasedPlan, forecast_released
from riskkit.table.load import Tables, read_tables

ROOT = Path(__file__).resolve().parents[1]
FILES = {
    "real": str(ROOT / "sample_data" / "real.csv"),
    "synthetic": str(ROOT / "sample_data" / "release_bayesnet.csv"),
    "holdout": str(ROOT / "sample_data" / "holdout.csv"),
}
PLAY = """
import json, sys
from riskkit.questions import question
from riskkit.table.load import read_tables
name, plan, *files = sys.argv[1:]
asked = question(name)
asked.play(read_tables(*files), asked.plan.from_dict(json.loads(plan)))
"""
"""What a run does in its process."""

Case = tuple[str, Any, Callable[[Any], float]]


def cases(tables: Tables) -> list[Case]:
    """A quick and a longer plan of every question, and what foresees it."""
    secret = tables.schema.categorical[-1].name
    plans: list[Any] = [
        MembershipPlan(("bayesnet",), trainings=40, generations=2),
        MembershipPlan(("stat", "copula"), trainings=100, generations=5),
        ReleasedPlan(),
        ReleasedPlan(attacks=("all",)),
        RecordsPlan(generator="bayesnet", records="top:20"),
        RecordsPlan(generator="bayesnet", records="top:100", inside=200, outside=200),
        AttributePlan(secrets=(secret,)),
        AttributePlan(secrets=(secret,), sweep=True),
        ExplanationPlan(target=secret),
        ContestPlan(source="people", anonymisers=("stat", "pram:p=0.5"), attackers=("distance", "two-sided")),
    ]
    foresee: dict[str, Callable[[Any], float]] = {
        "membership": lambda plan: membership.forecast(tables.real, plan, tables.holdout).seconds,
        "released": lambda plan: forecast_released(tables, plan).seconds,
        "records": lambda plan: forecast_records(tables, plan).seconds,
        "attributes": lambda plan: forecast_attributes(tables, plan).seconds,
        "explanations": lambda plan: forecast_explanations(tables, plan).seconds,
        "contest": lambda plan: forecast_contest(tables, plan).seconds,
    }
    return [(plan.question, plan, foresee[plan.question]) for plan in plans]


def main() -> None:
    """Print what was foreseen and what was taken."""
    loading()  # before this process does anything else
    tables = read_tables(*FILES.values())
    asked = sys.argv[1:]
    print("| question | foreseen, s | taken, s | foreseen over taken |")
    print("|---|---|---|---|")
    for question, plan, foresee in cases(tables):
        if asked and question not in asked:
            continue
        seconds = foresee(plan) + start_seconds(1)
        command = [sys.executable, "-c", PLAY, question, json.dumps(plan.as_dict()), *FILES.values()]
        started = time.perf_counter()
        subprocess.run(command, cwd=ROOT, check=True)
        taken = time.perf_counter() - started
        print(f"| {question}: {plan.label} | {seconds:.1f} | {taken:.1f} | {seconds / taken:.2f} |", flush=True)


if __name__ == "__main__":
    main()
