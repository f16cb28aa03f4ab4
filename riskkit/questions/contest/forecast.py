"""What a contest will cost, from the same contest among few people and among twice as many."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from riskkit.core import Table
from riskkit.errors import DesignError
from riskkit.games import households
from riskkit.questions.contest.households import large, play_snake
from riskkit.questions.contest.plan import PEOPLE, ContestPlan
from riskkit.questions.contest.run import run_contest
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
    A release made elsewhere is timed as a copy of its sample.

    Raises
    ------
    DesignError
        The plan cannot be played on these tables; the same sentence the run would end with.
    """
    loaded, planted = int(_is_uploaded(tables, plan)), int(plan.control)
    releases = plan.rounds * (len(plan.anonymisers) + len(plan.given) + loaded) + planted
    made = plan.anonymisers or (("identity",) if plan.given else ())
    some = replace(
        plan, own=(), given=(), preliminary=(), declared=(), condition="", bundle=False, anonymisers=_spread(made)
    )
    whole = _size(tables, plan)
    rows = min(max(min(PILOT, whole // PART), SMALLEST), whole)
    first = _timed(tables, replace(some, anonymisers=made[:1]), min(SMALLEST, whole))  # loads what is loaded once
    few, many = (_timed(tables, some, min(size, whole)) for size in (rows, 2 * rows))
    each = _carried_on(few, many, max(whole / (2 * rows), 1.0)) / (len(some.anonymisers) + loaded + planted)
    return ContestForecast(first + _shared(each, releases, workers), releases, len(plan.attackers))


def forecast_snake(
    table: Table, household: npt.NDArray[Any], plan: ContestPlan, *, workers: int = 1
) -> ContestForecast | None:
    """The same for a contest on households; None where a part of the table holds too few of them to be timed.

    Raises
    ------
    DesignError
        The plan cannot be played on this table.
    """
    households.deal(table, household, rows=plan.sample, asked=plan.asked, least=plan.least, seed=plan.seed)
    some = replace(plan, anonymisers=_spread(plan.anonymisers))
    releases, played = len(plan.anonymisers) + plan.control, len(some.anonymisers) + plan.control
    rows = min(max(min(PILOT, len(table) // PART), SMALLEST), len(table))
    try:
        few, many = (_timed_snake(table, household, some, min(size / len(table), 1)) for size in (rows, 2 * rows))
    except DesignError:
        return None
    each = _carried_on(few, many, max(len(table) / (2 * rows), 1.0)) / played
    return ContestForecast(_shared(each, releases, workers), releases, len(plan.attackers))


def _timed_snake(table: Table, household: npt.NDArray[Any], plan: ContestPlan, share: float) -> float:
    """Seconds among that share of the households."""
    _, home = np.unique(household, return_inverse=True)
    part = np.flatnonzero(home < math.ceil(share * (home.max() + 1)))
    asked = max(min(round(share * plan.asked), large(household[part], plan.least)), 2)
    sample = max(round(share * plan.sample), FEWEST)
    small = replace(plan, asked=asked, sample=sample, release=round(share * plan.release))
    started = time.perf_counter()
    play_snake(table.rows(part), household[part], small)
    return time.perf_counter() - started


def _spread(anonymisers: tuple[str, ...]) -> tuple[str, ...]:
    """Some of them, from first to last."""
    return anonymisers[:: -(-len(anonymisers) // TIMED) or 1]


def _shared(each: float, releases: int, workers: int) -> float:
    return each * releases / min(max(workers, 1), max(releases, 1))


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
