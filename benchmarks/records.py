"""What the game costs for one record, and for all of a table: against the obvious way, in one run.

    python benchmarks/records.py [--records 20] [--whole bayesnet histogram] [--of all random:250]

Adult, 1,000 rows by 15 columns, 500 counted releases a side and 100 of the attacker's own, all 32,767 sets of columns.
The obvious way makes every release of every record anew with common libraries: mutual information of every pair of
columns by scikit-learn, a maximum spanning tree, one pandas filter for each value of a parent, and one numpy mask for
each set of columns. Both are timed in processor time; of the obvious way a few releases are, and multiplied.
``--whole`` plays all 1,000 records of the named generators, or those that ``--of`` names, instead of carrying a sample
on: with the settings of the command line, in this one process or in ``--workers 2``. What it took and found is kept by
generator in ``benchmarks/results/records_whole.json``: seconds of the processor (those of workers too) and of the
clock, and the load of the machine.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import psutil
from sklearn.metrics import mutual_info_score
from threadpoolctl import threadpool_limits

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.records_studies import LIMIT, tables  # noqa: E402
from riskkit.jobs.pool import Progress  # noqa: E402
from riskkit.questions.records.plan import RecordsPlan  # noqa: E402
from riskkit.questions.records.play import run_records  # noqa: E402
from riskkit.questions.records.result import read  # noqa: E402
from riskkit.table.encode import bin_columns  # noqa: E402

QUICK = ("bayesnet", "histogram", "copula", "stat")
OBVIOUS = 3
"""Releases of the obvious way that are timed."""
WHOLE = ROOT / "benchmarks" / "results" / "records_whole.json"
EVERY = 50
QUANTILES = (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 1.0)


def tree(frame: pd.DataFrame) -> list[tuple[str, str | None]]:
    """The columns, each with its parent in the maximum spanning tree of mutual information."""
    names = list(frame)
    weight = {
        (a, b): mutual_info_score(frame[a], frame[b]) for index, a in enumerate(names) for b in names[index + 1 :]
    }
    inside: list[tuple[str, str | None]] = [(names[0], None)]
    outside = names[1:]
    while outside:
        pairs = [(weight.get((a, b), weight.get((b, a))), a, b) for a, _ in inside for b in outside]
        _, above, new = max(pairs)
        inside.append((new, above))
        outside.remove(new)
    return inside


def sampled(
    frame: pd.DataFrame, network: list[tuple[str, str | None]], n: int, rng: np.random.Generator
) -> pd.DataFrame:
    """A release drawn along the tree."""
    out = pd.DataFrame(index=range(n), columns=list(frame), dtype=np.int64)
    for name, above in network:
        if above is None:
            out[name] = rng.choice(frame[name].to_numpy(), n)
            continue
        for value in out[above].unique():
            held = frame.loc[frame[above] == value, name].to_numpy()
            chosen = out[above] == value
            out.loc[chosen, name] = rng.choice(held, int(chosen.sum()))
    return out


def counts(release: pd.DataFrame, record: np.ndarray) -> np.ndarray:
    """How many rows agree with the record on each set of columns, one mask a set."""
    agrees = release.to_numpy() == record
    columns = agrees.shape[1]
    out = np.empty(2**columns - 1, dtype=np.int64)
    for chosen in range(1, 2**columns):
        out[chosen - 1] = agrees[:, [bit for bit in range(columns) if chosen >> bit & 1]].all(axis=1).sum()
    return out


def obvious(plan: RecordsPlan) -> float:
    """Processor seconds of one record by the obvious way."""
    real = tables().real
    codes, _ = bin_columns(real, 10)
    frame = pd.DataFrame(codes, columns=[column.name for column in real.schema.modelled])
    rng = np.random.default_rng(0)
    started = time.process_time()
    for row in range(OBVIOUS):
        world = frame.drop(index=row)
        counts(sampled(world, tree(world), plan.n_syn, rng), codes[row])
    each = (time.process_time() - started) / OBVIOUS
    return each * (plan.inside + plan.outside + 2 * plan.shadows)


def ours(generator: str, records: int) -> tuple[float, float]:
    """Processor seconds that all records share, and those of one record: from a run of few and one of many."""
    took = []
    for count in (records // 4, records):
        plan = RecordsPlan(generator=generator, records=f"random:{count}", again=0)
        started = time.process_time()
        run_records(tables(), plan)
        took.append(time.process_time() - started)
    each = (took[1] - took[0]) / (records - records // 4)
    return max(took[0] - each * (records // 4), 0.0), each


def whole(generator: str, records: str, workers: int) -> None:
    """Play these records of the table as the command line would, and keep what it took and found."""
    before, clock, started = os.getloadavg()[0], time.perf_counter(), _processor()
    after: dict[int, float] = {}

    def tell(progress: Progress) -> None:
        """Note about every fiftieth record what all so far have taken; no ranking comes before them."""
        if progress.stage == "Every record" and progress.done >= max(after, default=0) + EVERY:
            after[progress.done] = round(_processor() - started, 1)
            print(f"{generator:<10} {progress.done:>5,}: {after[progress.done]:.0f} s of processor time", flush=True)

    result = run_records(tables(), RecordsPlan(generator=generator, records=records), workers=workers, progress=tell)
    took, wall = _processor() - started, time.perf_counter() - clock
    rows = result.plain()["records"]
    summary = {
        "records": len(rows),
        "trainings": "500 + 500 counted, 100 + 100 of the attacker; the 20 highest once more on fresh ones",
        "workers": workers,
        "processor_seconds": round(took, 1),
        "wall_seconds": round(wall, 1),
        "processor_seconds_after": after,
        "load": [round(before, 1), round(os.getloadavg()[0], 1)],
        "listed": len(read(result, LIMIT).listed),
        "leaks": len(read(result).listed),
        "auc_quantiles": dict(zip(QUANTILES, np.quantile(_auc(rows), QUANTILES).round(4).tolist(), strict=True)),
    }
    kept = json.loads(WHOLE.read_text()) if WHOLE.exists() else {}
    kept.setdefault(generator, {})[records] = summary
    WHOLE.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n")
    print(
        f"{generator:<10} {len(rows):,} records: {took:.0f} s of processor time, {wall:.0f} s passed, load "
        f"{before:.1f} to {os.getloadavg()[0]:.1f}",
        flush=True,
    )


def _processor() -> float:
    """Seconds of the processor so far, of this process and of those it has started."""
    me = psutil.Process()
    return sum(sum(each.cpu_times()[:2]) for each in (me, *me.children(recursive=True)))


def _auc(rows: list[dict[str, Any]]) -> list[float]:
    """The AUC of every record that has one."""
    return [row["auc"][0] for row in rows if row["auc"]]


def main() -> None:
    """Time both ways."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=20)
    parser.add_argument("--whole", nargs="+", choices=QUICK, default=[])
    parser.add_argument("--of", nargs="+", default=["all"], metavar="all|random:K")
    parser.add_argument("--workers", type=int, default=1)
    options = parser.parse_args()
    tables()
    run_records(tables(), RecordsPlan(records="random:2", again=0, inside=5, outside=5, shadows=2))  # compiles
    with threadpool_limits(1):
        for generator in options.whole:
            for records in options.of:
                whole(generator, records, options.workers)
        for generator in () if options.whole else QUICK:
            shared, each = ours(generator, options.records)
            print(
                f"{generator:<10} shared {shared:5.1f} s, one record {each:6.3f} s; 1,000 records "
                f"{(shared + 1000 * each) / 120:5.1f} min on two cores",
                flush=True,
            )
            if generator == "bayesnet":
                slow = obvious(RecordsPlan())
                print(f"{'':<10} the obvious way: one record {slow:,.0f} s; ratio {slow / each:,.0f}", flush=True)


if __name__ == "__main__":
    main()
