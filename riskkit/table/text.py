"""A file as text columns, before anything is said about what the texts mean.

A column is held as codes where that is smaller: every different text once, and a small whole number a row. A million
rows of twenty columns are some 300 MB of texts and 30 MB of codes. A column whose texts nearly all differ stays as it
is.

The columns of a file of many columns and few rows are worked on together. To code the texts of a column, and to read
them as numbers, takes a tenth of a millisecond however few they are, and that for each column of each file; there the
columns are one array of texts, and each different text is looked at once.

Where Arrow is given a list, or a text to compare with, or is asked for NumPy's numbers, it loads pandas first to see
whether that is one of its tables: a third of a second of every command. So texts and numbers go to Arrow and back by
the functions here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from riskkit.core import Bools, Codes, Floats, Ints
from riskkit.errors import FileError, Problem
from riskkit.phrases import phrase
from riskkit.table.forms import tidy
from riskkit.table.large import take_rows

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


EXACT = 2**53
"""Whole numbers beyond this lose digits as floating-point numbers."""
_PLAIN_BYTES = b"0123456789.-"


def plain_numbers(column: pa.ChunkedArray) -> Floats | None:
    """(n,) a column of plain decimal numbers, NaN where empty; None where any text needs a closer look."""
    texts = column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
    if not len(texts) or not _all_plain(texts):
        return None
    try:
        read = pc.cast(pc.if_else(pc.equal(texts, EMPTY), NO_TEXT, texts), pa.float64())
    except pa.ArrowInvalid:
        return None
    out: Floats = values(read)
    smallest, biggest = pc.min_max(read).as_py().values()
    return out if smallest is None or max(-smallest, biggest) <= EXACT else None


def _all_plain(texts: pa.Array) -> bool:
    """Whether the texts hold digits, points and minus signs alone, and none begins with a zero before a digit."""
    _, offsets_buffer, bytes_buffer = texts.buffers()
    if bytes_buffer is None or not bytes_buffer.size:
        return True
    offsets = np.frombuffer(offsets_buffer, dtype=np.int32)[texts.offset : texts.offset + len(texts) + 1]
    data = np.frombuffer(bytes_buffer, dtype=np.uint8)[: offsets[-1]]  # more may follow that is not of this column
    if data[offsets[0] : offsets[0] + 4096].tobytes().translate(None, _PLAIN_BYTES):
        return False
    whole = data[offsets[0] : offsets[-1]].tobytes()
    if whole.translate(None, _PLAIN_BYTES):
        return False
    starts, lengths = offsets[:-1], np.diff(offsets)
    if b"-" in whole:
        signed = (lengths > 1) & (data[np.minimum(starts, len(data) - 1)] == ord("-"))
        starts, lengths = starts + signed, lengths - signed
    starts = starts[lengths > 1]
    zero_first = starts[data[starts] == ord("0")]
    return not (data[zero_first + 1] != ord(".")).any()


COLUMNS = 32
"""Files of fewer columns are worked on column by column: little would be saved."""
CELLS, BYTES = 1 << 21, 1 << 28
"""So are those of more cells or longer texts, which take long by themselves and would be copied here."""

_PLAIN = r"^-?(0|[1-9][0-9]{0,15})(\.[0-9]{1,20})?$"
"""Numbers as nearly all are written. A column that has others, of the same letters, is read by itself."""
_OTHER = r"[^0-9.\-]"
"""Letters that no plain number has."""


def is_wide(data: pa.Table) -> bool:
    """Whether the columns of a file are worked on together."""
    rows, columns = data.num_rows, data.num_columns
    return columns >= COLUMNS and 0 < rows * columns <= CELLS and bool(data.nbytes <= BYTES)


@dataclass(frozen=True, eq=False)
class Together:
    """Columns of one length (d, n) as codes, each known by its place.

    ``codes`` (d, n) are places among the different texts of the same column, in the order in which these come. Those of
    all columns stand in ``texts``, one column behind the other, from ``start`` (d + 1,) on; ``which`` says where each
    stands in ``different``, which has no text twice.
    """

    codes: Codes
    texts: pa.StringArray
    start: Ints
    which: Ints
    different: pa.StringArray

    @classmethod
    def stack(cls, columns: Sequence[pa.Array]) -> Together:
        """These columns, each of which is held as texts or as codes of texts."""
        d, n = len(columns), len(columns[0])
        held = [column.dictionary if pa.types.is_dictionary(column.type) else column for column in columns]
        every = pc.dictionary_encode(pa.concat_arrays(held))
        number, different = values(every.indices).astype(np.int64), every.dictionary
        first = np.cumsum([0, *map(len, held)])
        places = np.empty((d, n), dtype=np.int64)
        for position, (column, texts) in enumerate(zip(columns, held, strict=True)):
            places[position] = np.arange(n) if texts is column else values(column.indices)
        cells = number[places + first[:-1, None]] + len(different) * np.arange(d)[:, None]
        _, comes, group = np.unique(cells, return_index=True, return_inverse=True)
        order = np.argsort(comes)  # column after column, and in each the text of the earliest row first
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        start = np.searchsorted(comes[order], n * np.arange(d + 1))
        codes = rank[group.reshape(d, n)] - start[:-1, None]
        which = cells.ravel()[comes[order]] % len(different)
        texts = pc.take(different, whole(which.astype(np.int32)))
        return cls(codes.astype(np.int32), texts, start, which, different)

    @classmethod
    def read(cls, data: pa.Table) -> Together:
        """The columns of a file."""
        return cls.stack([column.chunk(0) for column in data.unify_dictionaries().combine_chunks().columns])

    def texts_of(self, place: int) -> pa.StringArray:
        """The different texts of a column."""
        first, behind = int(self.start[place]), int(self.start[place + 1])
        return self.texts.slice(first, behind - first)

    @cached_property
    def words(self) -> list[str]:
        """The same texts as Python's own."""
        words: list[str] = self.texts.to_pylist()
        return words

    @cached_property
    def numbers(self) -> PlainNumbers:
        """All columns as numbers; kept until :meth:`forget`."""
        return PlainNumbers.parse(self)

    def encode(self, place: int) -> pa.DictionaryArray:
        """The codes of a column, and its different texts in the order in which they come."""
        return pa.DictionaryArray.from_arrays(whole(self.codes[place]), self.texts_of(place))

    def count(self, place: int) -> tuple[list[str], Ints]:
        """The different texts of a column in the order in which they come, and how many rows have each."""
        first, behind = int(self.start[place]), int(self.start[place + 1])
        return self.words[first:behind], np.bincount(self.codes[place], minlength=behind - first)

    def plain(self, place: int) -> Floats | None:
        """(n,) a column of plain numbers, NaN where empty; None where it has other texts."""
        if self.numbers.is_plain[place]:
            row: Floats = self.numbers.number[place]
            return row
        return None if self.numbers.is_other[place] else _plain_numbers(self.encode(place))

    def forget(self) -> None:
        """Let go of the numbers, which can be read again."""
        self.__dict__.pop("numbers", None)


