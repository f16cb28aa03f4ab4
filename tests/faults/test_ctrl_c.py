"""A terminal's Ctrl-C, at any instant of a command: it stops, says so without a traceback, and no process stays."""

import fcntl
import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import ROOT
from tests.session.people import people

CTRL_C = b"\x03"
MARK = "RISKKIT_TEST_OF_CTRL_C"
"""A name in the environment of the command, by which all its processes are known."""
HELPER = "popen_loky_posix"
"""What stands in the command line of a helper."""
WITHIN = 120.0
COMMAND = (
    *("membership", "--generator", "histogram", "--target", "random", "--attack", "neighbour:own=2", "--n-syn", "50"),
    *("--trainings", "20000", "--workers", "2", "--json"),
)


class Terminal:
    """A command in front of a terminal of its own: what it wrote there, and the processes that are its own."""

    def __init__(self, *words: str, mark: str, home: Path) -> None:
        self.mark, self.written = f"{MARK}={mark}", b""
        self.ours, theirs = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "riskkit", *words],
            cwd=ROOT,
            env={**os.environ, MARK: mark, "RISKKIT_HOME": str(home)},
            stdin=theirs,
            stdout=subprocess.DEVNULL,
            stderr=theirs,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509  no thread holds a lock here
        )
        os.close(theirs)

    def read(self, seconds: float = 0.02) -> None:
        """Take in what was written; wait so long for it at most."""
        if select.select([self.ours], [], [], seconds)[0]:
            try:
                self.written += os.read(self.ours, 65536)
            except OSError:  # nobody is left to write
                time.sleep(seconds)

    def wait(self, until: Callable[[], bool]) -> bool:
        """Whether that came about, before the command ended by itself or the time was up."""
        end = time.monotonic() + WITHIN
        while not (there := until()) and self.process.poll() is None and time.monotonic() < end:
            self.read()
        return there

    def stop(self) -> str:
        """Press Ctrl-C; all that was written once the command has ended."""
        os.write(self.ours, CTRL_C)
        self.wait(lambda: self.process.poll() is not None)
        self.read(0.2)
        return self.written.decode().replace("\r\n", "\n").replace("^C", "")

    def living(self, holding: str = "") -> list[int]:
        """The processes of the command that have not ended, with that in their command line."""
        pids = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                marks, line = (folder / "environ").read_bytes(), (folder / "cmdline").read_bytes()
                is_over = (folder / "stat").read_text().rpartition(")")[2].split()[0] in "ZX"
            except OSError:  # it has just ended, or is somebody else's
                continue
            if not is_over and self.mark.encode() in marks and holding.encode() in line:
                pids.append(int(folder.name))
        return pids

    def is_gone(self) -> bool:
        """Whether no process of it is left, in the seconds that one has to notice that its parent ended."""
        end = time.monotonic() + 30
        while self.living() and time.monotonic() < end:
            time.sleep(0.05)
        return not self.living()

    def close(self) -> None:
        """End what is left of it."""
        for pid in self.living():
            os.kill(pid, signal.SIGKILL)
        self.process.kill()
        self.process.wait()
        os.close(self.ours)


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Callable[..., Terminal]]:
    paths = {name: tmp_path / f"{name}.csv" for name in ("real", "synthetic", "holdout")}
    for seed, path in enumerate(paths.values()):
        people(n=120, seed=seed).to_csv(path, index=False)
    started: list[Terminal] = []

    def start(*more: str, command: Sequence[str] = COMMAND, files: Sequence[str] = ("real",)) -> Terminal:
        words = [*command, *(word for name in files for word in (f"--{name}", str(paths[name]))), *more]
        started.append(Terminal(*words, mark=f"{tmp_path}-{len(started)}", home=tmp_path / "home"))
        return started[-1]

    yield start
    for each in started:
        each.close()


