"""The log of who did what: every act is there, no cell is, one line an entry, and a changed byte is noticed."""

import json
import random
import re
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from riskkit.audit.output_files import restricted_log, write_restricted
from riskkit.cli import main
from riskkit.jobs import journal, people
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit, Store
from riskkit.questions.runs import work
from tests.faults.workers import at_once, longer
from tests.report.audited import made

CANARY = "Quokka"
"""A value of every table of these tests."""


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setenv("RISKKIT_HOME", str(tmp_path))
    monkeypatch.setattr(Run, "spawn", lambda self: None)
    return Store.default()


@pytest.fixture
def audit(store: Store) -> Audit:
    made_here = store.create(f"Audit of {CANARY}")
    rows = "".join(f"{CANARY if index % 3 else 'Emu'},{index * index % 17}\n" for index in range(80))
    made_here.load("real", f"animal,age\n{rows}".encode(), name=f"{CANARY}.csv")
    return made_here


def acts(store: Store) -> list[str]:
    return [entry.act for entry in journal.entries(store.base)]


@pytest.fixture
def written(store: Store, audit: Audit) -> Store:
    """A log with every kind of entry."""
    run = audit.start(longer(10))
    run.cancel()
    run.resume()
    assert work(run.path), run.progress
    audit.start(longer(12)).cancel()
    asked_by, purpose = "A. Steward\r\n    1  2026-01-01 00:00:00 UTC  root  purged", "to see \x1b[2J\u202e\x07"
    words = ["report", audit.id, "--out", str(store.home / "out"), "--class", "restricted", "--confirm"]
    assert main([*words, "--asked-by", asked_by, "--purpose", purpose]) in (0, 3, 4)
    store.purge(0)
    audit.delete()
    return store


def test_every_act_is_there_and_no_cell_is(written: Store, capsys: pytest.CaptureFixture[str]) -> None:
    assert acts(written) == [
        "started",
        "cancelled",
        "resumed",
        "started",
        "cancelled",
        "asked for restricted",
        "exported",
        "purged",
        "deleted",
    ]
    assert set(acts(written)) == set(journal.ACTS)
    capsys.readouterr()
    assert main(["audits", "log", "--verify"]) == 0
    assert re.match(r"All 9 entries are as they were written\. The last hash is [0-9a-f]{64}", capsys.readouterr().out)
    assert main(["audits", "log"]) == 0
    output = capsys.readouterr().out
    assert len(output.splitlines()) == 9
    assert all(line.isprintable() for line in output.splitlines())
    assert CANARY not in output
    assert "A. Steward\\r\\n    1  2026" in output
    assert "to see \\x1b[2J\\u202e\\x07" in output
    assert main(["audits", "log", "--json"]) == 0
    assert [entry["number"] for entry in json.loads(capsys.readouterr().out)["entries"]] == list(range(1, 10))


