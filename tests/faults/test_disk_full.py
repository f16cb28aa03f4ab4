"""A full disk: the run pauses in a sentence, nothing that is done is lost, and it goes on when there is room."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from riskkit.errors import DiskFull, StoreError
from riskkit.jobs import database as tables
from riskkit.jobs import ledger
from riskkit.jobs.database import SPARE_BYTES, database, megabytes
from riskkit.jobs.store import Audit
from riskkit.questions.runs import work
from riskkit.table.write import to_csv
from tests.faults.workers import again, asked, kept, longer, made, undisturbed
from tests.tables import mixed

PLAN = longer(60)


def test_the_store_is_full_in_the_middle_of_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite's own limit on its file stands for the disk."""
    audit = made(tmp_path / "full")
    run = asked(audit, PLAN)
    before = ledger.LedgerPage.keep
    limited: list[int] = []

    def keep(self: ledger.LedgerPage, results: dict) -> object:
        if len(kept(run)) > 20 and not limited:
            with database(tmp_path / "full").read() as connection:
                pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
            limited.append(pages)
        return before(self, results)

    monkeypatch.setattr(ledger.LedgerPage, "keep", keep)
    monkeypatch.setattr("riskkit.jobs.database._begin", lambda connection: limit(connection, limited))
    tables._engine.cache_clear()
    assert not work(run.path)
    assert run.state == "paused", run.progress
    assert "disk where audits are kept is full" in run.progress["error"]
    assert "Nothing that is done is lost" in run.progress["error"]
    assert "MB are free" not in run.progress["error"], (
        "the disk has room: a limit was reached, and nobody knows by how much"
    )
    done = kept(run)
    assert len(done) > 20
    limited[:] = [10**6]
    again(run)
    assert work(run.path)
    assert {unit: row for unit, row in kept(run).items() if unit in done} == done
    monkeypatch.undo()
    tables._engine.cache_clear()
    assert run.result_bytes == undisturbed(tmp_path / "peace", PLAN)


def limit(connection: object, pages: list[int]) -> None:
    """Begin a transaction on a file that may grow no further, once ``pages`` says so."""
    if pages:
        connection.exec_driver_sql(f"PRAGMA max_page_count={pages[0]}")  # type: ignore[attr-defined]
    writes = connection.get_execution_options().get("writes")  # type: ignore[attr-defined]
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")  # type: ignore[attr-defined]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 4 MiB of its own, in memory."""
    where = tmp_path / "small"
    where.mkdir()
    if not sys.platform.startswith("linux") or os.geteuid() != 0:
        pytest.skip("a small disk of its own can be mounted only by root, on Linux")
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(where)], capture_output=True)
    if mounted.returncode:
        pytest.skip("this machine does not let root mount a small disk (a container without CAP_SYS_ADMIN)")
    yield where
    database(where).engine.dispose()
    subprocess.run(["umount", str(where)], check=True, capture_output=True)


def test_a_real_disk_is_full_in_the_middle_of_a_run(small_disk: Path, tmp_path: Path) -> None:
    run = asked(made(small_disk), PLAN)
    assert database(small_disk).spare.stat().st_size == SPARE_BYTES
    filler = small_disk / "filler"
    room = os.statvfs(small_disk)
    filler.write_bytes(bytes(max(room.f_bavail * room.f_frsize - 200_000, 0)))
    assert not work(run.path)
    assert run.state == "paused", run.progress
    assert re.search(r"is full: 0\.\d MB are free, and at least 1\.1 MB are needed\.", run.progress["error"])
    assert re.search(r"The rest of this run takes about \d\.\d MB\.", run.progress["error"])
    assert not database(small_disk).spare.exists(), "its room was needed to say so"
    done = kept(run)
    with pytest.raises(DiskFull):
        again(run)
    filler.unlink()
    again(run)
    assert work(run.path)
    assert all(kept(run)[unit] == row for unit, row in done.items())
    assert run.result_bytes == undisturbed(tmp_path / "peace", PLAN)


def test_an_upload_that_does_not_fit_leaves_what_was_there(small_disk: Path) -> None:
    audit = made(small_disk)
    before = audit.files, (audit.path / "real.parquet").read_bytes()
    room = os.statvfs(small_disk)
    (small_disk / "filler").write_bytes(bytes(max(room.f_bavail * room.f_frsize - 40_000, 0)))
    wanted = megabytes(len(to_csv(mixed(80_000))))
    with pytest.raises(DiskFull, match=rf"at least {wanted} MB are needed. Make room on it"):
        audit.load("real", to_csv(mixed(80_000)), name="large.csv")
    assert (Audit(audit.path).files, (audit.path / "real.parquet").read_bytes()) == before
    assert not [path for path in audit.path.iterdir() if path.name.startswith(".")]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows limits no file's size")
def test_a_limit_on_the_size_of_files_is_said_and_leaves_what_was_there(tmp_path: Path) -> None:
    """The disk is not full, and nothing is damaged: the process may not write as much (ulimit -f)."""
    import resource

    audit = made(tmp_path)
    before = audit.files, (audit.path / "real.parquet").read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (500_000, hard))
    try:
        with pytest.raises(StoreError, match=r"ulimit -f"):
            audit.load("real", to_csv(mixed(80_000)), name="large.csv")
        with pytest.raises(StoreError, match=r"ulimit -f"):
            audit.change(note="x" * 9_000_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert (Audit(audit.path).files, (audit.path / "real.parquet").read_bytes()) == before
    assert not [path for path in audit.path.iterdir() if path.name.startswith(".")]