@dataclass(frozen=True, slots=True, eq=False)
class PlainNumbers:
    """Columns as numbers: ``number`` (d, n), NaN where empty, holds of those that are ``is_plain`` (d,).

    ``is_other`` (d,) have a text that is no plain number; of those that are neither nobody knows yet.
    """

    number: Floats
    is_plain: Bools
    is_other: Bools

    @classmethod
    def parse(cls, columns: Together) -> PlainNumbers:
        """The numbers of these columns."""
        texts, start = columns.different, columns.start
        written = values(pc.match_substring_regex(texts, _PLAIN))
        number = np.full(len(texts), np.nan)
        number[written] = values(pc.cast(pc.take(texts, whole(np.flatnonzero(written).astype(np.int32))), pa.float64()))
        is_read = written | values(pc.equal(texts, EMPTY))
        is_other = values(pc.match_substring_regex(texts, _OTHER))
        which, first = columns.which, start[:-1]
        of_text = number[which]
        is_small = np.logical_not(np.abs(of_text) > EXACT)
        is_plain = np.logical_and.reduceat(is_read[which] & is_small, first)
        return cls(of_text[columns.codes + first[:, None]], is_plain, np.logical_or.reduceat(is_other[which], first))


_MOST = 0.5
"""Different texts a row up to which a column is held as codes."""
_SMALL = (pa.int8(), pa.int16())


