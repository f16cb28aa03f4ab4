"""What becomes of a run that a command plays: kept, resumed after a kill, queued, or nowhere at all."""

import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from riskkit.cli import main
from riskkit.errors import DesignError, DiskFull
from riskkit.generators import external
from riskkit.jobs import engines
from riskkit.jobs.ledger import LedgerPage
from riskkit.jobs.store import Audit, Store
from riskkit.jobs.worker import serve
from tests.faults.workers import kept
from tests.session.people import people

pytestmark = pytest.mark.second
ROOT = Path(__file__).resolve().parents[1]
Capture = pytest.CaptureFixture[str]
GAME = ("--generator", "histogram", "--target", "random", "--attack", "neighbour:own=2", "--n-syn", "50")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RISKKIT_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("files")
    paths = {name: folder / f"{name}.csv" for name in ("real", "synthetic", "holdout")}
    for seed, path in enumerate(paths.values()):
        people(n=120, seed=seed).to_csv(path, index=False)
    return {name: str(path) for name, path in paths.items()}


def words(files: dict[str, str], *more: str) -> list[str]:
    return ["released", *(word for name, path in files.items() for word in (f"--{name}", path)),
            "--attacks", "dcr", "--json", *more]  # fmt: skip


def game(files: dict[str, str], *more: str) -> list[str]:
    return ["membership", "--real", files["real"], *GAME, "--json", *more]


def audits(home: Path) -> list[Audit]:
    return Store(home).audits() if (home / "audits").is_dir() else []


def cells(home: Path) -> list[str]:
    """The files below a home that hold a word of the tables, or are copies of them."""
    kept = [path for path in home.rglob("*") if path.is_file()]
    return [path.name for path in kept if path.suffix in (".parquet", ".upload") or b"norfolkia" in path.read_bytes()]


