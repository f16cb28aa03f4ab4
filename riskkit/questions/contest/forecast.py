"""What a contest will cost, from the same contest among few people and among twice as many."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace

import numpy as np

from riskkit.core import Table
from riskkit.questions.contest.plan import PEOPLE, ContestPlan
from riskkit.questions.contest.run import run_contest
from riskkit.questions.standard import FEWEST, SMALLEST, extrapolate, shared_seconds, spread, trial_rows
from riskkit.table.load import Tables


@dataclass(frozen=True, slots=True)
class ContestForecast:
    """``seconds`` a plan will take, for so many ``releases`` shown to so many ``attackers``."""

    seconds: float
    releases: int
    attackers: int


def forecast_contest(tables: Tables, plan: ContestPlan, *, workers: int = 1) -> ContestForecast:
    """Play the plan once among few people and once among twice as many, and carry the growth on to the whole.

    A release made elsewhere is timed as a copy of its sample.

    Raises
    ------
    DesignError
        The plan cannot be played on these tables; the same sentence the run would end with.
    """
    loaded, planted = int(plan.source == PEOPLE and tables.synthetic is not None), int(plan.control)
    releases = plan.rounds * (len(plan.anonymisers) + len(plan.given) + loaded) + planted
    made = plan.anonymisers or (("identity",) if plan.given else ())
    some = replace(
        plan, own=(), given=(), preliminary=(), declared=(), condition="", bundle=False, anonymisers=spread(made)
    )
    whole = _size(tables, plan)
    rows = trial_rows(whole)
    first = _time_round(tables, replace(some, anonymisers=made[:1]), min(SMALLEST, whole))  # loads what is loaded once
    few, many = (_time_round(tables, some, min(size, whole)) for size in (rows, 2 * rows))
    each = extrapolate(few, many, max(whole / (2 * rows), 1.0)) / (len(some.anonymisers) + loaded + planted)
    return ContestForecast(first + shared_seconds(each, releases, workers), releases, len(plan.attackers))


def _size(tables: Tables, plan: ContestPlan) -> int:
    """Rows of the population, as far as the files tell."""
    if plan.source == PEOPLE:
        return len(tables.real) + (0 if tables.holdout is None else len(tables.holdout))
    return plan.population


def _time_round(tables: Tables, plan: ContestPlan, rows: int) -> float:
    """Seconds of one round of the plan among that many people."""
    share = rows / _size(tables, plan)
    sample = min(max(round(share * plan.sample), FEWEST), rows - 1)
    small = replace(
        plan,
        population=rows if plan.source != PEOPLE else plan.population,
        sample=sample if plan.source != PEOPLE else plan.sample,
        release=round(share * plan.release),
        guesses=min(plan.guesses, rows),
        rounds=1,
    )
    cut = tables
    if plan.source == PEOPLE:
        synthetic, holdout = (None if t is None else _cut(t, share) for t in (tables.synthetic, tables.holdout))
        cut = replace(tables, real=_cut(tables.real, share), synthetic=synthetic, holdout=holdout)
    started = time.perf_counter()
    run_contest(cut, small)
    return time.perf_counter() - started


def _cut(table: Table, share: float) -> Table:
    return table.rows(np.arange(min(max(math.ceil(share * len(table)), FEWEST), len(table))))