def encode_texts(parts: Iterable[pa.Array]) -> pa.ChunkedArray:
    """The texts of a column, which come in parts one after another, as codes in their smallest whole numbers.

    Texts stay texts where nearly all differ; parts that are codes already are taken as they are.
    """
    made = [part if pa.types.is_dictionary(part.type) else pc.dictionary_encode(part) for part in parts]
    column = pa.chunked_array([_widen(part) for part in made], pa.dictionary(pa.int32(), pa.string()))
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


def _widen(part: pa.DictionaryArray) -> pa.DictionaryArray:
    wide = pa.dictionary(pa.int32(), pa.string())
    return part if part.type == wide else pc.cast(part, wide)


def coded_table(table: pa.Table) -> pa.Table:
    """The table with its columns as :func:`encode_texts` holds them, and what is kept with it."""
    columns = _code_together(table) if is_wide(table) else [encode_texts(column.chunks) for column in table.columns]
    return pa.table(columns, names=table.column_names, metadata=table.schema.metadata)


def _code_together(table: pa.Table) -> list[pa.ChunkedArray]:
    """The columns of a wide table of texts as :func:`encode_texts` holds them."""
    texts = [column.chunk(0) for column in table.combine_chunks().columns]
    made = Together.stack(texts)
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


def dictionary_of(column: pa.ChunkedArray) -> pa.DictionaryArray:
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


_LINES = b"riskkit.lines"


