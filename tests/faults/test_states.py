"""Told to end, cancelled, or under a clock that jumps, in every state of a run: it ends as it should and goes on."""

import os
import signal
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from riskkit.audit.output_files import write
from riskkit.cli import main
from riskkit.generators.histogram import Histogram
from riskkit.jobs import retention
from riskkit.jobs.files import dump
from riskkit.jobs.leases import Lease, claim, waiting
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit, Store
from riskkit.jobs.worker import Watch
from riskkit.phrases import with_phrases
from riskkit.questions import question
from riskkit.questions.runs import work
from tests.faults.workers import again, asked, busy, killed_often, longer, made, undisturbed, until
from tests.jobs.test_every_question import PLANS, of_three

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="ends processes as only POSIX systems can")
DAY = 86_400.0
SHORT = longer(16)


# --- told to end ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("moment", ["reading", "training", "finishing"])
def test_a_worker_told_to_end_at_any_moment_leaves_a_run_that_goes_on_to_the_same_bytes(
    tmp_path: Path, moment: str
) -> None:
    """While the tables are read, between two trainings, and while the result is being written."""
    reached, run = tmp_path / "reached", asked(made(tmp_path / "told"), SHORT)

    def slowly(play: Any) -> Any:
        def played(*arguments: Any, **how: Any) -> Any:
            reached.touch()
            time.sleep(1.0)
            return play(*arguments, **how)

        return played

    def play() -> None:
        if moment == "reading":
            Audit.tables = slowly(Audit.tables)  # type: ignore[method-assign]
        elif moment == "finishing":
            Lease.finish = slowly(Lease.finish)  # type: ignore[method-assign]
        else:
            Histogram.fit = slowly(Histogram.fit)  # type: ignore[method-assign]
        work(run.path)

    with busy(play) as child:
        until(reached.exists)
        os.kill(child, signal.SIGTERM)
        until(lambda: os.waitpid(child, os.WNOHANG) != (0, 0), 15)
    assert run.state in (("finished",) if moment == "finishing" else ("interrupted",)), run.progress
    if run.state == "interrupted":
        assert run.log()[-1].endswith("Its worker was told to end.")
        again(run)
        assert work(run.path), run.progress
    assert run.result_bytes == undisturbed(tmp_path / "peace", SHORT)


# --- cancelled ------------------------------------------------------------------------------------------------------


def brought_to(run: Run, state: str) -> None:
    """Have a waiting run in that state, by what brings runs there."""
    if state == "queued":
        return
    lease = claim(run.path)
    assert lease is not None
    if state != "running":
        lease.end(state, f"It is {state}.")


