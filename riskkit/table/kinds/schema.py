"""One schema for all files, and files typed under it.

Kinds, levels and ranges are settled jointly over the real, the synthetic and the holdout file: a value that is
spelled ``34`` in one file and ``34.0`` in another is one value, and a code that has a letter in one file is a
category in all. An audit that typed each file for itself would compare ``34`` with ``34.0``, find no overlap,
and call a verbatim copy safe.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow.compute as pc

from riskkit.base import stages
from riskkit.core import Codes, Column, Floats, Kind, Role, Schema, Table
from riskkit.errors import Gravity, Problem, SchemaError
from riskkit.phrases import counted_phrase, phrase
from riskkit.table import large
from riskkit.table.encode import MOST_COLUMNS, dimensions
from riskkit.table.forms import tidy
from riskkit.table.kinds.choice import ColumnChoice
from riskkit.table.kinds.dates import days
from riskkit.table.kinds.judge import judge
from riskkit.table.kinds.numbers import numbers
from riskkit.table.kinds.spellings import Levels, spellings_of
from riskkit.table.text import TextTable, values, whole, words


@dataclass(frozen=True, slots=True)
class InferredSchema:
    """The joint schema and what the user should know of it."""

    schema: Schema
    problems: tuple[Problem, ...]


def infer(
    tables: Mapping[str, TextTable], choices: Mapping[str, ColumnChoice] | None = None, *, widest: int = MOST_COLUMNS
) -> InferredSchema:
    """The joint schema of the columns that all files have, in the order of the real file.

    Parameters
    ----------
    tables : mapping
        The files by slot: ``real`` and perhaps ``synthetic`` and ``holdout``.
    choices : mapping, optional
        What the user decided, by column name.
    widest : int
        How many columns the one-hot form may have; the categories with most levels are left out beyond it.

    Raises
    ------
    SchemaError
        A kind the user chose cannot hold, or a number is infinite.
    """
    chosen = choices or {}
    columns: list[Column] = []
    problems: list[Problem] = []
    shared = set(tables["real"].columns).intersection(*(table.columns for table in tables.values()))
    for name in stages.parts(phrase("What the columns hold"), tables["real"].columns):
        if name in shared:
            verdict = judge(name, tables, chosen.get(name, ColumnChoice()))
            columns.append(verdict.column)
            problems += verdict.problems
    columns, more = _narrow(columns, widest)
    return InferredSchema(Schema(tuple(columns)), (*problems, *more))


def _narrow(columns: list[Column], widest: int) -> tuple[list[Column], list[Problem]]:
    """Leave out the categories with most levels until the one-hot form is narrow enough."""
    problems = []
    while sum(dimensions(column) for column in columns if column.is_modelled) > widest:
        position = max(range(len(columns)), key=lambda i: len(columns[i].levels) if columns[i].is_modelled else 0)
        column = columns[position]
        what = counted_phrase(
            len(column.levels),
            "The column has {n:,} different text, too many to compare; it was left out.",
            "The column has {n:,} different texts, too many to compare; it was left out.",
        )
        do = phrase("Group its values: all categories together may have {most:,} levels.", most=widest)
        problems.append(
            Problem(Gravity.REPAIR, "too_many_levels", what, do, column=column.name, count=len(column.levels))
        )
        columns[position] = Column(
            column.name,
            Kind.TEXT,
            Role.IGNORED,
            reason=counted_phrase(len(column.levels), "{n:,} different text", "{n:,} different texts"),
        )
    return columns, problems


def apply_schema(schema: Schema, text: TextTable) -> Table:
    """The file's rows under the schema.

    Raises
    ------
    SchemaError
        A column is missing, or a value lies outside the schema; says on which line, never the value.
    """
    known = set(text.columns)
    for column in schema.modelled:
        if column.name not in known:
            raise SchemaError.of(
                "missing_column",
                phrase("The file has no such column."),
                phrase("Add it."),
                file=text.name,
                column=column.name,
            )
    codes = large.empty((text.rows, len(schema.categorical)), np.int32)
    numeric = large.empty((text.rows, len(schema.numeric)), np.float64)
    what, total = phrase("Columns of {file}", file=text.name), len(schema.categorical) + len(schema.numeric)
    for place, column in enumerate(schema.categorical):
        stages.say(what, place, total)
        codes[:, place] = _codes(column, text)
    for place, column in enumerate(schema.numeric):
        stages.say(what, len(schema.categorical) + place, total)
        numeric[:, place] = _numbers(column, text)
    text.forget()
    return Table(schema, codes, numeric)


def _codes(column: Column, text: TextTable) -> Codes:
    """(n,) the level of each value."""
    levels = words(column.levels)
    encoded = text.encode(column.name)
    codes = pc.index_in(encoded.dictionary, value_set=levels)
    if codes.null_count:
        different = encoded.dictionary.filter(pc.is_null(codes))
        known = Levels(column)
        places = [known.find(raw) for raw in different.to_pylist()]
        if None in places:
            _refuse(
                column,
                text,
                different[places.index(None)].as_py(),
                phrase("The value is none of the levels of the schema."),
            )
        again = pc.take(whole(np.array(places, dtype=np.int32)), pc.index_in(encoded.dictionary, value_set=different))
        codes = pc.coalesce(codes, again)
    out: Codes = values(codes).astype(np.int32)[values(encoded.indices)]
    return out


def _numbers(column: Column, text: TextTable) -> Floats:
    """(n,) the number of each value, NaN where missing."""
    if column.kind is Kind.NUMERIC and not column.missing_tokens:
        plain = text.plain(column.name)
        if plain is not None:
            return plain
    encoded = text.encode(column.name)
    raw = encoded.dictionary.to_pylist()
    texts = [tidy(cell) for cell in raw]
    gone = spellings_of(column.missing_tokens)
    read = days(texts, column.date_format) if column.kind is Kind.DATE else numbers(texts, column.commas)
    for row in np.flatnonzero(~np.isfinite(read)).tolist() if column.kind is Kind.NUMERIC else ():
        if texts[row] and texts[row] not in gone:
            _refuse(column, text, raw[row], phrase("The value is not a number."))
    for row, value in enumerate(texts):
        if value in gone:
            read[row] = math.nan
    out: Floats = read[values(encoded.indices)]
    return out


def _refuse(column: Column, text: TextTable, raw: str, what: str) -> None:
    line = text.line(pc.index(text.column(column.name), raw).as_py())
    raise SchemaError.of(
        "outside_schema",
        what,
        phrase("Load the files together so that they share one schema."),
        file=text.name,
        column=column.name,
        line=line,
    )
