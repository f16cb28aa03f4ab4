"""Columns of the release that no question can read: whatever they carry of a person, nobody would see it.

Questions read columns in use, attacks on texts those that are kept as text, and the look at identifiers compares codes.
What is none of these stands in the way of every statement that there is no leak, until the steward drops the column,
has it read, or says why nobody need read it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

import pyarrow.compute as pc

from riskkit.core import Column, Kind, Role, Schema
from riskkit.errors import Gravity, Problem
from riskkit.phrases import phrase
from riskkit.table.text import TextTable
from riskkit.table.verdict import ColumnChoice

LOOKED_AT = 1_000
"""Different texts of a column by which it is told whether they are codes."""
MOST = 0.9
"""The share of them that must be codes."""
_CODE = re.compile(r"\w+(?:[-_.@:/+#]\w+)*", re.ASCII)
_MOMENT = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|\d{1,2}:\d{2}|\d{1,2}[-/. ][A-Za-z]{3,9}[-/. ]\d{2,4}")
DO = phrase(
    "Drop the column from the release, choose a kind or role on the page Data by which it is read, or leave it out "
    "and say there why nobody need read it; until then it cannot be shown that there is no leak."
)


def unread_problems(
    schema: Schema, texts: Mapping[str, TextTable], choices: Mapping[str, ColumnChoice]
) -> list[Problem]:
    """A question about each released column that no question can read; a remark where the steward said why."""
    if "synthetic" not in texts:
        return []
    release, problems = texts["synthetic"], []
    shared = {column.name for column in schema.columns}
    for column in (*schema.columns, *(Column(name, Kind.TEXT) for name in release.columns if name not in shared)):
        if column.name not in release.columns or _is_read(column, texts.values()):
            continue
        choice = choices.get(column.name, ColumnChoice())
        if choice.role is Role.IGNORED and choice.reason.strip():
            what = phrase("No question reads this column. The steward says why: {reason}", reason=choice.reason.strip())
            problems.append(Problem(Gravity.WARNING, "left_unread", what, "", release.name, column.name))
            continue
        what = phrase("No question can read this column, so what it says of people would not be seen.")
        if column.name not in shared:
            what = phrase("The real file has no such column, so no question can compare it.")
        problems.append(Problem(Gravity.QUESTION, "unread_column", what, DO, release.name, column.name))
    return problems


def _is_read(column: Column, files: Iterable[TextTable]) -> bool:
    """Whether something reads the column, or nothing stands in it."""
    own = [file for file in files if column.name in file.columns]
    if column.is_modelled or column.role.names_unit or (column.kind, column.role) == (Kind.TEXT, Role.TEXT):
        return True
    different = {text for file in own for text in _some(file, column.name)}
    if len(different) < 2:
        return True
    return column.kind is Kind.ID and _are_codes(sorted(different))


def _some(file: TextTable, name: str) -> Sequence[str]:
    """Some different texts of the column, missing ones left out."""
    texts: list[str] = pc.unique(file.column(name).slice(0, 20 * LOOKED_AT)).to_pylist()
    return [text for text in texts if text][:LOOKED_AT]


def _are_codes(texts: Sequence[str]) -> bool:
    """Whether almost all are single words of letters and digits that name no moment: equality is all they say."""
    codes = sum(bool(_CODE.fullmatch(text)) and not _MOMENT.search(text) for text in texts)
    return codes >= MOST * len(texts)
