"""Files whose columns have types already (Parquet, SPSS, Stata, SAS): as the texts that a CSV of them would hold.

A Parquet file is read column by column and each in batches of rows, and its texts become codes batch by batch: what is
held at once is the codes of what was read, and the texts of one batch. Types of one file say nothing of the other: a
code that is a number here may be a text there. So everything is made text and typed together with the other files.
Files of statistics programs need the library that reads them (the extra ``statistics``).
"""

from __future__ import annotations

import io
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from riskkit.base.extras import require
from riskkit.errors import FileError, InputError, LayoutError, MissingLibrary
from riskkit.phrases import counted_phrase, phrase
from riskkit.table.kinds.labels import ValueLabels, code, with_labels
from riskkit.table.large import spill
from riskkit.table.read.csv_text import check_cells, check_counts
from riskkit.table.read.header import Head, check_names, refuse_twins, without_edges
from riskkit.table.read.source import beside_table, check_size
from riskkit.table.text import Limits, TextTable, encode_texts, with_lines

MAGIC = b"PAR1"
_ROWS = 1 << 16
"""Rows of a column that are read at once."""
_OF_TYPES = ("pandas", "ARROW:", "PARQUET:", "org.apache.spark.", "parquet.", "writer.model.name")
"""How notes begin in which programs write of what type columns are, and nothing of what stands in them."""
_NOTES = phrase("notes")
_INDEX = "__index_level_0__"
"""What pandas calls a column that is the index of a frame."""


def read_parquet(source: bytes | Path, *, name: str, total: bool, limits: Limits) -> TextTable:
    """The file as text columns. A line is a record, the names being line 1.

    Raises
    ------
    InputError
        The file is damaged, too large, or its columns cannot be used.
    """
    try:
        lies = source if isinstance(source, Path) else pa.BufferReader(source)
        file = pq.ParquetFile(lies)
        names = file.schema_arrow.names
        refuse_twins(names, name, 1)
        check_counts(file.metadata.num_rows, len(names), name, limits)
        texts = [kind.name for kind in file.schema_arrow if pa.types.is_string(kind.type)]
        lies = source if isinstance(source, Path) else pa.BufferReader(source)
        file = pq.ParquetFile(lies, read_dictionary=texts)
        columns = (_batches(file, column) for column in names)
        table = text_table(names, columns, name=name, total=total, limits=limits, form="Parquet")
        about = (file.metadata.metadata, *(column.metadata for column in file.schema_arrow))
        notes = {key.decode(errors="replace") for own in about for key in own or ()}
        has_notes = not all(key.startswith(_OF_TYPES) for key in notes)
        return replace(table, problems=(*table.problems, *beside_table([_NOTES] * has_notes, name)))
    except InputError:
        raise
    except (pa.ArrowException, OSError, UnicodeDecodeError):
        raise FileError.of(
            "broken_parquet",
            phrase("The Parquet file is damaged, cut off or encrypted."),
            phrase("Write it again."),
            file=name,
        ) from None


def text_table(
    names: list[str],
    columns: Iterable[Iterable[pa.ChunkedArray]],
    *,
    name: str,
    total: bool,
    limits: Limits,
    form: str,
) -> TextTable:
    """Typed columns, each in parts, as text columns.

    Parts are asked for one after another, so that one alone needs to be held.
    """
    for label in names:
        if "\n" in label or "\r" in label:
            raise LayoutError.of(
                "header_line_break",
                phrase("A column name holds a line break."),
                phrase("Write each name on one line."),
                file=name,
            )
    made: list[pa.ChunkedArray] = []
    size = 0
    for label, parts in zip(names, columns, strict=True):
        count = 0
        chunks: list[pa.Array] = []
        for part in parts:
            size += _length(part)
            check_size(size, name, limits, phrase("Its text has at least"))
            texts = _texts(part)
            _refuse_no_day(texts, part.type, name, label, count)
            _refuse_nul(texts, name, label, count)
            count += len(texts)
            chunks += encode_texts(texts.chunks).chunks
        made.append(encode_texts(chunks))
    table = pa.table(made, names=[f"c{position}" for position in range(len(made))])
    lines = np.arange(table.num_rows, dtype=np.int64) + 2
    head = Head(
        tuple("" if name_of_column == _INDEX else name_of_column for name_of_column in names), len(names), "", 0, 2
    )
    table, lines, problems = check_names(table, lines, head, name)
    table, lines, edges = without_edges(table, lines, name, guess_header=True, total=total)
    check_cells(table, lines, name, limits)
    return TextTable(
        name=name,
        data=spill(with_lines(table, lines)),
        problems=(*problems, *edges),
        format=form,
    )


