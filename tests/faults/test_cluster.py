"""The same units on a Dask cluster: a scheduler and two worker processes on this machine, one of them killed."""

import logging
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from riskkit.attacks.groundhog import Groundhog
from riskkit.attacks.neighbour import Neighbour
from riskkit.attacks.queries import Queries
from riskkit.core import Table, Targets
from riskkit.errors import DesignError, WorkersGone
from riskkit.games.bags import OfPerson
from riskkit.games.crowd import FixedWorlds, TargetPeople
from riskkit.jobs.cluster import There, _answers, _there, apart, cluster, fingerprint, together
from riskkit.jobs.database import database, units
from riskkit.jobs.engines import Chunks, Work
from riskkit.jobs.pool import Clock, Pool
from riskkit.questions.runs import work
from tests.faults.workers import again, asked, kept, longer, made, undisturbed, until
from tests.pages.runs import changed
from tests.tables import mixed

pytest.importorskip("distributed", reason="the Dask engine needs distributed (pip install distributed)")
ROOT = Path(__file__).resolve().parents[2]
PLAN = longer(1500)
FIGURES = logging.getLogger("riskkit.faults")


@dataclass
class Cluster:
    """A scheduler and its workers, each a process of its own."""

    folder: Path
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)
    address: str = ""
    scheduler: subprocess.Popen[bytes] | None = None

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

    def come_up(self, workers: int, port: str = "0") -> None:
        """Start the scheduler at that port, and so many workers."""
        self.scheduler = self.start("scheduler", "--host", "127.0.0.1", "--port", port)
        for _ in range(workers):
            self.workers.append(
                self.start(
                    "worker",
                    self.address,
                    "--host",
                    "127.0.0.1",
                    "--nthreads",
                    "1",
                    "--no-nanny",
                    "--local-directory",
                    str(self.folder),
                )
            )

    def stop(self) -> None:
        """End all of it, as a power cut would."""
        for process in filter(None, (*self.workers, self.scheduler)):
            process.kill()
            process.wait()
        self.workers.clear()


@pytest.fixture
def two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    """A scheduler and two workers on loopback."""
    made = Cluster(tmp_path)
    try:
        made.come_up(2)
        monkeypatch.setenv("RISKKIT_DASK", made.address)
        yield made
    finally:
        made.stop()


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
def test_a_cluster_that_stops_interrupts_the_run_which_goes_on_to_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Scheduler and worker are gone at one moment; another cluster at the same place takes the run on."""
    monkeypatch.setattr("riskkit.jobs.cluster.WITHIN", "2s")
    there, plan = Cluster(tmp_path), longer(600)
    run = asked(made(tmp_path / "cluster"), plan)
    try:
        there.come_up(1)
        monkeypatch.setenv("RISKKIT_DASK", there.address)

        def stop() -> None:
            until(lambda: len(kept(run)) > 50)
            there.stop()

        stopper = threading.Thread(target=stop)
        stopper.start()
        assert not work(run.path)
        stopper.join()
        assert run.progress["state"] == "interrupted"
        assert run.progress["error"].startswith(f"The Dask cluster at {there.address} stopped answering. ")
        assert run.log()[-1].endswith("Start it again and resume; nothing that is done is lost.")
        so_far = kept(run)
        again(run)
        assert not work(run.path), "nobody is there"
        assert run.state == "interrupted"
        assert run.progress["error"].startswith("No Dask scheduler answers at tcp://")
        there.come_up(1, there.address.rpartition(":")[2])
        again(run)
        assert work(run.path), run.progress
    finally:
        there.stop()
    assert all(kept(run)[unit] == row for unit, row in so_far.items())
    monkeypatch.delenv("RISKKIT_DASK")
    assert run.result_bytes == undisturbed(tmp_path / "peace", plan)


@pytest.mark.parametrize("status", ["running", "closed"])
def test_an_error_of_a_client_that_has_its_scheduler_is_not_taken_for_a_lost_one(status: str) -> None:
    class Client:
        def run(self, _: object) -> dict[str, str]:
            raise RuntimeError("of another kind")

    client = Client()
    client.status = status  # type: ignore[attr-defined]
    with pytest.raises(RuntimeError if status == "running" else WorkersGone):
        _answers(client, "tcp://s")


def ending(game: Any, units: list[int]) -> list[int]:
    """Work whose fourth unit ends the program."""
    return sys.exit(0) if 3 in units else units


@pytest.mark.slow
def test_a_plug_in_that_exits_on_a_worker_is_a_sentence(two: Cluster) -> None:
    done: list[int] = []
    with pytest.raises(DesignError, match="an unexpected SystemExit"):
        done.extend(Pool(1, Clock(5, lambda _: None), lambda: False).map("Ending", ending, None, range(5)))
    assert done == [0, 1, 2]


@pytest.mark.slow
def test_a_table_goes_to_every_worker_once_in_an_audit(
    tmp_path: Path, two: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three maps use the same worlds: the attackers' own releases, and the counted trainings of two attackers."""
    plan = replace(PLAN, trainings=20)
    run = asked(made(tmp_path / "cluster"), plan)
    there = _there(two.address)
    wanted: list[tuple[str, ...]] = []
    placed: Counter[str] = Counter()
    before, scatter = There.send, there.client.scatter

    def sent(self: There, tables: dict[str, Table]) -> list[Any]:
        wanted.append(tuple(tables))
        return before(self, tables)

    def scattered(values: list[Any], **how: Any) -> Any:
        placed.update(fingerprint(each) for each in values if isinstance(each, Table))
        return scatter(values, **how)

    monkeypatch.setattr(There, "send", sent)
    monkeypatch.setattr(there.client, "scatter", scattered)
    assert work(run.path), run.progress
    used = Counter(name for names in wanted for name in names)
    assert max(used.values()) > 1, "maps share tables"
    assert set(placed) == set(used)
    assert set(placed.values()) == {1}
    holders = there.client.who_has([there.held[name] for name in used])
    assert [len(each) for each in holders.values()] == [2] * len(used)
    FIGURES.info("%d maps used %d tables %d times; each was sent once", len(wanted), len(used), sum(used.values()))
    monkeypatch.undo()
    assert run.result_bytes == undisturbed(tmp_path / "peace", plan)


