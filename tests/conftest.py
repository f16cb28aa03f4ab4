"""Fixtures that every test may use: one thread for linear algebra, the running dashboard, a real browser."""

from __future__ import annotations

import atexit
import gc
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import HTTPCookieProcessor, OpenerDirector, build_opener

import pytest
from hypothesis import settings

from riskkit.base.extras import TITLES
from riskkit.base.process import forgetful
from riskkit.errors import MissingLibrary
from tests.browsing import POLICY, chromium_of, emptied, origin, outside, window_of
from tests.processor import without_wide_registers

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Locator, Page, Request

# Before any test imports numpy: tests run side by side, and sums keep their order.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[_name] = "1"
without_wide_registers()

# Hundreds of programs are started: what one has compiled the next takes as it is.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def has_room(memory: Path) -> bool:
    """Whether temporary files can lie there: there is much room, and programs may be run from it."""
    if not os.access(memory, os.W_OK):
        return False
    place = os.statvfs(memory)
    return place.f_bavail * place.f_frsize >= 4 * 2**30 and not place.f_flag & os.ST_NOEXEC


_MEMORY = Path("/dev/shm")  # noqa: S108  a folder of one's own is made in it
if "TMPDIR" not in os.environ and has_room(_MEMORY):
    # A run is safe on the disk after each of its steps, and no test is there to wait for a disk.
    os.environ["TMPDIR"] = tempfile.mkdtemp(prefix="rk-", dir=_MEMORY)
    Path(os.environ["TMPDIR"]).chmod(0o711)
    tempfile.tempdir = None  # another place may have been chosen before
    atexit.register(shutil.rmtree, os.environ["TMPDIR"], ignore_errors=True)
if "RISKKIT_HOME" not in os.environ:  # commands keep their runs, and not among those of whoever tests
    os.environ["RISKKIT_HOME"] = tempfile.mkdtemp(prefix="riskkit-tests-")
    atexit.register(shutil.rmtree, os.environ["RISKKIT_HOME"], ignore_errors=True)

# How long an example takes says how busy the machine is, not whether the code is right.
settings.register_profile("riskkit", deadline=None)
settings.load_profile("riskkit")

ROOT = Path(__file__).resolve().parents[1]
START_WITHIN = 90.0
"""Seconds the dashboard has to start; two cores may be busy with other tests."""

TRACED = ("strace", "-D", "-f", "-qq", "-A", "-e", "trace=bind,connect,sendto,sendmsg,sendmmsg", "-o")
"""What writes down every address a program and its children bind to, connect to or send to."""


SECOND = (
    "journeys",
    "faults",
    "statistical",
    "session",
    "questions/attributes/test_sides.py",
    "questions/released/test_released.py",
    "questions/released/test_order.py",
    "contracts/test_released.py",
    "explain/test_service.py",
    "generators/test_calibration.py",
    "generators/test_deep.py",
    "pages/test_marks.py",
    "pages/test_released.py",
    "pages/test_verdicts.py",
    "test_browser.py",
    "test_ci.py",
    "test_cli.py",
    "test_cli_files.py",
    "test_cli_give_aways.py",
    "test_cli_report.py",
    "test_cli_verdicts.py",
    "test_extras.py",
    "test_program.py",
    "test_notebook.py",
    "test_package.py",
)
"""Folders, files and tests of the second stage: a real browser, killed processes, whole programs, simulations, deep
models, types."""


SLOW = tuple((ROOT / "tests" / "slow.txt").read_text(encoding="utf-8").splitlines())
"""Where the longest of these stand: with them both stages would take more than CI has. Run before an issue is done."""


BEGUN_FIRST = (
    "journeys/test_accessible.py",
    "journeys",
    "test_style.py",
    "test_gallery.py",
    "pages/test_marks.py",
    "test_kept_audit.py",
)
"""Tests of a minute or more: at the end one core would play them while the others have nothing left to do."""

WAITING = "faults"
"""Files whose tests wait for seconds to pass: spread among the others, so that somebody works meanwhile."""

