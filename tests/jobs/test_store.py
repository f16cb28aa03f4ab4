"""Audits are kept in a private folder, found again, started once, and survive what happens to the server."""

import io
import stat
import time
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from riskkit.audit import sample
from riskkit.core import Kind, Role
from riskkit.errors import DesignError
from riskkit.jobs.codec import sha
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit, Store
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.membership.play import run_membership
from riskkit.questions.runs import plan_of, work
from riskkit.table.kinds.choice import ColumnChoice
from riskkit.table.read.csv_text import read_csv
from riskkit.table.write import to_csv
from tests.table.test_kinds_of_file import excel, parquet
from tests.tables import mixed

PLAN = MembershipPlan(
    generators=("histogram",), targets=("random",), attacks=("neighbour:own=2",), trainings=10, n_syn=50
)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setenv("RISKKIT_HOME", str(tmp_path / "home"))
    return Store.default()


@pytest.fixture
def audit(store: Store) -> Audit:
    made = store.create("Mine")
    made.put("real", read_csv(to_csv(mixed(120)), name="real.csv"))
    return made


@pytest.fixture
def played_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is started is played in this process: to start another takes seconds."""
    monkeypatch.setattr(Run, "spawn", lambda run: work(run.path))


def wait(run: Run, seconds: float = 60) -> str:
    deadline = time.monotonic() + seconds
    while run.state in ("queued", "running") and time.monotonic() < deadline:
        time.sleep(0.1)
    return run.state


def test_the_folder_is_private(store: Store) -> None:
    assert stat.S_IMODE(store.home.stat().st_mode) == 0o700


def test_an_audit_is_found_again_with_its_files_and_choices(store: Store, audit: Audit) -> None:
    audit.choose({"age": ColumnChoice(kind=Kind.CATEGORICAL, role=Role.SECRET, missing_tokens=("-9",))})
    again = store.open(audit.id)
    assert again.name == "Mine"
    assert again.choices == audit.choices
    assert again.files["real"]["rows"] == 120
    text = again.text("real")
    assert text is not None
    assert text.sha256 == audit.files["real"]["sha256"]
    assert again.text("holdout") is None
    assert [audit.id for audit in store.audits()] == [audit.id]


def test_the_newest_audit_comes_first(store: Store) -> None:
    ids = [store.create(f"Audit {n}").id for n in range(3)]
    assert {audit.id for audit in store.audits()} == set(ids)
    created = [audit.creation_time for audit in store.audits()]
    assert created == sorted(created, reverse=True)


@pytest.mark.parametrize("bad", ["", "nothing", "../../etc", "a/b", "."])
def test_an_audit_that_is_not_there_is_a_sentence(store: Store, bad: str) -> None:
    with pytest.raises(DesignError, match="no such audit"):
        store.open(bad)


def test_the_revision_follows_files_and_choices(audit: Audit) -> None:
    first = audit.revision
    assert audit.revision == first
    audit.choose({"age": ColumnChoice(role=Role.SECRET)})
    second = audit.revision
    audit.put("real", read_csv(to_csv(mixed(121)), name="real.csv"))
    assert len({first, second, audit.revision}) == 3


def test_tables_follow_the_choices(audit: Audit) -> None:
    assert audit.tables().schema.column("age").kind is Kind.NUMERIC
    audit.choose({"age": ColumnChoice(kind=Kind.CATEGORICAL)})
    assert audit.tables().schema.column("age").kind is Kind.CATEGORICAL


def test_a_dropped_file_is_gone(audit: Audit) -> None:
    audit.drop("real")
    assert audit.files == {}
    assert not list(audit.path.glob("real*"))
    with pytest.raises(DesignError, match="No real table"):
        audit.tables()


def test_a_run_gives_the_numbers_of_the_engine(audit: Audit) -> None:
    run = audit.start(PLAN)
    assert wait(run) == "finished", run.progress
    direct = run_membership(audit.tables().real, PLAN).as_dict()
    assert {name: run.result[name] for name in direct} == direct
    assert len(run.result["scores"][0]["value"]) == 10 * 5
    reopened = audit.run(run.id)
    assert reopened is not None
    assert plan_of(reopened) == PLAN


@pytest.mark.usefixtures("played_here")
def test_a_finished_run_is_found_again_and_not_played_twice(audit: Audit) -> None:
    run = audit.start(PLAN)
    wait(run)
    log = run.log()
    again = audit.start(PLAN)
    assert again.id == run.id
    assert again.log() == log
    assert audit.start(replace(PLAN, seed=2)).id != run.id


@pytest.mark.usefixtures("played_here")
def test_a_run_that_cannot_be_played_fails_with_its_sentence(audit: Audit) -> None:
    run = audit.start(replace(PLAN, targets=("listed:rows=999",)))
    assert wait(run) == "failed"
    assert "999" in run.progress["error"]


@pytest.mark.second
def test_an_unexpected_error_is_named_by_its_kind_alone(audit: Audit) -> None:
    junk = b"secret cell value"
    (audit.path / "real.parquet").write_bytes(junk)
    facts = audit.files["real"]
    audit.change(files={"real": {**facts, "kept": sha(junk).hex()}})
    run = audit.start(PLAN)
    assert wait(run) == "failed"
    assert "unexpected" in run.progress["error"]
    assert not any("secret" in text for text in (run.progress["error"], *run.log()))
    assert b"secret" not in (run.path / "log").read_bytes()


@pytest.mark.usefixtures("played_here")
def test_a_stored_file_that_was_altered_is_refused_in_a_sentence(audit: Audit) -> None:
    stored = audit.path / "real.parquet"
    content = bytearray(stored.read_bytes())
    content[len(content) // 2] ^= 1
    stored.write_bytes(content)
    run = audit.start(PLAN)
    assert wait(run) == "failed"
    assert "real.csv was altered on the disk" in run.progress["error"]


def test_a_deleted_audit_leaves_nothing(store: Store, audit: Audit) -> None:
    audit.delete()
    assert store.audits() == []
    assert not audit.path.exists()


def test_the_sample_audit_is_made_once(store: Store) -> None:
    first, second = sample.load_sample(store), sample.load_sample(store)
    assert first.id == second.id
    assert set(first.files) == set(sample.FILES)


def test_the_sample_audit_asks_about_a_column_of_its_files(store: Store) -> None:
    (unit,) = sample.ATTRIBUTES.units(sample.load_sample(store).tables().schema)
    assert (unit.secret, unit.detailed) == ("diagnosis", True)


def test_an_audit_of_parquet_and_excel_is_played_resumed_and_taken_along(store: Store) -> None:
    """Its runs know the same data after a restart, and a copy of the audit has the same revision."""
    audit = store.create("Kinds")
    table = pd.read_csv(io.BytesIO(to_csv(mixed(120))), dtype=str, keep_default_na=False)
    audit.load("real", parquet(table), name="real.parquet")
    others = pd.read_csv(io.BytesIO(to_csv(mixed(120, 1))), dtype=str, keep_default_na=False)
    audit.load("holdout", excel(others), name="holdout.xlsx")
    direct = read_csv(to_csv(mixed(120)), name="real.csv")
    text = audit.text("real")
    assert text is not None
    assert text.data.equals(direct.data)
    assert (text.format, audit.text("holdout").sheet) == ("Parquet", "People")  # type: ignore[union-attr]
    twin = audit.clone("Twin")
    assert (twin.revision, twin.source("holdout")) == (audit.revision, audit.source("holdout"))
    run = audit.run_of(PLAN)
    before, Run.spawn = Run.spawn, lambda self: None  # type: ignore[method-assign]
    try:
        audit.start(PLAN)
        run.cancel()
        run.resume()
    finally:
        Run.spawn = before  # type: ignore[method-assign]
    assert work(run.path)
    assert run.result["estimates"] == run_membership(audit.tables().real, PLAN).as_dict()["estimates"]
