"""Columns of texts, held as codes: every different text once, and a small whole number a row.

A million rows of twenty columns are some 300 MB of texts and 30 MB of codes. A column whose texts nearly all differ
stays as it is. Whoever needs texts asks for one column at a time.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from riskkit.table.arrow import values, whole
from riskkit.table.wide import Together, is_wide

_MOST = 0.5
"""Different texts a row up to which a column is held as codes."""
_SMALL = (pa.int8(), pa.int16())


def coded(parts: Iterable[pa.Array]) -> pa.ChunkedArray:
    """The texts of a column, which come in parts one after another, as codes in their smallest whole numbers.

    Texts stay texts where nearly all differ; parts that are codes already are taken as they are.
    """
    made = [part if pa.types.is_dictionary(part.type) else pc.dictionary_encode(part) for part in parts]
    column = pa.chunked_array([_wide(part) for part in made], pa.dictionary(pa.int32(), pa.string()))
    del made
    column = column.unify_dictionaries()
    words = column.chunk(0).dictionary if column.num_chunks else pa.array([], pa.string())
    if len(words) > _MOST * len(column):
        return pc.cast(column, pa.string())
    kind = _smallest(len(words))
    small = [pa.DictionaryArray.from_arrays(pc.cast(chunk.indices, kind), words) for chunk in column.chunks]
    return pa.chunked_array(small, pa.dictionary(kind, pa.string()))


def _smallest(words: int) -> pa.DataType:
    """The smallest whole numbers that can tell so many texts apart."""
    return next((kind for kind in _SMALL if words < 1 << (kind.bit_width - 1)), pa.int32())


def _wide(part: pa.DictionaryArray) -> pa.DictionaryArray:
    wide = pa.dictionary(pa.int32(), pa.string())
    return part if part.type == wide else pc.cast(part, wide)


def coded_table(table: pa.Table) -> pa.Table:
    """The table with its columns as :func:`coded` holds them, and what is kept with it."""
    columns = _coded_together(table) if is_wide(table) else [coded(column.chunks) for column in table.columns]
    return pa.table(columns, names=table.column_names, metadata=table.schema.metadata)


def _coded_together(table: pa.Table) -> list[pa.ChunkedArray]:
    """The columns of a wide table of texts as :func:`coded` holds them."""
    texts = [column.chunk(0) for column in table.combine_chunks().columns]
    made = Together.of(texts)
    out = []
    for place, column in enumerate(texts):
        words = made.texts_of(place)
        if len(words) > _MOST * len(column):
            out.append(pa.chunked_array([column]))
            continue
        kind = _smallest(len(words))
        codes = made.codes[place].astype(np.dtype(kind.to_pandas_dtype()))
        out.append(pa.chunked_array([pa.DictionaryArray.from_arrays(whole(codes), words)]))
    return out


def texts_of(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The texts of a column, however it is held."""
    return pc.cast(column, pa.string()) if pa.types.is_dictionary(column.type) else column


def encoded(column: pa.ChunkedArray) -> pa.DictionaryArray:
    """The different texts of a column in the order in which they come, none that stands in no row, and their codes."""
    if not pa.types.is_dictionary(column.type):
        return pc.dictionary_encode(column.combine_chunks())
    whole = column.unify_dictionaries().combine_chunks()
    words = whole.dictionary if isinstance(whole, pa.DictionaryArray) else pa.array([], pa.string())
    codes = pc.dictionary_encode(whole.indices)
    order = values(codes.dictionary)
    if len(order) != len(words) or not np.array_equal(order, np.arange(len(words))):
        words = pc.take(words, codes.dictionary)
    return pa.DictionaryArray.from_arrays(codes.indices, words)