PLAYED_TOGETHER = ("journeys/test_accessible.py", "journeys", "report/audited")
"""Places whose tests one worker plays, one after the other, as it does those of a file.

All journeys but the longest share a browser, its window and a dashboard, which every further worker would start anew;
tests of reports share random audits.
"""

WAITED_IN_VAIN = (r"TimeoutError", r"Locator expected")
"""How Playwright says that something never came in sight.

A browser on busy cores can lose a click to a page that is drawn anew under it, so such a test is played once more; what
is wrong fails twice. Every second try is printed with its traceback.
"""

MARKED = {"second": SECOND, "slow": SLOW}
WHOLE_FILE = {
    mark: re.compile(rf"^pytestmark = (?:\[\s+)?pytest\.mark\.{mark}(?:,|$)", re.MULTILINE)
    for mark in (*MARKED, "locked")
}
"""How a file says that all of its tests are of a stage."""


def is_left_out(place: str, text: str, asked: str) -> bool:
    """Whether ``-m asked`` leaves out every test of the file (or folder) at that place; ``text`` is what it holds.

    Only what is sure by the place, or by a mark that the text does not name: the rest is decided test by test.
    """
    words = set(asked.split(" and "))
    whole = tuple(entry for entry in SECOND if "::" not in entry)
    if "not second" in words and place.startswith(whole):
        return True
    if any(f"not {mark}" in words and line.search(text) for mark, line in WHOLE_FILE.items()):
        return True
    return any(
        mark in words
        and f"mark.{mark}" not in text
        and not any(place.startswith(entry) or entry.startswith(place) for entry in entries)
        for mark, entries in MARKED.items()
    )


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not even import a file of which no test is asked for; a folder is looked through."""
    asked = config.option.markexpr
    if collection_path.suffix != ".py" or ROOT / "tests" not in collection_path.parents:
        return None
    place = collection_path.relative_to(ROOT / "tests").as_posix()
    return True if is_left_out(place, collection_path.read_text(encoding="utf-8"), asked) else None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Keep what is imported and collected out of the search for garbage: it is there until the end.

    And search more seldom than Python does: pages of tests make little that only a search finds.
    """
    gc.disable()
    yield
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the second stage, and what is slow in it, by where its tests stand; put them in the order they begin in."""
    turns = in_turn(dict.fromkeys(unit_of(place_of(item)) for item in items))
    items.sort(key=lambda item: turns[unit_of(place_of(item))])
    for item in items:
        place = place_of(item)
        if place.startswith(SECOND):
            item.add_marker("second")
        if place.startswith(SLOW):
            item.add_marker("slow")
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.flaky(reruns=1, only_rerun=list(WAITED_IN_VAIN)))


def place_of(item: pytest.Item) -> str:
    """Where a test stands below the tests, and its name."""
    return item.nodeid.removeprefix("tests/")


def in_turn(units: Iterable[str]) -> dict[str, int]:
    """When each unit is begun: those of ``BEGUN_FIRST`` in its order, then all others, those that wait among them.

    They stand where the first half of the others is divided evenly: at the end nothing would be left to do meanwhile.
    """
    first = sorted((unit for unit in units if begun(unit) < len(BEGUN_FIRST)), key=begun)
    waiting = [unit for unit in units if unit.startswith(WAITING)]
    others = [unit for unit in units if unit not in {*first, *waiting}]
    apart = len(others) / (2 * len(waiting) or 1)
    turns = {unit: float(turn) for turn, unit in enumerate(others)} | {
        unit: turn * apart - 0.5 for turn, unit in enumerate(waiting)
    }
    return {unit: turn for turn, unit in enumerate([*first, *sorted(turns, key=lambda unit: turns[unit])])}


def begun(place: str) -> int:
    """Which of ``BEGUN_FIRST`` the tests of that place are of, from 0; the number of these where they are of none."""
    return next((turn for turn, first in enumerate(BEGUN_FIRST) if place.startswith(first)), len(BEGUN_FIRST))


def unit_of(place: str) -> str:
    """The tests that are played by one worker with the test of that place: those of its file, or more.

    What they share (tables, results, a server, a copy of the project) is made once, and not by every worker that takes
    some of them.
    """
    return next((unit for unit in PLAYED_TOGETHER if place.startswith(unit)), place.partition("::")[0])


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """With ``-n auto`` one worker a core that the tests may use, of two at least and six at most: each takes 1.5 GB.

    Journeys and kills of the second stage wait much: where it is played, one further takes the time that the others
    leave idle, if there are 3 GB for each, its browsers and its programs. With more, what has seconds to happen comes
    too late.
    """
    from joblib import cpu_count

    cores = min(max(int(cpu_count()), 2), 6)
    asked = config.option.markexpr.split(" and ")
    if "not slow" not in asked or "not second" in asked or not hasattr(os, "sysconf"):
        return cores
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return max(2, min(cores + 1, memory // (3 * 2**30)))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """With ``--dist loadfile``, workers take the units of :func:`unit_of`."""
    from xdist.scheduler import LoadFileScheduling

    class ByUnit(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return unit_of(nodeid.removeprefix("tests/"))

    return ByUnit(config, log) if config.option.dist == "loadfile" else None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Skip what asks for a library of the extra ``deep`` where it is not installed: ``make oldest``, ``make newest``.

    Where all are installed, as in the locked environment, nothing is skipped.
    """
    try:
        return (yield)
    except (ModuleNotFoundError, MissingLibrary, AssertionError) as error:
        missing = [name for name in TITLES["deep"] if find_spec(name) is None]
        if missing and (getattr(error, "name", None) in missing or "riskkit[deep]" in str(error)):
            pytest.skip(f"not installed here: {', '.join(missing)}")
        raise


