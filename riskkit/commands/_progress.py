"""What a command says on standard error while it works: what it does, how far it is, and for how long.

On a terminal that is one line that changes, with a clock; elsewhere a line every ten seconds at most.
"""

from __future__ import annotations

import argparse
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from riskkit.base import stages, terminal
from riskkit.base.stages import Stage
from riskkit.base.terminal import TerminalLine

if TYPE_CHECKING:
    from riskkit.jobs.pool import Progress  # with it comes the engine, which takes a second to load

EVERY = 10.0
"""Seconds between two lines that say how far it is, where standard error is no terminal."""


class Sayer(Protocol):
    """Who says what is heard."""

    units: str

    def stage(self, stage: Stage) -> None:
        """A step says what it does."""

    def progress(self, progress: Progress) -> None:
        """So many units are done."""


_SAYERS: list[Sayer] = []
"""Who says it for the command that runs, where it has one already."""


@contextmanager
def saying(options: argparse.Namespace) -> Iterator[None]:
    """Say within this block what is done, in the way that the options ask for.

    A command without options for it says on a terminal alone what takes long, where it says anything.
    """
    quiet, verbose = (getattr(options, name, None) for name in ("quiet", "verbose"))
    if quiet or verbose:
        terminal.end()
    line = terminal.line()
    if line is None and (quiet or quiet is None):
        yield
        return
    if line is not None and quiet is None:
        line.show("")
    sayer: Sayer = Lines(verbose=bool(verbose)) if line is None else Words(line)
    _SAYERS.append(sayer)
    try:
        with stages.listener(sayer.stage):
            yield
    finally:
        _SAYERS.remove(sayer)
        terminal.end()


def bar(units: str, options: argparse.Namespace | None = None) -> Callable[[Progress], None]:
    """What is told how far it is, and says so: on a terminal in its last line, else in a line every 10 seconds.

    Such a line comes also while a single unit takes long. With ``--quiet`` it says nothing; with ``--verbose`` also a
    line at every new stage. Standard output is left to results.
    """
    if getattr(options, "quiet", False):
        return lambda _: None
    sayer = _SAYERS[-1] if _SAYERS else Lines(verbose=bool(getattr(options, "verbose", False)))
    sayer.units = units
    return sayer.progress


class Words:
    """Says it in the last line of a terminal."""

    def __init__(self, line: TerminalLine) -> None:
        self.line, self.units = line, ""
        self.now: Progress | None = None

    def stage(self, stage: Stage) -> None:
        """A step says what it does."""
        far = "" if self.now is None else f" ({self.now.done} of {self.now.total} {self.units})"
        self.line.show(in_words(stage) + far)

    def progress(self, progress: Progress) -> None:
        """So many units are done."""
        self.now = progress
        self.line.show(far(progress, self.units))


class Lines:
    """Says it in lines of their own, one every :data:`EVERY` seconds at the longest until all is done."""

    def __init__(self, *, verbose: bool) -> None:
        self.units, self.verbose = "", verbose
        self.said = self.heard = time.monotonic()
        self.now: Progress | None = None
        self.words = self.last = ""
        self.lock = threading.Lock()
        threading.Thread(target=_watch, args=(weakref.ref(self),), daemon=True).start()

    def stage(self, stage: Stage) -> None:
        """A step says what it does."""
        with self.lock:
            self.words, self.heard = in_words(stage), time.monotonic()
            self._say_in_time(stage.words)

    def progress(self, progress: Progress) -> None:
        """So many units are done."""
        with self.lock:
            self.now, self.words, self.heard = progress, "", time.monotonic()
            self._say_in_time(progress.stage)

    def remind(self) -> None:
        """Say it also where nothing new was heard."""
        with self.lock:
            now, is_over = time.monotonic(), self.now is not None and self.now.done >= self.now.total
            if now - self.said >= EVERY and (self.words or not is_over):
                self._say(f"{self._far() or 'nothing is finished yet'}; {now - self.heard:.0f} s since the last news")

    def _say_in_time(self, stage: str) -> None:
        if self.heard - self.said >= EVERY or (self.verbose and stage != self.last):
            self._say(self._far())
            self.last = stage

    def _far(self) -> str:
        return self.words or ("" if self.now is None else far(self.now, self.units))

    def _say(self, text: str) -> None:
        print(text, file=sys.stderr, flush=True)
        self.said = time.monotonic()


def _watch(lines: weakref.ref[Lines]) -> None:
    """Remind of it until nobody holds it any more because the work has ended."""
    while True:
        time.sleep(EVERY / 10)
        held = lines()
        if held is None:
            return
        held.remind()
        del held


def in_words(stage: Stage) -> str:
    """What is being done, with how many of its parts are done."""
    return f"{stage.words}: {stage.done:,} of {stage.total:,}" if stage.total else stage.words


def far(progress: Progress, units: str) -> str:
    """The stage, units done of all, and seconds left where they are known."""
    left = "" if progress.seconds_left is None else f", {progress.seconds_left:.0f} s left"
    return f"{progress.stage}: {progress.done} of {progress.total} {units}{left}"
