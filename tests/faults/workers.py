"""Real workers for the tests of faults: processes that play a run, without the seconds a new Python takes to start."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import sqlalchemy as sa
from joblib.externals.loky import reusable_executor

from riskkit.jobs import database as tables
from riskkit.jobs.database import database, units
from riskkit.jobs.ledger import LedgerPage
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit, Store
from riskkit.plans import Plan
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.runs import work
from riskkit.table.read.csv_text import read_csv
from riskkit.table.write import to_csv
from tests.tables import mixed

Result = TypeVar("Result")
PLAN = MembershipPlan(
    generators=("histogram",), targets=("random",), attacks=("neighbour:own=2",), trainings=200, n_syn=50
)


def made(home: Path, rows: int = 120) -> Audit:
    """An audit with one small real table."""
    (home / "audits").mkdir(parents=True, exist_ok=True)
    audit = Store(home).create("Faulty")
    audit.put("real", read_csv(to_csv(mixed(rows)), name="real.csv"))
    return audit


def asked(audit: Audit, plan: Plan = PLAN, *, workers: int = 1) -> Run:
    """A run that waits for a worker; nobody was started for it."""
    before, Run.spawn = Run.spawn, lambda self: None  # type: ignore[method-assign]
    try:
        return audit.start(plan, workers=workers)
    finally:
        Run.spawn = before  # type: ignore[method-assign]


def again(run: Run) -> None:
    """Have a run wait for a worker once more, as soon as its last one counts as dead."""
    before, Run.spawn = Run.spawn, lambda self: None  # type: ignore[method-assign]
    try:
        run.resume(run.workers)
    finally:
        Run.spawn = before  # type: ignore[method-assign]


def at_once(many: int, ask: Callable[[], Result]) -> list[Result]:
    """What so many threads are answered that all ask in the same moment."""
    all_here = threading.Barrier(many)

    def wait_and_ask(_: int) -> Result:
        all_here.wait(timeout=30)
        return ask()

    with ThreadPoolExecutor(many) as pool:
        return list(pool.map(wait_and_ask, range(many)))


def forked(play: Callable[[], object]) -> int:
    """The id of a process that does that and ends."""
    child = os.fork()
    if child:
        return child
    try:
        tables._engine.cache_clear()  # connections are not shared between processes
        reusable_executor._executor = None  # nor are the helpers of the tests: a worker that ends would end them
        os.setsid()
        play()
    finally:
        os._exit(0)


@contextmanager
def worker(run: Run) -> Iterator[int]:
    """The id of a process that plays the run; killed when the block is left."""
    with busy(lambda: work(run.path)) as child:
        yield child


@contextmanager
def busy(play: Callable[[], object]) -> Iterator[int]:
    """The id of a process that does that; killed when the block is left."""
    child = forked(play)
    try:
        yield child
    finally:
        kill(child)


def kill(child: int) -> None:
    """End a process as a power cut would."""
    try:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    except (ProcessLookupError, ChildProcessError):
        return


def kept(run: Run) -> dict[tuple[int, int], tuple[int, bytes]]:
    """Every committed unit: by map and number, the row it is in and its hash."""
    with database(run.path.parents[3]).read() as connection:
        rows = connection.execute(sa.select(units.c.call, units.c.unit, sa.text("rowid"), units.c.sha))
        return {(row[0], row[1]): (row[2], row[3]) for row in rows}


def killed_often(run: Run, kills: int, seed: int, most: float, pace: float = 0.003) -> tuple[int, int]:
    """Kill the worker of that run so often, at moments drawn anew; how many kills and units lost or changed.

    The moment is up to ``most`` seconds after it was started, and every second time after three more units. A unit
    takes ``pace`` seconds at least, so that no machine is so fast that the run ends before all kills.
    """
    rng = np.random.default_rng(seed)

    def play() -> None:
        quick = LedgerPage.keep

        def keep(page: LedgerPage, results: Mapping[int, Any]) -> Mapping[int, Any]:
            time.sleep(pace * len(results))
            return quick(page, results)

        LedgerPage.keep = keep  # type: ignore[method-assign, assignment]
        work(run.path)

    known: dict[tuple[int, int], tuple[int, bytes]] = {}
    done = wrong = 0
    for number in range(kills):
        with busy(play):
            if number % 2:
                until(lambda: len(kept(run)) >= len(known) + 3 or run.state == "finished")  # noqa: B023
            time.sleep(rng.uniform(0.0, most))
        now = kept(run)
        wrong += sum(now.get(unit) != row for unit, row in known.items())
        known = now
        if run.state == "finished":
            break
        done += 1
        again(run)
    return done, wrong


def undisturbed(home: Path, plan: Plan = PLAN) -> bytes:
    """The result of the same plan on the same table, played in peace."""
    run = asked(made(home), plan)
    assert work(run.path), run.progress
    return run.result_bytes


def until(what: Callable[[], bool], within: float = 60.0) -> None:
    """Wait for that to be so."""
    end = time.monotonic() + within
    while not what():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)


def longer(trainings: int) -> MembershipPlan:
    """The same plan with so many trainings."""
    return replace(PLAN, trainings=trainings)
