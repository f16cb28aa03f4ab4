"""``python -m riskkit check``: what is in the files."""

from __future__ import annotations

import argparse
from pathlib import Path

from riskkit.commands._printing import print_json
from riskkit.session.shape import shaped
from riskkit.table.load import read_tables

ABOUT = "what is in the files, and what is wrong with them"
"""The command in a line."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("real", metavar="REAL", type=Path, help="CSV of the confidential records")
    parser.add_argument("synthetic", metavar="SYN", type=Path, help="CSV of the release")
    parser.add_argument("--holdout", type=Path, help="CSV of people who were not in the real table")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of text")


def run(options: argparse.Namespace) -> int:
    """Do what the options ask for; returns the exit code."""
    tables = read_tables(options.real, options.synthetic, options.holdout)
    problems = tables.problems
    if options.json:
        columns = [{"name": c.name, "kind": c.kind, "role": c.role, "reason": c.reason} for c in tables.schema.columns]
        found = {"settings": {"question": "check"}, "problems": [one.as_dict() for one in problems], "columns": columns}
        print_json(shaped(found, tables))
        return 0
    for file in tables.files:
        print(f"{file.slot:<10} {file.name}: {file.rows:,} rows, {file.columns} columns, {file.encoding}")
    print()
    for column in tables.schema.columns:
        print(f"  {column.name:<24} {column.kind:<12} {column.role:<8} {column.reason}")
    print()
    for problem in problems:
        print(f"{problem.gravity:<9} {problem.sentence()}")
    if not problems:
        print("Nothing needs your eye.")
    return 0
