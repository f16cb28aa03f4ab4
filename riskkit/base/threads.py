"""One thread for linear algebra, so that sums have the same last bits on any number of cores.

To find the libraries that have threads takes as long as reading what the whole process has loaded: milliseconds, where
a game of a few rows takes one. So they are looked for again only when something was imported since.
"""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
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
