"""What a question that sets members beside others will take: played on few rows, on twice as many, and carried on."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from riskkit.core import Table
from riskkit.plans import Plan
from riskkit.seeds import stream
from riskkit.table.load import Tables

PILOT = 500
"""Rows of each table in the first of the two pilots."""


@dataclass(frozen=True, slots=True)
class BesideForecast:
    """``seconds`` for the workers that were given, and how many are asked about on either side at most."""

    seconds: float
    n_in: int
    n_out: int


def forecast(run: Callable[..., Any], tables: Tables, plan: Any, *, workers: int = 1) -> BesideForecast:
    """How long ``run`` takes with that plan.

    Raises
    ------
    DesignError
        The plan cannot be played on these tables; the same sentence the run would end with.
    """
    most = int(plan.max_rows)
    n_in, n_out = (0 if table is None else min(len(table), most) for table in (tables.real, tables.holdout))
    run(_cut(tables, plan, PILOT // 5), plan)  # refuses what the run would refuse; loads and compiles what it needs
    small, large = (_timed(run, _cut(tables, plan, rows), plan) for rows in (PILOT, 2 * PILOT))
    size = max([n_in, n_out, *(len(table) for table in (tables.synthetic,) if table is not None)])
    growth = min(max(math.log2(max(large, 1e-6) / max(small, 1e-6)), 0.5), 2.0)
    whole = large * max(size / (2 * PILOT), 1.0) ** growth
    return BesideForecast(whole / max(workers, 1), n_in, n_out)


def forecaster(run: Callable[..., Any]) -> Callable[..., BesideForecast]:
    """:func:`forecast` of that question."""
    return partial(forecast, run)


def _timed(run: Callable[..., Any], tables: Tables, plan: Plan) -> float:
    start = time.perf_counter()
    run(tables, plan)
    return time.perf_counter() - start


def _cut(tables: Tables, plan: Any, most: int) -> Tables:
    """The same with at most so many rows each, drawn at random."""

    def some(table: Table | None) -> Table | None:
        if table is None or len(table) <= most:
            return table
        return table.rows(np.sort(stream(plan.seed, "beside", "pilot").permutation(len(table))[:most]))

    real = some(tables.real)
    assert real is not None
    return replace(tables, real=real, synthetic=some(tables.synthetic), holdout=some(tables.holdout), in_both=None)
