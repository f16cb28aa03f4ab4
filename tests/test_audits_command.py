"""``riskkit audits`` and ``riskkit worker``: the audits that are kept, without a browser."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from riskkit.cli import main
from riskkit.errors import StoreError
from riskkit.jobs.database import audits, runs
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit, Store
from riskkit.questions.runs import plan_of, work
from tests.faults.workers import PLAN, asked, longer, made
from tests.pages.runs import changed


@pytest.fixture
def audit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Audit:
    monkeypatch.setenv("RISKKIT_HOME", str(tmp_path))
    return made(tmp_path)


def printed(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    """What a command prints."""
    assert main(list(arguments)) == code
    streams = capsys.readouterr()
    return streams.out if code == 0 else streams.err


def test_every_audit_and_run_is_listed(audit: Audit, capsys: pytest.CaptureFixture[str]) -> None:
    run = asked(audit)
    changed(run, state="paused", done=7, total=408, error="The disk is full.")
    lines = printed(capsys, "audits", "list")
    assert audit.id[:8] in lines
    assert f"{run.id[:8]}  membership     paused, 7 of 408 done: The disk is full." in lines
    assert "kept until they are deleted" in lines
    listing = json.loads(printed(capsys, "audits", "list", "--json"))
    assert listing["audits"][0]["runs"][0]["state"] == "paused"


def test_a_run_is_shown_with_settings_log_and_result(audit: Audit, capsys: pytest.CaptureFixture[str]) -> None:
    run = asked(audit, longer(12))
    assert work(run.path)
    lines = printed(capsys, "audits", "show", run.id[:6])
    assert "trainings = 12" in lines
    assert "UTC · Finished." in lines
    assert "accuracy 0." in lines
    shown = json.loads(printed(capsys, "audits", "show", run.id, "--json"))
    assert shown["result"]["estimates"]
    assert "real.csv, 120 rows" in printed(capsys, "audits", "show", audit.id)


@pytest.mark.slow
def test_a_run_is_cancelled_and_played_by_the_worker(audit: Audit, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = asked(audit, longer(10)), asked(audit, replace(longer(10), seed=8))
    assert "asked to stop" in printed(capsys, "audits", "cancel", first.id)
    assert first.state == "cancelled"
    lines = printed(capsys, "worker", "--once")
    assert f"{second.id[:8]} of audit {audit.id[:8]}: finished" in lines
    assert "1 run finished." in lines
    assert (first.state, second.state) == ("cancelled", "finished")
    assert "goes on after 0 of" in printed(capsys, "audits", "resume", first.id, "--workers", "1", "--wait")
    assert first.state == "finished"


def test_a_worker_counts_the_runs_that_finished_and_names_the_one_that_failed(
    audit: Audit, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each is played in a process of its own; that all was played is no error, whatever came of a run."""
    first, failing, last = (asked(audit, replace(longer(10), seed=seed)) for seed in range(3))
    changed(failing, asked={**failing.request, "environment": "riskkit 0.0.1"})
    lines = printed(capsys, "worker", "--once", code=0).splitlines()
    states = {first: "finished", failing: "failed", last: "finished"}
    assert {run.state for run in states} == set(states.values())
    assert lines == [
        *(f"{run.id[:8]} of audit {audit.id[:8]}: {state}" for run, state in states.items()),
        "2 runs finished, 1 failed.",
    ]
    assert "Another version of riskkit, Python or a library began this run" in str(failing.progress["error"])
    assert printed(capsys, "worker", "--once") == "0 runs finished.\n"


def test_a_run_whose_worker_died_is_taken_up(audit: Audit, capsys: pytest.CaptureFixture[str]) -> None:
    run = asked(audit, longer(10))
    changed(run, state="running", boot="before the restart")
    assert run.state == "interrupted"
    assert "finished" in printed(capsys, "worker", "--once")
    assert "A worker has taken it up." in " ".join(run.log())


