"""A pilot is timed once for everybody who asks, and again where it could not be made."""

import gc
import os
import signal
import sys
import threading
import time
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from riskkit.dashboard.forms.pilots import PilotProcess, beside, is_known


def test_twenty_who_ask_at_once_make_it_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("riskkit.dashboard.forms.pilots._APART", Here())
    key, made, all_here = object(), [], threading.Barrier(20)

    def make() -> int:
        made.append(1)
        return 7

    def ask(_: int) -> None:
        all_here.wait(timeout=30)
        beside(key, make, 0)

    with ThreadPoolExecutor(20) as pool:
        list(pool.map(ask, range(20)))
    until_known(key)
    assert beside(key, make, 0) == 7
    assert len(made) == 1


class Here(PilotProcess):
    """Without a process of its own, so that what it is asked need not travel."""

    def play(self, make: Callable[[], Any], lost: Any) -> Any:
        return make()


class Rows:
    """What a page has in hand when it asks."""


def test_an_error_beside_the_pages_is_said_once_and_holds_nothing_of_the_page_that_was_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Kept, it was raised in every page from then on, and held what each had in hand for good."""
    monkeypatch.setattr("riskkit.dashboard.forms.pilots._APART", Here())
    key, held, was_asked = object(), [], threading.Event()

    def fail() -> int:
        was_asked.wait(30)
        raise SystemError

    def answer(what: int) -> int:
        was_asked.wait(30)
        return what

    def page() -> int | None:
        rows = Rows()
        held.append(weakref.ref(rows))
        return beside(key, fail, 0)

    assert page() is None
    was_asked.set()
    until_known(key)
    try:
        page()
    except SystemError as error:
        del error
    else:
        pytest.fail("the page is told")
    gc.collect()
    assert [reference() for reference in held] == [None, None]
    was_asked.clear()
    assert beside(key, lambda: answer(5), 0) is None, "the next who asks makes it"
    was_asked.set()
    until_known(key)
    assert beside(key, lambda: 6, 0) == 5


def until_known(key: object) -> None:
    end = time.monotonic() + 30
    while not is_known(key):
        assert time.monotonic() < end
        time.sleep(0.01)


def process() -> int:
    return os.getpid()


def killed() -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return 1


@pytest.mark.second
def test_pilots_work_the_processor_in_a_process_of_their_own_that_ends_with_the_last_of_them() -> None:
    apart = PilotProcess()
    for _ in range(3):
        apart.expect()
    first = apart.play(process, 0)
    assert apart.play(process, 0) == first != os.getpid()
    assert apart.play(killed, -1) == -1, "what stands for a pilot that was killed"
    end = time.monotonic() + 30
    while Path(f"/proc/{first}").exists():
        assert time.monotonic() < end, "nobody waited for its end"
        time.sleep(0.01)


@pytest.mark.second
def test_a_process_of_its_own_runs_nothing_of_the_page_that_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While a page is drawn the main module is the dashboard: run again outside a server it failed, and every pilot."""
    page = tmp_path / "app.py"
    page.write_text("raise AttributeError")
    main = ModuleType("__main__")
    main.__file__ = str(page)
    monkeypatch.setitem(sys.modules, "__main__", main)
    apart = PilotProcess()
    apart.expect()
    assert apart.play(process, -1) not in (-1, os.getpid())
