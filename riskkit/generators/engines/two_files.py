"""Two tables for a program, with keys dealt anew, and back: both files and their join are checked."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pyarrow.compute as pc

from riskkit.core import Ints, Table
from riskkit.errors import Gravity, Problem, SchemaError
from riskkit.generators.engines.released import Fault, keyed, keyed_faults, written
from riskkit.generators.engines.resident import described
from riskkit.phrases import counted_phrase, phrase
from riskkit.table.evidence.compare import bare
from riskkit.table.people.folded import TwoTables
from riskkit.table.people.second_table import Join
from riskkit.table.read.text import TextTable
from riskkit.table.write import to_csv

LEAVES = {"out": "release.csv", "out_children": "release_children.csv"}
"""The names of the files that a program of two tables writes, by placeholder."""
WRITTEN = {"out": "The first table that the program wrote", "out_children": "The second table that the program wrote"}
"""What sentences call them."""


def dealt(table: TwoTables) -> dict[str, bytes]:
    """The files of the people and of their rows, by placeholder.

    The people are numbered from 1 in the order of the table, their rows stand person by person: a key says nothing
    but whose a row is.
    """
    numbers = np.arange(1, len(table) + 1).astype(str)
    return {
        "train": to_csv(table.first, {table.key: numbers.tolist()}),
        "train_children": to_csv(table.second, {table.key: numbers[table.owner].tolist()}),
        "schema": _schemas(table),
    }


def _schemas(table: TwoTables) -> bytes:
    """The columns of the first table as programs get them, beside them those of the second and the name of the key."""
    first, second = (json.loads(described(schema)) for schema in (table.first_schema, table.second.schema))
    return json.dumps({**first, "key": table.key, "children": second}, ensure_ascii=False).encode()


def release(left: Mapping[str, Path], shape: TwoTables, n: int, *, nearest: bool) -> Table:
    """What the program left, as a game looks at people with a second table.

    Parameters
    ----------
    left
        The paths by placeholder.
    shape
        A table like the one that was learnt, of any people or none.

    Raises
    ------
    DesignError, InputError
        A file is missing, does not fit its schema, or the keys join nothing; never says a value.
    """
    first, second = _both(left)
    parents, above = keyed(first, shape.first_schema, n, name=WRITTEN["out"], nearest=nearest, key=shape.key)
    children, below = keyed(
        second, shape.second.schema, None, name=WRITTEN["out_children"], nearest=nearest, key=shape.key
    )
    for problem in _of_keys(shape.key, above, below):
        raise SchemaError(problem)
    return shape.seen(parents, children, Join.of(shape.key, above, below))


def faults(left: Mapping[str, Path], shape: TwoTables, n: int) -> tuple[Fault, ...]:
    """Everything for which :func:`release` would refuse them, the first problem of every column and of the keys.

    Raises
    ------
    DesignError
        A file is missing.
    """
    first, second = _both(left)
    of_first, above = keyed_faults(first, shape.first_schema, n, name=WRITTEN["out"], key=shape.key)
    of_second, below = keyed_faults(second, shape.second.schema, None, name=WRITTEN["out_children"], key=shape.key)
    if above is None or below is None:
        return (*of_first, *of_second)
    return (*of_first, *of_second, *map(Fault, _of_keys(shape.key, above, below)))


def _both(left: Mapping[str, Path]) -> tuple[Path, Path]:
    """The two files, where the program has left them."""
    first, second = (written(left[name], WRITTEN[name], f"{{{name}}}") for name in LEAVES)
    return first, second


def _of_keys(key: str, above: TextTable, below: TextTable) -> Iterator[Problem]:
    """What is wrong with the keys: rows without one, one of two people, rows that belong to nobody."""
    join = Join.of(key, above, below)
    numbers, first = np.unique(join.group, return_index=True)
    unnamed = np.flatnonzero(pc.equal(bare(above.column(key)), "").to_numpy())
    again = np.setdiff1d(np.arange(len(join.group)), first)
    do = phrase("Give every row of the first table a key of its own.")
    if len(unnamed):
        what = counted_phrase(len(unnamed), "{n:,} row has no key.", "{n:,} rows have no key.")
        yield _problem("no_key", what, do, key, above, unnamed)
    if len(numbers) < len(join.group):
        what = counted_phrase(
            len(again), "{n:,} row has the key of another row.", "{n:,} rows have the key of another row."
        )
        yield _problem("repeated_keys", what, do, key, above, again)
    if join.orphans:
        what = counted_phrase(
            join.orphans,
            "{n:,} row has a key that no row of the first table has.",
            "{n:,} rows have keys that no row of the first table has.",
        )
        do = phrase("Write rows of the people in the first table alone, each with the key of its person.")
        yield _problem("orphans", what, do, key, below, np.flatnonzero(~join.kept))


def _problem(code: str, what: str, do: str, key: str, text: TextTable, rows: Ints) -> Problem:
    """The problem of these rows of a file, named by the line of the first."""
    return Problem(Gravity.ERROR, code, what, do, text.name, key, text.line(int(rows[0])), len(rows))
