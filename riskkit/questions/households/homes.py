"""Who lives with whom: the column that says it, apart from the table that everybody else sees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from riskkit.core import MISSING, Column, Ints, Role, Table
from riskkit.errors import DesignError, nearest
from riskkit.phrases import phrase
from riskkit.table.load import Tables


def homes(tables: Tables, column: str) -> tuple[Table, Ints]:
    """The real table without that column, and (n,) the household of each row, in the order of their names.

    A row without a name is a household of its own. An empty ``column`` is the one whose role is *household*.

    Raises
    ------
    DesignError
        No column is named and none has the role, there is no such column, or it is out of use.
    """
    named = column or _role_column(tables)
    if not named:
        raise DesignError(
            phrase(
                "Name the column that says who lives together: --household COLUMN, or the role household on the Data "
                "page."
            )
        )
    known = {candidate.name: candidate for candidate in tables.schema.columns}
    if named not in known:
        raise DesignError(
            phrase("The real table has no column {named!r}{near}.", named=named, near=nearest(named, known))
        )
    if named in tables.identifiers:
        return tables.real, _number_texts(tables.identifiers[named]["real"])
    if not known[named].is_modelled:
        raise DesignError(
            phrase(
                "The column that says who lives together is out of use, so its values are not there. Put it in use, or "
                "give it the role household, on the Data page."
            )
        )
    return _without(tables.real, known[named]), _number_texts(_texts(tables.real, known[named]))


def _role_column(tables: Tables) -> str:
    persons = tables.persons
    return persons.column if persons is not None and persons.unit == Role.HOUSEHOLD else ""


def _number_texts(texts: Sequence[str]) -> Ints:
    """(n,) the place of each text among all different ones; an empty text has a place of its own behind them."""
    names = np.array(texts)
    is_named = names != MISSING
    numbers = np.empty(len(names), dtype=np.int64)
    different, numbers[is_named] = np.unique(names[is_named], return_inverse=True)
    numbers[~is_named] = len(different) + np.arange(int((~is_named).sum()))
    return numbers


def _place(table: Table, column: Column) -> int:
    own = table.schema.numeric if column.is_numeric else table.schema.categorical
    return own.index(column)


def _texts(table: Table, column: Column) -> list[str]:
    """(n,) the values as the file writes them; a missing one is empty."""
    place = _place(table, column)
    if column.is_numeric:
        return [MISSING if np.isnan(value) else f"{value:.{column.decimals}f}" for value in table.numbers[:, place]]
    return [column.levels[code] for code in table.codes[:, place]]


def _without(table: Table, column: Column) -> Table:
    """The same rows under a schema in which the column is not used."""
    place, schema = _place(table, column), table.schema.with_column(replace(column, role=Role.IGNORED))
    if column.is_numeric:
        return Table(schema, table.codes, np.delete(table.numbers, place, axis=1))
    return Table(schema, np.delete(table.codes, place, axis=1), table.numbers)