@pytest.mark.parametrize("state", ["queued", "running", "paused", "interrupted", "failed"])
def test_a_run_in_any_state_is_cancelled_from_the_command_line(
    tmp_path: Path, state: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RISKKIT_HOME", str(tmp_path))
    run = asked(made(tmp_path), longer(10))
    brought_to(run, state)
    assert run.state == state
    assert main(["audits", "cancel", run.id]) == 0
    assert "asked to stop; what is done is kept" in capsys.readouterr().out
    assert run.is_cancelled
    if state == "running":  # its worker hears it with the next beat
        assert run.state == "running"
        return
    assert run.state == "cancelled"
    assert waiting(tmp_path, interrupted=True) is None, "nobody takes it up"
    again(run)
    assert work(run.path), run.progress


@pytest.mark.parametrize("state", ["finished", "cancelled"])
def test_what_has_ended_stays_as_it_is(tmp_path: Path, state: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RISKKIT_HOME", str(tmp_path))
    run = asked(made(tmp_path), longer(10))
    if state == "finished":
        assert work(run.path)
    else:
        run.cancel()
    before = run.log()
    assert main(["audits", "cancel", run.id]) == 0
    assert (run.state, run.log()) == (state, before)


# --- a clock that jumps ---------------------------------------------------------------------------------------------


@dataclass
class Clock:
    """The wall clock of this process, and by how much somebody has set it."""

    set_by: float = 0.0
    true: Any = time.time

    def time(self) -> float:
        return float(self.true()) + self.set_by


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """A clock of our own, which the rest of the machine does not notice."""
    own = Clock()
    monkeypatch.setattr(time, "time", own.time)
    return own


@pytest.mark.parametrize("jump", [DAY, -DAY], ids=["on", "back"])
def test_a_clock_that_jumps_takes_no_lease_away_and_changes_no_byte(tmp_path: Path, clock: Clock, jump: float) -> None:
    """A beat is counted by a clock that nobody can set; what a jump could do is seen right after it."""
    audit = made(tmp_path / "jump")
    run = asked(audit, SHORT)
    lease = claim(run.path)
    assert lease is not None
    with Watch(lease, run.path).beat():
        clock.set_by = jump
        assert run.state == "running", "its worker is alive, whatever the clock says"
        assert claim(run.path) is None, "and nobody else may take it"
        assert waiting(tmp_path / "jump", interrupted=True) is None
        assert audit.saved_seconds_ago >= 0
    lease.end("interrupted", "For this test.")
    again(run)
    clock.set_by = -jump
    assert work(run.path), run.progress
    assert run.result["seconds"] >= 0
    assert run.result_bytes == undisturbed(tmp_path / "peace", SHORT)
    clock.set_by = 0.0


def test_a_clock_that_was_a_day_ahead_purges_nothing_that_is_being_played(tmp_path: Path) -> None:
    """Files look old to a clock that was set on; those of a run that is being played stay."""
    audit = made(tmp_path)
    run = asked(audit, SHORT)
    lease = claim(run.path)
    assert lease is not None
    ahead = datetime.now(UTC) + timedelta(days=400)
    receipt = retention.purge(tmp_path, 30, ahead)
    assert receipt.files == ()
    assert audit.text("real") is not None
    lease.end("failed", "For this test.")
    assert retention.purge(tmp_path, 30, ahead).files != ()
    assert Store(tmp_path).audits()[0].purge_time


# --- killed in other questions --------------------------------------------------------------------------------------


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("name", ["attributes", "explanations", "contest", "released"])
def test_a_run_of_any_question_that_is_killed_goes_on_to_the_same_bytes(tmp_path: Path, name: str) -> None:
    """Membership and records have tests of their own."""
    audit, plan = of_three(tmp_path), PLANS[name]
    run = asked(audit, plan)
    kills, wrong = killed_often(run, 3, seed=5, most=0.1, pace=0.3)
    assert kills >= 1
    assert wrong == 0
    if run.state != "finished":
        assert work(run.path), run.progress
    assert run.result_bytes == dump(with_phrases(question(name).work_out(audit, plan)))


def test_a_report_that_is_killed_while_it_is_written_is_never_seen_half_written(tmp_path: Path) -> None:
    """Every file has one name and two versions; whoever looks sees one of them, whole, and no scratch stays in use."""
    chance, names = np.random.default_rng(2), ("report.pdf", "report.json", "verdicts.csv")
    versions = [{name: bytes([number]) * (1 << 20) for name in names} for number in (1, 2)]
    write(versions[0], tmp_path / "out")
    hits = 0
    for _ in range(8):

        def play() -> None:
            for _ in range(200):
                for files in versions:
                    write(files, tmp_path / "out")

        with busy(play):
            time.sleep(chance.uniform(0.01, 0.15))
        left = sorted(path.name for path in (tmp_path / "out").iterdir())
        hits += any(name.startswith(".export-") for name in left)
        assert [name for name in left if not name.startswith(".")] == sorted(names)
        for name in names:
            assert (tmp_path / "out" / name).read_bytes() in [files[name] for files in versions]
    assert hits > 0, "it was never killed in the middle"
