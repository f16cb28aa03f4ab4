"""What one drawing of a page has read of the store already, so that it asks for the same thing once.

A page asks dozens of times how its runs stand and what its audit holds, and all of it within the same quarter of a
second. Inside :func:`glance` an answer is given again for a second at most, until this thread writes; outside, nothing
is remembered. Whether somebody may look is asked every time, by whoever calls :func:`seen`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

T = TypeVar("T")
FRESH = 1.0
"""Seconds for which an answer counts."""
_SEEN: ContextVar[dict[Hashable, tuple[float, Any]] | None] = ContextVar("riskkit_seen", default=None)


@contextmanager
def glance() -> Iterator[None]:
    """Within this block what was read a moment ago is not read again; one within another is the same."""
    if _SEEN.get() is not None:
        yield
        return
    token = _SEEN.set({})
    try:
        yield
    finally:
        _SEEN.reset(token)


def seen(key: Hashable, read: Callable[[], T]) -> T:
    """What ``read`` returns, which nobody may change; ``key`` names the store and the question to it."""
    known = _SEEN.get()
    if known is None:
        return read()
    now = time.monotonic()
    if key not in known or now - known[key][0] > FRESH:
        known[key] = (now, read())
    value: T = known[key][1]
    return value


def forget() -> None:
    """Something was written: read everything anew."""
    known = _SEEN.get()
    if known is not None:
        known.clear()
