"""Columns of free text: how they are told, and what stands in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from riskkit.core import Column, Kind, Role, Schema
from riskkit.errors import Gravity, Problem
from riskkit.phrases import counted_phrase, phrase
from riskkit.table.pool import TextPool, spellings_of
from riskkit.table.text import TextTable
from riskkit.table.verdict import ColumnChoice, ColumnVerdict

LONG = 20
"""Letters that texts must have on average to be kept as text without being asked for; most names are shorter."""


def text_columns(schema: Schema) -> tuple[Column, ...]:
    """The columns that are kept as text: no table holds them, and attacks on the released file may read them."""
    return tuple(column for column in schema.columns if column.kind is Kind.TEXT and column.role is Role.TEXT)


def free_texts(schema: Schema, texts: Mapping[str, TextTable]) -> dict[str, dict[str, list[str]]]:
    """The texts of every column that is kept as text, by column and slot, as they stand; a missing one is empty."""
    return {
        column.name: {slot: _without(text.column(column.name).to_pylist(), column) for slot, text in texts.items()}
        for column in text_columns(schema)
    }


def _without(values: Sequence[str], column: Column) -> list[str]:
    gone = spellings_of(column.missing_tokens)
    return ["" if text in gone else text for text in values]


def free_text(texts: TextPool, choice: ColumnChoice, length: float) -> ColumnVerdict:
    """The verdict on a column of mostly different texts of so many letters on average."""
    if length >= LONG:
        column = kept_text(texts, choice, phrase("long and mostly different texts"))
        return ColumnVerdict(column, [text_problem(texts), *nested_problems(texts)])
    column = Column(texts.name, Kind.TEXT, Role.IGNORED, reason=phrase("mostly different texts"))
    return ColumnVerdict(column, [short_text_problem(texts), *nested_problems(texts)])


def kept_text(texts: TextPool, choice: ColumnChoice, reason: str) -> Column:
    """A column of free text that is kept as it is."""
    return Column(
        texts.name,
        Kind.TEXT,
        Role.TEXT,
        has_missing=texts.has_missing,
        missing_tokens=choice.missing_tokens,
        reason=reason,
    )


def text_problem(texts: TextPool) -> Problem:
    """What to say of a column of free text that was kept."""
    what = phrase(
        "The column holds free text. Only attacks on the released file that read texts use it; all others leave it "
        "out. Free text is often the most revealing part of a release."
    )
    do = phrase("Confirm the role text on the Data page, choose categorical, or drop the column from the release.")
    return texts.problem(Gravity.QUESTION, "free_text", what, do)


def short_text_problem(texts: TextPool) -> Problem:
    """What to say of a column of short texts, nearly all different, that was left out."""
    what = phrase("The column holds short texts that nearly all differ, such as names; it was left out.")
    do = phrase("Drop it from the release, or choose the role text or the kind categorical.")
    return texts.problem(Gravity.QUESTION, "free_text", what, do)


def nested_problems(texts: TextPool) -> list[Problem]:
    """What to say of lists or objects within cells."""
    if 2 * _nested(texts.texts[:200]) <= len(texts.texts[:200]):
        return []
    count = _nested(texts.texts)
    what = counted_phrase(
        count,
        "{n:,} different value is a list or an object, as in JSON; it was read as one text.",
        "{n:,} different values are lists or objects, as in JSON; each was read as one text.",
    )
    return [
        texts.problem(
            Gravity.WARNING, "nested_values", what, phrase("Give each part a column of its own."), count=count
        )
    ]


def _nested(texts: Sequence[str]) -> int:
    return sum(text[0] in "{[" and text[-1] in "}]" for text in texts)
