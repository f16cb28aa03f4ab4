"""Nobody else on the machine can read what is kept, and no process leaves a picture of its memory."""

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from riskkit.base import process
from riskkit.jobs.store import Store
from riskkit.questions.contest.entries import HandedIn, dealing, first_sample
from riskkit.questions.contest.plan import ContestPlan
from riskkit.questions.runs import work
from tests.faults.test_kills import helpers
from tests.faults.workers import asked, kept, longer, until, worker
from tests.pages.screens import csv

pytestmark = pytest.mark.skipif(os.name != "posix", reason="rights and limits as POSIX systems have them")
ROOT = Path(__file__).resolve().parents[2]
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="looks processes up in /proc")


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """A new store, made by a process whose files anybody may read."""
    before = os.umask(0o022)
    process.tighten.cache_clear()
    monkeypatch.setenv("RISKKIT_HOME", str(tmp_path / "home"))
    yield Store.default()
    os.umask(before)


def open_to_others(home: Path) -> list[str]:
    """The files and folders that have any right for others, with what they are."""
    every = [home, *home.rglob("*")]
    assert len(every) > 5
    return [f"{path} {stat.filemode(path.lstat().st_mode)}" for path in every if path.lstat().st_mode & process.OTHERS]


def test_whatever_is_kept_is_its_users_alone(store: Store) -> None:
    audit = store.create("Private")
    audit.load("real", csv(400), name="real.csv")
    assert work(asked(audit, longer(10)).path)
    plan = ContestPlan(
        anonymisers=("stat",), attackers=("distance",), source="base", population=300, sample=60, guesses=20
    )
    handed, tables = HandedIn.read(audit), audit.tables()
    deal = dealing(plan, audit.revision)
    handed.take_release("team", first_sample(tables, plan, "team"), "ours.csv", tables.schema, deal)
    audit.clone("Another")
    store.purge(0, now=datetime.now(UTC))
    assert open_to_others(store.home) == []


def test_what_was_left_open_is_closed_the_next_time(store: Store, tmp_path: Path) -> None:
    audit = store.create("Copied back")
    audit.load("real", csv(), name="real.csv")
    (tmp_path / "elsewhere").write_text("not ours")
    (audit.path / "link").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere").chmod(0o644)
    for path in (store.home, *store.home.rglob("*")):
        if not path.is_symlink():
            path.chmod(path.stat().st_mode | 0o055)
    process.tighten.cache_clear()
    Store.default()
    (audit.path / "link").unlink()
    assert open_to_others(store.home) == []
    assert stat.S_IMODE((tmp_path / "elsewhere").stat().st_mode) == 0o644


LOOKS = "import os,resource; print(oct(os.umask(0)), resource.getrlimit(resource.RLIMIT_CORE), flush=True)"


@pytest.mark.second  # a new process that loads the engine takes seconds
@pytest.mark.parametrize(
    "code",
    [
        "import riskkit.dashboard; " + LOOKS,
        "from riskkit.cli import main; main(['audits', 'list', '--json']); " + LOOKS,
        "from riskkit.jobs.store import Store; Store.default(); " + LOOKS,
        "from riskkit.jobs.engines import _single_thread; _single_thread(); " + LOOKS,
        "from riskkit.jobs import machine; machine.humble(); " + LOOKS,
        f"import subprocess,sys,riskkit.dashboard; subprocess.run([sys.executable, '-c', {LOOKS!r}])",
    ],
    ids=["server", "command", "store", "cluster's worker", "worker", "child"],
)
def test_every_process_makes_private_files_and_leaves_no_core(code: str, tmp_path: Path) -> None:
    """Started as carelessly as can be: files for everybody, core dumps of any size the system allows."""
    careless = (
        "import os,resource,sys; os.umask(0); hard = resource.getrlimit(resource.RLIMIT_CORE)[1];"
        "resource.setrlimit(resource.RLIMIT_CORE, (hard, hard)); exec(sys.argv[1])"
    )
    env = {**os.environ, "RISKKIT_HOME": str(tmp_path / "home"), "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", careless, code], env=env, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "0o77 (0, 0)"


@LINUX
@pytest.mark.second
def test_the_processes_of_a_run_do_so_too(store: Store) -> None:
    """The worker, and those that train beside it."""
    audit = store.create("Beside")
    audit.load("real", csv(400), name="real.csv")
    run = asked(audit, longer(20_000), workers=2)
    with worker(run) as child:
        until(lambda: len(kept(run)) > 3)
        processes = [child, *helpers(child, "LokyProcess")]
        assert len(processes) >= 3
        for number in processes:
            limits = Path(f"/proc/{number}/limits").read_text().splitlines()
            assert next(line.split() for line in limits if line.startswith("Max core"))[4:6] == ["0", "0"]
            assert "Umask:\t0077\n" in Path(f"/proc/{number}/status").read_text()
