"""A store that version 0.1.0 wrote, with a run that was half done: opened, shown, and never mixed with new numbers.

Its tables are made here by the statements that 0.1.0 made them with, not by those of today.
"""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from riskkit.errors import DesignError, StoreError
from riskkit.jobs.codec import sha
from riskkit.jobs.database import SCHEMA
from riskkit.jobs.files import dump
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit, Store
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.runs import work
from tests.pages.screens import csv

TABLES = """
CREATE TABLE about ("key" VARCHAR(40) NOT NULL, value TEXT NOT NULL, PRIMARY KEY ("key"));
CREATE TABLE audits (id VARCHAR(32) NOT NULL, created VARCHAR(40) NOT NULL, saved DOUBLE NOT NULL, facts BLOB NOT NULL,
  sha BLOB NOT NULL, PRIMARY KEY (id));
CREATE TABLE runs (number INTEGER NOT NULL, audit VARCHAR(32) NOT NULL, id VARCHAR(32) NOT NULL, asked BLOB NOT NULL,
  asked_sha BLOB NOT NULL, created DOUBLE NOT NULL, state VARCHAR(20) NOT NULL, token INTEGER NOT NULL,
  boot VARCHAR(80) NOT NULL, ticks DOUBLE NOT NULL, heard DOUBLE NOT NULL, cancel INTEGER NOT NULL, stage TEXT NOT NULL,
  done INTEGER NOT NULL, total INTEGER NOT NULL, seconds_left DOUBLE, error TEXT, seconds DOUBLE NOT NULL,
  finished DOUBLE, result BLOB, result_sha BLOB, PRIMARY KEY (number), UNIQUE (audit, id),
  FOREIGN KEY(audit) REFERENCES audits (id) ON DELETE CASCADE);
CREATE TABLE units (run INTEGER NOT NULL, call INTEGER NOT NULL, unit INTEGER NOT NULL, sha BLOB NOT NULL,
  payload BLOB NOT NULL, PRIMARY KEY (run, call, unit), FOREIGN KEY(run) REFERENCES runs (number) ON DELETE CASCADE);
CREATE TABLE parts (run INTEGER NOT NULL, sha VARCHAR(64) NOT NULL, payload BLOB NOT NULL, PRIMARY KEY (run, sha),
  FOREIGN KEY(run) REFERENCES runs (number) ON DELETE CASCADE);
CREATE TABLE events (number INTEGER NOT NULL, run INTEGER, at VARCHAR(40) NOT NULL, text TEXT NOT NULL,
  PRIMARY KEY (number), FOREIGN KEY(run) REFERENCES runs (number) ON DELETE CASCADE);
CREATE INDEX ix_events_run ON events (run);
CREATE TABLE journal (number INTEGER NOT NULL, at VARCHAR(40) NOT NULL, who TEXT NOT NULL, act VARCHAR(40) NOT NULL,
  about TEXT NOT NULL, sha BLOB NOT NULL, PRIMARY KEY (number));
INSERT INTO about VALUES ('schema', '1');
"""
ENVIRONMENT = "riskkit 0.1.0 (000000000000), Python 3.11.0 x86_64, numpy 2.0.0"
PLAN = MembershipPlan(trainings=12, generations=1, n_syn=60)
AUDIT, HALF, WHOLE = "a" * 32, "b" * 32, "c" * 32


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RISKKIT_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(Run, "spawn", lambda _: None)


