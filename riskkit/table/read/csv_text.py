"""Bytes to text columns.

Everything is read as text; only the empty text is a missing value. pyarrow reads the rows; where it meets
something odd, the file is read again record by record to say what is wrong and on which line. A file is
refused with a sentence, or read with every repair and every guess stated; it is never changed in silence.
"""

from __future__ import annotations

import codecs
import csv
import hashlib
import io
import itertools
import re
from array import array
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv

from riskkit.core import Ints
from riskkit.errors import FileError, Gravity, LayoutError, Problem
from riskkit.phrases import counted_phrase, phrase
from riskkit.table.large import spill
from riskkit.table.read.encodings import decode, line_at
from riskkit.table.read.header import Head, check_names, find_head, too_many_columns, without_edges
from riskkit.table.read.source import bytes_of, refuse_other_formats
from riskkit.table.text import EMPTY, Limits, TextTable, coded_table, texts_of, values, with_lines

_BLOCK = 1024 * 1024
_WIDEST = 4
"""Bytes of a letter in any encoding, at most."""
_LINE_END = re.compile(rb"[\r\n]")
_LIMITS = Limits()


def read_csv(
    source: bytes | Path,
    *,
    name: str,
    encoding: str | None = None,
    delimiter: str | None = None,
    header: bool | None = None,
    total: bool = True,
    limits: Limits = _LIMITS,
) -> TextTable:
    """The file as text columns.

    Parameters
    ----------
    source : bytes or Path
        The file's bytes, or where it lies.
    name : str
        What to call the file in sentences.
    encoding, delimiter : str, optional
        What the user says they are; found where not given.
    header : bool, optional
        Whether the first line, and no other, holds the names; found where not given.
    total : bool
        Whether the last line may be a total, and is left out then.
    limits : Limits
        How large the file may be.

    Raises
    ------
    InputError
        The file cannot be used as it is: :class:`FileError`, :class:`EncodingError` or :class:`LayoutError`.
    """
    raw = bytes_of(source, name, limits)
    sha256, size = hashlib.sha256(raw).hexdigest(), len(raw)
    refuse_other_formats(raw, name)
    refuse_long_lines(raw, 0, name, limits, each=_WIDEST)  # before there are copies in other encodings
    decoded = decode(raw, name, encoding)
    del raw  # of another encoding there are two copies by now
    data, marks = _without_end_mark(_without_marks(decoded.data), name)
    data, problems = _mend_line_ends(data, name)
    problems = [*decoded.problems, *marks, *problems]
    _refuse_odd_bytes(data, name, decoded.is_ascii)
    head = find_head(data, name, delimiter, header, limits)
    table, lines, more = _body(data, head, name, limits)
    problems += [*head.problems, *more]
    table, lines, more = check_names(table, lines, head, name)
    table, lines, edges = without_edges(table, lines, name, guess_header=header is None, total=total)
    problems += [*more, *edges]
    check_cells(table, lines, name, limits)
    return TextTable(
        name=name,
        sha256=sha256,
        size=size,
        data=spill(with_lines(coded_table(table), lines)),
        encoding=decoded.encoding,
        encoding_from=decoded.encoding_from,
        delimiter=head.delimiter,
        problems=tuple(problems),
    )


def _without_marks(data: bytes) -> bytes:
    """The text without a second byte-order mark: some programs write one before a text that has its own."""
    while data.startswith(codecs.BOM_UTF8):
        data = data[len(codecs.BOM_UTF8) :]
    return data


def _without_end_mark(data: bytes, name: str) -> tuple[bytes, list[Problem]]:
    """The text without the Ctrl-Z that old programs put behind it."""
    if data[-1:] != b"\x1a":
        return data, []
    what = phrase("The file ends in the mark with which old programs end a file (Ctrl-Z); it was taken off.")
    return data.rstrip(b"\x1a"), [Problem(Gravity.REPAIR, "end_mark", what, "", name, count=1)]


def _mend_line_ends(data: bytes, name: str) -> tuple[bytes, list[Problem]]:
    """Old Macintosh line ends made into new ones; a mixture is only stated, pyarrow reads it."""
    alone = data.count(b"\r") - data.count(b"\r\n") if b"\r" in data else 0
    if not alone:
        return data, []
    if b"\n" not in data:
        what = phrase("The lines end in a carriage return alone, as on old Macintoshes; they were read as lines.")
        return data.replace(b"\r", b"\n"), [Problem(Gravity.REPAIR, "cr_line_ends", what, "", name, count=alone)]
    what = phrase("The file mixes kinds of line end; all were read as line ends.")
    return data, [Problem(Gravity.REPAIR, "mixed_line_ends", what, "", name, count=alone)]


