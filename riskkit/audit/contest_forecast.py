"""What a contest will cost, from the same contest among few people and among twice as many."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace

import numpy as np

from riskkit.audit.contest import run_contest
from riskkit.audit.contest_plan import PEOPLE, UPLOADED, ContestPlan
from riskkit.core import Table
from riskkit.table.load import Tables

PILOT = 600
"""Rows of the population of the smaller trial; the other one has twice as many."""
FEWEST = 20
"""Rows of a sample in a trial: trees and classes need some people."""


@dataclass(frozen=True, slots=True)
class ContestForecast:
    """``seconds`` a plan will take, for so many ``releases`` shown to so many ``attackers``."""

    seconds: float
    releases: int
    attackers: int


def forecast_contest(tables: Tables, plan: ContestPlan, *, workers: int = 1) -> ContestForecast:
    """Play the plan once among few people and once among twice as many, and carry the growth on to the whole.

    Work grows at least as the number of people and at most as its square, since every row may be compared with every
    other one.

    Raises
    ------
    DesignError
        The plan cannot be played on these tables; the same sentence the run would end with.
    """
    releases = plan.rounds * len({*plan.anonymisers, *([UPLOADED] if _is_uploaded(tables, plan) else [])})
    whole = _size(tables, plan)
    few, many = (_timed(tables, plan, min(rows, whole)) for rows in (PILOT, 2 * PILOT))
    power = min(max(math.log2(many / few), 1.0), 2.0) if few > 0 else 1.0
    seconds = many * max(whole / (2 * PILOT), 1.0) ** power * plan.rounds / min(max(workers, 1), max(releases, 1))
    return ContestForecast(seconds, releases, len(plan.attackers))


def _is_uploaded(tables: Tables, plan: ContestPlan) -> bool:
    return plan.source == PEOPLE and tables.synthetic is not None


def _size(tables: Tables, plan: ContestPlan) -> int:
    """Rows of the population, as far as the files tell."""
    if plan.source == PEOPLE:
        return len(tables.real) + (0 if tables.holdout is None else len(tables.holdout))
    return plan.population


def _timed(tables: Tables, plan: ContestPlan, rows: int) -> float:
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
