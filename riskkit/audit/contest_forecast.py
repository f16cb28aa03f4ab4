"""What a contest will cost, from the same contest among few people and among twice as many."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace

import numpy as np

from riskkit.audit.contest import run_contest
from riskkit.audit.contest_plan import PEOPLE, ContestPlan
from riskkit.core import Table
from riskkit.table.load import Tables

PILOT, PART, SMALLEST = 600, 12, 60
"""Rows of the population of the smaller trial (the other one has twice as many): at most so many, that part of the
whole where it is small, so that the trials cost less than the run, and never fewer than the last."""
TIMED = 3
"""Anonymisers that are timed, spread over all; attackers take most of the time, so they stand for the others."""
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

    Work grows at most as the square of the number of people, since every row may be compared with every other one.
    Where it grows slower than that number, most of it is the same for any number, and the rest is carried on straight.

    Raises
    ------
    DesignError
        The plan cannot be played on these tables; the same sentence the run would end with.
    """
    releases = plan.rounds * (len(plan.anonymisers) + int(_is_uploaded(tables, plan)))
    whole = _size(tables, plan)
    rows = min(max(min(PILOT, whole // PART), SMALLEST), whole)
    given = int(_is_uploaded(tables, plan))
    some = replace(plan, anonymisers=plan.anonymisers[:: -(-len(plan.anonymisers) // TIMED) or 1])
    _timed(tables, replace(plan, anonymisers=plan.anonymisers[:1]), min(SMALLEST, whole))  # loads what is loaded once
    few, many = (_timed(tables, some, min(size, whole)) for size in (rows, 2 * rows))
    seconds = _carried_on(few, many, max(whole / (2 * rows), 1.0)) * releases / max(len(some.anonymisers) + given, 1)
    return ContestForecast(seconds / min(max(workers, 1), max(releases, 1)), releases, len(plan.attackers))


def _carried_on(few: float, many: float, times: float) -> float:
    """Seconds at ``times`` the size of the larger trial; the smaller one has half of its size."""
    power = math.log2(many / few) if few > 0 and many > few else 0.0
    if power >= 1:
        return float(many * times ** min(power, 2.0))
    return many + 2 * max(many - few, 0.0) * (times - 1)


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
