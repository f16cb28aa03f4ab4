"""``riskkit check``: what is in the files."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from riskkit.commands import _columns, _options
from riskkit.core import Column
from riskkit.table.kinds.choice import ColumnChoice
from riskkit.table.load import OF_CHILDREN, Misnamed, Tables, misnamed_files
from riskkit.table.people.second_table import Children

ABOUT = "what is in the files, and what is wrong with them"
"""The command in a line."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("real", metavar="REAL", type=Path, help=_options.REAL)
    parser.add_argument("synthetic", metavar="SYN", type=Path, help="table of the release")
    parser.add_argument("--holdout", type=Path, help="table of people outside the real table")
    _columns.add_option(parser)
    _options.add_children(parser)
    parser.add_argument(
        "--likely",
        type=Path,
        metavar="JSON",
        help="write which released value probably is which real one, for columns whose values hardly meet, and which "
        "numbers probably mean missing, as a file for --columns. Read it before you use it, and keep it as private as "
        "the tables: it holds their values",
    )
    _options.add_reading(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object instead of text")


def run(options: argparse.Namespace) -> int:
    """Do what the options ask for; returns the exit code."""
    files = _options.files(options)
    decided = files.choices
    if options.likely is not None and (others := misnamed_files(files.texts, decided)):
        _columns.write(options.likely, {**decided, **_likely_names(others, decided)})  # before the files are refused
    tables = files.tables()
    if options.likely is not None:
        _columns.write(options.likely, _likely(tables, decided))
    problems = tables.problems
    if options.json:
        # not at the top: with them come reports, statistics and the store, which take a second to load
        from riskkit.commands._output import print_json
        from riskkit.session.verdicts import answer_shape

        columns = [
            {"name": name, "kind": c.kind, "role": c.role, "reason": c.reason} for name, c in _every_column(tables)
        ]
        result = {
            "settings": {"question": "check"},
            "problems": [entry.as_dict() for entry in problems],
            "columns": columns,
        }
        print_json(answer_shape(result, tables))
        return 0
    for file in tables.files:
        print(
            f"{file.slot:<10} {file.name}: {file.rows:,} rows, {file.columns} columns, {file.encoding or file.format}"
        )
    print()
    for name, column in _every_column(tables):
        print(f"  {name:<24} {column.kind:<12} {column.role:<8} {column.reason}")
    print()
    for problem in problems:
        print(f"{problem.gravity:<9} {problem.sentence()}")
    if not problems:
        print("Nothing needs your eye.")
    return 0


def _likely_names(files: Iterable[Misnamed], decided: Mapping[str, ColumnChoice]) -> dict[str, ColumnChoice]:
    """For each column that is likely another one of a file, what it is called there."""
    out: dict[str, ColumnChoice] = {}
    for file in files:
        for name, own in file.left.likely.items():
            key = f"{file.before}{name}"
            choice = out.get(key, decided.get(key, ColumnChoice()))
            out[key] = replace(choice, called=(*choice.called, (file.slot, own)))
    return out


def _every_column(tables: Tables) -> Iterator[tuple[str, Column]]:
    """The columns by the names that ``--columns`` calls them, those of a second table last."""
    yield from ((column.name, column) for column in tables.schema.columns)
    if tables.children is not None:
        yield from ((f"{OF_CHILDREN}{column.name}", column) for column in tables.children.schema.columns)


def _likely(tables: Tables, decided: Mapping[str, ColumnChoice]) -> dict[str, ColumnChoice]:
    """For each column whose values hardly meet, what its released values probably mean; numbers that mean missing."""
    out = dict(decided)
    sides: dict[str, Tables | Children] = {"": tables}
    if tables.children is not None:
        sides[OF_CHILDREN] = tables.children
    for prefix, side in sides.items():
        for column in side.apart:
            name = f"{prefix}{column.column}"
            pairs, line = side.likely(column.column), side.line(column.column)
            choice = replace(out.get(name, ColumnChoice()), read_as=pairs)
            out[name] = choice if pairs or line is None else replace(choice, scale=line[0], offset=line[1])
    for column_name, tokens in tables.missing_codes.items():
        choice = out.get(column_name, ColumnChoice())
        out[column_name] = replace(choice, missing_tokens=tuple(dict.fromkeys((*choice.missing_tokens, *tokens))))
    return out
