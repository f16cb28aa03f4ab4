"""What commands print: JSON or lines, and what was noticed in the files."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Mapping
from typing import Any

from riskkit.session.verdicts import Verdicts, answer_shape
from riskkit.table.load import Tables

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
        print_json(answer_shape(result, tables, verdicts))
    else:
        notes = [*result["notes"], *(problem.sentence() for problem in tables.problems)]
        print("\n".join([*lines, *(f"\n{note}" for note in notes)]))
    return 0


def print_json(value: Mapping[str, Any]) -> None:
    """One JSON object: verdict and give-aways, then other keys sorted, so that equal results are equal bytes."""
    rest = json.loads(json.dumps(value, sort_keys=True))
    first = {name: rest.pop(name) for name in FIRST if name in rest}
    print(json.dumps({**first, **rest}, ensure_ascii=False, indent=1))
