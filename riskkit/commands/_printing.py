"""What commands share: JSON or lines, the files in a result, and a line that says how far it is."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from riskkit.commands._verdict import Verdicts
from riskkit.jobs.pool import Progress
from riskkit.show.epsilon_words import with_readings
from riskkit.table.load import Tables

FIRST = ("give_aways", "verdicts")
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
        found, lines = {**verdicts.as_dict(), **found}, [*verdicts.lines(), *lines]
    notes = [*found["notes"], *(problem.sentence() for problem in tables.problems)]
    if options.json:
        print_json({**with_readings(found), "files": files(tables), "notes": notes})
    else:
        print("\n".join([*lines, *(f"\n{note}" for note in notes)]))
    return 0


def files(tables: Tables) -> list[dict[str, Any]]:
    """The files of a result: slot, name, hash and size."""
    return [
        {"slot": file.slot, "name": file.name, "sha256": file.sha256, "rows": file.rows, "columns": file.columns}
        for file in tables.files
    ]


def print_json(value: Mapping[str, Any]) -> None:
    """One JSON object: give-aways and verdicts, then other keys sorted, so that equal results are equal bytes."""
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
