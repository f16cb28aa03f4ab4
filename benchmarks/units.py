"""What keeping every unit costs: the same units in a bare loop, kept in the store, and side by side.

Run it alone: ``python benchmarks/units.py``. Units of two sizes of result: the numbers that attackers give a release,
and a whole release of 1,000 rows; units that take no time, and units of 20 ms as a quick training does. Best of three,
milliseconds a unit beyond the bare loop: of processor time of this process, and on the clock, in which every commit
waits for the disk. Then how long a page waits that asks how far a run is, and how long the disk takes for a block.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.generators import made
from riskkit.core import Table
from riskkit.jobs.leases import claim
from riskkit.jobs.ledger import Ledger
from riskkit.jobs.pool import Clock, Pool, keeping
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit, Store
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.table.read.csv_text import read_csv
from riskkit.table.write import to_csv

LIMIT = 5.0
"""Milliseconds a unit that keeping it may cost."""


def numbers(_: Table, units: Sequence[float]) -> list[Any]:
    """What a counted training gives back: five releases, two attacks, one target."""
    return [_after(unit, np.full((5, 2, 1), unit)) for unit in units]


def releases(table: Table, units: Sequence[float]) -> list[Any]:
    """What a training of the attacker's own gives back: a release of 1,000 rows."""
    return [_after(unit, replace(table)) for unit in units]


def _after(seconds: float, value: Any) -> Any:
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass
    return value


def timed(play: Callable[[], Any]) -> tuple[float, float]:
    """Seconds of processor time and on the clock, best of three."""
    best = []
    for _ in range(3):
        processor, clock = time.process_time(), time.perf_counter()
        play()
        best.append((time.process_time() - processor, time.perf_counter() - clock))
    return min(cpu for cpu, _ in best), min(wall for _, wall in best)


def kept(audit: Audit, work: Callable[..., list[Any]], table: Table, units: Sequence[float]) -> None:
    """The same units through a pool whose results are kept, in a run of its own."""
    plan = MembershipPlan(seed=int.from_bytes(os.urandom(3)))
    Run.spawn = lambda _: None  # type: ignore[method-assign]
    lease = claim(audit.start(plan).path)
    assert lease is not None
    with keeping(Ledger(lease)):
        list(Pool(1, Clock(len(units), lambda _: None), lambda: False).map("Units", work, table, units))
    lease.end("cancelled", "Measured.")


def confirmed(folder: Path) -> float:
    """Milliseconds that the disk takes to confirm one small block, the median of 50."""
    took = []
    with (folder / "block").open("wb") as file:
        for _ in range(50):
            started = time.perf_counter()
            file.write(bytes(4096))
            file.flush()
            os.fsync(file.fileno())
            took.append(time.perf_counter() - started)
    return 1000 * float(np.median(took))


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder, threadpool_limits(1):
        home = Path(folder)
        (home / "audits").mkdir()
        audit, table = Store(home).create("Measured"), made(1000)
        audit.put("real", read_csv(to_csv(table), name="real.csv"))
        print(f"the disk confirms a block in {confirmed(home):.2f} ms")
        print(f"{'result':<24} {'unit takes':>10} {'units':>6} {'processor ms':>13} {'clock ms':>9}  beyond a loop")
        worst = 0.0
        for name, work in (("numbers of attackers", numbers), ("a release of 1,000 rows", releases)):
            for seconds, count in ((0.0, 400), (0.02, 100)):
                units = [seconds] * count
                bare = timed(lambda: [work(table, [unit]) for unit in units])  # noqa: B023
                stored = timed(lambda: kept(audit, work, table, units))  # noqa: B023
                more = [1000 * (after - before) / count for before, after in zip(bare, stored, strict=True)]
                worst = max(worst, more[1])
                print(f"{name:<24} {1000 * seconds:>7.0f} ms {count:>6} {more[0]:>13.2f} {more[1]:>9.2f}")
        run = audit.runs()[0]
        _, wall = timed(lambda: [run.progress for _ in range(100)])
        print(f"a look at how far a run is: {10 * wall:.2f} ms")
        print(f"the most that keeping a unit costs: {worst:.2f} ms on the clock ({LIMIT:g} ms allowed)")


if __name__ == "__main__":
    main()
