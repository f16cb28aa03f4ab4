"""What a person decided about columns, as a file of the command line: what the page Data keeps of an audit."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from riskkit.core import Role
from riskkit.errors import DesignError
from riskkit.language import count
from riskkit.table.kinds.choice import ColumnChoice
from riskkit.table.load import OF_CHILDREN
from riskkit.table.people.persons import units

FORM = (
    '{"COLUMN": {"kind": "categorical", "role": "ignored", "missing_tokens": ["?"], "read_as": {"1": "yes"}, '
    '"scale": 2.54, "offset": 0, "differs": false, "called": {"release": "NAME"}}}'
)
"""What such a file looks like; every entry may be left out."""
HOUSEHOLD = "unit_household"
"""Where the column of households is kept: the question about households has a setting ``household`` of its own."""


def add_option(parser: argparse.ArgumentParser, *, takes_households: bool = True) -> None:
    """The options that name the file and the column of the unit.

    A question whose own ``--household`` means something else takes no column of households.
    """
    parser.add_argument(
        "--columns",
        type=Path,
        metavar="JSON",
        help="what you decided about columns: kind, role, texts that mean missing, which released value is which real "
        "one (read_as), the unit of released numbers (real = scale * released + offset, days of dates), that they "
        f"differ in truth (differs), or what a file calls the column (called), as {FORM}; a column of the second table "
        f"is {OF_CHILDREN}COLUMN".replace("%", "%%"),
    )
    parser.add_argument(
        "--person",
        metavar="COLUMN",
        default="",
        help="the column that names whose row a row is, where people have several: people are then counted, each with "
        "all of their rows, and nothing is learnt from the column",
    )
    if takes_households:
        parser.add_argument(
            "--household",
            dest=HOUSEHOLD,
            metavar="COLUMN",
            default="",
            help="the same for a column that names the household: households are counted, each with all of their rows",
        )


def choices(options: argparse.Namespace) -> dict[str, ColumnChoice]:
    """What the file of that option says, and which column names the person or the household; from then on the command
    speaks of them. Nothing where none of it is given.

    Raises
    ------
    DesignError
        It cannot be read, or says something else; or both options are given. No value of it is repeated.
    """
    decided = _choices_of_file(options)
    named = {Role.PERSON: getattr(options, "person", ""), Role.HOUSEHOLD: getattr(options, HOUSEHOLD, "")}
    if all(named.values()):
        raise DesignError("--person and --household both say whose row a row is. Leave out one of the two.")
    for role, column in named.items():
        decided |= {column: replace(decided.get(column, ColumnChoice()), role=role)} if column else {}
    count(next(iter(units(decided)), ""))
    return decided


def _choices_of_file(options: argparse.Namespace) -> dict[str, ColumnChoice]:
    if getattr(options, "columns", None) is None:  # a command without the option has nothing to decide
        return {}
    try:
        stored = json.loads(options.columns.read_text(encoding="utf-8"))
        return {str(name): ColumnChoice.from_dict(choice) for name, choice in stored.items()}
    except OSError as error:
        raise DesignError(f"The file of --columns cannot be read ({error.strerror}).") from None
    except (ValueError, TypeError, AttributeError, RecursionError):
        raise DesignError(f"The file of --columns is no JSON of the form {FORM}.") from None


def write(path: Path, decided: Mapping[str, ColumnChoice]) -> None:
    """Write such a file, for its owner alone: it holds values of the tables.

    Raises
    ------
    DesignError
        It cannot be written.
    """
    stored = {name: choice.as_dict() for name, choice in decided.items()}
    try:
        path.touch(mode=0o600)
        path.write_text(json.dumps(stored, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise DesignError(f"{path.name} cannot be written ({error.strerror}).") from None
