"""What a long step is doing just now: said by whoever does it, heard by whoever shows it.

A step of seconds that is no unit of work, such as reading a file, says what it does before it begins, and where it
comes in parts, how many of them are done. Nobody need listen, and what is said changes no number.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Stage:
    """What is being done, and how many of its parts are done of all; a stage without parts has 0 of 0."""

    words: str
    done: int = 0
    total: int = 0


_HEAR: ContextVar[Callable[[Stage], object] | None] = ContextVar("riskkit_stages", default=None)
QUICK = 0.3
"""Seconds without news after which it is said how much of a step is done that often takes less."""
_WORDS: ContextVar[str] = ContextVar("riskkit_stage_words", default="")
"""What was said last."""
_LAST: ContextVar[list[float]] = ContextVar("riskkit_stage_news", default=[0.0])  # noqa: B039  all threads share it
"""When there were news last, of whatever kind."""


@contextmanager
def heard(hear: Callable[[Stage], object]) -> Iterator[None]:
    """Within this block ``hear`` is told every stage, and so is whoever listened before."""
    before = _HEAR.get()

    def both(stage: Stage) -> None:
        hear(stage)
        if before is not None:
            before(stage)

    token, words = _HEAR.set(both), _WORDS.set("")
    news()
    try:
        yield
    finally:
        _HEAR.reset(token)
        _WORDS.reset(words)


@contextmanager
def heard_apart(hear: Callable[[Stage], object]) -> Iterator[None]:
    """Within this block ``hear`` alone is told every stage, and what is said there is no news to anybody else."""
    token, words, last = _HEAR.set(hear), _WORDS.set(""), _LAST.set([time.monotonic()])
    try:
        yield
    finally:
        _HEAR.reset(token)
        _WORDS.reset(words)
        _LAST.reset(last)


def say(words: str, done: int = 0, total: int = 0) -> None:
    """Say what is being done from now on."""
    hear = _HEAR.get()
    if hear is not None:
        _WORDS.set(words)
        news()
        hear(Stage(words, done, total))


def news() -> None:
    """There are news that are said in another way, as that a unit is done."""
    _LAST.get()[0] = time.monotonic()


def part(done: int, total: int) -> None:
    """Say how many parts are done of what was said last; of a tool that does not know what it is used for."""
    hear = _HEAR.get()
    if hear is not None:
        news()
        hear(Stage(_WORDS.get(), done, total))


def inner(done: int, total: int) -> None:
    """:func:`part` of a step that is often done in no time: nothing is said while there are other news."""
    if _HEAR.get() is not None and time.monotonic() >= _LAST.get()[0] + QUICK:
        part(done, total)


@contextmanager
def within(done: int, total: int) -> Iterator[None]:
    """The block is one part of a step, of which so many are done: half of it is half a part more (:func:`inner`)."""
    hear = _HEAR.get()
    if hear is None:
        yield
        return

    inner(done, total)

    def scaled(stage: Stage) -> None:
        hear(Stage(stage.words, done * stage.total + stage.done, total * stage.total) if stage.total else stage)

    token = _HEAR.set(scaled)
    try:
        yield
    finally:
        _HEAR.reset(token)


def last() -> str:
    """What was said last; empty where nothing was."""
    return _WORDS.get()


def parts(words: str, every: Sequence[T]) -> Iterator[T]:
    """Go through the parts of a step, and say before each how many are done."""
    for done, part in enumerate(every):
        say(words, done, len(every))
        yield part
