"""The same units on a Dask cluster: a scheduler and two worker processes on this machine, one of them killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from riskkit.audit.cluster import cluster
from riskkit.audit.engines import Chunks, Work
from riskkit.errors import DesignError
from tests.faults.workers import asked, kept, longer, made, undisturbed, until

pytest.importorskip("distributed", reason="the Dask engine needs distributed (pip install distributed)")
ROOT = Path(__file__).resolve().parents[2]
PLAN = longer(1500)


@dataclass
class Cluster:
    """A scheduler and its workers, each a process of its own."""

    folder: Path
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)
    address: str = ""

    def start(self, role: str, *more: str) -> subprocess.Popen[bytes]:
        """Start a process of that role, and return when it says that it is up."""
        log = self.folder / f"{role}-{len(self.workers)}.log"
        command = [sys.executable, "-m", f"distributed.cli.dask_{role}", "--no-dashboard", *more]
        with log.open("wb") as out:
            environment = {**os.environ, "DASK_DISTRIBUTED__COMM__RETRY__COUNT": "0"}
            process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=out, stderr=out)
        sign = "Scheduler at:" if role == "scheduler" else "Registered to:"
        until(lambda: sign in log.read_text(errors="replace"), 90)
        if role == "scheduler":
            line = next(line for line in log.read_text().splitlines() if sign in line)
            self.address = line.split(sign)[1].strip()
        return process


@pytest.fixture
def two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    """A scheduler and two workers on loopback."""
    made = Cluster(tmp_path)
    scheduler = made.start("scheduler", "--host", "127.0.0.1", "--port", "0")
    try:
        for _ in range(2):
            made.workers.append(
                made.start(
                    "worker", made.address, "--host", "127.0.0.1", "--nthreads", "1", "--no-nanny",
                    "--local-directory", str(tmp_path),
                )
            )  # fmt: skip
        monkeypatch.setenv("RISKKIT_DASK", made.address)
        yield made
    finally:
        for process in (*made.workers, scheduler):
            process.kill()
            process.wait()


@pytest.mark.slow
def test_a_cluster_gives_the_same_bytes_though_a_worker_is_killed(tmp_path: Path, two: Cluster) -> None:
    run = asked(made(tmp_path / "cluster"), PLAN)
    driver = run.launch()
    until(lambda: len(kept(run)) > 200)
    two.workers[0].send_signal(signal.SIGKILL)
    so_far = kept(run)
    until(lambda: run.state not in ("queued", "running"), 180)
    driver.wait()
    assert run.state == "finished", run.progress
    now = kept(run)
    assert len(so_far) < len(now), "the worker was killed before the end"
    assert all(now[unit] == row for unit, row in so_far.items())
    del os.environ["RISKKIT_DASK"]
    assert run.result_bytes == undisturbed(tmp_path / "peace", PLAN)


@pytest.mark.slow
def test_a_cluster_of_another_version_is_refused(two: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("riskkit.audit.cluster.environment", lambda: "another")
    with pytest.raises(DesignError, match="another version"):
        cluster(two.address)


def test_nobody_at_that_address_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("riskkit.audit.cluster.WITHIN", "0.2s")
    with pytest.raises(DesignError, match="No Dask scheduler answers"):
        cluster("tcp://127.0.0.1:9")


def test_chunks_follow_the_pace_and_leave_work_for_every_worker() -> None:
    chunks = Chunks(range(1000), 1)
    sizes = []
    for at in chunks:
        sizes.append(len(at))
        chunks.size = min(2 * chunks.size, 64)
    assert sizes[:7] == [1, 2, 4, 8, 16, 32, 64]
    assert sum(sizes) == 1000
    shared = Chunks(range(40), 4)
    shared.size = 64
    assert max(map(len, shared)) == 5
    assert Work(len, None, (), ()).shared() == (len, None, ())
