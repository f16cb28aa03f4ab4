"""A release that came from outside, typed under the frozen schema or refused with a sentence."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from riskkit.core import Bools, Column, Floats, Kind, Schema, Table
from riskkit.errors import InputError, LayoutError, Problem, ProgramFailed, SchemaError
from riskkit.phrases import phrase
from riskkit.table.encode import to_domain
from riskkit.table.forms import tidy
from riskkit.table.kinds.schema import apply_schema
from riskkit.table.kinds.spellings import spellings_of
from riskkit.table.read.csv_text import read_csv
from riskkit.table.text import TextTable

SAME = 1e-9
"""How far a number may lie from a number of its column, relative to its size, and be it."""
KEEP = phrase("Write only values that the training table could hold.")
NEAREST = phrase(
    "Write only numbers that the training table could hold, or have the nearest such number taken: outside=nearest."
)


def release(source: bytes | Path, schema: Schema, n: int, *, name: str, nearest: bool) -> Table:
    """The rows of a CSV (UTF-8, commas, a line of names) under the schema, which is never changed by them.

    The columns may come in any order. ``name`` is what sentences call the file. A number outside the domain of its
    column, or with more decimals, is refused, or with ``nearest`` becomes the nearest number of the domain.

    Raises
    ------
    InputError
        The file is no such CSV, has other columns or rows than asked for, or a value outside the schema; names the
        file, the column and the line, never a value.
    """
    return read_keyed(source, schema, n, name=name, nearest=nearest)[0]


def read_keyed(
    source: bytes | Path, schema: Schema, n: int | None, *, name: str, nearest: bool, key: str = ""
) -> tuple[Table, TextTable]:
    """The same of a file that has a column of keys too, and any number of rows where ``n`` is none; and its texts.

    Raises
    ------
    InputError
        The file is no such CSV, has other columns or rows than asked for, or a value outside the schema; names the
        file, the column and the line, never a value.
    """
    try:
        text = _read(source, name)
        _check_shape(text, schema, n, key)
        table = apply_schema(schema, text)
    except InputError as error:
        raise type(error)(_discreet(error, schema, key)) from None
    numbers = [
        _inside(column, table.numbers[:, position], text, nearest) for position, column in enumerate(schema.numeric)
    ]
    return Table(schema, table.codes, np.column_stack(numbers) if numbers else table.numbers), text


def _read(source: bytes | Path, name: str) -> TextTable:
    """The file as texts."""
    return read_csv(source, name=name, encoding="utf-8", delimiter=",", header=True, total=False)


@dataclass(frozen=True, slots=True)
class Fault:
    """A problem of a release; ``is_mended`` where taking the nearest number of the domain makes it none."""

    problem: Problem
    is_mended: bool = False


def faults(source: bytes | Path, schema: Schema, n: int, *, name: str) -> tuple[Fault, ...]:
    """Everything for which :func:`release` would refuse the CSV, the first problem of every column; none where it fits.

    A file that cannot be read as a CSV has one fault.
    """
    return keyed_faults(source, schema, n, name=name)[0]


def keyed_faults(
    source: bytes | Path, schema: Schema, n: int | None, *, name: str, key: str = ""
) -> tuple[tuple[Fault, ...], TextTable | None]:
    """The same of what :func:`read_keyed` would refuse; and the texts, where they can be read and have the keys."""
    try:
        text = _read(source, name)
    except InputError as error:
        return (Fault(_discreet(error, schema, key)),), None
    try:
        _check_shape(text, schema, n, key)
        problems = []
    except InputError as error:
        problems = [Fault(_discreet(error, schema, key))]
    for column in schema.modelled:
        if column.name in text.columns:
            kinds = [_problem(column, text, nearest=nearest) for nearest in (False, True)]
            problems += [Fault(kinds[0], kinds[1] is None)] if kinds[0] else []
    return tuple(problems), text if key in text.columns else None


def _problem(column: Column, text: TextTable, *, nearest: bool) -> Problem | None:
    """What is wrong with the values of that column, if anything is."""
    alone = Schema((column,))
    try:
        table = apply_schema(alone, text)
    except InputError as error:
        return _discreet(error, alone)
    try:
        if column.is_numeric:
            _inside(column, table.numbers[:, 0], text, nearest)
    except InputError as error:
        return error.problem
    return None


def output_file(path: Path, name: str, place: str = "{out}") -> Path:
    """The path, where a program has left a plain file there; ``place`` is how its command says where.

    Raises
    ------
    ProgramFailed
        There is no file, or something else than one.
    """
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise ProgramFailed.phrase(
            "{name}: it is a link or a folder, not a file. Let the program write a plain file to {place}.",
            name=name,
            place=place,
        )
    if not path.exists():
        raise ProgramFailed.phrase(
            "{name}: the program ended without writing it. Let it write a CSV to {place}.", name=name, place=place
        )
    return path


def _discreet(error: InputError, schema: Schema, key: str = "") -> Problem:
    """The problem without names that only this file has: a file without a line of names has cells there."""
    problem = error.problem
    known = {column.name for column in schema.modelled} | {key}
    do = KEEP if problem.code == "outside_schema" else problem.do
    return replace(problem, do=do, column=problem.column if problem.column in known else "")


def _check_shape(text: TextTable, schema: Schema, n: int | None, key: str = "") -> None:
    """Raise where columns are missing or too many, or the rows are not ``n``."""
    wanted = [*([key] * bool(key)), *(column.name for column in schema.modelled)]
    for name in wanted:
        if name not in text.columns:
            what, do = "The file has no such column.", "Write every column of the training table, under its name."
            raise SchemaError.of("missing_column", what, do, file=text.name, column=name)
    extra = [position for position, name in enumerate(text.columns, 1) if name not in wanted]
    if extra:
        what = phrase("Column {position:,} of the file is not in the training table.", position=extra[0])
        raise SchemaError.of("extra_column", what, phrase("Leave it out."), file=text.name, count=len(extra))
    if n is not None and text.rows != n:
        what = phrase("The file has {rows:,} rows where {wanted:,} were asked for.", rows=text.rows, wanted=n)
        raise LayoutError.of("wrong_rows", what, phrase("Write exactly {n} rows."), file=text.name, count=text.rows)


def _inside(column: Column, values: Floats, text: TextTable, nearest: bool) -> Floats:
    """(n,) the numbers of that column as numbers of its domain."""
    missing = np.isnan(values)
    if column.kind is Kind.DATE:
        _refuse(missing & ~_missing_mask(column, text), phrase("The value is no date."), column, text)
    if not column.has_missing:
        _refuse(missing, phrase("A value is missing, in a column that has none missing."), column, text)
    inside = to_domain(values, column)
    if not nearest:
        slack = SAME * np.maximum(np.abs(values), 1.0)
        outside = (values < column.low - slack) | (values > column.high + slack)
        _refuse(outside, phrase("The number lies outside the range of the loaded tables."), column, text, NEAREST)
        what = phrase("The number has more than the {decimals} decimals of the column.", decimals=column.decimals)
        _refuse(np.abs(inside - values) > slack, what, column, text, NEAREST)
    return inside


def _missing_mask(column: Column, text: TextTable) -> Bools:
    """(n,) where the text of the column stands for a missing value."""
    encoded = text.encode(column.name)
    tokens = {"", *spellings_of(column.missing_tokens)}
    gone = np.array([tidy(value) in tokens for value in encoded.dictionary.to_pylist()], dtype=bool)
    out: Bools = gone[encoded.indices.to_numpy()]
    return out


def _refuse(bad: Bools, what: str, column: Column, text: TextTable, do: str = KEEP) -> None:
    """Raise for the first row where something is wrong."""
    if bad.any():
        line = text.line(int(np.argmax(bad)))
        raise SchemaError.of(
            "outside_schema", what, do, file=text.name, column=column.name, line=line, count=int(bad.sum())
        )
