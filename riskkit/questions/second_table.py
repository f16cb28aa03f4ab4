"""Games that train a method on two tables: the setting, the tables they are played on, and what they refuse.

The worlds hold people, each with summaries of their rows in the second table beside their own columns; the method is
handed both tables of the people of a world, and its release is summed up the same way. So whatever attacks, intervals
and lists say of rows, they say of people.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from riskkit import registry
from riskkit.core import Targets
from riskkit.errors import DesignError
from riskkit.parameters import parameter
from riskkit.phrases import phrase
from riskkit.table.fold import with_second
from riskkit.table.load import Tables

NOTE = phrase(
    "People were seen with summaries of their rows in the second table beside their own columns, and the method was "
    "trained on both tables."
)
"""What must be said of a game that was played across both tables."""


def second_table(
    about: str = "Train a program that takes and writes both tables; people are seen with summaries of their rows in "
    "the second one.",
) -> Any:
    """The field of a plan that says whether it is asked across both tables."""
    return parameter(False, label="Across both tables", help=about)


def takes_two_tables(generator: str) -> bool:
    """Whether that method is trained on two tables, and releases two."""
    return bool(getattr(registry.parse("generators", generator), "takes_two_tables", False))


def play_tables(tables: Tables, generators: Iterable[str], *, second_table: bool) -> Tables:
    """The tables that a game is played on.

    Raises
    ------
    DesignError
        :func:`check` refuses that, the second table of a file is missing, or a person has several rows in the first.
    """
    check(tables, generators, second_table=second_table)
    if not second_table:
        return tables
    if tables.persons is not None and tables.persons.has_several_rows:
        raise DesignError(
            phrase(
                "Across both tables a person stands in one row of the first, and here some stand in several. Leave one "
                "row for each person in the first table, or ask about the first table alone."
            )
        )
    return with_second(tables)


def check(tables: Tables, generators: Iterable[str], *, second_table: bool) -> None:
    """Refuse methods that do not go with what is asked.

    Raises
    ------
    DesignError
        A method takes two tables and the game is of one, or the other way round.
    """
    takes_two = [takes_two_tables(text) for text in generators]
    if not second_table:
        if any(takes_two) and tables.children is None:
            raise DesignError(
                phrase(
                    "Your own generator is trained on two tables, and no second one is loaded. Load it with the key "
                    "that joins it, or leave {train_children} and {out_children} out of the command."
                )
            )
        if any(takes_two):
            raise DesignError(
                phrase(
                    "Your own generator is trained on two tables, and the game is of the first alone. Ask across both "
                    "tables (--second-table)."
                )
            )
    elif not all(takes_two):
        raise DesignError(
            phrase(
                "Across both tables a program is trained that takes and writes both: a command with "
                "{train_children} and {out_children}. Choose such a method, or ask about the first table alone."
            )
        )


def refuse_made_up(targets: Targets) -> None:
    """Refuse records that nobody has.

    Raises
    ------
    DesignError
        One is made up.
    """
    if (targets.index < 0).any():
        raise DesignError(
            phrase(
                "A made-up record has no rows in the second table. Choose targets among the real people, or ask about "
                "the first table alone."
            )
        )
