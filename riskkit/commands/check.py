"""``python -m riskkit check``: what is in the files."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

<<<<<<< 0b8144b534381d36c16454134da282ddc57df2f6
from riskkit.commands import _columns
from riskkit.commands._printing import files, print_json
from riskkit.table.load import Tables, read_tables
from riskkit.table.verdict import Choice
=======
from riskkit.commands import _options
from riskkit.commands._printing import files, print_json
>>>>>>> c444fb79625c308019680c0fee60026270a46664

ABOUT = "what is in the files, and what is wrong with them"
"""The command in a line."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
<<<<<<< 0b8144b534381d36c16454134da282ddc57df2f6
    parser.add_argument("real", metavar="REAL", type=Path, help="CSV of the confidential records")
    parser.add_argument("synthetic", metavar="SYN", type=Path, help="CSV of the release")
    parser.add_argument("--holdout", type=Path, help="CSV of people who were not in the real table")
    _columns.add_option(parser)
    parser.add_argument(
        "--likely",
        type=Path,
        metavar="JSON",
        help="write which released value probably is which real one, for columns whose values hardly meet, as a file "
        "for --columns. Read it before you use it, and keep it as private as the tables: it holds their values",
    )
=======
    parser.add_argument("real", metavar="REAL", type=Path, help=_options.FILES["real"])
    parser.add_argument("synthetic", metavar="SYN", type=Path, help="table of the release")
    parser.add_argument("--holdout", type=Path, help="table of people who were not in the real table")
    _options.add_largest(parser)
>>>>>>> c444fb79625c308019680c0fee60026270a46664
    parser.add_argument("--json", action="store_true", help="one JSON object instead of text")


def run(options: argparse.Namespace) -> int:
    """Do what the options ask for; returns the exit code."""
<<<<<<< 0b8144b534381d36c16454134da282ddc57df2f6
    decided = _columns.choices(options)
    tables = read_tables(options.real, options.synthetic, options.holdout, decided)
    if options.likely is not None:
        _columns.write(options.likely, {**decided, **_likely(tables, decided)})
=======
    tables = _options.tables(options)
>>>>>>> c444fb79625c308019680c0fee60026270a46664
    problems = tables.problems
    if options.json:
        print_json(
            {
                "estimates": [],
                "settings": {"question": "check"},
                "files": files(tables),
                "notes": [problem.sentence() for problem in problems],
                "problems": [problem.as_dict() for problem in problems],
                "columns": [
                    {"name": c.name, "kind": c.kind, "role": c.role, "reason": c.reason} for c in tables.schema.columns
                ],
            }
        )
        return 0
    for file in tables.files:
        print(
            f"{file.slot:<10} {file.name}: {file.rows:,} rows, {file.columns} columns, {file.encoding or file.format}"
        )
    print()
    for column in tables.schema.columns:
        print(f"  {column.name:<24} {column.kind:<12} {column.role:<8} {column.reason}")
    print()
    for problem in problems:
        print(f"{problem.gravity:<9} {problem.sentence()}")
    if not problems:
        print("Nothing needs your eye.")
    return 0


def _likely(tables: Tables, decided: Mapping[str, Choice]) -> dict[str, Choice]:
    """For each column whose values hardly meet, what its released values probably mean."""
    return {
        one.column: replace(
            decided.get(one.column, Choice()),
            read_as=tables.likely(one.column),
        )
        for one in tables.apart
    }
