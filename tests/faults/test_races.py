"""Several at once: pages that press Run, workers that want the same run, writers that want the same row."""

import os
from contextlib import ExitStack
from pathlib import Path

import pytest
import sqlalchemy as sa

from riskkit.errors import StoreError
from riskkit.jobs.database import database, events, runs
from riskkit.jobs.leases import claim
from riskkit.jobs.ledger import Ledger
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit
from riskkit.questions.runs import work
from tests.faults.workers import PLAN, asked, busy, kept, longer, made, undisturbed, until
from tests.pages.runs import changed

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="starts processes as only POSIX systems can")


def counted(home: Path, text: str) -> int:
    """How often a line stands in the logs."""
    with database(home).read() as connection:
        return connection.scalar(sa.select(sa.func.count()).where(events.c.text.startswith(text))) or 0


def test_pages_in_different_processes_start_one_run(tmp_path: Path) -> None:
    audit, gate = made(tmp_path), tmp_path / "gate"

    def press() -> None:
        spawned = tmp_path / f"spawned-{os.getpid()}"
        Run.spawn = lambda self: spawned.touch()  # type: ignore[method-assign]
        until(gate.exists)
        Audit(audit.path).start(PLAN)
        (tmp_path / f"pressed-{os.getpid()}").touch()

    with ExitStack() as stack:
        for _ in range(6):
            stack.enter_context(busy(press))
        gate.touch()
        until(lambda: len(list(tmp_path.glob("pressed-*"))) == 6)
    assert len(list(tmp_path.glob("spawned-*"))) == 1
    assert len(audit.runs()) == 1
    assert counted(tmp_path, "Started by") == 1


def test_two_workers_at_the_same_run_do_no_unit_twice(tmp_path: Path) -> None:
    """Both are started; the one that comes too late goes away, and the bytes are those of one."""
    run = asked(made(tmp_path / "two"), longer(300))
    with busy(lambda: work(run.path)), busy(lambda: work(run.path)):
        until(lambda: run.state == "finished")
    assert counted(tmp_path / "two", "A worker has begun.") == 1
    assert run.result_bytes == undisturbed(tmp_path / "peace", longer(300))


def races(home: Path, rounds: int, racers: int) -> tuple[int, int, int]:
    """So many races of workers for one run: claims won, units written, units written by one who had lost."""
    run, gate = asked(made(home)), home / "gate"
    gate.mkdir()

    def race(name: str) -> None:
        for number in range(rounds):
            (gate / f"{number}-{name}-ready").touch()
            until(lambda: len(list(gate.glob(f"{number}-*-ready"))) == racers)  # noqa: B023
            lease = claim(run.path)
            if lease is not None:
                with database(home).write() as connection:
                    connection.execute(runs.update().values(state="interrupted"))  # so that others may take it at once
            try:
                if lease is not None:
                    Ledger(lease).page(f"race {number}", "w", rounds).keep({number: name})
                    (gate / f"{number}-{name}-kept").touch()
            except StoreError:
                (gate / f"{number}-{name}-lost").touch()
            (gate / f"{number}-{name}-done").touch()
            until(lambda: len(list(gate.glob(f"{number}-*-done"))) == racers)  # noqa: B023

    with ExitStack() as stack:
        for name in range(racers):
            stack.enter_context(busy(lambda name=name: race(str(name))))  # type: ignore[misc]
        until(lambda: len(list(gate.glob(f"{rounds - 1}-*-done"))) == racers, 60 + rounds)
    names = [path.name for path in gate.iterdir()]
    won = sum(name.endswith(("-kept", "-lost")) for name in names)
    return won, len(kept(run)), sum(name.endswith("-kept") for name in names)


@pytest.mark.parametrize("rounds", [20, pytest.param(1000, marks=pytest.mark.slow)])
def test_of_workers_that_race_only_holders_of_the_lease_write(tmp_path: Path, rounds: int) -> None:
    won, written, reported = races(tmp_path, rounds=rounds, racers=2)
    assert won >= rounds
    assert written == reported <= rounds


def test_a_cancel_and_a_worker_that_begins_agree(tmp_path: Path) -> None:
    audit = made(tmp_path)
    for seed in range(20):
        run = asked(audit, longer(10 + seed))
        with busy(run.cancel):
            lease = claim(run.path)
            until(lambda: run.is_cancelled)  # noqa: B023
        if lease is None:
            assert run.state == "cancelled"
        else:
            assert lease.is_to_stop()
            assert lease.beat(None) is True
            changed(run, state="cancelled")
