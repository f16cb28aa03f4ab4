"""The first and the last lines of a file: its delimiter, its names and whether they can be used, a line of totals."""

from __future__ import annotations

import csv
import math
import re
from collections import Counter
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from riskkit.core import Ints
from riskkit.errors import FileError, Gravity, InputError, LayoutError, Problem
from riskkit.phrases import counted_phrase, phrase
from riskkit.table.forms import fold_name, tidy
from riskkit.table.kinds.choice import TOKENS
from riskkit.table.kinds.numbers import number
from riskkit.table.text import Limits, texts_of, values, word

_SAMPLE = 200_000
_LINE_END = re.compile(r"\r\n|\n|\r")
_SEP = re.compile(rb'"?sep=(.)"?\r?\n')
_VALUE = re.compile(
    r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?|\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[./-]\d{1,2}[./-]\d{4}"
)
_LETTERS, _DIGITS = re.compile(r"[^\W\d_]+"), re.compile(r"\d+")
_LONGEST_POSITION = 15
"""Digits of a whole number that a year or a position may have."""
_INDEX_NAME = re.compile(r"(unnamed: ?\d+)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Head:
    """What the first lines say. ``start`` and ``line`` are the byte and the line at which the records begin.

    ``fields`` are the names as they stand in the file (made up where the file has none), ``width`` is how many
    fields a record has: one more than there are names where every record ends in a delimiter.
    """

    fields: tuple[str, ...]
    width: int
    delimiter: str
    start: int
    line: int
    problems: tuple[Problem, ...] = ()


def find_head(data: bytes, name: str, delimiter: str | None, header: bool | None, limits: Limits) -> Head:
    """Find delimiter and names.

    Raises
    ------
    FileError
        The file is blank or its first line is over a limit.
    LayoutError
        A name holds a line break, there is no record, or every record has more fields than there are names.
    """
    start, line, problems, announced = _skip_to_text(data, name)
    rows, delimiter = _sample(data, start, name, delimiter or announced, limits)
    if delimiter != "," and (announced or len(rows[0]) > 1):
        what = phrase("The fields are separated by {delimiter!r}.", delimiter=delimiter)
        if delimiter == "\t":
            what = phrase("The fields are separated by a tab.")
        problems.append(Problem(Gravity.REPAIR, "delimiter", what, "", name))
    skip = _preamble(rows)
    if skip:
        problems.append(
            Problem(
                Gravity.QUESTION,
                "preamble",
                counted_phrase(
                    skip,
                    "The first line does not look like a table; the names were taken from line {line:,}.",
                    "The first {n:,} lines do not look like a table; the names were taken from line {line:,}.",
                    line=line + skip,
                ),
                phrase("Remove those lines if that is wrong."),
                name,
                line=line,
                count=skip,
            )
        )
        start, line, rows = _after_lines(data, start, skip), line + skip, rows[skip:]
    fields = rows[0]
    if len(fields) > limits.columns:
        raise too_many_columns(len(fields), name, limits)
    if header is False or (header is None and _looks_like_values(rows)):
        made = tuple(f"column {position + 1}" for position in range(len(fields)))
        problems += [] if header is False else [_no_header(name, line)]
        return Head(made, len(fields), delimiter, start, line, tuple(problems))
    width = _width(rows, name, line)
    return Head(tuple(fields), width, delimiter, _after_lines(data, start, 1), line + 1, tuple(problems))


def too_many_columns(count: int, name: str, limits: Limits) -> InputError:
    """The error that says how many columns there are, and how many there may be."""
    return FileError.of(
        "too_many_columns",
        counted_phrase(
            count,
            "The file has {n:,} column, the limit is {limit:,}.",
            "The file has {n:,} columns, the limit is {limit:,}.",
            limit=limits.columns,
        ),
        phrase("Keep the columns that matter."),
        file=name,
        line=1,
        count=count,
    )


def _no_header(name: str, line: int) -> Problem:
    return Problem(
        Gravity.QUESTION,
        "no_header",
        phrase("The first line looks like values, so it was read as a record and the columns were numbered."),
        phrase("Say that the first line holds the names if it does, or add a line of names."),
        name,
        line=line,
    )


def _skip_to_text(data: bytes, name: str) -> tuple[int, int, list[Problem], str | None]:
    """Where the first line with something in it begins: byte, line, repairs, the delimiter a ``sep=`` line names."""
    match = re.search(rb"[^\s,;]", data[:_SAMPLE]) or re.search(rb"\S", data)
    if match is None:
        raise FileError.of(
            "blank_file", phrase("The file holds only blank lines."), phrase("Export it again."), file=name
        )
    start = max(data.rfind(b"\n", 0, match.start()), data.rfind(b"\r", 0, match.start())) + 1
    line = 1 + data.count(b"\n", 0, start)
    problems: list[Problem] = []
    if start:
        what = counted_phrase(
            line - 1,
            "{n:,} blank line before the names was left out.",
            "{n:,} blank lines before the names were left out.",
        )
        problems.append(Problem(Gravity.REPAIR, "leading_blank_lines", what, "", name, line=1, count=line - 1))
    sep = _SEP.match(data, start)
    if sep is None:
        return start, line, problems, None
    problems.append(
        Problem(
            Gravity.REPAIR, "sep_line", phrase("The line that names the delimiter was left out."), "", name, line=line
        )
    )
    return sep.end(), line + 1, problems, sep.group(1).decode("latin-1")


def _sample(data: bytes, start: int, name: str, delimiter: str | None, limits: Limits) -> tuple[list[list[str]], str]:
    """The first records as fields (the first one whole, whatever its length), and the delimiter."""
    ends = [position for position in (data.find(b"\n", start), data.find(b"\r", start)) if position >= 0]
    end = min(ends, default=len(data))
    many = max(data.count(sign, start, end) for sign in (b",", b";", b"\t", b"|")) + 1
    if many > limits.columns:
        raise too_many_columns(many, name, limits)
    if end - start > limits.line:
        raise FileError.of(
            "line_too_long",
            phrase("The line has more than {limit:,} bytes.", limit=limits.line),
            phrase("Is this a CSV?"),
            file=name,
            line=1,
        )
    stop = max(end, min(start + _SAMPLE, len(data)))
    text = data[start:stop].decode("utf-8", errors="ignore" if stop < len(data) else "strict")
    lines = _LINE_END.split(text)
    if stop < len(data) and len(lines) > 1:
        lines = lines[:-1]
    lines = [lines[0], *(line for line in lines[1:60] if line.strip())]
    try:
        chosen = delimiter or find_delimiter(lines)
        reader = csv.reader([f"{line}\n" for line in lines], delimiter=chosen)
        first = next(reader)
        if reader.line_num > 1:
            raise LayoutError.of(
                "header_line_break",
                phrase("A column name holds a line break, or a quote in the names is not closed."),
                phrase("Write each name on one line."),
                file=name,
                line=data.count(b"\n", 0, start) + 1,
            )
        return [first, *(row for row in reader if row)], chosen
    except csv.Error:
        raise FileError.of(
            "cell_too_long",
            phrase("A column name is too long, or a quote is not closed."),
            phrase("Is this a CSV?"),
            file=name,
            line=1,
        ) from None
    except TypeError:
        raise LayoutError.of(
            "bad_delimiter",
            phrase("The delimiter must be one character."),
            phrase("Choose comma, semicolon, tab or |."),
            file=name,
        ) from None


def _preamble(rows: list[list[str]]) -> int:
    """How many lines stand before the table: lines of one field where all that follow have the same, larger number."""
    counts = [len(row) for row in rows]
    if len(rows) < 4 or counts[0] > 1 or max(counts) == 1:
        return 0
    skip = next(position for position, count in enumerate(counts) if count > 1)
    return skip if len(set(counts[skip:])) == 1 and len(counts) - skip >= 3 and skip > 0 and _textual(rows[skip]) else 0


def is_value(field: str) -> bool:
    """Whether a field is a number or a date, as names are not."""
    return _VALUE.fullmatch(field.strip()) is not None


def _textual(fields: list[str]) -> bool:
    return not any(map(is_value, fields))


def _after_lines(data: bytes, start: int, lines: int) -> int:
    """The byte after that many lines."""
    for _ in range(lines):
        match = re.compile(rb"\r\n|\n|\r").search(data, start)
        start = len(data) if match is None else match.end()
    return start


def _looks_like_values(rows: list[list[str]]) -> bool:
    """Whether the first line is a record: mostly numbers or dates, or fields that look like those below them.

    A column that never repeats a text (names, addresses) tells nothing. Of the others each must hold its first field
    again, or be values throughout as its first field is: one name among them, and the line holds names.
    """
    first, below = [field.strip() for field in rows[0]], rows[1:]
    values = [field for field in first if _VALUE.fullmatch(field)]
    if len(values) * 2 >= len(first) and values:
        return not _is_run(first)
    if len(below) < 3 or any(row == rows[0] for row in below):
        return False
    columns = [[row[position].strip() for row in below if position < len(row)] for position in range(len(first))]
    telling = [_fits(field, column) for field, column in zip(first, columns, strict=True)]
    return all(fits is not False for fits in telling) and any(telling) and len(first) > 1


def _fits(field: str, below: list[str]) -> bool | None:
    """Whether a field of the first line looks like those below it; None where they tell nothing."""
    written = [text for text in below if text]
    if not field or not written:
        return None
    if field in written:
        return True
    if all(map(is_value, written)):
        return is_value(field)
    shapes = {_shape(text) for text in written}
    if len(shapes) == 1 and len(written) >= 3 and any(letter not in "a " for letter in next(iter(shapes))):
        return _shape(field) in shapes
    return None if len(set(written)) == len(written) else False


def _shape(text: str) -> str:
    """The text with one sign for each run of letters and for each run of digits: X-12 and AB-7 have one shape."""
    return _DIGITS.sub("9", _LETTERS.sub("a", text))


def _is_run(names: list[str]) -> bool:
    """Whether the names that are whole numbers count on by one step, as years and positions do."""
    whole = [int(name) for name in names if name.isdecimal() and len(name) <= _LONGEST_POSITION]
    steps = set(np.diff(whole).tolist())
    return len(whole) >= 3 and len(steps) == 1 and 0 not in steps


def _width(rows: list[list[str]], name: str, line: int) -> int:
    """How many fields a record has, judged by the first records."""
    names, below = len(rows[0]), rows[1:]
    if not below or any(len(row) != names + 1 for row in below):
        return names
    if all(not row[-1].strip() for row in below):
        return names + 1
    raise LayoutError.of(
        "extra_field",
        phrase("The rows have {fields:,} fields, the header has {names:,}.", fields=names + 1, names=names),
        phrase("Give every column a name; a file saved with row names needs a name for them too."),
        file=name,
        line=line + 1,
    )


def check_names(table: pa.Table, lines: Ints, head: Head, name: str) -> tuple[pa.Table, Ints, list[Problem]]:
    """The table under its cleaned names, without index columns and repeated header lines.

    Raises
    ------
    LayoutError
        Two columns have one name, or names that differ only in spaces, case or the form of their letters.
    """
    problems: list[Problem] = []
    fields = [*head.fields, *([""] * (head.width - len(head.fields)))]
    table, lines = _without_repeats(table, lines, fields, name, problems)
    names = [tidy(field) for field in fields]
    if names != fields:
        count = sum(a != b for a, b in zip(names, fields, strict=True))
        what = counted_phrase(
            count,
            "{n:,} column name was trimmed, letters that cannot be seen were taken off, or accents unified.",
            "{n:,} column names were trimmed, letters that cannot be seen were taken off, or accents unified.",
        )
        problems.append(Problem(Gravity.REPAIR, "trimmed_names", what, "", name, line=1, count=count))
    keep = [_keep(table.column(position), position, names, name, problems) for position in range(len(names))]
    names = [header or f"column {position + 1}" for position, header in enumerate(names)]
    kept = [position for position, keeps in enumerate(keep) if keeps]
    if not kept:
        raise LayoutError.of(
            "no_columns", phrase("The file has no usable column."), phrase("Export it again."), file=name
        )
    refuse_twins([names[position] for position in kept], name, head.line - 1)
    return table.select(kept).rename_columns([names[position] for position in kept]), lines, problems


def _without_repeats(
    table: pa.Table, lines: Ints, fields: list[str], name: str, problems: list[Problem]
) -> tuple[pa.Table, Ints]:
    """Drop records that are the header line again."""
    if not table.num_rows or not fields[0]:
        return table, lines
    same = pc.equal(texts_of(table.column(0)), word(fields[0]))
    for position, field in enumerate(fields[1:] if pc.any(same).as_py() else [], start=1):
        same = pc.and_(same, pc.equal(texts_of(table.column(position)), word(field)))
    again = values(same)
    if not again.any():
        return table, lines
    count = int(again.sum())
    what = counted_phrase(
        count,
        "The line of names stands once more among the records; it was left out there.",
        "The line of names stands {n:,} times more among the records; it was left out there.",
    )
    problems.append(Problem(Gravity.REPAIR, "repeated_header", what, "", name, line=int(lines[again][0]), count=count))
    return table.filter(pa.array(~again)), lines[~again]


def _keep(column: pa.ChunkedArray, index: int, names: list[str], name: str, problems: list[Problem]) -> bool:
    """Whether a column stays; says so where it has no name of its own."""
    if not _INDEX_NAME.fullmatch(names[index]):
        return True
    column = texts_of(column)
    if not names[index] and index == len(names) - 1 and len(names) > 1 and pc.all(pc.equal(column, "")).as_py():
        what = phrase("Every line ends in a delimiter; the empty last column was left out.")
        problems.append(Problem(Gravity.REPAIR, "trailing_delimiter", what, "", name, line=1, count=1))
        return False
    if len(names) > 1 and _counts_on(column):
        what = phrase("Column {position:,} has no name and only numbers the rows; it was left out.", position=index + 1)
        problems.append(Problem(Gravity.REPAIR, "index_column", what, "", name, line=1, count=1))
        return False
    if not names[index]:
        what = phrase("Column {position:,} has no name; it is called 'column {position}' here.", position=index + 1)
        problems.append(
            Problem(Gravity.QUESTION, "blank_name", what, phrase("Give it a name in the file."), name, line=1, count=1)
        )
    return True


def _counts_on(column: pa.ChunkedArray) -> bool:
    """Whether the texts are 0, 1, 2, ... or 1, 2, 3, ..."""
    if not len(column) or column[0].as_py() not in ("0", "1"):
        return False
    first = int(column[0].as_py())
    wanted = pc.cast(pa.array(np.arange(first, first + len(column))), pa.string())
    return bool(pc.all(pc.equal(column, pa.chunked_array([wanted]))).as_py())


def refuse_twins(names: list[str], name: str, line: int) -> None:
    """Raise :class:`LayoutError` where two names cannot be told apart."""
    twice = [header for header, times in Counter(names).items() if times > 1]
    if twice:
        raise LayoutError.of(
            "duplicate_names",
            counted_phrase(
                len(twice), "{n:,} column name stands more than once.", "{n:,} column names stand more than once."
            ),
            phrase("Give every column a name of its own."),
            file=name,
            column=twice[0],
            line=line,
            count=len(twice),
        )
    times = Counter(map(fold_name, names))
    for label in names:
        if times[fold_name(label)] > 1:
            raise LayoutError.of(
                "similar_names",
                phrase("Another column has the same name but for case, spaces or the form of its letters."),
                phrase("Give them names that differ."),
                file=name,
                column=label,
                line=line,
            )


def find_delimiter(lines: list[str]) -> str:
    """The delimiter under which most of these lines have one and the same number of fields; comma where none is."""
    best, best_key = ",", (0.0, 1)
    for delimiter in ",;\t|":
        counts = Counter(len(row) for row in csv.reader(lines, delimiter=delimiter) if row)
        fields, times = max(counts.items(), key=lambda pair: (pair[1], pair[0]))
        key = (times / counts.total(), fields)
        if fields > 1 and key > best_key:
            best, best_key = delimiter, key
    if best_key[1] > 1:
        return best
    for (
        delimiter
    ) in "\x01\x1f~^":  # as databases write them; a sign that may also stand in a text must divide all lines
        widths = {len(row) for row in csv.reader(lines, delimiter=delimiter) if row}
        if len(widths) == 1 and widths != {1}:
            return delimiter
    return best


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