def played(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many units are worked out, one entry a chunk."""
    count: list[int] = []
    before = engines.play

    def counting(shared: Any, place: Any, units: Any) -> Any:
        count.append(len(units))
        return before(shared, place, units)

    monkeypatch.setattr(engines, "play", counting)
    return count


def test_without_a_name_the_run_is_kept_and_no_table_and_no_score(
    home: Path, files: dict[str, str], capsys: Capture, call: Callable[..., str]
) -> None:
    assert main(words(files)) == 0
    outputs = capsys.readouterr()
    (audit,) = audits(home)
    (run,) = audit.runs()
    assert f"Kept as {audit.id[:8]}/{run.id[:8]} in {home}, the tables only until it has ended" in outputs.err
    assert json.loads(outputs.out)["settings"]["attacks"] == ["dcr"], "standard output is the result alone"
    assert (audit.name, run.state) == ("released of real.csv", "finished")
    assert run.result["estimates"] == json.loads(outputs.out)["estimates"]
    assert "scores" not in run.result
    assert audit.files == {}
    assert cells(home) == []
    assert "released of real.csv" in call(["audits", "list"])


def test_under_a_name_all_is_kept_and_found_again_without_playing(
    home: Path, files: dict[str, str], call: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    count = played(monkeypatch)
    first, units = call(words(files, "--keep", "March", "--limit", "0.7")), sum(count)
    assert units > 0
    assert call(words(files, "--keep", "March", "--limit", "0.7")) == first
    assert sum(count) == units, "the second time nothing was run"
    (audit,) = audits(home)
    assert audit.name == "March"
    assert set(audit.files) == {"real", "synthetic", "holdout"}
    assert audit.limits["released"].value == 0.7
    assert audit.runs()[0].result["scores"]
    assert call(words(files, "--no-keep", "--limit", "0.7")) == first, "kept or not, the same bytes"
    assert main(["audits", "delete", audit.id[:8]]) == 0
    assert audits(home) == []
    assert cells(home) == []


def test_nothing_is_kept_where_that_is_asked(home: Path, files: dict[str, str], capsys: Capture) -> None:
    assert main(words(files, "--no-keep")) == 0
    assert "Kept" not in capsys.readouterr().err
    assert not home.exists()
    assert main(words(files, "--no-keep", "--queue")) == 2
    assert "has to be kept until it is run" in capsys.readouterr().err


def started(home: Path, arguments: list[str]) -> tuple[subprocess.Popen[str], Any]:
    """The command in a process of its own, once its run has kept some units."""
    environ = {**os.environ, "RISKKIT_HOME": str(home), "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        [sys.executable, "-m", "riskkit", *arguments],
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    end = time.monotonic() + 120
    while time.monotonic() < end and process.poll() is None:
        runs = [run for audit in audits(home) for run in audit.runs()]
        if runs and runs[0].progress.get("done", 0) > 20:
            return process, runs[0]
        time.sleep(0.05)
    raise AssertionError(process.communicate())


LONG, LONGER = ("--trainings", "600"), ("--trainings", "100000")
"""So many that it can be stopped amid them, and that it goes on while another process looks whether it does."""


@pytest.fixture(scope="module")
def straight(files: dict[str, str]) -> str:
    """What the long game prints where nothing stops it."""
    printed = io.StringIO()
    with redirect_stdout(printed):
        assert main(game(files, *LONG, "--no-keep")) == 0
    return printed.getvalue()


@pytest.mark.usefixtures("listening")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_run_that_was_stopped_goes_on_with_the_same_command(
    home: Path, files: dict[str, str], straight: str, how: signal.Signals, call: Callable[..., str]
) -> None:
    process, run = started(home, game(files, *LONG))
    process.send_signal(how)
    outputs = process.communicate(timeout=60)
    assert process.returncode in (-how, 128 + how), outputs
    assert outputs[0] == "", "nothing that is not a result"
    assert cells(home) != [], "until it has ended the tables are there"
    if how is signal.SIGKILL:
        end = time.monotonic() + 60
        while run.state == "running" and time.monotonic() < end:
            time.sleep(0.5)
    else:
        assert f"audits resume {run.path.parents[1].name[:8]}/{run.id[:8]} goes on" in outputs[1]
    assert run.state == "interrupted"
    assert call(game(files, *LONG)) == straight
    assert any("kept results are used again" in line for line in run.log()), run.log()
    assert cells(home) == []


def test_a_run_whose_disk_is_full_keeps_its_tables_and_goes_on(
    home: Path, files: dict[str, str], capsys: Capture, call: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    keep, full = LedgerPage.keep, [True]

    def filling(self: LedgerPage, results: Any) -> Any:
        if full and sum(len(kept(run)) for audit in audits(home) for run in audit.runs()) > 2:
            raise DiskFull("The disk is full.")
        return keep(self, results)

    monkeypatch.setattr(LedgerPage, "keep", filling)
    assert main(game(files)) == 2
    assert "The disk is full." in capsys.readouterr().err
    (run,) = audits(home)[0].runs()
    assert run.state == "paused"
    assert cells(home)
    full.clear()
    resumed = call(game(files))
    assert any("kept results are used again" in line for line in run.log())
    assert cells(home) == []
    assert call(game(files, "--no-keep")) == resumed


def test_a_run_that_can_go_on_keeps_its_tables_though_another_ends(
    home: Path, files: dict[str, str], capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(LedgerPage, "keep", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        assert main(game(files)) == 130
    assert main(game(files, "--seed", "2")) == 0
    (audit,) = audits(home)
    assert sorted(run.state for run in audit.runs()) == ["finished", "interrupted"]
    assert cells(home), "the first one can still go on"
    assert main(game(files)) == 0
    assert cells(home) == []


def test_no_table_stays_where_a_run_is_refused(
    home: Path, files: dict[str, str], capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> None:
        raise DesignError("Not so.")

    monkeypatch.setattr(Audit, "limit_to", broken)
    assert main(words(files, "--keep", "March", "--limit", "0.7")) == 2
    assert audits(home) == []
    assert cells(home) == []


def test_a_run_that_waits_is_played_by_a_worker(home: Path, files: dict[str, str], call: Callable[..., str]) -> None:
    waiting = json.loads(call(words(files, "--queue")))
    assert waiting["state"] == "queued"
    assert serve(Store(home), once=True, tell=lambda _: None) == (1, 0)
    shown = json.loads(call(["audits", "show", f"{waiting['audit'][:8]}/{waiting['run'][:8]}", "--json"]))
    assert shown["result"]["estimates"] == json.loads(call(words(files, "--no-keep")))["estimates"]


COPIES = """
import sys
head, *rows = open(sys.argv[1], encoding="utf-8").read().splitlines()
open(sys.argv[2], "w", encoding="utf-8").write("\\n".join([head, *rows[: int(sys.argv[3])]]) + "\\n")
"""
"""A program that releases the first rows as they are."""


def test_a_worker_runs_a_program_only_where_that_is_allowed(
    home: Path,
    files: dict[str, str],
    tmp_path: Path,
    capsys: Capture,
    call: Callable[..., str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in (external.ALLOWED, external.OFFERED):
        monkeypatch.setenv(name, "")
    script = tmp_path / "theirs.py"
    script.write_text(COPIES, encoding="utf-8")
    method = f'external:command="{sys.executable} {script} {{train}} {{out}} {{n}}"'
    words = ["membership", "--real", files["real"], "--generator", method, *GAME[2:], "--trainings", "4"]
    waiting = json.loads(call([*words, "--allow-external", "--queue", "--json"]))
    monkeypatch.setenv(external.ALLOWED, "")
    assert main(["worker", "--once"]) == 0
    run = Store(home).open(waiting["audit"]).run(waiting["run"])
    assert run is not None
    assert run.state == "failed"
    assert "--allow-external" in run.progress["error"]
    capsys.readouterr()
    assert main(["audits", "resume", f"{waiting['audit']}/{waiting['run']}", "--allow-external", "--wait"]) == 0
    assert run.state == "finished", run.progress


def test_a_contest_that_waits_has_the_files_it_needs(
    home: Path, files: dict[str, str], tmp_path: Path, call: Callable[..., str]
) -> None:
    release = tmp_path / "theirs.csv"
    people(n=60, seed=9).to_csv(release, index=False)
    small = ["--attackers", "distance", "--anonymisers", "identity", "--json"]
    asked = ["--source", "base", "--population", "100", "--sample", "60", "--guesses", "20"]
    asked += ["--given", "theirs", str(release)]
    contest = ["contest", "--base", files["real"], *asked, *small]
    here = json.loads(call([*contest, "--no-keep"]))
    waiting = json.loads(call([*contest, "--queue"]))
    assert serve(Store(home), once=True, tell=lambda _: None) == (1, 0)
    run = Store(home).open(waiting["audit"]).run(waiting["run"])
    assert run is not None
    assert run.state == "finished", run.progress
    assert run.result["estimates"] == here["estimates"]


def test_where_nothing_can_be_kept_it_is_said_and_a_name_is_refused(
    tmp_path: Path, files: dict[str, str], capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "taken").write_text("", encoding="utf-8")
    monkeypatch.setenv("RISKKIT_HOME", str(tmp_path / "taken"))
    assert main(words(files, "--quiet")) == 0
    outputs = capsys.readouterr()
    assert "What is run is not kept, and does not go on after a kill." in outputs.err
    assert json.loads(outputs.out)["estimates"]
    assert main(words(files, "--keep", "March")) == 2
    assert "cannot be used" in capsys.readouterr().err


def test_a_run_that_another_process_plays_is_not_played_twice(
    home: Path, files: dict[str, str], capsys: Capture
) -> None:
    process, _ = started(home, game(files, *LONGER))
    try:
        assert main(game(files, *LONGER)) == 2
        assert "is under way in another process" in capsys.readouterr().err
        assert cells(home), "and what the other one needs stays"
    finally:
        process.kill()
        process.communicate()
