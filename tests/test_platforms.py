"""Windows and macOS, as far as Linux can pretend: what Python lacks there is taken away, and the commands still work.

The libraries are loaded before that, so of them nothing is said; nor of helper processes, which they start.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from riskkit.base import places

pytestmark = pytest.mark.second
ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "sample_data"
LOADED = (
    "asyncio concurrent.futures.process joblib multiprocessing.pool numba numpy pandas plotly.graph_objects psutil "
    "pyarrow.csv pyarrow.parquet scipy.optimize scipy.stats sklearn.ensemble sqlalchemy streamlit subprocess tempfile "
    "torch"
)
NOT_ON_WINDOWS = {
    "os": "chown fork forkpty get_blocking getegid geteuid getgid getloadavg getpgid getpgrp getuid killpg lchown "
    "mkfifo posix_spawn sched_getaffinity set_blocking setpgid setsid statvfs sysconf uname wait waitid O_DIRECTORY "
    "O_NOFOLLOW O_NONBLOCK WNOHANG",
    "signal": "alarm pthread_kill pthread_sigmask setitimer siginterrupt sigwait SIGALRM SIGCHLD SIGCONT SIGHUP "
    "SIGKILL SIGPIPE SIGQUIT SIGSTOP SIGUSR1 SIGUSR2 SIGXCPU",
}
"""What the documentation of Python 3.11 says is there on Unix alone, and would be most likely used."""
PRETEND = """
import importlib, os, pkgutil, signal, sys
kind, loaded, lacking, *commands = sys.argv[1:]
for name in loaded.split():
    try:
        importlib.import_module(name)
    except ImportError:
        pass  # of an extra that is not installed
for name in lacking.split():
    module, name = name.split(".")
    if hasattr(sys.modules[module], name):
        delattr(sys.modules[module], name)
if kind == "win32":
    signal.SIGBREAK = 21
    sys.modules.update(dict.fromkeys(("resource", "fcntl", "termios", "pwd", "grp", "tty", "pty")))
sys.platform = kind
import riskkit
for module in pkgutil.walk_packages(riskkit.__path__, "riskkit."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
from riskkit import cli
for words in commands:
    code = cli.main(words.split())
    assert code in (0, 4), (words, code)
"""


@pytest.mark.parametrize("kind", ["win32", "darwin"])
def test_every_module_loads_and_commands_work(kind: str, tmp_path: Path) -> None:
    """Files are read, a run is played and kept, a question is asked of a home that goes, a release is written."""
    lacking = {"win32": NOT_ON_WINDOWS, "darwin": {"os": "sched_getaffinity"}}[kind]
    names = " ".join(f"{module}.{name}" for module, every in lacking.items() for name in every.split())
    real, release, holdout = (DATA / name for name in ("real.csv", "release_bayesnet.csv", "holdout.csv"))
    both = f"--real {real} --synthetic {release}"
    commands = [
        f"check {real} {release} --holdout {holdout} --json",
        f"membership --real {real} --generator bayesnet --trainings 8 --n-syn 100 --keep M --quiet",
        f"singling-out {both} --holdout {holdout} --no-keep --quiet",
        f"mend {both} --shuffle --out {tmp_path / 'mended.csv'}",
        "audits list",
    ]
    environment = {**os.environ, "RISKKIT_HOME": str(tmp_path / "home"), "USERNAME": "ann", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", PRETEND, kind, LOADED, names, *commands],
        capture_output=True,
        text=True,
        env=environment,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert "membership     finished" in done.stdout
    assert (tmp_path / "mended.csv").read_text(encoding="utf-8").count("\n") == release.read_text("utf-8").count("\n")


@pytest.mark.parametrize(
    ("kind", "environment", "where"),
    [
        ("win32", {"LOCALAPPDATA": "/data"}, "/data/riskkit"),
        ("win32", {}, "/home/ann/AppData/Local/riskkit"),
        ("darwin", {"XDG_DATA_HOME": "/data"}, "/home/ann/Library/Application Support/riskkit"),
        ("linux", {"XDG_DATA_HOME": "/data"}, "/data/riskkit"),
        ("linux", {}, "/home/ann/.local/share/riskkit"),
    ],
)
def test_data_are_kept_where_the_system_keeps_those_of_a_user(
    kind: str, environment: dict[str, str], where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("RISKKIT_HOME", "LOCALAPPDATA", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"HOME": "/home/ann", **environment}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", kind)
    assert places.home() == Path(where)
