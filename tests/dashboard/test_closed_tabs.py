"""A tab that was closed is dropped by time: nobody else has to come for it."""

import asyncio
import gc
import logging
from pathlib import Path
from typing import Any

import pytest
from streamlit.runtime import memory_session_storage
from streamlit.runtime.session_manager import SessionInfo

from benchmarks.soak import kinds, server_process
from riskkit.dashboard import closed_tabs
from riskkit.dashboard.closed_tabs import ClosedTabs
from riskkit.jobs import machine
from tests.conftest import Server, dashboard
from tests.dashboard.tabs import Tab


class Closed:
    """A session as far as Streamlit's storage and the look at it know one."""

    def __init__(self, name: str) -> None:
        self.id, self.ended = name, 0

    def shutdown(self) -> None:
        self.ended += 1


NOW = [0.0]


@pytest.fixture
def storage(monkeypatch: pytest.MonkeyPatch) -> ClosedTabs:
    """What Streamlit is given to keep closed tabs in, in which a clock of our own says what is over."""
    NOW[0] = 0.0
    monkeypatch.setattr(closed_tabs, "_STORAGES", [])
    return ClosedTabs(maxsize=3, ttl_seconds=60, clock=lambda: NOW[0])


def put(storage: ClosedTabs, name: str) -> Closed:
    session: Any = Closed(name)
    storage.save(SessionInfo(client=None, session=session))
    closed: Closed = session
    return closed


def test_streamlit_is_given_a_place_for_closed_tabs() -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(memory_session_storage, "MemorySessionStorage", None)
        closed_tabs.keep_here()
        assert vars(memory_session_storage)["MemorySessionStorage"] is ClosedTabs


def test_a_tab_that_comes_back_in_time_finds_its_session_and_no_later(storage: ClosedTabs) -> None:
    session = put(storage, "one")
    NOW[0] = 59.0
    held = storage.get("one")
    assert held is not None
    assert vars(held)["session"] is session
    assert storage.get("another") is None
    NOW[0] = 61.0
    assert (storage.get("one"), storage.list()) == (None, [])
    storage.delete("one")
    assert closed_tabs.drop() == session.ended == 0


def test_the_oldest_of_too_many_is_ended(storage: ClosedTabs) -> None:
    sessions = [put(storage, name) for name in "abcde"]
    assert [session.ended for session in sessions] == [1, 1, 0, 0, 0]
    assert [info.session.id for info in storage.list()] == ["c", "d", "e"]


def test_what_is_over_is_ended_and_what_is_not_is_kept(storage: ClosedTabs) -> None:
    first = put(storage, "first")
    NOW[0] = 30.0
    second = put(storage, "second")
    NOW[0] = 59.0
    assert closed_tabs.drop() == 0
    NOW[0] = 61.0
    assert closed_tabs.drop() == 1
    assert (first.ended, second.ended) == (1, 0)
    assert [info.session.id for info in storage.list()] == ["second"]
    NOW[0] = 91.0
    assert closed_tabs.drop() == 1
    assert (first.ended, second.ended) == (1, 1)


def test_a_version_that_keeps_them_elsewhere_is_served_and_said(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(closed_tabs, "_STORAGES", [])

    async def served() -> str:
        async with closed_tabs.housekeeping():
            return "served"

    with caplog.at_level(logging.WARNING):
        assert asyncio.run(served()) == "served"
    assert "Closed tabs are kept until others are closed" in caplog.text


def test_the_look_ends_with_the_server(storage: ClosedTabs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(closed_tabs, "EVERY", 0.01)
    monkeypatch.setattr(machine, "release", gc.collect)
    monkeypatch.setattr(storage, "clock", iter(range(0, 100_000, 100)).__next__)

    async def served() -> int:
        session = put(storage, "one")
        async with closed_tabs.housekeeping():
            for _ in range(100):
                await asyncio.sleep(0.01)
                if session.ended:
                    break
        await asyncio.sleep(0.02)
        return len(asyncio.all_tasks())

    assert asyncio.run(served()) == 1, "nothing but the test is left"


@pytest.mark.second
def test_descriptors_of_a_closed_tab_go_while_nobody_comes(tmp_path: Path) -> None:
    """Each tab has an event loop: three descriptors. Kept for a second, dropped by the next look."""

    async def go(server: Server, pid: int) -> tuple[int, int, int]:
        def loops() -> int:
            return sum(kind == "eventpoll" for kind in kinds(pid))

        tabs = [Tab(server.url, "", server.cookie) for _ in range(4)]
        before = loops()
        for tab in tabs:
            await tab.open()
            await tab.click("")
        opened = loops()
        for tab in tabs:
            await tab.close()
        for _ in range(150):
            await asyncio.sleep(0.2)
            if loops() == before:
                break
        return before, opened, loops()

    with dashboard(tmp_path / "home", "--server.disconnectedSessionTTL", "1", is_timed=False) as server:
        before, opened, after = asyncio.run(go(server, server_process(server)))
    assert opened == before + 4
    assert after == before
