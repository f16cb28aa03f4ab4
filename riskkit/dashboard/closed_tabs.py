"""Tabs that were closed are dropped when their time is over, not when somebody else comes.

Streamlit keeps the session of a closed tab for ``server.disconnectedSessionTTL`` seconds, for a line that was lost may
come back. It lets go of one that is older only where it puts another in: on a quiet server the tables of the last who
left stay in memory until the next one leaves.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from streamlit import runtime

from riskkit.jobs import memory

LOG = logging.getLogger("riskkit.dashboard")

EVERY = 10.0
"""Seconds between two looks."""
AT_TIMES = 60.0
"""Seconds after which memory is given back though people still leave."""


def drop() -> int:
    """Drop the sessions of tabs that were closed longer ago than they are kept; how many they were.

    To be called by the thread that serves: it is the one that puts sessions in and takes them up again.
    """
    gone: list[tuple[str, Any]] = _sessions().expire()
    for _, info in gone:
        info.session.shutdown()
    return len(gone)


@asynccontextmanager
async def looked_after() -> AsyncIterator[None]:
    """Drop closed tabs meanwhile, and give the memory of those that went back to the system."""
    if not can_be_dropped():
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
            await asyncio.to_thread(memory.release)
            is_owed, last = False, time.monotonic()


def can_be_dropped() -> bool:
    """Whether this version of Streamlit keeps closed tabs where they are looked for."""
    return callable(getattr(_sessions(), "expire", None))


def _sessions() -> Any:
    """Where Streamlit keeps the sessions of closed tabs; None where it has no such place."""
    manager = getattr(runtime.get_instance(), "_session_mgr", None)
    return getattr(getattr(manager, "_session_storage", None), "_cache", None)
