"""Killed at random moments: no finished unit is lost, none is done twice, and the result is the same bytes."""

import logging
import os
import re
import signal
import subprocess
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from riskkit.core import Role
from riskkit.generators.external import ALLOWED, External
from riskkit.jobs import worker as worker_module
from riskkit.jobs.runs import LIVE, Run
from riskkit.jobs.store import Audit, ColumnChoice, Store
from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.runs import plan_of, work
from riskkit.registry import spelling
from tests import two_files
from tests.faults.workers import (
    again,
    asked,
    busy,
    forked,
    kept,
    kill,
    killed_often,
    longer,
    made,
    undisturbed,
    until,
    worker,
)

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="kills processes as only POSIX systems can")

FIGURES = logging.getLogger("riskkit.faults")
"""What was measured; shown by pytest with --log-cli-level=INFO."""


@pytest.mark.usefixtures("impatient")
def test_a_few_kills_lose_nothing_and_change_no_byte(tmp_path: Path) -> None:
    plan = longer(240)
    run = asked(made(tmp_path / "killed"), plan)
    kills, wrong = killed_often(run, 4, seed=1, most=0.4)
    assert kills >= 2
    assert wrong == 0
    assert work(run.path)
    assert run.result_bytes == undisturbed(tmp_path / "peace", plan)


@pytest.mark.slow
@pytest.mark.timeout(3000)
@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(("workers", "wanted"), [(1, 100), (2, 20)])
def test_a_hundred_kills_lose_nothing_and_change_no_byte(tmp_path: Path, workers: int, wanted: int) -> None:
    """With two processes that train, the one that is killed is the one that writes; its helpers end by themselves."""
    plan = longer(10_000)
    run = asked(made(tmp_path / "killed"), plan, workers=workers)
    kills, wrong = killed_often(run, wanted, seed=7, most=0.4)
    units = len(kept(run))
    FIGURES.info("%d workers: %d kills, %d units kept by then, %d lost or changed", workers, kills, units, wrong)
    assert kills == wanted, "the run ended before all kills: make it longer"
    assert units > kills
    assert wrong == 0
    assert work(run.path)
    assert run.result_bytes == undisturbed(tmp_path / "peace", plan)


@pytest.mark.slow
def test_the_process_that_started_a_run_can_be_killed(tmp_path: Path) -> None:
    """As the page's server is: the work goes on, and ends with the same bytes."""
    audit = made(tmp_path / "killed")
    for trainings in (1000, 1200):
        server = forked(partial(start_and_stay, audit, trainings))
        until(lambda: audit.runs() != [] and plan_of(audit.runs()[0]).trainings == trainings)  # noqa: B023
        kill(server)
        run = audit.runs()[0]
        until(lambda: run.state not in LIVE, 120)  # noqa: B023
        assert run.state == "finished", run.progress
        assert run.result_bytes == undisturbed(tmp_path / f"peace {trainings}", longer(trainings))


def start_and_stay(audit: Audit, trainings: int) -> None:
    """Start a run, and be there until somebody ends this process."""
    audit.start(longer(trainings))
    time.sleep(60)


@pytest.mark.parametrize("trouble", [False, True], ids=["", "trouble"])
def test_a_cancel_is_heard_in_the_middle_of_a_unit_that_takes_long(tmp_path: Path, trouble: bool) -> None:
    """The worker ends itself, in trouble too; what it had finished is there, and the run goes on to the same bytes."""
    run = asked(made(tmp_path / "cancelled"))

    def play() -> None:
        slow_at(60)
        if trouble:
            worker_module.end_helpers = lambda: 1 / 0  # type: ignore[attr-defined, assignment, return-value]
        work(run.path)

    with busy(play) as child:
        until(lambda: len(kept(run)) >= 20)
        time.sleep(1.2)
        run.cancel()
        asked_at = time.monotonic()
        until(lambda: os.waitpid(child, os.WNOHANG) != (0, 0))
        took = time.monotonic() - asked_at
    FIGURES.info("cancelled within %.1f s in the middle of a unit of an hour", took)
    assert took < 10
    assert run.state == "cancelled"
    assert run.progress["done"] == len(kept(run)) >= 20
    again(run)
    assert work(run.path)
    assert run.result_bytes == undisturbed(tmp_path / "peace")


