"""Time foreseen against time taken, for every question on two tables, its process started and its engine loaded.

    python benchmarks/forecasts.py [QUESTION ...]

Each plan is foreseen as its page does it, then played by the command line in a process of its own, whose whole wall
clock counts. A forecast is good where it is within a factor of two.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from riskkit.audit import plan as membership
from riskkit.audit import startup
from riskkit.audit.attributes_forecast import forecast_attributes
from riskkit.audit.attributes_plan import AttributePlan
from riskkit.audit.contest_forecast import forecast_contest
from riskkit.audit.contest_plan import ContestPlan
from riskkit.audit.explanations_forecast import forecast_explanations
from riskkit.audit.explanations_plan import ExplanationPlan
from riskkit.audit.plan import MembershipPlan
from riskkit.audit.records_forecast import forecast as forecast_records
from riskkit.audit.records_plan import RecordsPlan
from riskkit.audit.released_plan import ReleasedPlan, forecast_released
from riskkit.table.load import Tables, read_tables

ROOT = Path(__file__).resolve().parents[1]
FILES = {
    "real": str(ROOT / "sample_data" / "real.csv"),
    "synthetic": str(ROOT / "sample_data" / "release_bayesnet.csv"),
    "holdout": str(ROOT / "sample_data" / "holdout.csv"),
}
Case = tuple[str, Any, Callable[[Tables], float]]


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
    return [(plan.question, plan, lambda _, plan=plan: foresee[plan.question](plan)) for plan in plans]


def main() -> None:
    """Print what was foreseen and what was taken."""
    tables = read_tables(*FILES.values())
    asked = sys.argv[1:]
    print("| question | foreseen, s | taken, s | foreseen over taken |")
    print("|---|---|---|---|")
    for question, plan, foresee in cases(tables):
        if asked and question not in asked:
            continue
        seconds = foresee(tables) + startup.seconds(1)
        command = shlex.split(plan.command(**FILES))
        started = time.perf_counter()
        subprocess.run([sys.executable, *command[1:], "--json"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        taken = time.perf_counter() - started
        print(f"| {question}: {plan.label} | {seconds:.1f} | {taken:.1f} | {seconds / taken:.2f} |", flush=True)


if __name__ == "__main__":
    main()