def test_the_person_is_the_account_or_who_is_known_to_act(
    store: Store, audit: Audit, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = audit.start(longer(10))
    with monkeypatch.context() as patch:
        patch.setattr(people, "_FINDERS", [lambda: replace(people.SERVER, name="somebody@example.org")])
        run.cancel()
    first, second = journal.entries(store.base)
    assert (first.who, second.who) == (journal.escape(journal.who()), "somebody@example.org")
    assert first.about == {"audit": audit.id, "run": run.id, "question": "membership"}


def test_what_did_not_happen_is_not_there(store: Store, audit: Audit) -> None:
    run = audit.start(longer(10))
    audit.start(longer(10))  # it waits already
    run.cancel()
    run.cancel()
    assert acts(store) == ["started", "cancelled"]


@pytest.mark.parametrize(
    "text", ["a\nb", "a\r\nb", "\x1b[31m", "\x00", "\u2028", "\u202e", "\x85", "\udc80", "a\\nb", "x" * 5000, "é 北"]
)
def test_a_text_is_one_line_that_shows_every_sign(text: str) -> None:
    shown = journal.escape(text)
    assert shown.isprintable()
    assert len(shown) <= 2 * journal.LONGEST
    assert (shown == text) is (text == "é 北")
    assert json.loads(json.dumps(shown)) == shown


def changed(store: Store, command: str, *values: object) -> list[str]:
    """What is wrong once somebody has written into the tables past riskkit."""
    with closing(sqlite3.connect(store.home / "store.db")) as raw, raw:
        raw.execute(command, values)
    return journal.verify(store.base)[0]


@pytest.fixture
def long(store: Store) -> Store:
    for number in range(12):
        journal.add(store.base, "exported", audit=f"{number:032x}", kind="shareable", what="PDF")
    assert journal.verify(store.base)[0] == []
    return store


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("UPDATE journal SET who = 'another' WHERE number = 5", "Entry 5 was changed"),
        ("UPDATE journal SET at = '2020-01-01 00:00:00 UTC' WHERE number = 1", "Entry 1 was changed"),
        ("UPDATE journal SET act = 'purged' WHERE number = 12", "Entry 12 was changed"),
        ("UPDATE journal SET sha = zeroblob(32) WHERE number = 3", "Entry 3 was changed"),
        ("UPDATE journal SET about = '{}' WHERE number = 7", "Entry 7 was changed"),
        ("DELETE FROM journal WHERE number = 4", "Before entry 5 an entry was taken out"),
        ("DELETE FROM journal WHERE number > 10", "ends with entry 10, but that is not its end"),
        ("DELETE FROM journal", "ends with entry 0"),
        ("DELETE FROM about WHERE key = 'journal'", "not its end"),
    ],
)
def test_a_change_is_noticed(long: Store, command: str, sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    (wrong,) = changed(long, command)
    assert sentence in wrong
    assert main(["audits", "log", "--verify"]) == 1
    assert sentence in capsys.readouterr().out


COLUMNS = {
    "SELECT at FROM journal WHERE number = ?": "UPDATE journal SET at = ? WHERE number = ?",
    "SELECT who FROM journal WHERE number = ?": "UPDATE journal SET who = ? WHERE number = ?",
    "SELECT act FROM journal WHERE number = ?": "UPDATE journal SET act = ? WHERE number = ?",
    "SELECT about FROM journal WHERE number = ?": "UPDATE journal SET about = ? WHERE number = ?",
}


def test_one_byte_of_any_entry_is_noticed(long: Store) -> None:
    chance = random.Random(4)
    for _ in range(40):
        number, (look, write) = chance.randint(1, 12), chance.choice(list(COLUMNS.items()))
        with closing(sqlite3.connect(long.home / "store.db")) as raw, raw:
            (before,) = raw.execute(look, (number,)).fetchone()
        place = chance.randrange(len(before))
        bad = before[:place] + chr(ord(before[place]) ^ 1) + before[place + 1 :]
        assert changed(long, write, bad, number)
        assert changed(long, write, before, number) == []


def test_an_entry_that_was_written_anew_with_its_hash_breaks_the_next(long: Store) -> None:
    """The hash needs no secret: it is the entries behind it that hold an entry fast."""
    row = {"number": 5, "at": "2020-01-01 00:00:00 UTC", "who": "another", "act": "purged", "about": "{}"}
    own = journal._link(bytes.fromhex(journal.hashes(long.base)[3]), row)
    columns = (row["at"], row["who"], row["act"], row["about"], own)
    (wrong,) = changed(long, "UPDATE journal SET at=?, who=?, act=?, about=?, sha=? WHERE number = 5", *columns)
    assert wrong == "Entry 6 was changed since it was written."


def test_a_chain_that_was_made_anew_is_noticed_by_whoever_wrote_its_hash_down(
    long: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    head = journal.verify(long.base)[1]
    journal.add(long.base, "purged", files=1)
    assert main(["audits", "log", "--verify", "--head", head]) == 0
    changed(long, "DELETE FROM journal")
    changed(long, "DELETE FROM about WHERE key = 'journal'")
    for _ in range(13):
        journal.add(long.base, "exported")
    assert main(["audits", "log", "--verify"]) == 0
    assert main(["audits", "log", "--verify", "--head", head]) == 1
    assert "does not hold the hash that you wrote down" in capsys.readouterr().out


def test_many_at_once_make_one_chain(store: Store) -> None:
    def some() -> None:
        for _ in range(5):
            journal.add(store.base, "exported")

    at_once(4, some)
    assert len(journal.entries(store.base)) == 20
    assert journal.verify(store.base)[0] == []


def test_the_log_of_restricted_reports_is_one_line_each(tmp_path: Path) -> None:
    findings = replace(made.findings(made.audit()), asked_by="A\nB \x1b[31m", purpose="x\u2028y")
    write_restricted({"report.json": b"{}"}, tmp_path / "report", findings, tmp_path / "log")
    (line,) = restricted_log(tmp_path / "log")
    assert line.isprintable()