@pytest.mark.slow
def test_attacks_learn_once_beside_a_cluster(tmp_path: Path, two: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = replace(PLAN, trainings=20, attacks=("neighbour:own=3", "queries:own=4", "groundhog:own=5"))
    run = asked(made(tmp_path / "cluster"), plan)
    assert work(run.path), run.progress
    so_far = kept(run)
    for attack in (Neighbour, Queries, Groundhog):
        monkeypatch.setattr(attack, "fit", None)  # whoever fitted one here would fail
    with database(run.path.parents[3]).write() as connection:
        connection.execute(units.delete().where((units.c.call == 2) & (units.c.unit >= 10)))
    changed(run, state="interrupted", result=None, result_sha=None)
    again(run)
    assert work(run.path), run.progress
    assert all(kept(run)[unit] == row for unit, row in so_far.items() if unit[0] < 2)
    monkeypatch.undo()
    assert run.result_bytes == undisturbed(tmp_path / "peace", plan)


def test_tables_are_taken_apart_from_what_holds_them_and_put_back() -> None:
    table, other = mixed(30), mixed(20)
    same = table.rows(slice(None))
    asked = TargetPeople.take(Targets(np.arange(30), table))
    held = (len, FixedWorlds(asked, OfPerson.MEAN, 0, same, other, other), [{"a": table, "b": (1, "x")}, PLAN])
    rest, tables = apart(held)
    assert list(tables.values()) == [table, other], "equal tables are one, under one name"
    assert table not in rest[1:]
    assert rest[2][1] is PLAN, "what holds no table is not copied"
    assert not [True for value in (rest[1].pos, rest[1].neg, rest[1].targets) if isinstance(value, Table)]
    whole = together(rest, tables)
    assert whole[1].pos is whole[1].targets is whole[2][0]["a"] is table
    assert whole[1].neg is other
    assert (whole[0], whole[1].copies, whole[2][0]["b"]) == (len, 0, (1, "x"))
    assert held[1].pos is same, "what was given stays as it was"
    assert fingerprint(table) != fingerprint(other) != fingerprint(table.rows(np.arange(30)[::-1]))


@pytest.mark.slow
def test_a_cluster_of_another_version_is_refused(two: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("riskkit.jobs.cluster.environment", lambda: "another")
    with pytest.raises(DesignError, match="another version"):
        cluster(two.address)


def test_nobody_at_that_address_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("riskkit.jobs.cluster.WITHIN", "0.2s")
    with pytest.raises(DesignError, match="No Dask scheduler answers"):
        cluster("tcp://127.0.0.1:9")


@pytest.mark.parametrize(("silent", "answered"), [(2, True), (3, False)])
def test_workers_that_are_too_busy_to_answer_are_asked_again(silent: int, answered: bool) -> None:
    calls: list[int] = []

    class Client:
        def run(self, _: object) -> dict[str, str]:
            calls.append(1)
            if len(calls) <= silent:
                raise OSError
            return {"tcp://a": "this"}

    if answered:
        assert _answers(Client(), "tcp://s") == {"this"}
    else:
        with pytest.raises(DesignError, match="tcp://s stopped answering"):
            _answers(Client(), "tcp://s")
    assert len(calls) == 3


def test_chunks_follow_the_pace_and_leave_work_for_every_worker() -> None:
    chunks = Chunks(range(1000), 1)
    sizes = []
    for chunk in chunks:
        sizes.append(len(chunk))
        chunks.size = min(2 * chunks.size, 64)
    assert sizes[:7] == [1, 2, 4, 8, 16, 32, 64]
    assert sum(sizes) == 1000
    shared = Chunks(range(40), 4)
    shared.size = 64
    assert max(map(len, shared)) == 5
    assert Work(len, None, (), ()).parcel() == (len, None, (), {})
