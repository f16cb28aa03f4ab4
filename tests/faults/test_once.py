"""``riskkit worker --once`` a moment after a worker was killed: it waits until that is known, and plays the run."""

import os
from pathlib import Path

import pytest

from riskkit.jobs.leases import STALE_AFTER, claim
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Store
from riskkit.jobs.worker import Watch, serve
from riskkit.questions.runs import work
from tests.faults.workers import asked, kept, longer, made, undisturbed, until, worker

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="kills processes as only POSIX systems can")


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> float:
    """A worker that is silent for four seconds counts as dead."""
    monkeypatch.setattr("riskkit.jobs.leases.STALE_AFTER", 4.0)
    monkeypatch.setattr("riskkit.jobs.worker.PAUSE", 0.1)
    return 4.0


def test_a_run_whose_worker_was_killed_a_moment_ago_is_played(
    tmp_path: Path, soon: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert soon < STALE_AFTER
    plan, notices = longer(120), list[str]()
    run = asked(made(tmp_path / "killed"), plan)
    with worker(run):
        until(lambda: len(kept(run)) > 20)
    assert run.state == "running", "nobody knows yet that it is dead"
    launched: list[str] = []

    class Here:
        """A worker within this process, as it were."""

        def __init__(self, own: Run) -> None:
            launched.append(own.id)
            work(own.path)

        def wait(self, timeout: float = 0.0) -> int:
            return 0

    monkeypatch.setattr(Run, "launch", property(lambda own: lambda **_: Here(own)))
    assert serve(Store(tmp_path / "killed"), once=True, tell=notices.append) == (1, 0)
    assert launched == [run.id]
    assert notices[0] == f"{run.id[:8]} may have lost its worker; that is known within 4 seconds."
    assert run.state == "finished", run.progress
    assert run.result_bytes == undisturbed(tmp_path / "peace", plan)


def test_a_run_whose_worker_beats_is_left_to_it(tmp_path: Path, soon: float) -> None:
    """And is not waited for: its worker is at it for as long as it takes."""
    run, notices = asked(made(tmp_path)), list[str]()
    lease = claim(run.path)
    assert lease is not None
    with Watch(lease, run.path).beat():
        assert serve(Store(tmp_path), once=True, tell=notices.append) == (0, 0)
    assert notices in ([], [f"{run.id[:8]} may have lost its worker; that is known within 4 seconds."])
    assert run.state == "running"


def test_nothing_to_do_is_known_at_once(tmp_path: Path) -> None:
    made(tmp_path)
    assert serve(Store(tmp_path), once=True, tell=lambda _: None) == (0, 0)
