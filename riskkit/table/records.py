"""Reading record by record, for files in which something is odd: slower, and exact about lines."""

from __future__ import annotations

import csv
import io
import itertools
from array import array

import numpy as np
import pyarrow as pa

from riskkit.core import Ints
from riskkit.errors import FileError, Gravity, LayoutError, Problem
from riskkit.phrases import counted_phrase, phrase
from riskkit.table.header import Head
from riskkit.table.sniff import line_at
from riskkit.table.text import Limits

_PART = 50_000
"""Records that are held as Python's texts at once."""


def read_records(data: bytes, head: Head, name: str, limits: Limits) -> tuple[pa.Table, Ints, list[Problem]]:
    """The records as text columns, the line each begins on, and what was left out.

    Raises
    ------
    LayoutError
        A record has too many or too few fields, or a quote is never closed; says on which line.
    FileError
        A line or a cell is over its limit, or there are too many records.
    """
    refuse_long_lines(data, head.start, name, limits)
    reader = csv.reader(_text(data, head), delimiter=head.delimiter)
    names = [f"c{position}" for position in range(head.width)]
    parts: list[pa.Table] = []
    rows: list[list[str]] = []
    last: list[str] = []
    lines = array("q")
    blank = first_blank = before = 0
    try:
        for row in reader:
            line, before = head.line + before, reader.line_num
            if head.width > 1 and len(row) <= 1 and not "".join(row).strip():
                blank, first_blank = blank + 1, first_blank or line
                continue
            if row and len(row) != head.width:
                _refuse_count(row, head, name, line)
            last = row or [""]
            rows.append(last)
            lines.append(line)
            if len(rows) == _PART:
                limits.check_records(len(lines), head.width, name)
                parts.append(_columns(rows, names))
                rows.clear()
    except csv.Error:
        raise FileError.of(
            "cell_too_long",
            phrase("A cell is too long; perhaps a quote is opened here and never closed."),
            phrase("Mend the quotes, or leave out the long texts."),
            file=name,
            line=head.line + before,
        ) from None
    if lines:
        _refuse_open_quote(last, data, head, name, lines[-1])
    table = pa.concat_tables([*parts, _columns(rows, names)])
    return table, np.array(lines, dtype=np.int64), _blank_lines(blank, first_blank, name)


def _text(data: bytes, head: Head) -> io.TextIOWrapper:
    """The records as text, decoded as they are asked for."""
    source = io.BytesIO(data)  # shares the bytes
    source.seek(head.start)
    return io.TextIOWrapper(source, encoding="utf-8", newline="")


def _columns(rows: list[list[str]], names: list[str]) -> pa.Table:
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(names)
    return pa.table([pa.array(column, pa.string()) for column in columns], names=names)


def _blank_lines(blank: int, first: int, name: str) -> list[Problem]:
    if not blank:
        return []
    what = counted_phrase(
        blank,
        "{n:,} blank line among the records was left out.",
        "{n:,} blank lines among the records were left out.",
    )
    return [Problem(Gravity.REPAIR, "blank_lines", what, "", name, line=first, count=blank)]


def refuse_long_lines(data: bytes, start: int, name: str, limits: Limits, *, each: int = 1) -> None:
    """Raise for the first line over the limit, of letters that may have ``each`` bytes; with next to no memory."""
    most = each * limits.line
    while len(data) - start > most:
        end = max(data.rfind(ends, start, start + most + 1) for ends in (b"\n", b"\r"))
        if end < 0:
            line = line_at(data, start)
            raise FileError.of(
                "line_too_long",
                phrase("The line has more than {limit:,} bytes.", limit=limits.line),
                phrase("Is this a CSV?") if line == 1 else phrase("Leave out the long texts."),
                file=name,
                line=line,
            )
        start = end + 1


def _refuse_count(row: list[str], head: Head, name: str, line: int) -> None:
    """Raise for a record of the wrong number of fields."""
    broken = _first_break(row)
    if broken is not None:
        raise LayoutError.of(
            "open_quote",
            counted_phrase(
                len(row),
                "A quote is opened here and not closed where it should be: the record runs on over "
                "several lines and then has {n:,} field, the header has {names:,}.",
                "A quote is opened here and not closed where it should be: the record runs on over "
                "several lines and then has {n:,} fields, the header has {names:,}.",
                names=len(head.fields),
            ),
            phrase("Close the quote."),
            file=name,
            line=line + broken,
        )
    few = len(row) < head.width
    raise LayoutError.of(
        "too_few_fields" if few else "too_many_fields",
        counted_phrase(
            len(row),
            "The record has {n:,} field, the header has {names:,}.",
            "The record has {n:,} fields, the header has {names:,}.",
            names=len(head.fields),
        ),
        phrase("Complete the line.") if few else phrase("Put texts that hold the delimiter in quotes."),
        file=name,
        line=line,
    )


def _first_break(row: list[str]) -> int | None:
    """How many lines after the record's first the field with the first line break begins; None without one."""
    before = 0
    for field in row:
        if "\n" in field or "\r" in field:
            return before
    return None


def _refuse_open_quote(row: list[str], data: bytes, head: Head, name: str, line: int) -> None:
    """Raise where the last record ends inside a quote."""
    if not any("\n" in field or "\r" in field for field in row) and data.count(b'"', head.start) % 2 == 0:
        return
    tail = itertools.islice(_text(data, head), line - head.line, None)
    try:
        list(csv.reader(tail, delimiter=head.delimiter, strict=True))
    except csv.Error as error:
        if "unexpected end" in str(error):
            raise LayoutError.of(
                "open_quote",
                phrase("A quote is opened here and never closed."),
                phrase("Close the quote."),
                file=name,
                line=line + (_first_break(row) or 0),
            ) from None