def _batches(file: pq.ParquetFile, name: str) -> Iterator[pa.ChunkedArray]:
    """The column of a file in batches of rows; whole where how a value is written depends on all of them."""
    batches = file.iter_batches(_ROWS, columns=[name], use_threads=False)
    parts = (pa.chunked_array([batch.column(batch.schema.get_field_index(name))]) for batch in batches)
    if any(fits(file.schema_arrow.field(name).type) for fits in _ONE_BY_ONE):
        yield from parts
    else:
        yield pa.chunked_array([chunk for part in parts for chunk in part.chunks], file.schema_arrow.field(name).type)


def _is_text(kind: pa.DataType) -> bool:
    """Whether it is text, also where different texts are kept once."""
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


_ONE_BY_ONE: tuple[Callable[[pa.DataType], bool], ...] = (
    _is_text,
    pa.types.is_integer,
    pa.types.is_floating,
    pa.types.is_boolean,
)
"""Types whose values are written one by one, as a day is not: it has a time of day where another one has."""


def _length(column: pa.ChunkedArray) -> int:
    """Bytes of the texts of the column: exact for texts, whose values may be kept once and stand often."""
    total = 0
    for chunk in column.chunks:
        if not pa.types.is_dictionary(chunk.type):
            total += chunk.nbytes
        elif pa.types.is_string(chunk.type.value_type) or pa.types.is_large_string(chunk.type.value_type):
            lengths = pc.cast(pc.binary_length(chunk.dictionary), pa.int64())
            total += pc.sum(pc.take(lengths, chunk.indices)).as_py() or 0
    return total


