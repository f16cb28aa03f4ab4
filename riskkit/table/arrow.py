"""Texts and numbers on their way to Arrow and back, without pandas.

Where Arrow is given a list, or a text to compare with, or is asked for NumPy's numbers, it loads pandas first to see
whether that is one of its tables: a third of a second of every command, and nothing here is one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

_LARGEST = 2**31 - 1


def words(texts: Sequence[str]) -> pa.StringArray:
    """(n,) these texts."""
    encoded = [text.encode() for text in texts]
    lengths = np.fromiter(map(len, encoded), dtype=np.int64, count=len(encoded))
    if lengths.sum() > _LARGEST:
        return pa.array(texts, pa.string())
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    return pa.StringArray.from_buffers(len(encoded), pa.py_buffer(starts), pa.py_buffer(b"".join(encoded)))


def word(text: str) -> pa.StringScalar:
    """One text, to compare with."""
    return words([text])[0]


def whole(numbers: npt.NDArray[np.int8] | npt.NDArray[np.int16] | npt.NDArray[np.int32]) -> pa.Array:
    """(n,) these whole numbers, where they lie."""
    kinds = {1: pa.int8(), 2: pa.int16(), 4: pa.int32()}
    kept = np.ascontiguousarray(numbers)
    return pa.Array.from_buffers(kinds[kept.itemsize], len(kept), [None, pa.py_buffer(kept)])


def values(array: pa.Array | pa.ChunkedArray) -> npt.NDArray[Any]:
    """(n,) the whole numbers, decimal numbers or truths of an array, where they lie if they can be read there.

    A decimal number that is missing is NaN; no other may be missing.
    """
    if isinstance(array, pa.ChunkedArray):
        parts = [values(chunk) for chunk in array.chunks]
        return np.concatenate(parts) if len(parts) != 1 else parts[0]
    kind, first, behind = array.type, array.offset, array.offset + len(array)
    mask, content = array.buffers() if len(array) else (b"", b"")
    if pa.types.is_boolean(kind):
        out: npt.NDArray[Any] = _bits(content, first, behind)
    else:
        out = np.frombuffer(content, dtype=np.dtype(kind.to_pandas_dtype()))[first:behind]
    if array.null_count:
        if out.dtype.kind != "f":
            raise TypeError("a whole number or a truth is missing")
        out = np.where(_bits(mask, first, behind), out, np.nan)
    return out


def _bits(content: pa.Buffer | bytes, first: int, behind: int) -> npt.NDArray[np.bool_]:
    """The truths that stand there, eight in a byte."""
    packed = np.frombuffer(content, dtype=np.uint8)
    return np.unpackbits(packed, count=behind if len(packed) else 0, bitorder="little")[first:].view(np.bool_)


EMPTY = word("")
"""The text of a missing value."""
NO_TEXT = pa.StringArray.from_buffers(1, pa.py_buffer(bytes(8)), pa.py_buffer(b""), pa.py_buffer(b"\0"), 1)[0]
"""Where there is no text at all. It is made of bytes: the first use of Arrow's own memory takes a GB of a limit."""
