"""Bits that flip in the store: found, or harmless; never a number that is silently wrong."""

import logging
import shutil
import sqlite3
from collections import Counter
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from riskkit.errors import RiskkitError, StoreError
from riskkit.jobs import database as tables
from riskkit.jobs.database import database
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit, Store
from riskkit.questions.runs import plan_of, work
from tests.faults.workers import again, asked, kept, longer, made, undisturbed
from tests.pages.runs import changed

FIGURES = logging.getLogger("riskkit.faults")
PLAN = longer(60)


def half_done(home: Path) -> Run:
    """A run that stopped when its units were there and its result was not."""
    run = asked(made(home), PLAN)
    assert work(run.path)
    changed(run, state="interrupted", result=None, result_sha=None)
    return run


def test_an_altered_row_is_found_and_only_that_unit_is_done_again(tmp_path: Path) -> None:
    run = half_done(tmp_path / "one")
    before = kept(run)
    alter(run, call=0, unit=3)
    alter(run, call=2, unit=40)
    again(run)
    assert work(run.path)
    after = kept(run)
    assert {unit for unit in before if before[unit][0] != after[unit][0]} <= {(0, 3), (2, 40)}
    assert {unit: row[1] for unit, row in after.items()} == {unit: row[1] for unit, row in before.items()}
    assert sum("altered since they were written" in line for line in run.log()) == 2
    assert run.result_bytes == undisturbed(tmp_path / "peace", PLAN)


