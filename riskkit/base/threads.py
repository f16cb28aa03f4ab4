"""One thread for linear algebra, so that sums have the same last bits on any number of cores; cores that nobody uses.

To find the libraries that have threads takes as long as reading what the whole process has loaded: milliseconds, where
a game of a few rows takes one. So they are looked for again only when something was imported since.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

_KEPT: dict[int, ThreadpoolController] = {}
"""The libraries that were found last, by how many modules there were."""


def single_thread() -> AbstractContextManager[Any]:
    """Hold every library of linear algebra that is loaded to one thread.

    It holds from the call on, until the block that it opens ends; for good where it opens none.
    """
    limited: AbstractContextManager[Any] = _libraries().limit(limits=1)
    return limited


_CORES: ContextVar[int] = ContextVar("riskkit_cores", default=1)


@contextmanager
def with_cores(cores: int) -> Iterator[None]:
    """What is worked out in this block may use so many cores: there are more than pieces of work."""
    token = _CORES.set(max(cores, 1))
    try:
        yield
    finally:
        _CORES.reset(token)


def cores() -> int:
    """How many threads may be used here by what gives the same bytes with any number of them."""
    return _CORES.get()


def threads_for_sums() -> int:
    """How many threads linear algebra may use here: whoever holds it to one holds those to one who ask this."""
    return min((int(pool["num_threads"]) for pool in _libraries().info() if pool["user_api"] == "blas"), default=1)


def _libraries() -> ThreadpoolController:
    """The loaded libraries that have threads of their own, kept until another module is imported."""
    modules = len(sys.modules)
    libraries = _KEPT.get(modules)
    if libraries is None:
        from threadpoolctl import ThreadpoolController

        libraries = ThreadpoolController()
        _KEPT.clear()
        _KEPT[modules] = libraries
    return libraries