def _refuse_odd_bytes(data: bytes, name: str, is_ascii: bool) -> None:
    """Raise for NUL bytes, and for a byte-order mark before a later line; within a line it is a letter nobody sees."""
    for odd, code, what, do in (
        (b"\0", "nul_byte", phrase("There is a NUL byte in the text."), phrase("Export the file again.")),
        (
            b"\n\xef\xbb\xbf",
            "joined_files",
            phrase("There is a byte-order mark in the middle: two files seem to have been joined here."),
            phrase("Join the tables with one line of names."),
        ),
    ):
        offset = -1 if is_ascii and not odd.isascii() else data.find(odd)
        if offset >= 0:
            line = line_at(data, offset + len(odd) - 1)
            raise LayoutError.of(code, what, do, file=name, line=line, count=data.count(odd))


def _body(data: bytes, head: Head, name: str, limits: Limits) -> tuple[pa.Table, Ints, list[Problem]]:
    """The records: by pyarrow where all is well, else one by one."""
    stop = _end_of_text(data, head)
    if stop <= head.start and not (head.width == 1 and head.start < len(data)):
        check_counts(0, head.width, name, limits)
    quoted = data.find(b'"', head.start, stop) >= 0
    problems = _quotes(data, head, name) if quoted else []
    table = _by_arrow(data, head, stop, name, limits, quoted=quoted)
    if table is None or _has_blank_lines(table, data, head, stop) or (quoted and _ends_in_break(table)):
        table, lines, more = read_records(data[:stop], head, name, limits)
        problems += more
    else:
        lines = _lines(table, head, quoted)
    if quoted and not any(problem.code == "backslash_quotes" for problem in problems):
        problems += _stray_quotes(table, lines, data, head, name)
    return table, lines, problems


def _has_blank_lines(table: pa.Table, data: bytes, head: Head, stop: int) -> bool:
    """Whether a line within the records may be empty. Lines of spaces alone do not get past pyarrow."""
    if table.num_columns == 1 or not pc.any(pc.equal(table.column(0), EMPTY)).as_py():
        return False
    start = max(head.start - 1, 0)
    return any(data.find(ends, start, stop) >= 0 for ends in (b"\n\n", b"\n\r", b"\r\r"))


def _end_of_text(data: bytes, head: Head) -> int:
    """The byte after the last record: blank lines at the end are no records, but for one column they are."""
    if head.width == 1:
        return len(data)
    blank = b"\r\n \t".replace(head.delimiter.encode(), b"")
    end = len(data)
    while end > head.start:
        block = data[max(end - _BLOCK, head.start) : end]
        written = len(block.rstrip(blank))
        end -= len(block) - written
        if written:
            break
    if end <= head.start:
        return head.start
    after = _LINE_END.search(data, end)
    return len(data) if after is None else after.start()


def _by_arrow(data: bytes, head: Head, stop: int, name: str, limits: Limits, *, quoted: bool) -> pa.Table | None:
    """The records as pyarrow reads them; None where it meets a record it cannot fit in.

    Where there are more lines than records allowed, they are read in blocks, and no further than records are allowed:
    a small archive may hold more lines than fit in the memory.
    """
    names = [f"c{position}" for position in range(head.width)]
    source = pa.BufferReader(pa.py_buffer(memoryview(data)[head.start : stop]))
    how = (
        pa_csv.ReadOptions(column_names=names, block_size=_BLOCK),
        pa_csv.ParseOptions(delimiter=head.delimiter, newlines_in_values=quoted, ignore_empty_lines=False),
        pa_csv.ConvertOptions(
            check_utf8=False, column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False
        ),
    )
    lines = sum(sign * data.count(ends, head.start, stop) for ends, sign in ((b"\n", 1), (b"\r", 1), (b"\r\n", -1)))
    try:
        if lines < limits.records(head.width):
            return pa_csv.read_csv(source, *how)
        batches: list[pa.RecordBatch] = []
        with pa_csv.open_csv(source, *how) as reader:
            for batch in reader:
                batches.append(batch)
                limits.check_records(sum(map(len, batches)), head.width, name)
        return pa.Table.from_batches(batches)
    except pa.ArrowInvalid:
        return None