def _texts(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The column as text, the empty text where a value is missing."""
    if pa.types.is_dictionary(column.type):
        column = pc.cast(column, column.type.value_type)
    if isinstance(column.type, pa.BaseExtensionType):
        is_uuid = column.type.extension_name == "arrow.uuid"
        column = pa.chunked_array([chunk.storage for chunk in column.chunks], column.type.storage_type)
        if is_uuid:
            return pa.chunked_array([["" if value is None else str(UUID(bytes=value)) for value in column.to_pylist()]])
    kind = column.type
    form = next((form for fits, form in _FORMS if fits(kind)), _plain)
    if pa.types.is_null(kind):
        return pa.chunked_array([pa.array([""] * len(column), pa.string())])
    return pc.fill_null(pc.cast(form(column), pa.string()), "")


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    try:
        return pc.cast(column, pa.string())
    except pa.ArrowException:  # lists, objects, bytes that are no text
        return pa.chunked_array([[_spell(value) for value in column.to_pylist()]], pa.string())


def _spell(value: object) -> str | None:
    return None if value is None else json.dumps(value, ensure_ascii=False, default=str)


def _floats(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """34.0 and not 34, as everybody writes numbers with decimals; what is no number is missing."""
    column = pc.if_else(pc.is_nan(column), None, column)
    texts = pc.cast(column, pa.string())
    return pc.if_else(pc.match_substring_regex(texts, r"^-?\d+$"), pc.binary_join_element_wise(texts, ".0", ""), texts)


def _booleans(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return pc.if_else(column, "True", "False")


def _moments(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Days alone where no value has a time of day; seconds where no value has parts of them."""
    zone = "" if column.type.tz is None else "+00:00"
    moments = pc.cast(column, pa.timestamp(column.type.unit))
    if not zone and _is_all(pc.equal(pc.floor_temporal(moments, unit="day"), moments)):
        return pc.cast(moments, pa.date32())
    if _is_all(pc.equal(pc.floor_temporal(moments, unit="second"), moments)):
        moments = pc.cast(moments, pa.timestamp("s"))
    return pc.binary_join_element_wise(pc.cast(moments, pa.string()), zone, "")


def _times(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Hours, minutes and seconds; parts of seconds where any value has them."""
    texts = pc.cast(column, pa.string())
    is_whole = _is_all(pc.match_substring_regex(texts, r"\.0+$"))
    return pc.replace_substring_regex(texts, r"\.0+$", "") if is_whole else texts


def _bytes(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Text where all of it is text, else the digits of the bytes."""
    try:
        texts = pc.cast(pc.cast(column, pa.binary()), pa.string())
    except pa.ArrowException:
        texts = None
    if texts is not None and not pc.any(pc.match_substring(texts, "\0")).as_py():
        return texts
    return pa.chunked_array(
        [[None if value is None else f"0x{value.hex()}" for value in column.to_pylist()]], pa.string()
    )


def _is_bytes(kind: pa.DataType) -> bool:
    return bool(pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind))


def _is_all(wanted: pa.ChunkedArray) -> bool:
    return pc.all(wanted).as_py() is not False


_FORMS: tuple[tuple[Callable[[pa.DataType], bool], Callable[[pa.ChunkedArray], pa.ChunkedArray]], ...] = (
    (pa.types.is_boolean, _booleans),
    (pa.types.is_floating, _floats),
    (pa.types.is_timestamp, _moments),
    (pa.types.is_time, _times),
    (_is_bytes, _bytes),
)


def _refuse_no_day(column: pa.ChunkedArray, kind: pa.DataType, name: str, name_of_column: str, before: int) -> None:
    """Raise for a date that is none of the years 0 to 9999: what Arrow writes for it is no value."""
    if not (pa.types.is_date(kind) or pa.types.is_timestamp(kind)):
        return
    odd = pc.invert(pc.match_substring_regex(column, r"^(?:\d{4}-|$)"))
    count = pc.sum(odd).as_py() or 0
    if count:
        what = counted_phrase(
            count,
            "{n:,} value is a date before the year 0 or after 9999.",
            "{n:,} values are dates before the year 0 or after 9999.",
        )
        do = phrase("Correct them, or leave them empty if they are missing.")
        line = pc.index(odd, True).as_py() + before + 2
        raise LayoutError.of("no_such_day", what, do, file=name, column=name_of_column, line=line, count=count)


def _refuse_nul(column: pa.ChunkedArray, name: str, name_of_column: str, before: int) -> None:
    """Raise for a NUL byte; ``before`` are the rows before these."""
    odd = pc.match_substring(column, "\0")
    if pc.any(odd).as_py():
        line = pc.index(odd, True).as_py() + before + 2
        what = phrase("There is a NUL byte in the text.")
        raise LayoutError.of(
            "nul_byte", what, phrase("Export the file again."), file=name, column=name_of_column, line=line
        )


_SAS = b"\0" * 12 + b"\xc2\xea\x81\x60\xb3\x14\x11\xcf\xbd\x92\x08\0\x09\xc7\x31\x8c\x18\x1f\x10\x11"
_KINDS = (
    (b"$FL2", "SPSS", "read_sav"),
    (b"$FL3", "SPSS", "read_sav"),
    (b"<stata_dta>", "Stata", "read_dta"),
    (b"HEADER RECORD*******LIBRARY HEADER RECORD", "SAS transport", "read_xport"),
    (b"HEADER RECORD*******LIBV8   HEADER RECORD", "SAS transport", "read_xport"),
    (_SAS, "SAS", "read_sas7bdat"),
)
"""How such a file begins, its title, and the function that reads it."""
_OLD_STATA = (
    b"\x71\x01\x01\x00",
    b"\x71\x02\x01\x00",
    b"\x72\x01\x01\x00",
    b"\x72\x02\x01\x00",
    b"\x73\x01\x01\x00",
    b"\x73\x02\x01\x00",
)


def kind_of(source: bytes) -> tuple[str, str] | None:
    """Title and reader of a file of a statistics program; None for any other."""
    if source.startswith(_OLD_STATA):
        return "Stata", "read_dta"
    return next(((title, reader) for magic, title, reader in _KINDS if source.startswith(magic)), None)


def read_statistical(source: bytes, *, name: str, encoding: str | None, total: bool, limits: Limits) -> TextTable:
    """The file as text columns: the stored values, with their labels kept beside them. A line is a record, the names
    being line 1. Codes that the file declares as missing are missing.

    Raises
    ------
    InputError
        The library is not installed, the file is damaged or too large, or its columns cannot be used.
    """
    kind = kind_of(source)
    assert kind is not None
    title, reader = kind
    try:
        require("statistics", f"A file of {title.split()[0]}")
    except MissingLibrary as error:
        raise FileError.of("needs_library", f"{error}.", phrase("Or export the table as CSV."), file=name) from None
    import pyreadstat

    read: Callable[..., Any] = getattr(pyreadstat, reader)
    how = {} if encoding is None else {"encoding": encoding}
    try:
        _, about = read(io.BytesIO(source), metadataonly=True, **how)
        rows = about.number_rows if about.number_rows is not None and about.number_rows >= 0 else 0
        check_counts(rows, about.number_columns, name, limits, may_be_empty=True)
        declares = {"user_missing": True} if reader == "read_sav" else {}
        frame, about = read(io.BytesIO(source), row_limit=limits.rows + 1, **declares, **how)
        check_counts(len(frame), about.number_columns, name, limits)
        columns = ([_as_one_type(_without_missing(frame[column], about))] for column in frame.columns)
        table = text_table(list(map(str, frame.columns)), columns, name=name, total=total, limits=limits, form=title)
        titled = (column for column, label in about.column_names_to_labels.items() if label)
        table = replace(table, problems=(*table.problems, *beside_table([_NOTES] * any(about.notes or ()), name)))
        described = dict.fromkeys([*about.variable_value_labels, *about.missing_ranges, *titled])
        return with_labels(table, {str(column): _labels(frame, column, about) for column in described})
    except (InputError, MemoryError):
        raise
    except Exception:  # noqa: BLE001  the library raises of any kind, and its text may hold a value
        raise FileError.of(
            "broken_statistics",
            phrase("The {program} file is damaged or of a kind that is not known.", program=title),
            phrase("Export it as CSV."),
            file=name,
        ) from None


def _labels(frame: Any, column: str, about: Any) -> ValueLabels:
    """What is said of a column; codes that mean missing are the ends of their ranges, and all that it holds."""
    words, ranges = about.variable_value_labels.get(column, {}), about.missing_ranges.get(column, ())
    ends = {end for own in ranges for end in (own["lo"], own["hi"]) if isinstance(end, str) or math.isfinite(end)}
    held = (value for value in (*words, *(frame[column].unique() if ranges else ())) if _is_declared(value, ranges))
    missing = {*ends, *held, *(value for value in words if _is_letter(value, words))}
    return ValueLabels(
        {code(value): str(word) for value, word in words.items()},
        frozenset(map(code, missing)),
        str(about.column_names_to_labels.get(column) or ""),
        str((about.variable_measure or {}).get(column) or "").replace("unknown", ""),
    )


def _is_letter(value: Any, words: Mapping[Any, Any]) -> bool:
    """Whether it is one of the letters by which Stata and SAS tell missing numbers apart."""
    return isinstance(value, str) and len(value) == 1 and any(not isinstance(other, str) for other in words)


def _is_declared(value: Any, ranges: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a value lies in one of the ranges that mean missing."""
    kind: type | tuple[type, ...] = str if isinstance(value, str) else (int, float)
    alike = (own for own in ranges if isinstance(own["lo"], kind) and isinstance(value, kind))
    return any(own["lo"] <= value <= own["hi"] for own in alike)


def _without_missing(column: Any, about: Any) -> Any:
    """The column without the values that the file declares as missing."""
    ranges = about.missing_ranges.get(str(column.name), ())
    return column if not ranges else column.mask(column.map(lambda value: _is_declared(value, ranges)))


def _as_one_type(column: Any) -> pa.ChunkedArray:
    """A column of a frame with one type; texts where its values have several."""
    try:
        made = pa.array(column, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError):
        made = pa.array([None if value is None or value != value else str(value) for value in column], pa.string())
    return pa.chunked_array([made]) if isinstance(made, pa.Array) else made
