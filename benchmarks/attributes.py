"""What a sweep costs: every column as secret with three known sets, 30,000 rows by 15 columns.

Run it alone: ``python benchmarks/attributes.py [--rows N] [--workers N] [--model M ...]``. The rows are made: seven
numbers and eight categories that hang together through one hidden number. The release is the rows it was trained on,
with noise and levels drawn again. Wall and processor seconds of the whole sweep, by model, the workers' included, and
the forecast that stood before it.
With ``--spread N`` only N cells, spread over all, are played, on one core, and their processor seconds carried on to
the whole: the figure for a machine that is busy with something else.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
from joblib.externals.loky import get_reusable_executor
from threadpoolctl import threadpool_limits

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.released import NUMBERS, SIZES, people
from riskkit.core import Column, Kind, Schema, Table
from riskkit.jobs.pool import Progress
from riskkit.questions.attributes.plan import AttributePlan
from riskkit.questions.attributes.play import forecast_attributes, run_attributes
from riskkit.questions.attributes.units import findings
from riskkit.seeds import stream
from riskkit.table.load import Tables

KNOWN = ("others", ("number 0", "number 1", "level 2", "level 4"), "greedy:3")


def table(rows: int, seed: int) -> Table:
    """Made people as a table; every table has the same frozen domain."""
    made = people(rows, stream(seed, "people"))
    numbers = [
        Column(f"number {index}", Kind.NUMERIC, low=-9.0, high=9.0, sd=1.2, decimals=1) for index in range(NUMBERS)
    ]
    levels = [
        Column(f"level {index}", Kind.CATEGORICAL, levels=tuple(f"{code:02d}" for code in range(size)))
        for index, size in enumerate(SIZES)
    ]
    return Table(Schema((*numbers, *levels)), made.codes, made.numbers)


def files(rows: int) -> Tables:
    """Members, a release of them with noise, and people who were not in."""
    real, strangers, holdout = table(rows, 1), table(rows, 2), table(rows, 3)
    rng = stream(4, "noise")
    codes = real.codes.copy()
    anew = rng.random(codes.shape) < 0.2
    codes[anew] = strangers.codes[anew]
    numbers = real.numbers + 0.2 * rng.standard_normal(real.numbers.shape)
    return Tables(real, Table(real.schema, codes, numbers), holdout, real.schema, (), ())


def carry_on(tables: Tables, plan: AttributePlan, cells: int) -> None:
    """Processor seconds of some cells, and of as many as there are."""
    units = [replace(unit, detailed=False) for unit in plan.units(tables.schema)]
    deal = plan.deal(tables)
    spent = []
    with threadpool_limits(1):
        for index in np.linspace(0, len(units) - 1, cells).round().astype(int):
            start = time.process_time()
            finding = findings(deal, [units[index]], plan, len(units))[0]
            spent.append(time.process_time() - start)
            print(f"  {units[index].secret} from {finding.words}: {spent[-1]:.1f} s", flush=True)
    whole = float(np.mean(spent)) * len(units)
    print(f"{plan.sweep_model}: {whole:.0f} processor seconds for {len(units)} cells, {whole / 2:.0f} on two cores")


def main() -> None:
    """Time the sweep with each model."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=30_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--model", action="append", default=[])
    parser.add_argument("--quiet", action="store_true")
    parser.add_argument("--spread", type=int, default=0)
    options = parser.parse_args()
    tables = files(options.rows)
    for model in options.model or ["forest", "boosting", "tree:leaf=1"]:
        plan = AttributePlan(("level 0",), KNOWN, model=model, sweep=True, sweep_model=model)
        if options.spread:
            carry_on(tables, plan, options.spread)
            continue
        start = time.perf_counter()
        forecast = forecast_attributes(tables, plan, workers=options.workers)
        taken = time.perf_counter() - start
        print(
            f"{model}: {forecast.numbers['units']} units, {forecast.seconds:.0f} s foreseen (in {taken:.0f} s)",
            flush=True,
        )
        before, start = processor(), time.perf_counter()
        result = run_attributes(
            tables, plan, workers=options.workers, progress=(lambda _: None) if options.quiet else _tell
        )
        seconds, spent = time.perf_counter() - start, processor() - before
        shown = sum(cell["shown"] for cell in result.as_dict()["sweep"])
        print(
            f"{model}: {seconds:.0f} s, {spent:.0f} processor seconds with {options.workers} workers; a residual above "
            f"0 shown in {shown} cells",
            flush=True,
        )


def processor() -> float:
    """Processor seconds so far, those of workers included; they are sent home for that."""
    get_reusable_executor().shutdown(wait=True)
    own, workers = (resource.getrusage(whose) for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + workers.ru_utime + workers.ru_stime


def _tell(progress: Progress) -> None:
    print(f"\r{progress.done} of {progress.total}", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
