"""The first and the last record, where they are none: a second line of names, a line of totals."""

from __future__ import annotations

import math
import re

import pyarrow as pa
import pyarrow.compute as pc

from riskkit.core import Ints
from riskkit.errors import Gravity, Problem
from riskkit.phrases import phrase
from riskkit.table.coded import texts_of
from riskkit.table.header import is_value
from riskkit.table.parse import number
from riskkit.table.verdict import TOKENS

_BELOW = 60
"""How many records are looked at below a second line of names."""
_TOTAL = re.compile(
    r"(grand |sub)?totals?:?|sum|summe|gesamt|insgesamt|somme|totale|合計|総計|总计|合计|합계|총계", re.IGNORECASE
)


def without_edges(
    table: pa.Table, lines: Ints, name: str, *, guess_header: bool = True, total: bool = True
) -> tuple[pa.Table, Ints, list[Problem]]:
    """The table without a second line of names and a line of totals, where there may be such; both are asked about."""
    problems = []
    if total and _is_total(table):
        what = phrase("The last line looks like a total, not like a record; it was left out.")
        do = phrase("Remove it from the file, or write the word in another way if it is a record.")
        problems.append(Problem(Gravity.QUESTION, "total_line", what, do, name, line=int(lines[-1]), count=1))
        table, lines = table.slice(0, table.num_rows - 1), lines[:-1]
    if guess_header and _is_second_header(table):
        what = phrase("The first line below the names looks like names or units, not like a record; it was left out.")
        do = phrase(
            "Keep one line of names in the file, or say that the first line holds the names if this one is a record."
        )
        problems.append(Problem(Gravity.QUESTION, "second_header", what, do, name, line=int(lines[0]), count=1))
        table, lines = table.slice(1), lines[1:]
    return table, lines, problems


def _is_second_header(table: pa.Table) -> bool:
    """Whether the first record has words, and no value, where the next ones have values: in two columns or more."""
    if table.num_rows < 4:
        return False
    first = [column[0].as_py() for column in table.columns]
    if any(map(is_value, first)):
        return False
    words = [position for position, field in enumerate(first) if _is_word(field.strip())]
    return sum(_are_values(table.column(position).slice(1, _BELOW - 1).to_pylist()) for position in words) >= 2


def _is_word(field: str) -> bool:
    return bool(field) and field not in TOKENS and math.isnan(number(field))


def _are_values(fields: list[str]) -> bool:
    written = [field for field in fields if field.strip()]
    return len(written) >= 3 and all(map(is_value, written))


def _is_total(table: pa.Table) -> bool:
    """Whether the last record has a word for a total that stands nowhere else in its column."""
    if table.num_rows < 3:
        return False
    for column in table.columns:
        word = column[len(column) - 1].as_py()
        if _TOTAL.fullmatch(word.strip()) and pc.index(texts_of(column), word).as_py() == len(column) - 1:
            return True
    return False