def _ends_in_break(table: pa.Table) -> bool:
    """Whether the last record holds a line break, as it does where a quote is never closed."""
    return any(
        "\n" in value or "\r" in value for row in table.slice(table.num_rows - 1).to_pylist() for value in row.values()
    )


def _lines(table: pa.Table, head: Head, quoted: bool) -> Ints:
    """(n,) the line each record begins on; line breaks inside quotes count."""
    lines = head.line + np.arange(table.num_rows, dtype=np.int64)
    if not quoted:
        return lines
    breaks = np.zeros(table.num_rows, dtype=np.int64)
    for column in table.columns:
        for pattern, sign in (("\n", 1), ("\r", 1), ("\r\n", -1)):
            if pc.any(pc.match_substring(column, pattern)).as_py():
                breaks += sign * values(pc.count_substring(column, pattern))
    return lines + np.concatenate([[0], np.cumsum(breaks)[:-1]]) if len(breaks) else lines


def _quotes(body: bytes, head: Head, name: str) -> list[Problem]:
    """Say where quotes are written in a way that another reader may read otherwise."""
    offset = body.find(b'\\"', head.start)
    if offset < 0:
        return []
    what = phrase(
        "Quotes are written with a backslash before them, which CSV does not know; they were read as they stand."
    )
    do = phrase("Write a quote inside a text as two quotes.")
    return [Problem(Gravity.QUESTION, "backslash_quotes", what, do, name, line=line_at(body, offset))]


def _stray_quotes(table: pa.Table, lines: Ints, data: bytes, head: Head, name: str) -> list[Problem]:
    """Say where a quote stands in a text that is not in quotes; looked for where a value that was read holds one."""
    holds = [column for column in table.columns if pc.any(pc.match_substring(column, '"')).as_py()]
    if not holds:
        return []
    if data.find(b'""', head.start) < 0:
        rows = np.any([values(pc.match_substring(column, '"')) for column in holds], axis=0)
        count, line = int(rows.sum()), int(lines[np.argmax(rows)])
    else:
        # a quote in quotes is doubled, so one alone between two letters is in none
        outside = b'"\\r\\n' + re.escape(head.delimiter.encode())
        stray = re.compile(b"[^" + outside + b']"[^' + outside + b"]")
        count, line, start = 0, 0, head.start
        while (first := stray.search(data, start)) is not None:
            line = line or line_at(data, first.start())
            count += 1
            start = data.find(b"\n", first.end()) + 1 or len(data)
    if not count:
        return []
    what = counted_phrase(
        count,
        "In {n:,} record a quote stands within a text that is not in quotes; it was read as it stands.",
        "In {n:,} records a quote stands within a text that is not in quotes; it was read as it stands.",
    )
    do = phrase("Look at the line; put the text in quotes and write each quote in it twice.")
    return [Problem(Gravity.WARNING, "stray_quote", what, do, name, line=line, count=count)]


def check_counts(rows: int, columns: int, name: str, limits: Limits, *, may_be_empty: bool = False) -> None:
    """Raise where there are no records, or too many records, columns or cells."""
    if not rows and not may_be_empty:
        raise LayoutError.of(
            "no_rows", phrase("The file has names but no data rows."), phrase("Export it again."), file=name
        )
    if columns > limits.columns:
        raise too_many_columns(columns, name, limits)
    limits.check_records(rows, columns, name)


def check_cells(table: pa.Table, lines: Ints, name: str, limits: Limits) -> None:
    """Raise where there are no records, too many, or one cell is too long."""
    check_counts(table.num_rows, table.num_columns, name, limits)
    for column, name_of_column in zip(table.columns, table.column_names, strict=True):
        if column.nbytes <= limits.cell:  # all its cells together
            continue
        lengths = pc.binary_length(texts_of(column))
        if pc.max(lengths).as_py() > limits.cell:
            row = int(np.argmax(lengths.to_numpy() > limits.cell))
            raise FileError.of(
                "cell_too_long",
                phrase("A cell has more than {limit:,} bytes.", limit=limits.cell),
                phrase("Leave out the long texts."),
                file=name,
                column=name_of_column,
                line=int(lines[row]),
            )


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
            phrase("Correct the quotes, or leave out the long texts."),
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