@dataclass(frozen=True, slots=True)
class Server:
    """A running dashboard: the address it printed, with the token, and where it keeps its audits."""

    address: str
    home: Path

    @property
    def url(self) -> str:
        """Where it answers: the address without the token."""
        return self.address.partition("?")[0].rstrip("/")

    @property
    def cookie(self) -> str:
        """What a browser sends with every request once it was at the address."""
        return f"riskkit-{urlsplit(self.url).port}={self.address.partition('token=')[2]}"

    def visitor(self) -> OpenerDirector:
        """Somebody who opened the address, without a browser."""
        somebody = build_opener(HTTPCookieProcessor())
        somebody.open(self.address, timeout=30).close()
        return somebody

    def let_in(self, context: BrowserContext) -> BrowserContext:
        """A browser's window in which the address was opened."""
        assert context.request.get(self.address).ok
        return context


@pytest.fixture(scope="session", autouse=True)
def _packages_looked_through_once() -> Iterator[None]:
    """Every ``AppTest`` reads the notes of all installed packages for parts of pages: once is enough for all."""
    if "streamlit.testing.v1" not in sys.modules:  # tests of pages import it where they are collected
        yield
        return
    from streamlit.components.v2 import manifest_scanner

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", cache(manifest_scanner.scan_component_manifests))
        yield


@pytest.fixture(scope="session", autouse=True)
def _never_humble() -> Iterator[None]:
    """``riskkit worker`` lets everything else go first, for good: of its process, here of all tests that follow."""
    with pytest.MonkeyPatch.context() as patch:
        if hasattr(os, "nice"):
            patch.setattr(os, "nice", lambda _: 0)
        yield


@pytest.fixture(scope="session")
def chromium() -> str:
    """The system's Chromium; skips the test where there is none."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        path = shutil.which(name)
        if path:
            return path
    pytest.skip("browser test: no Chromium on this machine (Debian and Ubuntu: apt-get install chromium)")


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The dashboard on a free port of this machine, with an empty home of its own."""
    with dashboard(tmp_path_factory.mktemp("home"), is_timed=False) as started:
        yield started


