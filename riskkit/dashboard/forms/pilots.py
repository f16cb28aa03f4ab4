"""What timed pilots said, kept while the dashboard runs, so that twenty people on one page time it once.

A forecast is seconds and counts. It holds nothing of a table, so it is the one thing that sessions share; its key names
the audit, and who has not opened that audit never asks for it.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from threading import Lock
from typing import Any, TypeVar

from joblib.externals.loky import ProcessPoolExecutor

T = TypeVar("T")
MOST = 256
"""Forecasts that are kept; the oldest go first."""


_BESIDE: OrderedDict[Hashable, Future[Any]] = OrderedDict()
_ONE = ThreadPoolExecutor(1, "pilot")
_GUARD = Lock()


class PilotProcess:
    """A process of its own for what works the processor: beside pages, in one process, it would slow each of them.

    It is begun when there is something to do and ended when there is nothing more, and the tables it held with it. It
    is none of Python's own pool, which would run the main module first: while a page is drawn, that is the dashboard
    itself, which fails outside a server.
    """

    def __init__(self) -> None:
        self._waiting = 0
        self._pool: Executor | None = None
        self._guard = Lock()

    def expect(self) -> None:
        """Say that :meth:`play` will be called once more."""
        with self._guard:
            self._waiting += 1

    def play(self, make: Callable[[], T], lost: T) -> T:
        """What ``make`` returns there; ``lost`` where that process was killed, for want of memory most likely."""
        try:
            if self._pool is None:
                self._pool = ProcessPoolExecutor(1, initializer=_behind_pages)
            return self._pool.submit(make).result()
        except BrokenProcessPool:
            self._end()
            return lost
        finally:
            with self._guard:
                self._waiting -= 1
                is_done = not self._waiting
            if is_done:
                self._end()

    def _end(self) -> None:
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None


def _behind_pages() -> None:
    """Let the pages go first."""
    os.nice(19)


_APART = PilotProcess()


def beside(key: Hashable, make: Callable[[], T], lost: T) -> T | None:
    """What ``make`` returns for that key, made by a process beside the pages; None while it is not there yet.

    One is made at a time; ``make`` and what it returns travel between processes. ``lost`` stands for it where that
    process was killed. What it raises is raised here, and the next who asks makes it: an error that was kept would be
    raised in every page, and hold the tables of each.
    """
    with _GUARD:
        if key not in _BESIDE:
            _APART.expect()
            _BESIDE[key] = _ONE.submit(_APART.play, make, lost)
            while len(_BESIDE) > MOST:
                _BESIDE.popitem(last=False)
        future: Future[T] = _BESIDE[key]
        is_done = future.done()
        if is_done and future.exception() is not None:
            del _BESIDE[key]
    return future.result() if is_done else None


def is_known(key: Hashable) -> bool:
    """Whether what :func:`beside` was asked for is there; what was forgotten counts as there, and is made anew."""
    with _GUARD:
        return key not in _BESIDE or _BESIDE[key].done()
