"""What commands share: JSON or lines, the files in a result, and a line that says how far it is."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from riskkit.audit.pool import Progress
from riskkit.session.shape import shaped
from riskkit.session.verdicts import Verdicts
from riskkit.table.load import Tables

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


def bar(units: str) -> Callable[[Progress], None]:
    """A line on the terminal that says how far it is; nothing where standard error is no terminal."""
    if not sys.stderr.isatty():
        return lambda _: None

    def tell(progress: Progress) -> None:
        left = "" if progress.seconds_left is None else f", {progress.seconds_left:.0f} s left"
        print(f"\r\033[K{progress.stage}: {progress.done} of {progress.total} {units}{left}", end="", file=sys.stderr)
        if progress.done == progress.total:
            print("\r\033[K", end="", file=sys.stderr)

    return tell
