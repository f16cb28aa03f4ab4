"""A whole audit from the command line is kept until it has ended: after a kill the same command goes on."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from riskkit.cli import main
from riskkit.jobs.leases import STALE_AFTER
from riskkit.jobs.store import Audit, Store
from tests.faults.test_kills import helpers, left_of
from tests.pages.runs import changed
from tests.test_cli_verdicts import rows

pytestmark = pytest.mark.second
CONFIG = """
[released]
attacks = ["dcr", "mc"]
[membership]
generators = ["stat"]
trainings = 1000
generations = 2
n_syn = 150
"""
"""One question that is quick, and one of many units, in which a kill comes."""
FEW = (
    '[released]\nattacks = ["dcr", "mc"]\n[singling-out]\nsize = 2\n[attributes]\nsecrets = ["place"]\nmodel = "tree"\n'
)
"""Questions that are quick."""
MADE = "--made=2026-01-01T00:00:00"


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("kept-audit")
    for seed, name in enumerate(("real", "synthetic", "holdout")):
        lines = ["a,b,c,place", *rows(seed, 150)]
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "audit.toml").write_text(CONFIG, encoding="utf-8")
    (folder / "few.toml").write_text(FEW, encoding="utf-8")
    files = [f"--{name}={folder / f'{name}.csv'}" for name in ("real", "synthetic", "holdout")]
    return ["audit", "--workers", "1", *files, f"--config={folder / 'audit.toml'}", MADE]


def few(words: list[str]) -> list[str]:
    """The command, with the quick questions alone."""
    return [word.replace("audit.toml", "few.toml") for word in words]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RISKKIT_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def report(folder: Path) -> dict[str, Any]:
    report: dict[str, Any] = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    return report


def differences(first: object, second: object, place: str = "") -> Iterator[str]:
    """Where two reports differ, and by what: pytest leaves out of long dictionaries what matters."""
    if isinstance(first, dict) and isinstance(second, dict) and first.keys() == second.keys():
        for name in first:
            yield from differences(first[name], second[name], f"{place}/{name}")
    elif isinstance(first, list) and isinstance(second, list) and len(first) == len(second):
        for number, pair in enumerate(zip(first, second, strict=True)):
            yield from differences(*pair, f"{place}/{number}")
    elif first != second:
        yield f"{place}: {str(first)[:300]} or {str(second)[:300]}"


def only() -> Audit:
    (audit,) = Store.default().audits()
    return audit


def test_after_a_kill_the_same_command_goes_on_to_the_same_bytes(words: list[str], home: Path, tmp_path: Path) -> None:
    """Each time a program of its own, as a steward starts it: what else this process has done is no part of it."""
    command = [sys.executable, "-m", "riskkit", *words]
    killed, straight = (f"--out={tmp_path / name}" for name in ("killed", "straight"))
    process = subprocess.Popen([*command, killed], stderr=subprocess.DEVNULL)
    end = time.monotonic() + 120
    while time.monotonic() < end and not _is_underway():
        time.sleep(0.05)
    family = helpers(process.pid)  # the command itself is played by a process of its own, which ends with this one
    process.send_signal(signal.SIGKILL)
    process.wait(timeout=30)
    while time.monotonic() < end and left_of(family):
        time.sleep(0.1)
    audit = only()
    assert audit.name == "audit of real.csv"
    assert set(audit.files) == {"real", "synthetic", "holdout"}, "the tables stay while it can go on"
    before = {run.question: run.progress["done"] for run in audit.runs()}
    assert not (tmp_path / "killed").exists()
    for run in audit.runs():
        changed(run, ticks=time.monotonic() - STALE_AFTER - 1)  # as if so long had gone by; test_kept_runs waits
    again = subprocess.run([*command, killed], capture_output=True, text=True, check=False)
    assert again.returncode in (3, 4), again.stderr
    assert f"Kept as {audit.id[:8]}" in again.stderr
    elsewhere = {**os.environ, "RISKKIT_HOME": str(tmp_path / "another home")}  # where no report was counted yet either
    assert subprocess.run([*command, straight], env=elsewhere, capture_output=True, check=False).returncode in (3, 4)
    happened = "\n".join([again.stderr, *(f"{run.question}: {line}" for run in only().runs() for line in run.log())])
    assert not list(differences(report(tmp_path / "killed"), report(tmp_path / "straight"))), happened
    assert before, "something was done before the kill"
    assert only().files == {}, "and go when all has ended"
    assert {run.state for run in only().runs()} == {"finished"}


DIES = """
import os, sys
from riskkit.commands import _report
_report.report = lambda *_, **__: os._exit(9)
from riskkit.cli import main
main(sys.argv[1:])
"""
"""A program that is killed when all is played and nothing is reported yet."""


def test_after_a_kill_before_the_report_nothing_is_played_again(words: list[str], home: Path, tmp_path: Path) -> None:
    short = [*few(words), f"--out={tmp_path / 'out'}"]
    died = subprocess.run([sys.executable, "-c", DIES, *short], capture_output=True, check=False)
    assert died.returncode == 9, died.stderr
    audit = only()
    played = {run.id: run.result["seconds"] for run in audit.runs()}
    assert played
    assert main(short) in (3, 4)
    assert (tmp_path / "out" / "report.json").exists()
    assert only().id == audit.id
    assert {run.id: run.result["seconds"] for run in only().runs()} == played
    assert only().files == {}


def _is_underway() -> bool:
    """Whether the long question has done a part of its units."""
    return any(
        run.question == "membership" and int(run.progress["done"] or 0) > 20
        for audit in Store.default().audits()
        for run in audit.runs()
    )


def test_under_a_name_the_tables_stay_and_no_keep_leaves_nothing(words: list[str], home: Path, tmp_path: Path) -> None:
    short = few(words)
    assert main([*short, "--no-keep", "--quiet", f"--out={tmp_path / 'none'}"]) in (3, 4)
    assert not home.exists() or not Store.default().audits()
    assert main([*short, "--keep=March", "--limit=released=0.9", f"--out={tmp_path / 'kept'}"]) in (0, 3, 4)
    audit = only()
    assert (audit.name, set(audit.files)) == ("March", {"real", "synthetic", "holdout"})
    assert audit.limits["released"].value == 0.9


def test_the_queue_takes_it_and_the_report_is_made_of_what_workers_did(
    words: list[str], home: Path, tmp_path: Path, call: Callable[..., str]
) -> None:
    short = few(words)
    printed, audit = call([*short, "--queue", f"--out={tmp_path / 'queued'}"]), only()
    assert f"report {audit.id}" in printed
    assert {run.state for run in audit.runs()} == {"queued"}
    assert main(["worker", "--once"]) == 0
    assert {run.state for run in only().runs()} == {"finished"}
    assert main(["report", audit.id, MADE, f"--out={tmp_path / 'queued'}"]) in (3, 4)
    assert main([*short, "--no-keep", f"--out={tmp_path / 'here'}"]) in (3, 4)
    queued, played = (
        {q["question"]: q["finding"]["estimates"] for q in report(tmp_path / place)["questions"] if q["finding"]}
        for place in ("queued", "here")
    )
    assert queued == played
    assert main([*short, "--queue", "--no-keep", f"--out={tmp_path / 'x'}"]) == 2


def test_what_it_takes_counts_the_look_at_the_files(
    words: list[str], tmp_path: Path, call: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which stands before the first question, and takes as long as several."""
    clock = [0.0]
    monkeypatch.setattr("riskkit.commands.audit.time", SimpleNamespace(process_time=lambda: clock[0]))

    def look(*_: object, **__: object) -> None:
        clock[0] += 7200.0

    monkeypatch.setattr("riskkit.commands.audit.build_given", look)
    assert "Together: about 2 h 00 min" in call([*words, "--forecast", f"--out={tmp_path / 'none'}"])


def test_what_it_takes_is_foretold_and_nothing_played(
    words: list[str], home: Path, tmp_path: Path, call: Callable[..., str]
) -> None:
    printed = call([*words, "--forecast", f"--out={tmp_path / 'none'}"])
    for line in ("released: This takes", "membership: This takes", "Together: "):
        assert line in printed
    assert not (tmp_path / "none").exists()
    assert not home.exists() or not Store.default().audits()