def test_old_uploads_are_purged(audit: Audit, capsys: pytest.CaptureFixture[str]) -> None:
    assert "No age was chosen" in printed(capsys, "audits", "purge", code=2)
    lines = printed(capsys, "audits", "purge", "--older-than", "0")
    assert "real.parquet" in lines
    assert "SHA-256" in lines
    assert Store.default().audits()[0].files == {}


@pytest.mark.parametrize("action", ["show", "resume", "cancel"])
def test_an_id_that_names_nothing_or_several_is_a_sentence(
    audit: Audit, capsys: pytest.CaptureFixture[str], action: str
) -> None:
    assert "No audit or run here begins with 'zz'" in printed(capsys, "audits", action, "zz", code=2)
    asked(audit), asked(audit, replace(PLAN, seed=4))
    if action != "show":
        assert "has 2 runs; name one of them" in printed(capsys, "audits", action, audit.id, code=2)


def test_a_damaged_run_or_audit_hides_no_other(audit: Audit, capsys: pytest.CaptureFixture[str]) -> None:
    whole, spoilt = asked(audit, longer(10)), asked(audit, longer(11))
    other = Store.default().create("Other")
    with audit.base.write() as connection:
        connection.execute(runs.update().where(runs.c.id == spoilt.id).values(asked=b"{}"))
        connection.execute(audits.update().where(audits.c.id == other.id).values(facts=b"{}"))
    lines = printed(capsys, "audits", "list")
    assert f"{whole.id[:8]}  membership" in lines
    assert "The settings of this run were altered on the disk" in lines
    assert "kept of this audit was altered" in lines
    assert "2 audits in" in lines
    assert len(json.loads(printed(capsys, "audits", "list", "--json"))["audits"]) == 2
    assert whole.id in printed(capsys, "audits", "show", audit.id)


DAMAGES = (
    "settings that are no JSON",
    "a result that is no JSON",
    "a result cut off",
    "a file of rows overwritten",
    "a file of rows cut off",
    "no file of rows",
    "a folder in place of a file of rows",
)
"""What may have become of one run, or of one file of its audit."""


@pytest.mark.parametrize("damage", DAMAGES)
def test_one_damaged_run_or_file_hides_no_other_and_says_so_where_it_is_opened(
    audit: Audit, capsys: pytest.CaptureFixture[str], damage: str
) -> None:
    whole = asked(audit, longer(10))
    other = made(audit.path.parents[1])
    spoilt = asked(other, longer(11))
    changed(spoilt, state="finished", result={"estimates": []})
    _damage(other, spoilt, damage)
    lines = printed(capsys, "audits", "list")
    assert f"{whole.id[:8]}  membership" in lines
    assert spoilt.id[:8] in lines
    assert "2 audits in" in lines
    assert len(json.loads(printed(capsys, "audits", "list", "--json"))["audits"]) == 2
    assert whole.id in printed(capsys, "audits", "show", audit.id)
    with pytest.raises(StoreError, match=r"altered|missing|gone|not there|read") as why:
        _ = plan_of(spoilt), spoilt.result, other.tables()
    assert str(why.value).endswith("."), "a sentence"


def _damage(audit: Audit, run: Run, damage: str) -> None:
    """Spoil what is kept of an audit or of its run in one way."""
    rows = audit.path / "real.parquet"
    kept = rows.read_bytes()
    columns = {
        DAMAGES[0]: {"asked": b"\x00no JSON"},
        DAMAGES[1]: {"result": b"\xffno JSON"},
        DAMAGES[2]: {"result": b'{"estimates": ['},
    }
    if damage in columns:
        with audit.base.write() as connection:
            connection.execute(runs.update().where(runs.c.id == run.id).values(**columns[damage]))
    elif damage == DAMAGES[3]:
        rows.write_bytes(b"PAR1" + bytes(len(kept) - 8) + b"PAR1")
    elif damage == DAMAGES[4]:
        rows.write_bytes(kept[: len(kept) // 2])
    else:
        rows.unlink()
        if damage == DAMAGES[6]:
            rows.mkdir()