def alter(run: Run, call: int, unit: int) -> None:
    """Flip one bit of what was kept of a unit."""
    connection = sqlite3.connect(run.path.parents[3] / "store.db")
    (payload,) = connection.execute("SELECT payload FROM units WHERE (call, unit) = (?, ?)", (call, unit)).fetchone()
    wrong = bytearray(payload)
    wrong[len(wrong) // 2] ^= 1
    connection.execute("UPDATE units SET payload = ? WHERE (call, unit) = (?, ?)", (bytes(wrong), call, unit))
    connection.commit()
    connection.close()


def test_an_altered_result_is_not_shown_and_made_again_from_its_units(tmp_path: Path) -> None:
    run = asked(made(tmp_path / "one"), PLAN)
    assert work(run.path)
    right = run.result_bytes
    changed(run, result={"estimates": []})
    connection = sqlite3.connect(tmp_path / "one" / "store.db")
    connection.execute("UPDATE runs SET result = ?", (right.replace(b"0.", b"1.", 1),))
    connection.commit()
    connection.close()
    with pytest.raises(StoreError, match="altered on the disk"):
        _ = run.result
    asked(Audit(run.path.parents[1]), PLAN)
    assert run.state == "queued"
    assert work(run.path)
    assert run.result_bytes == right


def test_altered_settings_and_facts_are_refused(tmp_path: Path) -> None:
    run = asked(made(tmp_path), PLAN)
    connection = sqlite3.connect(tmp_path / "store.db")
    connection.execute("UPDATE runs SET asked = replace(asked, '60', '61')")
    connection.execute("UPDATE audits SET facts = replace(facts, 'real', 'raal')")
    connection.commit()
    connection.close()
    with pytest.raises(StoreError, match="settings of this run were altered"):
        _ = plan_of(run)
    with pytest.raises(StoreError, match="kept of this audit was altered"):
        _ = Audit(run.path.parents[1]).files


@pytest.mark.parametrize("content", [b"", b"no database at all, but a text that somebody saved here" * 200, None])
def test_a_file_that_is_no_store_is_a_sentence(tmp_path: Path, content: bytes | None) -> None:
    made(tmp_path)
    database(tmp_path).engine.dispose()
    path = tmp_path / "store.db"
    whole = path.read_bytes()
    for left in tmp_path.glob("store.db*"):
        left.unlink()
    path.write_bytes(whole[: len(whole) // 2 + 77] if content is None else content)
    tables._PREPARED.clear()
    with pytest.raises(StoreError, match=r"is empty, though the folders" if content == b"" else "is damaged"):
        Store(tmp_path).audits()


def test_an_empty_file_is_a_new_store_where_no_audit_was(tmp_path: Path) -> None:
    """As it is for a moment, while another process makes one."""
    (tmp_path / "store.db").touch()
    assert Store(tmp_path).audits() == []


def flipped(home: Path, whole: Path, rng: np.random.Generator) -> Run:
    """A copy of that home with one bit of its store another one."""
    shutil.copytree(whole, home)
    path = home / "store.db"
    content = bytearray(path.read_bytes())
    content[rng.integers(len(content))] ^= 1 << int(rng.integers(8))
    path.write_bytes(content)
    (audit,) = (home / "audits").iterdir()
    (run,) = (audit / "runs").iterdir()
    return Run(run)


def outcome(run: Run, right: bytes) -> str:
    """What becomes of a run in a store with a flipped bit: ``same`` bytes, ``refused`` in a sentence, or ``wrong``."""
    try:
        if run.state != "finished":
            again(run)
            if not work(run.path):
                return f"refused: {run.progress.get('error', run.state)}"
        return "same" if run.result_bytes == right else "WRONG"
    except RiskkitError as error:
        return f"refused: {error}"


def settled(whole: Path) -> None:
    """Move everything out of the write-ahead log into the file whose bits are flipped."""
    database(whole).engine.dispose()
    connection = sqlite3.connect(whole / "store.db")
    connection.execute("PRAGMA journal_mode=DELETE")
    connection.close()


def database_gone(home: Path) -> None:
    """Forget a store that is about to be removed."""
    with suppress(StoreError):
        database(home).engine.dispose()
    tables._PREPARED.clear()


def flips(tmp_path: Path, count: int, seed: int, *, finished: bool) -> Counter[str]:
    """Outcomes of so many flipped bits, one at a time."""
    right = undisturbed(tmp_path / "peace", PLAN)
    run = half_done(tmp_path / "whole")
    run.path.mkdir(parents=True, exist_ok=True)
    if finished:
        again(run)
        assert work(run.path)
    settled(tmp_path / "whole")
    rng, seen = np.random.default_rng(seed), Counter[str]()
    for _ in range(count):
        home = tmp_path / "flipped"
        seen[outcome(flipped(home, tmp_path / "whole", rng), right)] += 1
        database_gone(home)
        shutil.rmtree(home)
    return seen


def test_a_few_flipped_bits_are_found_or_harmless(tmp_path: Path) -> None:
    seen = flips(tmp_path, 6, seed=3, finished=True)
    assert seen["WRONG"] == 0
    assert sum(seen.values()) == 6


@pytest.mark.slow
@pytest.mark.parametrize("finished", [False, True], ids=["half done", "finished"])
def test_three_hundred_flipped_bits_are_found_or_harmless(tmp_path: Path, finished: bool) -> None:
    seen = flips(tmp_path, 300, seed=11, finished=finished)
    for what, count in seen.most_common():
        FIGURES.info("%s: %d x %s", "finished" if finished else "half done", count, what)
    assert seen["WRONG"] == 0
    assert sum(seen.values()) == 300


def test_without_hashes_an_altered_row_would_be_a_wrong_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The fault planted: a book that believes every row gives other bytes and says nothing."""
    monkeypatch.setattr("riskkit.jobs.ledger.LedgerPage._sha", lambda self, unit, payload: b"")
    run = half_done(tmp_path / "one")
    connection = sqlite3.connect(tmp_path / "one" / "store.db")
    (other,) = connection.execute("SELECT payload FROM units WHERE call = 2 AND unit = 1").fetchone()
    connection.execute("UPDATE units SET payload = ? WHERE call = 2 AND unit = 0", (other,))
    connection.commit()
    connection.close()
    again(run)
    assert work(run.path)
    assert run.result_bytes != undisturbed(tmp_path / "peace", PLAN)