def test_a_unit_that_hangs_is_said_and_can_be_cancelled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Long before its worker gives it up, who looks sees since when nothing was finished, and can cancel."""
    monkeypatch.setattr(worker_module, "QUIET", 1.0)
    monkeypatch.setattr(worker_module, "BEAT", 0.2)
    monkeypatch.setattr(worker_module, "GRACE", 0.2)
    run = asked(made(tmp_path))

    def play() -> None:
        slow_at(20)
        work(run.path)

    with busy(play):
        until(lambda: "nothing finished since" in run.progress.get("stage", ""))
        assert re.search(r": histogram, .*\(nothing finished since \d\d:\d\d UTC\)$", run.progress["stage"])
        run.cancel()
        until(lambda: run.state == "cancelled", 10)
    assert run.progress["done"] == len(kept(run)) >= 18
    assert run.progress["state"] == "cancelled"


def slow_at(count: int) -> None:
    """From that training on, every training takes an hour, in this process."""
    from riskkit.generators.histogram import Histogram

    quick, done = Histogram.fit, []

    def fit(*arguments: Any) -> Any:
        done.append(1)
        if len(done) > count:
            time.sleep(3600)
        return quick(*arguments)

    Histogram.fit = fit  # type: ignore[method-assign, assignment]


def helpers(of: int, named: str = "") -> list[int]:
    """A worker and the processes that it, or one of these, has started, of those whose command holds that text."""
    listed = subprocess.run(["ps", "-A", "-ww", "-o", "pid=,ppid=,stat=,args="], capture_output=True, text=True).stdout
    rows = [line.split(maxsplit=3) for line in listed.splitlines()]
    alive = {int(row[0]): (int(row[1]), row[-1]) for row in rows if row[2][0] != "Z"}
    family, size = {of} & alive.keys(), -1
    while size < len(family):
        size = len(family)
        family |= {process for process, (parent, _) in alive.items() if parent in family}
    return sorted(process for process in family if named in alive[process][1])


def left_of(processes: Sequence[int]) -> list[int]:
    """Those of them that still work; nobody may have started another under one of their numbers so soon."""
    listed = subprocess.run(["ps", "-A", "-o", "pid=,stat="], capture_output=True, text=True).stdout
    alive = {int(row[0]) for row in map(str.split, listed.splitlines()) if row[1][0] != "Z"}
    return [process for process in processes if process in alive]


@pytest.mark.slow
def test_a_helper_that_is_killed_changes_no_byte(tmp_path: Path) -> None:
    """As the system does when memory runs out: others do its units."""
    plan = longer(6000)
    run = asked(made(tmp_path / "killed"), plan, workers=2)
    with worker(run) as child:
        for _ in range(2):
            before = len(kept(run))
            until(lambda: len(kept(run)) > before + 50)  # noqa: B023
            os.kill(helpers(child, "LokyProcess")[0], signal.SIGKILL)
        until(lambda: run.state not in LIVE, 200)
    assert run.state == "finished", run.progress
    assert run.result_bytes == undisturbed(tmp_path / "peace", plan)


def test_helpers_of_a_killed_worker_end(tmp_path: Path) -> None:
    """Processes that train side by side do not outlive the one they train for."""
    run = asked(made(tmp_path), longer(50_000), workers=2)
    with worker(run) as child:
        until(lambda: len(kept(run)) > 3)
        family = helpers(child)
        assert len(family) >= 3
    until(lambda: not left_of(family), 30)
    assert not left_of(family)


SETTLED = RecordsPlan(
    "bayesnet", "random:25", inside=30, outside=30, shadows=20, again=5, n_syn=60, certificate=True
)  # a record is a unit of work
TRAINED = RecordsPlan(
    "bootstrap", records="top:6", inside=30, outside=30, shadows=30, again=2, n_syn=120
)  # every training is one


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("plan", [SETTLED, TRAINED], ids=["settled", "trained"])
def test_a_records_run_that_is_killed_and_goes_on_ends_with_the_same_bytes(tmp_path: Path, plan: RecordsPlan) -> None:
    """Everyone's look, the fresh trainings of the highest, and certificates."""
    run = asked(made(tmp_path / "killed"), plan)
    kill_and_go_on(run, 4, fewest=2, most=0.15, pace=0.02)
    assert run.result_bytes == undisturbed(tmp_path / "peace", plan)


def kill_and_go_on(run: Run, times: int, *, fewest: int, **how: float) -> None:
    """Kill it so often, in the middle at least once, and let it go on to its end from what it had kept."""
    kills, wrong = killed_often(run, times, seed=3, **how)
    assert kills >= fewest
    assert wrong == 0
    before = len(kept(run))
    assert before > 0, "it was never killed in the middle"
    assert work(run.path)
    assert len(kept(run)) > before


def waiting(home: Path) -> Run:
    """A run of a few trainings that waits for a worker, on patients and their visits."""
    (home / "audits").mkdir(parents=True)
    two_files.tables(home)
    audit = Store(home).create("Two tables")
    for slot, name in (("real", "patients_real.csv"), ("children_real", "visits_real.csv")):
        audit.load(slot, (home / name).read_bytes(), name=name)
    audit.choose({"patient": ColumnChoice(role=Role.PERSON)})
    generator = spelling("generators", External(command=two_files.command("copies")))
    plan = RecordsPlan(generator, "ids:3", inside=8, outside=8, shadows=8, again=0, n_syn=40, second_table=True)
    return asked(audit, plan)


@pytest.mark.usefixtures("impatient")
def test_a_run_that_is_killed_and_goes_on_ends_with_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(ALLOWED, "1")
    run, peaceful = waiting(tmp_path / "killed"), waiting(tmp_path / "peace")
    kill_and_go_on(run, 2, fewest=1, most=2.0)
    assert work(peaceful.path)
    assert run.result_bytes == peaceful.result_bytes
