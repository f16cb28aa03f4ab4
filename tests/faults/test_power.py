"""The power goes: whatever part of the log had reached the disk, the store holds an exact beginning of its rows."""

import logging
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from riskkit.jobs import database as tables
from riskkit.jobs.database import database
from riskkit.questions.runs import work
from tests.faults.workers import asked, longer, made

FIGURES = logging.getLogger("riskkit.faults")
PLAN = longer(40)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A store whose log was never moved into its file, as right before the power goes."""
    whole, opened = tmp_path / "whole", tables._set_up

    def keeps_its_log(raw: sqlite3.Connection, record: object, path: Path) -> None:
        opened(raw, record, path)
        raw.execute("PRAGMA wal_autocheckpoint=0")

    monkeypatch.setattr(tables, "_set_up", keeps_its_log)
    run = asked(made(whole), PLAN)
    with closing(sqlite3.connect(whole / "store.db")) as holds_it_open:
        holds_it_open.execute("SELECT count(*) FROM audits").fetchone()
        assert work(run.path)
        yield whole


def rows(path: Path) -> list[tuple[int, int, bytes]]:
    """What a store holds, in the order it was written; nothing where it has no tables yet."""
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'units'").fetchone():
            return []
        return connection.execute("SELECT call, unit, sha FROM units ORDER BY rowid").fetchall()


def cut(home: Path, tmp_path: Path, cuts: int) -> list[int]:
    """How many units are there when the log ends at so many places; each time an exact beginning."""
    log = (home / "store.db-wal").read_bytes()
    shutil.copy(home / "store.db-wal", tmp_path / "all.db-wal")
    shutil.copy(home / "store.db", tmp_path / "all.db")
    every, counts = rows(tmp_path / "all.db"), []
    for number in range(cuts):
        place = tmp_path / f"cut{number}.db"
        shutil.copy(home / "store.db", place)
        Path(f"{place}-wal").write_bytes(log[: len(log) * number // cuts + 37 * (number % 2)])
        there = rows(place)
        assert there == every[: len(there)]
        counts.append(len(there))
        for left in tmp_path.glob(f"{place.name}*"):
            left.unlink()
    assert counts == sorted(counts)
    FIGURES.info("log of %d bytes cut at %d places: 0 to %d units, each an exact beginning", len(log), cuts, counts[-1])
    return counts


def test_a_log_cut_anywhere_is_an_exact_beginning(home: Path, tmp_path: Path) -> None:
    counts = cut(home, tmp_path, 25)
    assert counts[0] == 0
    assert counts[-1] > 40
    database(home).engine.dispose()


@pytest.mark.slow
def test_a_log_cut_at_two_hundred_places(home: Path, tmp_path: Path) -> None:
    assert len(cut(home, tmp_path, 200)) == 200
    database(home).engine.dispose()
