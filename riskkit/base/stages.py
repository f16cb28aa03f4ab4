"""What a long step is doing just now: said by whoever does it, heard by whoever shows it.

Units of work are counted by :class:`riskkit.jobs.pool.Clock`, one call a unit. A step that is no unit, such as reading
a file, says here what it does before it begins, and where it comes in parts, how many of them are done. Nobody need
listen, and what is said changes no number.
"""

from __future__ import annotations

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


_LISTENER: ContextVar[Callable[[Stage], object] | None] = ContextVar("riskkit_stages", default=None)
_WORDS: ContextVar[str] = ContextVar("riskkit_stage_words", default="")
"""What was said last."""


@contextmanager
def listener(hear: Callable[[Stage], object], *, alone: bool = False) -> Iterator[None]:
    """Within this block ``hear`` is told every stage, and so is whoever listened before, unless it listens alone."""
    before = None if alone else _LISTENER.get()

    def both(stage: Stage) -> None:
        hear(stage)
        if before is not None:
            before(stage)

    listener, words = _LISTENER.set(both), _WORDS.set("")
    try:
        yield
    finally:
        _LISTENER.reset(listener)
        _WORDS.reset(words)


def say(words: str, done: int = 0, total: int = 0) -> None:
    """Say what is being done from now on."""
    hear = _LISTENER.get()
    if hear is not None:
        _WORDS.set(words)
        hear(Stage(words, done, total))


def part(done: int, total: int) -> None:
    """Say how many parts are done of what was said last; for a tool that does not know what it is used for."""
    say(_WORDS.get(), done, total)


def parts(words: str, every: Sequence[T]) -> Iterator[T]:
    """Go through the parts of a step, and say before each how many are done."""
    for done, part in enumerate(every):
        say(words, done, len(every))
        yield part


def last() -> str:
    """What was said last; empty where nothing was."""
    return _WORDS.get()
