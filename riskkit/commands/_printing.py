"""What commands share: JSON or lines, the files in a result, and a line that says how far it is."""

from __future__ import annotations

import argparse
import json
import sys
import time
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
    found: Mapping[str, Any],
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
        print_json(shaped(found, tables, verdicts))
    else:
        notes = [*found["notes"], *(problem.sentence() for problem in tables.problems)]
        print("\n".join([*lines, *(f"\n{note}" for note in notes)]))
    return 0


def print_json(value: Mapping[str, Any]) -> None:
    """One JSON object: verdict and give-aways, then other keys sorted, so that equal results are equal bytes."""
    rest = json.loads(json.dumps(value, sort_keys=True))
    first = {name: rest.pop(name) for name in FIRST if name in rest}
    print(json.dumps({**first, **rest}, ensure_ascii=False, indent=1))


def bar(units: str, options: argparse.Namespace | None = None) -> Callable[[Progress], None]:
    """What says on standard error how far it is: on a terminal one line that changes, else a line every 10 seconds.

    With ``--quiet`` it says nothing; with ``--verbose`` also a line at every new stage. Standard output is left to
    results.
    """
    if getattr(options, "quiet", False):
        return lambda _: None
    verbose = bool(getattr(options, "verbose", False))
    if sys.stderr.isatty() and not verbose:
        return lambda progress: _over(progress, units)
    last: dict[str, Any] = {"told": time.monotonic(), "stage": None}

    def tell(progress: Progress) -> None:
        now = time.monotonic()
        if now - last["told"] >= EVERY or (verbose and progress.stage != last["stage"]):
            print(_told(progress, units), file=sys.stderr, flush=True)
            last.update(told=now, stage=progress.stage)

    return tell


def _over(progress: Progress, units: str) -> None:
    """The line of a terminal, written over the one before; gone at the end."""
    print(f"\r\033[K{_told(progress, units)}", end="", file=sys.stderr)
    if progress.done == progress.total:
        print("\r\033[K", end="", file=sys.stderr)


def _told(progress: Progress, units: str) -> str:
    left = "" if progress.seconds_left is None else f", {progress.seconds_left:.0f} s left"
    return f"{progress.stage}: {progress.done} of {progress.total} {units}{left}"
