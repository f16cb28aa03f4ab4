"""What is removed is gone from rows and files, a receipt says what it was, and what is being played is left alone."""

import hashlib
import sqlite3
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from riskkit.core import Kind
from riskkit.errors import DesignError, StoreError
from riskkit.jobs.database import database
from riskkit.jobs.leases import STALE_AFTER, claim
from riskkit.jobs.store import Audit, Store
from riskkit.questions.runs import work
from riskkit.table.kinds.choice import ColumnChoice
from riskkit.table.write import to_csv
from tests.faults.workers import asked, kept, longer, made
from tests.tables import mixed

NEEDLE = "Quokka-7319"
"""A text that is nowhere but in one audit."""
PLAN = longer(10)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    audit = made(tmp_path)
    audit.load("holdout", to_csv(mixed(30)), name="holdout.csv")
    audit.rename(NEEDLE)
    assert work(asked(audit, PLAN).path)
    return Store(tmp_path)


def bytes_of(home: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(home.rglob("*")) if path.is_file())


def later(days: float) -> datetime:
    return datetime.now(UTC) + timedelta(days=days)


def test_a_deleted_audit_leaves_no_row_no_file_and_no_trace_in_the_file_of_the_store(store: Store) -> None:
    (audit,) = store.audits()
    assert NEEDLE.encode() in bytes_of(store.home)
    facts, units = audit.files, len(kept(audit.runs()[0]))
    raw = hashlib.sha256((audit.path / "real.parquet").read_bytes()).hexdigest()
    receipt = audit.delete()
    assert store.audits() == []
    assert not audit.path.exists()
    assert NEEDLE.encode() not in bytes_of(store.home)
    assert receipt.rows["results of units"] == units > 0
    assert {file.name for file in receipt.files} >= {"real.parquet", "holdout.upload", "holdout.parquet"}
    assert raw in {file.sha256 for file in receipt.files}
    assert facts["holdout"]["sha256"] in {file.sha256 for file in receipt.files}
    assert receipt.compacted
    assert raw in store.receipts()[-1]
    assert NEEDLE not in " ".join([*receipt.lines(), *store.receipts()])
    with sqlite3.connect(store.home / "store.db") as raw_connection:
        counts = [
            raw_connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0]  # noqa: S608
            for name in ("audits", "runs", "units", "parts")
        ]
    raw_connection.close()
    assert counts == [0, 0, 0, 0]


def test_another_audit_is_not_touched_by_a_delete(store: Store) -> None:
    (audit,) = store.audits()
    twin = audit.clone("Twin")
    assert work(asked(twin, PLAN).path)
    audit.delete()
    assert [audit.name for audit in store.audits()] == ["Twin"]
    assert twin.runs()[0].result_bytes
    assert kept(twin.runs()[0])


def test_a_clone_has_the_same_data_and_no_runs(store: Store) -> None:
    (audit,) = store.audits()
    audit.choose({"age": ColumnChoice(kind=Kind.CATEGORICAL)})
    twin = audit.clone("Twin")
    assert twin.name == "Twin"
    assert twin.revision == audit.revision
    assert twin.tables().real.keys().tolist() == audit.tables().real.keys().tolist()
    assert twin.source("holdout") == audit.source("holdout")
    assert twin.runs() == []
    twin.drop("holdout")
    assert audit.text("holdout") is not None


def test_what_is_old_goes_and_summaries_stay(store: Store) -> None:
    (audit,) = store.audits()
    (run,) = audit.runs()
    before = run.result
    assert store.purge(1).files == ()
    receipt = store.purge(30, now=later(31))
    assert {file.name for file in receipt.files} == {"real.parquet", "holdout.parquet", "holdout.upload"}
    assert receipt.rows["results without scores of records"] == 1
    assert audit.files == {}
    assert audit.purge_time
    assert kept(run) == {}
    after = run.result
    assert "scores" in before
    assert "scores" not in after
    assert after["purged"] is True
    assert after["estimates"] == before["estimates"]
    assert store.purge(30, now=later(31)).audits == (), "there is nothing left to purge"


def test_an_age_is_chosen_once_and_kept(store: Store) -> None:
    assert store.retention is None
    with pytest.raises(DesignError, match="No age"):
        store.purge()
    with pytest.raises(DesignError, match="a day at least"):
        store.keep_for(0)
    store.keep_for(7)
    assert Store(store.home).retention == 7
    assert store.purge(now=later(6)).audits == ()
    assert store.purge(now=later(8)).audits
    store.keep_for(None)
    assert store.retention is None


def test_what_is_being_played_is_left_alone_whatever_the_clock_says(store: Store) -> None:
    (audit,) = store.audits()
    assert claim(asked(audit, longer(12)).path, STALE_AFTER)
    assert store.purge(1, now=later(400)).audits == ()
    assert set(audit.files) == {"real", "holdout"}


def test_tables_of_another_version_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made(tmp_path)
    connection = sqlite3.connect(tmp_path / "store.db")
    connection.execute("UPDATE about SET value = '99' WHERE key = 'schema'")
    connection.commit()
    connection.close()
    monkeypatch.setattr("riskkit.jobs.database._PREPARED", set())
    with pytest.raises(StoreError, match="written by another version of riskkit"):
        Store(tmp_path).audits()


def test_a_store_that_was_removed_is_made_anew_and_not_written_into_nothing(tmp_path: Path) -> None:
    made(tmp_path)
    for path in tmp_path.glob("store.db*"):
        path.unlink()
    assert Store(tmp_path).audits() == []
    made(tmp_path)
    assert (tmp_path / "store.db").exists()
    assert len(Store(tmp_path).audits()) == 1


def test_the_store_writes_what_counts_to_the_disk_before_it_counts(tmp_path: Path) -> None:
    made(tmp_path)
    with database(tmp_path).read() as connection:
        pragmas = {
            name: connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("journal_mode", "synchronous", "secure_delete", "foreign_keys")
        }
    assert pragmas == {"journal_mode": "wal", "synchronous": 2, "secure_delete": 1, "foreign_keys": 1}


@pytest.mark.parametrize("url", ["nonsense", "mongodb://x/y"])
def test_an_address_that_is_none_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("RISKKIT_STORE", url)
    with pytest.raises(StoreError, match="RISKKIT_STORE"):
        Store(tmp_path).audits()


def test_runs_are_listed_by_when_they_were_started_last(tmp_path: Path) -> None:
    audit = made(tmp_path)
    first, second = asked(audit, longer(10)), asked(audit, longer(12))
    assert [run.id for run in audit.runs()] == [second.id, first.id]
    first.cancel()
    time.sleep(0.01)
    asked(audit, longer(10))
    assert [run.id for run in Audit(audit.path).runs()] == [first.id, second.id]
