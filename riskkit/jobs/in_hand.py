"""How far the steps are that helper processes have in hand: each writes it down, and the process that asked reads it.

A step of many seconds says which of its parts is done (:func:`riskkit.stages.part`). In a helper process nobody hears
that, and what comes back comes at the end. So helpers write the figures into memory that belongs to the process that
asked; a new one, which first has to load its libraries, writes how many it has, and one that compiles loops how many
steps that has taken. Where a system has no such memory, nothing is said of steps in hand.
"""

from __future__ import annotations

import contextvars
import math
import os
import struct
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache

from riskkit import loading, stages
from riskkit.phrases import phrase
from riskkit.stages import Stage

LOOK, SOON = 0.25, 0.1
"""Seconds between two looks at what helpers have written, and between two writings of a helper at least."""
STAYS = 4 * LOOK
"""Seconds for which the count of steps that compile is written after the last began: as long as one look, and a single
step would fall between two of them."""
PLACES = 4096
"""Places for helpers; each writes into that of its process number."""
_FIGURES = struct.Struct("<qq")
SIZE = PLACES * _FIGURES.size
_HAS_PLAYED = threading.Event()
"""A step of this process has ended: by then all is loaded that a step needs."""


@cache
def _of_new_helpers() -> int:
    """The memory into which new helpers write how much they have loaded: one for all that this process asks for."""
    memory = os.memfd_create("riskkit")
    os.ftruncate(memory, SIZE)
    return memory


def place_of_new_helpers() -> str:
    """What a new helper is to hand to :func:`loads`; empty where nothing can be said."""
    return f"/proc/{os.getpid()}/fd/{_of_new_helpers()}" if hasattr(os, "memfd_create") else ""


def loads(place: str) -> None:
    """Write from now on how far this helper is with what it needs first.

    Until its first step has ended that is how many modules it has loaded; at any time, while it compiles loops, how
    many steps of that it has begun.
    """
    with suppress(OSError):
        if place:
            memory = os.open(place, os.O_WRONLY)
            threading.Thread(target=_write_needs, args=(memory,), daemon=True).start()


def _write_needs(memory: int) -> None:
    offset, written, compiling = _FIGURES.size * (os.getpid() % PLACES), (0, 0), _Compiling(loading.steps())
    while True:
        if _HAS_PLAYED.wait(SOON):
            time.sleep(LOOK)
        modules = 0 if _HAS_PLAYED.is_set() else len(sys.modules)
        figures = modules, compiling.told(loading.steps(), time.monotonic())
        if figures != written:
            os.pwrite(memory, _FIGURES.pack(*figures), offset)
            written = figures


class _Compiling:
    """How many steps the compiler has begun, while it is at work."""

    def __init__(self, steps: int) -> None:
        self._steps, self._until = steps, -math.inf

    def told(self, steps: int, now: float) -> int:
        """That count, or 0 once it has stood still for :data:`STAYS` seconds."""
        if steps != self._steps:
            self._steps, self._until = steps, now + STAYS
        return steps if now < self._until else 0


@contextmanager
def shown() -> Iterator[str]:
    """Say within this block how far the steps in hand are, behind the stage that was said last.

    Its value is what helpers are to hand to :func:`written`; it is empty where nothing can be said.
    """
    if not hasattr(os, "memfd_create"):  # Linux alone has it
        yield ""
        return
    memory, over = os.memfd_create("riskkit"), threading.Event()
    os.ftruncate(memory, SIZE)
    os.pwrite(_of_new_helpers(), bytes(SIZE), 0)  # of those that were killed while they loaded
    context = contextvars.copy_context()
    thread = threading.Thread(target=context.run, args=(_show, memory, over), daemon=True)
    thread.start()
    try:
        yield f"/proc/{os.getpid()}/fd/{memory}"
    finally:
        over.set()
        thread.join()
        os.close(memory)


def _show(memory: int, over: threading.Event) -> None:
    """Say it whenever it is another one, until it is over."""
    words, last = stages.last(), ("", "", "")
    while not over.wait(LOOK):
        shares = ", ".join(f"{share:.0%}" for share in _shares(os.pread(memory, SIZE, 0)))
        needs = os.pread(_of_new_helpers(), SIZE, 0)
        loaded, compiled = (", ".join(f"{figure:,}" for figure in _needs(needs, of)) for of in (0, 1))
        if words and shares and shares != last[0]:
            stages.say(phrase("{stage}, steps in hand: {shares}", stage=words, shares=shares))
        elif words and compiled and compiled != last[2]:
            stages.say(first_run(words, compiled))
        elif words and loaded and loaded != last[1]:
            stages.say(phrase("{stage}, modules loaded by helpers: {modules}", stage=words, modules=loaded))
        last = shares, loaded, compiled


def first_run(words: str, steps: str) -> str:
    """What is being done, and how far the compiler is that it waits for."""
    return phrase("{stage}, first run: {steps} compiled", stage=words, steps=steps)


def _shares(written_down: bytes) -> list[float]:
    """How much is done of each step of which there is something to say, in the order of the helpers."""
    return [done / total for done, total in _FIGURES.iter_unpack(written_down) if total > 0]


def _needs(written_down: bytes, of: int) -> list[int]:
    """How many modules each new helper has loaded (0), or steps each has begun that compiles (1), in their order."""
    return [figures[of] for figures in _FIGURES.iter_unpack(written_down) if figures[of]]


@contextmanager
def written(place: str) -> Iterator[None]:
    """Write within this block how far the step in hand is; ``place`` is where, nowhere if empty."""
    memory = -1
    with suppress(OSError):  # the process that asked is gone, or another user's
        memory = os.open(place, os.O_WRONLY) if place else -1
    if memory < 0:
        yield
        return
    offset, due = _FIGURES.size * (os.getpid() % PLACES), 0.0

    def write(stage: Stage) -> None:
        nonlocal due
        if stage.total and time.monotonic() >= due:
            due = time.monotonic() + SOON
            os.pwrite(memory, _FIGURES.pack(stage.done, stage.total), offset)

    try:
        with stages.heard(write):
            yield
    finally:
        os.pwrite(memory, _FIGURES.pack(0, 0), offset)
        os.close(memory)
        _HAS_PLAYED.set()
