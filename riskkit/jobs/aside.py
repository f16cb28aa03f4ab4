"""Work of this process that nobody waits for yet is done by a thread, while helper processes play units.

It must be a pure function of what it is given, so that it is the same whenever it is done.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextvars import copy_context
from typing import TypeVar

from riskkit.base import stages
from riskkit.base.stages import Stage

T = TypeVar("T")
LOOK = 0.1
"""Seconds between two looks, of whoever waits for the work, at what it says."""


def aside(work: Callable[[], T], *, is_aside: bool = True) -> Callable[[], T]:
    """Begin that work in a thread; returns what waits for its result, and raises what it raised.

    What the caller has chosen for its texts, such as what a row is called, holds in the thread too. What it does is
    said while somebody waits for it, and heard by whoever listens to them. Where it is not to be done aside, it is done
    now, and says what it does to whoever listens. Of a run that ends before anybody asked for the result the thread is
    left alone: it ends with its work, or with the process.
    """
    if not is_aside:
        done = work()
        return lambda: done
    results: list[T] = []
    errors: list[BaseException] = []
    newest: list[Stage] = []

    def hear(stage: Stage) -> None:
        newest[:] = [stage]

    def play() -> None:
        try:
            with stages.heard(hear, alone=True):
                results.append(work())
        except BaseException as error:  # noqa: BLE001  whoever asks for the result hears of it
            errors.append(error)

    thread = threading.Thread(target=copy_context().run, args=(play,), daemon=True)
    thread.start()

    def result() -> T:
        shown: list[Stage] = []
        while thread.is_alive():
            if (now := newest[:]) != shown:
                shown = now
                stages.say(now[0].words, now[0].done, now[0].total)
            thread.join(LOOK)
        if errors:
            raise errors[0]
        return results[0]

    return result