@pytest.fixture
def old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home of a 0.1.0: an audit, a finished run, and one of which three units were done when its worker died."""
    home = tmp_path / "home"
    with monkeypatch.context() as patch:
        patch.setenv("RISKKIT_HOME", str(tmp_path / "new"))
        fresh = Store.default().create("Ward study")
        fresh.load("real", csv(), name="real.csv")
        facts, revision = dump(fresh._facts()), fresh.revision
        (home / "audits" / AUDIT).mkdir(parents=True)
        for path in fresh.path.iterdir():
            (home / "audits" / AUDIT / path.name).write_bytes(path.read_bytes())
    asked = dump(
        {
            "question": "membership",
            "plan": PLAN.as_dict(),
            "workers": 1,
            "revision": revision,
            "environment": ENVIRONMENT,
        }
    )
    result = dump({"estimates": [], "notes": []})
    with closing(sqlite3.connect(home / "store.db")) as base:
        base.executescript(TABLES)
        base.execute("INSERT INTO audits VALUES (?, '2026-01-01T00:00:00', 1.0, ?, ?)", (AUDIT, facts, sha(facts)))
        row = "INSERT INTO runs VALUES (?,?,?,?,?,?,?,1,'old',0,0,0,'',?,?,NULL,NULL,1.0,?,?,?)"
        base.execute(row, (1, AUDIT, WHOLE, asked, sha(asked), 1.0, "finished", 6, 6, 2.0, result, sha(result)))
        base.execute(row, (2, AUDIT, HALF, asked, sha(asked), 2.0, "running", 3, 6, None, None, None))
        for unit in range(3):
            base.execute("INSERT INTO units VALUES (2, 0, ?, ?, ?)", (unit, sha(b"old"), b"old"))
        base.execute("INSERT INTO events VALUES (1, 2, '2026-01-01', 'Started by 0.1.0.')")
        base.commit()
    return home


def audit() -> Audit:
    return Store.default().open(AUDIT)


def test_the_tables_are_brought_to_this_version_and_nothing_in_them_is_lost(old: Path) -> None:
    mine = audit()
    assert (mine.name, mine.files["real"]["rows"]) == ("Ward study", 120)
    assert [run.state for run in mine.runs()] == ["interrupted", "finished"]
    whole = mine.run(WHOLE)
    assert whole is not None
    assert whole.result["estimates"] == []
    with closing(sqlite3.connect(old / "store.db")) as base:
        assert base.execute("SELECT value FROM about WHERE key = 'schema'").fetchall() == [(str(SCHEMA),)]
        assert base.execute("SELECT person FROM runs").fetchall() == [("",), ("",)]
        assert base.execute("SELECT count(*) FROM units").fetchone() == (3,)


def test_the_half_done_run_does_not_go_on_and_says_why(old: Path) -> None:
    half = audit().run(HALF)
    assert half is not None
    assert (half.progress["done"], half.progress["total"]) == (3, 6)
    with pytest.raises(DesignError, match="Another version of riskkit, Python or a library began this run"):
        half.resume()
    work(half.path)  # nor does a worker that finds it
    assert half.state == "failed"
    assert "Another version" in str(half.progress["error"])


def test_the_same_settings_started_anew_give_what_they_give_without_an_older_version(
    old: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the older version had done is dropped, even where the run has the same id."""
    half = audit().run(HALF)
    assert half is not None
    assert half.queue(PLAN, 1, audit().revision)
    assert any("3 older results are dropped" in line for line in half.log())
    work(half.path)
    assert half.state == "finished"
    monkeypatch.setenv("RISKKIT_HOME", str(tmp_path / "clean"))
    clean = Store.default().create("Ward study")
    clean.load("real", csv(), name="real.csv")
    again = clean.start(PLAN)
    work(again.path)
    assert again.result_bytes == half.result_bytes
    assert json.loads(again.result_bytes)["estimates"]


def test_a_store_of_a_version_to_come_is_refused_and_left_as_it_is(old: Path) -> None:
    with closing(sqlite3.connect(old / "store.db")) as base:
        base.execute("UPDATE about SET value = '99' WHERE key = 'schema'")
        base.commit()
        before = base.execute("SELECT sql FROM sqlite_master ORDER BY name").fetchall()
    with pytest.raises(StoreError, match=f"tables of version 99, this one knows {SCHEMA}"):
        Store.default().audits()
    with closing(sqlite3.connect(old / "store.db")) as base:
        assert base.execute("SELECT sql FROM sqlite_master ORDER BY name").fetchall() == before
