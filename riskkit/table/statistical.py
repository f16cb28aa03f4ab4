"""Files of SPSS, Stata and SAS, where the library that reads them is installed (the extra ``statistics``)."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pyarrow as pa

from riskkit.errors import FileError, Gravity, InputError, MissingLibrary, Problem
from riskkit.extras import require
from riskkit.phrases import counted_phrase, phrase
from riskkit.table.parquet import text_table
from riskkit.table.read import check_counts
from riskkit.table.text import Limits, TextTable

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
    """The file as text columns: the stored values, not their labels. A line is a record, the names being line 1.

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
        frame, about = read(io.BytesIO(source), row_limit=limits.rows + 1, **how)
        check_counts(len(frame), about.number_columns, name, limits)
        columns = ([_typed(frame[column])] for column in frame.columns)
        table = text_table(list(map(str, frame.columns)), columns, name=name, total=total, limits=limits, form=title)
    except (InputError, MemoryError):
        raise
    except Exception:  # noqa: BLE001  the library raises of any kind, and its text may hold a value
        raise FileError.of(
            "broken_statistics",
            phrase("The {program} file is damaged or of a kind that is not known.", program=title),
            phrase("Export it as CSV."),
            file=name,
        ) from None
    labelled = len(about.variable_value_labels)
    if not labelled:
        return table
    what = counted_phrase(
        labelled,
        "{n:,} column has labels for its values; the values were read as they are stored.",
        "{n:,} columns have labels for their values; the values were read as they are stored.",
    )
    do = phrase("Write the other files with the stored values too.")
    problem = Problem(Gravity.QUESTION, "value_labels", what, do, name, count=labelled)
    return replace(table, problems=(*table.problems, problem))


def _typed(column: Any) -> pa.ChunkedArray:
    """A column of a frame with one type; texts where its values have several."""
    try:
        made = pa.array(column, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError):
        made = pa.array([None if value is None or value != value else str(value) for value in column], pa.string())
    return pa.chunked_array([made]) if isinstance(made, pa.Array) else made
