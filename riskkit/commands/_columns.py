"""What a person decided about columns, as a file of the command line: what the page Data keeps of an audit."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from riskkit.core import Role
from riskkit.errors import DesignError, Problem
from riskkit.language import count
from riskkit.table.codebook import FORM, KINDS_OF_CODEBOOK, Codebook, read_codebook
from riskkit.table.kinds.choice import ColumnChoice
from riskkit.table.load import OF_CHILDREN
from riskkit.table.people.persons import units
from riskkit.table.text import TextTable

HOUSEHOLD = "unit_household"
"""Where the column of households is kept: the question about households has a setting ``household`` of its own."""


def add_option(parser: argparse.ArgumentParser, *, takes_households: bool = True) -> None:
    """The options that name the file and the column of the unit.

    A question whose own ``--household`` means something else takes no column of households.
    """
    parser.add_argument(
        "--columns",
        type=Path,
        metavar="FILE",
        help=f"a file about the columns: {KINDS_OF_CODEBOOK}. Decisions are kind, role, texts that mean missing, which "
        "released value is which real one (read_as), the unit of released numbers (real = scale * released + offset, "
        "days of dates), that they differ in truth (differs), or what a file calls the column (called), as "
        f"{FORM}; a column of the second table is {OF_CHILDREN}COLUMN".replace("%", "%%"),
    )
    parser.add_argument(
        "--person",
        metavar="COLUMN",
        default="",
        help="the column that names whose row a row is, where people have several: people are then counted, each with "
        "all of their rows, and nothing is learnt from the column",
    )
    parser.add_argument(
        "--weight",
        metavar="COLUMN",
        default="",
        help="the column of the real table that says how many people of the population a row stands for (its sampling "
        "weight); no question reads it as something of the person",
    )
    if takes_households:
        parser.add_argument(
            "--household",
            dest=HOUSEHOLD,
            metavar="COLUMN",
            default="",
            help="the same for a column that names the household: households are counted, each with all of their rows",
        )


def codebook(options: argparse.Namespace) -> Codebook:
    """What the file of that option says, before it is held against the tables; nothing where it is not given.

    Raises
    ------
    InputError
        It cannot be read, or says something else. No value of it is repeated.
    """
    path = getattr(options, "columns", None)  # a command without the option has nothing to decide
    return Codebook("") if path is None else read_codebook(path)


def choices(
    options: argparse.Namespace, book: Codebook, texts: Mapping[str, TextTable]
) -> tuple[dict[str, ColumnChoice], tuple[Problem, ...]]:
    """What that file decides about the columns of these files, with the column that names the person or the household;
    and what it says that they do not bear out. From then on the command speaks of persons or households.

    Raises
    ------
    DesignError
        Both options are given.
    """
    decided, problems = book.decisions(texts)
    named = {Role.PERSON: getattr(options, "person", ""), Role.HOUSEHOLD: getattr(options, HOUSEHOLD, "")}
    if all(named.values()):
        raise DesignError("--person and --household both say whose row a row is. Leave out one of the two.")
    named[Role.WEIGHT] = getattr(options, "weight", "")
    for role, column in named.items():
        decided |= {column: replace(decided.get(column, ColumnChoice()), role=role)} if column else {}
    count(next(iter(units(decided)), ""))
    return decided, problems


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
