"""What a page reads of the store once, and how soon it sees what was written."""

from pathlib import Path

import pytest
import sqlalchemy as sa

from riskkit.jobs import database as tables
from riskkit.jobs.database import database, glance
from riskkit.jobs.store import Audit, Store


@pytest.fixture
def audit(tmp_path: Path) -> Audit:
    return Store(tmp_path).create("Ward study")


@pytest.fixture
def asked(audit: Audit) -> list[str]:
    """The statements that the database is sent."""
    statements: list[str] = []
    engine = database(audit.path.parents[1]).engine

    def note(*arguments: object) -> None:
        statements.append(str(arguments[2]))

    sa.event.listen(engine, "before_cursor_execute", note)
    return statements


def test_a_page_that_asks_twenty_times_asks_the_database_once(audit: Audit, asked: list[str]) -> None:
    with glance():
        assert {audit.name for _ in range(20)} == {"Ward study"}
        once = len(asked)
        assert audit.revision
        assert audit.files == {}
    assert len(asked) == once
    assert audit.name == "Ward study"
    assert len(asked) > once, "outside nothing is remembered"


def test_what_this_page_writes_is_seen_by_it_at_once(audit: Audit) -> None:
    with glance():
        assert audit.name == "Ward study"
        audit.rename("Another")
        assert audit.name == "Another"


def test_what_others_write_is_seen_when_a_second_is_over(audit: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("riskkit.jobs.database.time.monotonic", lambda: now[0])
    names = ["old"]
    with glance():
        assert tables.look_up("name", lambda: names[0]) == "old"
        names[0] = "new"
        assert tables.look_up("name", lambda: names[0]) == "old"
        now[0] = tables.FRESH + 0.01
        assert tables.look_up("name", lambda: names[0]) == "new"


def test_one_within_another_is_the_same(audit: Audit, asked: list[str]) -> None:
    with glance():
        assert audit.name
        once = len(asked)
        with glance():
            assert audit.name
        assert audit.name
    assert len(asked) == once


def test_what_changes_an_answer_leaves_the_next_one_alone(audit: Audit) -> None:
    with glance():
        audit.files["real"] = {"rows": 3}
        assert audit.files == {}