def holds(terminal: Terminal, output: str) -> None:
    """The command stopped as it should: exit code, last words, nothing of Python's, no process left."""
    assert terminal.process.returncode in (-signal.SIGINT, 128 + signal.SIGINT), output
    assert output.endswith("riskkit: stopped.\n"), output
    assert "Traceback" not in output
    assert "KeyboardInterrupt" not in output
    assert terminal.is_gone()


@pytest.mark.usefixtures("listening")
@pytest.mark.parametrize(
    ("helpers", "more"),
    [
        pytest.param(2, ("--no-keep",), id="two, not kept"),
        pytest.param(1, ("--no-keep",), id="one, not kept", marks=pytest.mark.slow),
        pytest.param(1, (), id="one, kept", marks=pytest.mark.slow),
        pytest.param(2, (), id="two, kept", marks=pytest.mark.slow),
    ],
)
def test_while_helpers_start(terminal: Callable[..., Terminal], helpers: int, more: tuple[str, ...]) -> None:
    screen = terminal(*more)
    assert screen.wait(lambda: len(screen.living(HELPER)) >= helpers)
    written = screen.stop()
    holds(screen, written)
    assert ("audits resume" in written) == (not more)


@pytest.mark.usefixtures("listening")
def test_while_helpers_start_beside_other_work(terminal: Callable[..., Terminal]) -> None:
    """The command does not wait until they have loaded what they were started for."""
    command = ("released", "--workers", "2", "--json")
    screen = terminal("--no-keep", command=command, files=("real", "synthetic", "holdout"))
    assert screen.wait(lambda: bool(screen.living(HELPER)))
    holds(screen, screen.stop())


@pytest.mark.slow
@pytest.mark.usefixtures("listening")
def test_in_the_middle_of_the_work(terminal: Callable[..., Terminal]) -> None:
    screen = terminal()
    assert screen.wait(lambda: b"Counted trainings" in screen.written), screen.written
    written = screen.stop()
    holds(screen, written)
    assert "audits resume" in written


@pytest.mark.usefixtures("listening")
@pytest.mark.parametrize("later", [0.0, 0.05, 0.2, 0.6])
def test_while_the_command_is_loaded(terminal: Callable[..., Terminal], later: float) -> None:
    """From when its line says that it starts, which is before the command and the engine are loaded."""
    screen = terminal()
    assert screen.wait(lambda: b"Starting" in screen.written), screen.written
    time.sleep(later)
    holds(screen, screen.stop())


@pytest.mark.usefixtures("listening")
def test_ctrl_c_is_not_lost_in_a_callback_of_python() -> None:
    """While it imports, Python calls back where an exception ends with a word on the screen and the program goes on."""
    code = (
        "import os, signal, sys, weakref; from riskkit import __main__ as program\n"
        "class Lock: pass\n"
        "lock = Lock(); callback = weakref.ref(lock, lambda _: (os.kill(os.getpid(), signal.SIGINT), sum(range(9))))\n"
        "def finder(*_):\n    global lock\n    lock = None\n"
        "sys.meta_path.insert(0, type('Finder', (), {'find_spec': staticmethod(finder)}))\n"
        "sys.argv = ['riskkit', '--version']; program.main(); print('went on')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=WITHIN)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "riskkit: stopped.\n")


@pytest.mark.usefixtures("listening")
def test_helpers_that_still_start_end_with_a_command_that_is_killed(terminal: Callable[..., Terminal]) -> None:
    screen = terminal("--no-keep")
    assert screen.wait(lambda: bool(screen.living(HELPER)))
    screen.process.kill()
    assert screen.is_gone()


@pytest.mark.slow
@pytest.mark.usefixtures("listening")
@pytest.mark.parametrize("part", range(20))
def test_at_any_instant(terminal: Callable[..., Terminal], part: int) -> None:
    """Twenty instants from the first imports to the first units, drawn with a fixed seed."""
    screen = terminal()
    instant = time.monotonic() + 0.2 + 5 * (part + np.random.default_rng(part).random()) / 20
    screen.wait(lambda: time.monotonic() > instant)
    holds(screen, screen.stop())
