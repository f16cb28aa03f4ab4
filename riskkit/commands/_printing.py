"""What commands share: JSON or lines, the files in a result, and a line that says how far it is."""

from __future__ import annotations

import argparse
import json
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from riskkit.jobs.pool import Progress
from riskkit.session.shape import shaped
from riskkit.session.verdicts import Verdicts
from riskkit.table.load import Tables

EVERY = 10.0
"""Seconds between two lines that say how far it is, where standard error is no terminal."""
FIRST = ("schema", "verdict", "give_aways", "verdicts")
"""Keys that stand first in a JSON object, as their texts do for people."""


def say(
    options: argparse.Namespace,
    result: Mapping[str, Any],
    tables: Tables,
    lines: Iterable[str],
    verdicts: Verdicts | None = None,
) -> int:
    """Print what was found, with what was noticed in the files: one JSON object, or the lines and the notes under them.

    Give-aways and verdicts come first. Returns the exit code.
    """
    if verdicts is not None:
        lines = [*verdicts.lines(), *lines]
    if options.json:
        print_json(shaped(result, tables, verdicts))
    else:
        notes = [*result["notes"], *(problem.sentence() for problem in tables.problems)]
        print("\n".join([*lines, *(f"\n{note}" for note in notes)]))
    return 0


def print_json(value: Mapping[str, Any]) -> None:
    """One JSON object: verdict and give-aways, then other keys sorted, so that equal results are equal bytes."""
    rest = json.loads(json.dumps(value, sort_keys=True))
    first = {name: rest.pop(name) for name in FIRST if name in rest}
    print(json.dumps({**first, **rest}, ensure_ascii=False, indent=1))


def bar(units: str, options: argparse.Namespace | None = None) -> Callable[[Progress], None]:
    """What says on standard error how far it is: on a terminal one line that changes, else a line every 10 seconds.

    Such a line comes also while a single unit takes long. With ``--quiet`` it says nothing; with ``--verbose`` also a
    line at every new stage. Standard output is left to results.
    """
    if getattr(options, "quiet", False):
        return lambda _: None
    verbose = bool(getattr(options, "verbose", False))
    if sys.stderr.isatty() and not verbose:
        return lambda progress: _over(progress, units)
    lines = _Lines(units, verbose)
    threading.Thread(target=_watch, args=(weakref.ref(lines),), daemon=True).start()
    return lines


class _Lines:
    """Says how far it is, in a line of its own; at the longest every :data:`EVERY` seconds until all is done."""

    def __init__(self, units: str, verbose: bool) -> None:
        self.units, self.verbose = units, verbose
        self.told = self.heard = time.monotonic()
        self.now: Progress | None = None
        self.stage = ""
        self.lock = threading.Lock()

    def __call__(self, progress: Progress) -> None:
        with self.lock:
            self.now, self.heard = progress, time.monotonic()
            if self.heard - self.told >= EVERY or (self.verbose and progress.stage != self.stage):
                self.say(_told(progress, self.units), self.heard)
                self.stage = progress.stage

    def remind(self) -> bool:
        """Say it also where nothing new was heard; False once all is done."""
        with self.lock:
            if self.now is not None and self.now.done >= self.now.total:
                return False
            now = time.monotonic()
            if now - self.told >= EVERY:
                far = "nothing is finished yet" if self.now is None else _told(self.now, self.units)
                self.say(f"{far}; {now - self.heard:.0f} s since the last news", now)
            return True

    def say(self, line: str, now: float) -> None:
        """Print it, and note when."""
        print(line, file=sys.stderr, flush=True)
        self.told = now


def _watch(lines: weakref.ref[_Lines]) -> None:
    """Remind of it until all is done, or nobody holds it any more because the work has ended."""
    while True:
        time.sleep(EVERY / 10)
        held = lines()
        if held is None or not held.remind():
            return
        del held


def _over(progress: Progress, units: str) -> None:
    """The line of a terminal, written over the one before; gone at the end."""
    print(f"\r\033[K{_told(progress, units)}", end="", file=sys.stderr)
    if progress.done == progress.total:
        print("\r\033[K", end="", file=sys.stderr)


def _told(progress: Progress, units: str) -> str:
    left = "" if progress.seconds_left is None else f", {progress.seconds_left:.0f} s left"
    return f"{progress.stage}: {progress.done} of {progress.total} {units}{left}"
