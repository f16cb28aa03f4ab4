"""Every test of a page keeps its audits in a home of its own."""

from base64 import b64decode
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from riskkit.table.read.files import read_file
from riskkit.table.text import TextTable
from tests.played import look_once


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RISKKIT_HOME", str(tmp_path / "home"))
    # A run that a test has put there has no worker that beats, and a busy machine may take long to draw its page.
    monkeypatch.setattr("riskkit.jobs.leases.STALE_AFTER", 60.0)


@pytest.fixture(autouse=True)
def _no_pilots(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time nothing beside a page: what a test did not ask for must not go on in the next."""
    monkeypatch.setattr("riskkit.dashboard.forms.pilots.beside", lambda *_, lost: lost)


@pytest.fixture
def timed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page has what it would time beside it as soon as it is drawn."""
    known: dict[Any, Any] = {}

    def beside(key: Any, make: Callable[[], Any], *, lost: Any) -> Any:
        if key not in known:
            known[key] = make()
        return known[key]

    monkeypatch.setattr("riskkit.dashboard.forms.pilots.beside", beside)


@pytest.fixture(autouse=True)
def _look_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look for give-aways in the same files once for all tests."""
    look_once(monkeypatch)


@pytest.fixture(autouse=True)
def _unset(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Show a dot in place of page one as it is printed, but where a test says ``set_in_type``."""
    if "set_in_type" not in request.fixturenames:
        monkeypatch.setattr("riskkit.dashboard.pages.report_files.page_one", lambda _: DOT)


@pytest.fixture
def set_in_type() -> None:
    """The page Report sets page one in type, as it does for people."""


DOT = b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
"""A picture of one dot."""


@pytest.fixture(autouse=True)
def _read_here(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read what is dropped on a page in this process: to start another takes a second. Tests of the second stage do."""
    if request.node.get_closest_marker("second") is None:
        monkeypatch.setattr("riskkit.jobs.files.read_apart", read_here)
        monkeypatch.setattr("riskkit.questions.contest.entries.read_apart", read_here)


def read_here(source: Path | bytes, target: Path | None = None, *, name: str, **how: Any) -> TextTable:
    """What ``read_apart`` does, without its process."""
    text = read_file(source, name=name, **how)
    if target is not None:
        pq.write_table(text.data, target)
    return text