@contextmanager
def dashboard(home: Path, *options: str, is_timed: bool = True) -> Iterator[Server]:
    """A dashboard of one's own, started and stopped; ``options`` are those of the server.

    Unless it ``is_timed``, its page Audit times nothing beside itself, which costs more than what most tests do there.
    Where ``RISKKIT_TRACE`` names a file, what it and its workers ask of the network is written there.
    """
    home.mkdir(exist_ok=True)
    home.chmod(0o700)
    port, log = _free_port(), home.parent / f"{home.name}.log"
    trace = os.environ.get("RISKKIT_TRACE")
    command = [*((*TRACED, trace) if trace else ()), sys.executable, "-m"]
    command += ["riskkit.dashboard" if is_timed else "tests.untimed"]
    command += ["--server.port", str(port), *options]
    environment = {**forgetful(), "RISKKIT_HOME": str(home), "PYTHONWARNINGS": "default"}
    with log.open("wb") as out:
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=out, stderr=subprocess.STDOUT)
        try:
            yield Server(printed(process, log), home)
        finally:
            process.terminate()
            process.wait(timeout=30)


def menu(page: Page) -> Locator:
    """The links to the pages."""
    return page.get_by_test_id("stSidebar").get_by_test_id("stPageLink-NavLink")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def printed(process: subprocess.Popen[bytes], log: Path, before: int = 0) -> str:
    """The address the dashboard printed, once it answers there; fails with its log where it stops or never does.

    ``before`` are the bytes that were in the log when it was started.
    """
    end = time.monotonic() + START_WITHIN
    while time.monotonic() < end and process.poll() is None:
        address = re.search(r"http://127\.0\.0\.1:\d+/\S*", log.read_bytes()[before:].decode(errors="replace"))
        try:
            if address is not None:
                started = Server(address[0], log.parent)
                with started.visitor().open(f"{started.url}/_stcore/health", timeout=5) as answer:
                    if answer.status == 200:
                        return address[0]
        except (URLError, ConnectionError, TimeoutError):
            pass
        time.sleep(0.2)
    pytest.fail(f"The dashboard did not start:\n{log.read_text(errors='replace')[-3000:]}")


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    """One Chromium a test file; all journeys share one."""
    with chromium_of(chromium) as started:
        yield started


@pytest.fixture
def listening() -> Iterator[None]:
    """A process started meanwhile hears Ctrl-C, also where the tests were started in the background, deaf to it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """What a command of riskkit prints that is run in this process, where it ends with that code."""
    from riskkit.cli import main

    def printed(command: Sequence[str], code: int = 0) -> str:
        assert main(command) == code
        return capsys.readouterr().out

    return printed


@pytest.fixture
def requested() -> list[str]:
    """Every address the browser asked for in this test, sockets included, as they come."""
    return []


@pytest.fixture
def forbidden() -> list[str]:
    """What the dashboard's pages tried in this test against their own content security policy."""
    return []


@pytest.fixture(scope="module")
def window(browser: Browser, server: Server) -> Iterator[BrowserContext]:
    """One window for all tests of a file; all journeys share one."""
    with window_of(browser, server.url) as opened:
        yield opened


@pytest.fixture
def page(window: BrowserContext, server: Server, requested: list[str], forbidden: list[str]) -> Iterator[Page]:
    """An empty tab in a tall window.

    Fails a test in which it asked anything outside this machine, or was kept from something by the policy. The home is
    empty again, so that no test meets the audits of an earlier one and the root is the invitation; nothing is left of
    what an earlier tab kept in the browser.
    """
    from riskkit.jobs.store import Store

    def asked(request: Request) -> None:
        requested.append(request.url)

    def logged(message: ConsoleMessage) -> None:
        if POLICY in message.text:
            forbidden.append(message.text)

    store = Store(server.home)
    for audit in store.audits():
        audit.delete()
    store.remember(None)
    server.let_in(window)
    window.on("request", asked)
    window.on("console", logged)
    tab = window.new_page()
    tab.on("websocket", lambda opened: requested.append(opened.url))
    tab.set_default_timeout(60_000)
    yield tab
    window.remove_listener("request", asked)
    window.remove_listener("console", logged)
    first, *tabs = window.pages
    for other in tabs:
        other.close()
    emptied(first, {server.url, *map(origin, requested)})
    assert outside(requested) == []
    assert forbidden == []
