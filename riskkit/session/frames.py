"""A data frame as the CSV that is written from it: read by the one reader, so that a frame and its file are one table.

A frame of pandas is written by pandas. Any other comes over the Arrow interface (polars, pyarrow, DuckDB and others) or
the older interchange of data frames, and its cells are written as polars writes them: numbers in full, ``true`` and
``false``, dates as 2026-03-31. What is missing, and what is no number, is the empty text.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv
import pyarrow.interchange

from riskkit.errors import FileError, LayoutError
from riskkit.table.read.delimited import read_csv
from riskkit.table.read.files import read_together
from riskkit.table.read.text import TextTable

SHAPES = "a path of a file (CSV, Parquet, Excel, also in gzip or ZIP), or a data frame of pandas, polars or pyarrow"


def texts_of(sources: Mapping[str, Any], encodings: Mapping[str, str]) -> dict[str, TextTable]:
    """The text columns of paths and data frames by slot; files are read together, in the ``encodings`` that are said.

    Raises
    ------
    InputError
        One is neither, or cannot be used as it is.
    """
    paths = {slot: Path(source) for slot, source in sources.items() if isinstance(source, str | Path)}
    frames = {slot: text_of(source, slot) for slot, source in sources.items() if slot not in paths}
    read = read_together(paths, encodings=encodings, beside=frames)
    return {slot: frames[slot] if slot in frames else read[slot] for slot in sources}


def text_of(source: Any, slot: str) -> TextTable:
    """The text columns of a data frame; ``slot`` is what it is called in sentences.

    Of a pandas frame an index with a name is a column; one without is left out, as row numbers are.

    Raises
    ------
    InputError
        It is none, or cannot be used as it is.
    """
    if isinstance(source, TextTable):
        return source
    return read_csv(_written(source, slot), name=slot, encoding="utf-8", delimiter=",", header=True)


def _written(source: Any, slot: str) -> bytes:
    """The CSV of a frame."""
    if type(source).__module__.partition(".")[0] == "pandas" and hasattr(source, "columns"):
        return _by_pandas(source, slot)
    if hasattr(source, "__arrow_c_stream__"):
        return _by_arrow(pa.table(source), slot, " " if isinstance(source, pa.Table) else "T")
    if hasattr(source, "__dataframe__"):
        return _by_arrow(pa.interchange.from_dataframe(source), slot, "T")
    raise FileError.of("no_frame", f"It is a {type(source).__name__}, no table.", f"Give {SHAPES}.", file=slot)


def _by_pandas(frame: Any, slot: str) -> bytes:
    if frame.columns.nlevels > 1:
        raise LayoutError.of("names_in_levels", "Its columns have names of several levels.", "Join them.", file=slot)
    named = any(name is not None for name in frame.index.names)
    return str(frame.to_csv(index=named, lineterminator="\n")).encode("utf-8", "replace")


def _by_arrow(table: pa.Table, slot: str, between: str) -> bytes:
    texts = [
        _texts(column, name, slot, between) for name, column in zip(table.column_names, table.columns, strict=True)
    ]
    written = io.BytesIO()
    options = pa_csv.WriteOptions(quoting_style="needed")
    pa_csv.write_csv(pa.table(texts, names=list(table.column_names)), written, options)
    return written.getvalue()


def _texts(column: pa.ChunkedArray, name: str, slot: str, between: str) -> pa.Array:
    """The cells of a column as texts; null where missing. ``between`` stands between a day and a time."""
    whole = column.combine_chunks()
    kind = whole.type
    if pa.types.is_dictionary(kind):
        levels = _texts(pa.chunked_array([whole.dictionary]), name, slot, between)
        return pc.take(levels, whole.indices)
    if pa.types.is_floating(kind):
        encoded = pc.dictionary_encode(whole)
        values = np.asarray(encoded.dictionary.to_numpy(zero_copy_only=False))
        texts = [None if np.isnan(value) else str(value) for value in values]
        return pc.take(pa.array(texts, pa.string()), encoded.indices)
    if pa.types.is_null(kind):
        return pa.nulls(len(whole), pa.string())
    if pa.types.is_nested(kind) or pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        raise LayoutError.of(
            "no_plain_values", f"The column holds {kind}, not single values.", "Leave it out.", file=slot, column=name
        )
    try:
        plain = pc.cast(whole, pa.string())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise LayoutError.of(
            "no_plain_values", f"Values of {kind} cannot be written as text.", "Convert it.", file=slot, column=name
        ) from error
    return pc.replace_substring(plain, " ", between) if pa.types.is_timestamp(kind) else plain
