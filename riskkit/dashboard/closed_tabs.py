"""Tabs that were closed are dropped when their time is over, not when somebody else comes.

Streamlit keeps the session of a closed tab for ``server.disconnectedSessionTTL`` seconds, for a line that was lost may
come back. It lets go of one that is older only where it puts another in: on a quiet server the tables of the last who
left stay in memory until the next one leaves.
"""

from __future__ import annotations

import asyncio
import builtins
import logging
import math
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from streamlit.runtime import memory_session_storage
from streamlit.runtime.session_manager import SessionInfo

from riskkit.jobs import machine

LOG = logging.getLogger("riskkit.dashboard")

EVERY = 10.0
"""Seconds between two looks."""
AT_TIMES = 60.0
"""Seconds after which memory is given back though people still leave."""


class ClosedTabs:
    """The sessions of closed tabs, as Streamlit's :class:`SessionStorage` keeps them, and those that are over by now.

    To be used by the thread that serves: it is the one that puts sessions in and takes them up again.
    """

    def __init__(self, maxsize: int = 128, ttl_seconds: float = 120.0, clock: Callable[[], float] = time.monotonic):
        self.most, self.seconds, self.clock = maxsize, ttl_seconds, clock
        self.closed: dict[str, tuple[float, SessionInfo]] = {}
        _STORAGES[:] = [self]

    def get(self, session_id: str) -> SessionInfo | None:
        """The session, if it is not over."""
        when, info = self.closed.get(session_id, (-math.inf, None))
        return None if when + self.seconds <= self.clock() else info

    def save(self, session_info: SessionInfo) -> None:
        """Keep a session whose tab was closed."""
        self.closed[session_info.session.id] = self.clock(), session_info
        self.drop()

    def delete(self, session_id: str) -> None:
        """Forget a session, whose tab is there again or will never be."""
        del self.closed[session_id]

    def list(self) -> builtins.list[SessionInfo]:
        """All that are not over."""
        return [info for when, info in self.closed.values() if when + self.seconds > self.clock()]

    def drop(self) -> int:
        """End the sessions that are over, and the oldest where there are too many; how many they were."""
        over = [name for name, (when, _) in self.closed.items() if when + self.seconds <= self.clock()]
        over += [name for name in self.closed if name not in over][: max(len(self.closed) - len(over) - self.most, 0)]
        for name in over:
            _, info = self.closed.pop(name)
            info.session.shutdown()
        return len(over)


_STORAGES: list[ClosedTabs] = []
"""Where this server keeps closed tabs."""


def keep_here() -> None:
    """Have Streamlit keep closed tabs here; to be said before it makes its server."""
    memory_session_storage.MemorySessionStorage = ClosedTabs  # type: ignore[misc, assignment]


def drop() -> int:
    """Drop the sessions of tabs that were closed longer ago than they are kept; how many they were."""
    return sum(storage.drop() for storage in _STORAGES)


@asynccontextmanager
async def housekeeping() -> AsyncIterator[None]:
    """Drop closed tabs meanwhile, and give the memory of those that went back to the system."""
    if not _STORAGES:
        LOG.warning("Closed tabs are kept until others are closed: this version of Streamlit keeps them elsewhere.")
        yield
        return
    looking = asyncio.create_task(_look())
    try:
        yield
    finally:
        looking.cancel()


async def _look() -> None:
    """Give memory back when nobody leaves any more, for all wait meanwhile; where somebody always does, at times."""
    is_owed, last = False, time.monotonic()
    while True:
        await asyncio.sleep(EVERY)
        count = drop()
        is_owed = is_owed or count > 0
        if is_owed and (not count or time.monotonic() - last >= AT_TIMES):
            await asyncio.to_thread(machine.release)
            is_owed, last = False, time.monotonic()
