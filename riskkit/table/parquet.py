"""Parquet files, and any table whose columns have types already: as the texts that a CSV of it would hold.

A Parquet file is read column by column and each in batches of rows, and its texts become codes batch by batch: what is
held at once is the codes of what was read, and the texts of one batch. Types of one file say nothing of the other: a
code that is a number here may be a text there. So everything is made text and typed together with the other files.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from uuid import UUID

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from riskkit.errors import FileError, InputError, LayoutError
from riskkit.phrases import counted_phrase, phrase
from riskkit.table.coded import coded
from riskkit.table.edges import without_edges
from riskkit.table.header import Head, check_names, refuse_twins
from riskkit.table.large import spilled
from riskkit.table.read import check_cells, check_counts
from riskkit.table.source import check_size
from riskkit.table.text import Limits, TextTable, with_lines

MAGIC = b"PAR1"
_ROWS = 1 << 16
"""Rows of a column that are read at once."""
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
        return text_table(names, columns, name=name, total=total, limits=limits, form="Parquet")
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
    if not names:
        raise LayoutError.of(
            "no_columns", phrase("The file has no usable column."), phrase("Export it again."), file=name
        )
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
            chunks += coded(texts.chunks).chunks
        made.append(coded(chunks))
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
        sha256="",
        size=0,
        data=spilled(with_lines(table, lines)),
        encoding="",
        encoding_from="",
        delimiter="",
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
        return pa.chunked_array([[_spelled(value) for value in column.to_pylist()]], pa.string())


def _spelled(value: object) -> str | None:
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