@dataclass(frozen=True, slots=True)
class Limits:
    """How large a file may be. ``size``, ``line`` and ``cell`` are bytes, the others are counts."""

    size: int = 300_000_000
    rows: int = 5_000_000
    columns: int = 2_000
    cell: int = 64 * 1024
    line: int = 1024 * 1024
    cells: int = 100_000_000

    def records(self, columns: int) -> int:
        """How many records a file of so many columns may have."""
        return min(self.rows, self.cells // max(columns, 1))

    def check_records(self, count: int, columns: int, name: str) -> None:
        """Raise :class:`FileError` where a file has so many records, or at least so many, and may not."""
        if count > self.records(columns):
            raise FileError.of(
                "too_many_rows",
                phrase(
                    "The file has at least {rows:,} rows of {columns:,} columns; the limit is {most:,} rows and "
                    "{cells:,} cells.",
                    rows=count,
                    columns=columns,
                    most=self.rows,
                    cells=self.cells,
                ),
                phrase("Take a random part of the rows."),
                file=name,
                count=count,
            )


@dataclass(frozen=True, slots=True, eq=False)
class TextTable:
    """One file, read: every column as text, a missing value as the empty text.

    ``data`` holds texts as codes where that is smaller; :meth:`column` gives the texts.
    ``columns`` are the names in file order.
    ``sha256`` and ``size`` are those of the file as it came. ``encoding_from`` says how the encoding was found:
    ``bom``, ``utf-8``, ``guess`` or ``chosen``. ``problems`` are what was repaired or has to be asked. ``format`` says
    what kind of file it is; of one that is no text, encoding and delimiter are empty. ``sheet`` is that of a workbook.
    """

    name: str
    data: pa.Table = field(repr=False)
    sha256: str = ""
    size: int = 0
    encoding: str = ""
    encoding_from: str = ""
    delimiter: str = ""
    problems: tuple[Problem, ...] = ()
    format: str = "CSV"
    sheet: str = ""
    columns: tuple[str, ...] = field(init=False, repr=False)
    _plain: dict[str, Floats | None] = field(default_factory=dict, init=False, repr=False)
    _together: list[Together] = field(default_factory=list, init=False, repr=False)
    _place: dict[str, int] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", tuple(self.data.column_names))  # asked for once a column: kept

    @property
    def rows(self) -> int:
        """How many records the file holds."""
        return int(self.data.num_rows)

    def plain(self, name: str) -> Floats | None:
        """(n,) a column of plain numbers, None where it has other texts; kept until :meth:`forget`.

        A column is judged first and typed then, and to read 1,000,000 numbers a second time takes as long again.
        """
        if name not in self._plain:
            place = self._stand(name)
            known = _plain_numbers(self.encode(name)) if place is None else self._together[0].plain(place)
            self._plain[name] = known
        return self._plain[name]

    def column(self, name: str) -> pa.ChunkedArray:
        """(n,) the texts of a column."""
        return texts_of(self.data.column(name))

    def encode(self, name: str) -> pa.DictionaryArray:
        """(n,) the codes of a column, and its different texts in the order in which they come."""
        place = self._stand(name)
        return dictionary_of(self.data.column(name)) if place is None else self._together[0].encode(place)

    def count(self, name: str) -> tuple[list[str], Ints]:
        """The different texts of a column in the order in which they come, and how many rows have each."""
        place = self._stand(name)
        if place is not None:
            return self._together[0].count(place)
        column = self.encode(name)
        words: list[str] = column.dictionary.to_pylist()
        return words, np.bincount(values(column.indices), minlength=len(words))

    def texts(self, name: str) -> dict[str, int]:
        """The different texts of a column, tidied and none empty, as they come, and how many rows have each."""
        out: dict[str, int] = {}
        raw, times = self.count(name)
        for text, rows in zip(map(tidy, raw), times.tolist(), strict=True):
            if text:
                out[text] = out.get(text, 0) + rows
        return out

    def _stand(self, name: str) -> int | None:
        """Where a column of a wide file stands among those that are worked on together; None of any other.

        One that was changed since stands nowhere and is worked on by itself.
        """
        if not self._together and not self._place and is_wide(self.data):
            self._together.append(Together.read(self.data))
            self._place.update((name, place) for place, name in enumerate(self.columns))
        return self._place.get(name)

    def with_column(self, name: str, values: pa.ChunkedArray) -> TextTable:
        """The same file with other texts in that column."""
        changed = replace(self, data=self.data.set_column(self.columns.index(name), name, encode_texts(values.chunks)))
        changed._plain.update((column, known) for column, known in self._plain.items() if column != name)
        changed._together.extend(self._together)
        changed._place.update((column, place) for column, place in self._place.items() if column != name)
        return changed

    def forget(self) -> None:
        """Let go of the numbers that :meth:`plain` keeps."""
        self._plain.clear()
        for together in self._together:
            together.forget()

    def line(self, row: int) -> int:
        """The line of the file on which record ``row`` (from 0) begins, as a text editor counts."""
        return int(_lines_at(self.data, np.array([row]))[0])


def _plain_numbers(column: pa.DictionaryArray) -> Floats | None:
    """(n,) a column of plain numbers, NaN where empty; None where it has other texts."""
    numbers = plain_numbers(pa.chunked_array([column.dictionary])) if len(column) else None
    return None if numbers is None else take_rows(numbers, values(column.indices))


def with_lines(data: pa.Table, lines: npt.NDArray[np.integer]) -> pa.Table:
    """The table with the line (n,) each record begins on; kept with it when it is stored."""
    offset = np.asarray(lines, dtype=np.int64) - np.arange(len(lines))
    jumps = np.flatnonzero(np.diff(offset, prepend=offset[:1] - 1)) if len(lines) else np.empty(0, dtype=np.int64)
    packed = np.column_stack([jumps, np.asarray(lines)[jumps]]).astype("<i8").tobytes()
    return data.replace_schema_metadata({_LINES: packed})


def lines_of(text: TextTable) -> Ints:
    """(n,) the line each record begins on."""
    return _lines_at(text.data, np.arange(text.rows, dtype=np.int64))


def _lines_at(data: pa.Table, rows: Ints) -> Ints:
    """(n,) the lines on which these records begin."""
    packed = (data.schema.metadata or {}).get(_LINES)
    if packed is None:
        return rows + 2
    starts = np.frombuffer(packed, dtype="<i8").reshape(-1, 2)
    blocks = np.searchsorted(starts[:, 0], rows, side="right") - 1
    lines: Ints = starts[blocks, 1] + rows - starts[blocks, 0]
    return lines
