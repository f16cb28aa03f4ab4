"""The same store on a real PostgreSQL server, by its address alone."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa
import yaml

from riskkit.errors import DesignError, LeaseLost, StoreError
from riskkit.jobs import database as tables
from riskkit.jobs.leases import claim
from riskkit.jobs.store import Audit, Store
from riskkit.questions.runs import work
from tests.faults.workers import again, asked, at_once, longer, made, undisturbed
from tests.pages.runs import changed

pytest.importorskip("psycopg", reason="PostgreSQL needs psycopg (pip install psycopg[binary])")
PLAN = longer(40)
ROOT = Path(__file__).resolve().parents[2]
NOBODY = "nobody"
"""A server refuses to run as root; where the tests do, it runs as this user."""


def programs() -> Path:
    """Where initdb and pg_ctl are; skips where they are nowhere."""
    path = shutil.which("initdb")
    places = [Path(path).parent] if path else sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    if not places:
        pytest.skip("no PostgreSQL server on this machine (Debian and Ubuntu: apt-get install postgresql)")
    return places[-1]


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The address of a server of its own, which ends with the tests; in a folder that its user may enter."""
    where = programs()
    folder = Path(tempfile.mkdtemp(prefix="riskkit-postgres-"))
    as_user: list[str] = []
    if os.geteuid() == 0:
        as_user = ["setpriv", f"--reuid={NOBODY}", "--regid=nogroup", "--clear-groups"]
        shutil.chown(folder, NOBODY, "nogroup")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    data = folder / "data"

    def run(*command: str) -> None:
        done = subprocess.run([*as_user, *command], capture_output=True, text=True, cwd=folder)
        assert done.returncode == 0, done.stdout + done.stderr

    run(str(where / "initdb"), "-D", str(data), "-U", "riskkit", "--auth=trust", "--encoding=UTF8", "--no-sync")
    options = f"-p {port} -k {folder} -c listen_addresses=127.0.0.1"
    run(str(where / "pg_ctl"), "-D", str(data), "-o", options, "-l", str(folder / "log"), "-w", "start")
    try:
        yield f"postgresql+psycopg://riskkit@127.0.0.1:{port}/postgres"
    finally:
        run(str(where / "pg_ctl"), "-D", str(data), "-m", "immediate", "-w", "stop")
        shutil.rmtree(folder)


@pytest.fixture
def address(server: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """That server, empty, as the place where audits are kept."""
    engine = sa.create_engine(server)
    tables.metadata.drop_all(engine)
    engine.dispose()
    tables._PREPARED.clear()
    monkeypatch.setenv("RISKKIT_STORE", server)
    yield server
    tables._engine(server).dispose()
    tables._PREPARED.clear()


def test_a_run_on_the_server_gives_the_same_bytes(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    audit = made(tmp_path / "server")
    run = asked(audit, PLAN)
    assert run.state == "queued"
    assert work(run.path), run.progress
    assert not (tmp_path / "server" / "store.db").exists()
    assert len(run.log()) == 3
    result = run.result_bytes
    monkeypatch.delenv("RISKKIT_STORE")
    assert result == undisturbed(tmp_path / "peace", PLAN)


@pytest.mark.slow
def test_a_process_of_its_own_finds_the_server(address: str, tmp_path: Path) -> None:
    run = made(tmp_path).start(PLAN)
    end = threading.Event()
    while run.state in ("queued", "running"):
        end.wait(0.2)
    assert run.state == "finished", run.progress


def test_leases_hold_on_the_server(address: str, tmp_path: Path) -> None:
    run = asked(made(tmp_path), PLAN)
    won = at_once(6, lambda: claim(run.path))
    (first,) = [lease for lease in won if lease is not None]
    changed(run, ticks=-1000.0)
    second = claim(run.path)
    assert second is not None
    with pytest.raises(LeaseLost):
        first.beat(None)
    assert second.beat(None) is False


def test_a_worker_on_another_machine_is_known_by_the_clock_of_the_server(address: str, tmp_path: Path) -> None:
    run = asked(made(tmp_path), PLAN)
    lease = claim(run.path)
    assert lease is not None
    changed(run, boot="a machine elsewhere", ticks=5.0)
    assert run.state == "running"
    assert claim(run.path) is None
    changed(run, heard=1.0)
    assert run.state == "interrupted"
    assert claim(run.path)


def test_many_starts_at_once_make_one_run(address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    audit = made(tmp_path)
    spawned: list[object] = []

    def spawn(run: object) -> None:
        spawned.append(run)

    monkeypatch.setattr("riskkit.jobs.runs.Run.spawn", spawn)
    at_once(6, lambda: Audit(audit.path).start(PLAN))
    assert len(spawned) == 1


def test_cancel_resume_purge_and_delete_work_on_the_server(address: str, tmp_path: Path) -> None:
    store, audit = Store(tmp_path), made(tmp_path)
    run, other = asked(audit, PLAN), asked(audit, replace(PLAN, seed=9))
    run.cancel()
    assert run.state == "cancelled"
    again(run)
    assert work(run.path)
    assert other.state == "finished"
    store.keep_for(30)
    assert store.retention == 30
    assert store.purge(0).rows["results without scores of records"] == 2
    receipt = audit.delete()
    assert receipt.compacted
    assert store.audits() == []
    with pytest.raises(DesignError, match="no such run"):
        _ = run.question


def test_a_server_that_is_not_there_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RISKKIT_STORE", "postgresql+psycopg://riskkit@127.0.0.1:9/none?connect_timeout=2")
    with pytest.raises(StoreError, match="cannot be reached"):
        Store(tmp_path).audits()


def test_tables_of_the_version_before_are_brought_to_this_one(address: str, tmp_path: Path) -> None:
    audit = made(tmp_path)
    run = asked(audit, PLAN)
    with audit.base.write() as connection:
        for step in (
            "ALTER TABLE runs DROP COLUMN person", "DROP TABLE holders", "DROP TABLE people",
            "UPDATE about SET value = '1' WHERE key = 'schema'",
        ):  # fmt: skip
            connection.exec_driver_sql(step)
    tables._PREPARED.clear()
    assert run.state == "queued"
    assert work(run.path), run.progress
    with audit.base.read() as connection:
        known = sa.select(tables.about.c.value).where(tables.about.c.key == "schema")
        assert connection.scalar(known) == str(tables.SCHEMA)
        assert connection.scalar(sa.select(tables.runs.c.person)) == ""


@pytest.mark.slow
@pytest.mark.usefixtures("address")
def test_workers_of_the_container_file_share_the_queue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The workers of ``compose.yaml`` as plain processes: three runs wait, and two workers play them all, each once."""
    monkeypatch.setenv("RISKKIT_HOME", str(tmp_path))
    worker = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))["services"]["worker"]
    audit = made(tmp_path)
    runs = [asked(audit, replace(PLAN, seed=seed)) for seed in (1, 2, 3)]
    command = [sys.executable, "-m", "riskkit", *worker["command"], "--once"]
    playing = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(worker["deploy"]["replicas"])]
    printed = [process.communicate(timeout=300)[0].decode() for process in playing]
    assert [process.returncode for process in playing] == [0, 0], printed
    assert [run.state for run in runs] == ["finished"] * 3
    finished = [int(text.rstrip().splitlines()[-1].split()[0]) for text in printed]
    assert sum(finished) == 3, printed
