"""Files of SPSS, Stata and SAS, where the library that reads them is installed (the extra ``statistics``)."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from riskkit.errors import FileError, InputError, MissingLibrary
from riskkit.extras import require
from riskkit.phrases import phrase
from riskkit.table.labelled import ValueLabels, code, with_labels
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
        columns = ([_typed(_declared(frame[column], about))] for column in frame.columns)
        table = text_table(list(map(str, frame.columns)), columns, name=name, total=total, limits=limits, form=title)
        described = dict.fromkeys([*about.variable_value_labels, *about.missing_ranges])
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
    """The labels of a column, and its codes that mean missing: the ends of their ranges, and all that it holds."""
    words, ranges = about.variable_value_labels.get(column, {}), about.missing_ranges.get(column, ())
    ends = {end for own in ranges for end in (own["lo"], own["hi"]) if isinstance(end, str) or math.isfinite(end)}
    held = (value for value in (*words, *(frame[column].unique() if ranges else ())) if _is_declared(value, ranges))
    missing = {*ends, *held, *(value for value in words if _is_letter(value, words))}
    return ValueLabels({code(value): str(word) for value, word in words.items()}, frozenset(map(code, missing)))


def _is_letter(value: Any, words: Mapping[Any, Any]) -> bool:
    """Whether it is one of the letters by which Stata and SAS tell missing numbers apart."""
    return isinstance(value, str) and len(value) == 1 and any(not isinstance(other, str) for other in words)


def _is_declared(value: Any, ranges: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a value lies in one of the ranges that mean missing."""
    kind: type | tuple[type, ...] = str if isinstance(value, str) else (int, float)
    alike = (own for own in ranges if isinstance(own["lo"], kind) and isinstance(value, kind))
    return any(own["lo"] <= value <= own["hi"] for own in alike)


def _declared(column: Any, about: Any) -> Any:
    """The column without the values that the file declares as missing."""
    ranges = about.missing_ranges.get(str(column.name), ())
    return column if not ranges else column.mask(column.map(lambda value: _is_declared(value, ranges)))


def _typed(column: Any) -> pa.ChunkedArray:
    """A column of a frame with one type; texts where its values have several."""
    try:
        made = pa.array(column, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError):
        made = pa.array([None if value is None or value != value else str(value) for value in column], pa.string())
    return pa.chunked_array([made]) if isinstance(made, pa.Array) else made
