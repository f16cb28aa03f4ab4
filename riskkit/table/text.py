"""A file as text columns, before anything is said about what the texts mean."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from riskkit.core import Floats, Ints
from riskkit.errors import FileError, Problem
from riskkit.phrases import phrase
from riskkit.table.arrow import values
from riskkit.table.coded import coded, encoded, texts_of
from riskkit.table.large import taken
from riskkit.table.parse import plain_numbers
from riskkit.table.wide import Wide, is_wide

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

    ``data`` holds texts as codes where that is smaller (:mod:`riskkit.table.coded`); :meth:`column` gives the texts.
    ``columns`` are the names in file order.
    ``sha256`` and ``size`` are those of the file as it came. ``encoding_from`` says how the encoding was found:
    ``bom``, ``utf-8``, ``guess`` or ``chosen``. ``problems`` are what was repaired or has to be asked. ``format`` says
    what kind of file it is; of one that is no text, encoding and delimiter are empty. ``sheet`` is that of a workbook.
    """

    name: str
    sha256: str
    size: int
    data: pa.Table = field(repr=False)
    encoding: str
    encoding_from: str
    delimiter: str
    problems: tuple[Problem, ...] = ()
    format: str = "CSV"
    sheet: str = ""
    columns: tuple[str, ...] = field(init=False, repr=False)
    _plain: dict[str, Floats | None] = field(default_factory=dict, init=False, repr=False)
    _wide: list[Wide | None] = field(default_factory=list, init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", tuple(self.data.column_names))  # asked for once a column: kept

    @property
    def rows(self) -> int:
        """How many records the file holds."""
        return int(self.data.num_rows)

    def preview(self, n: int = 8) -> list[dict[str, str]]:
        """The first ``n`` records, for the owner's eyes."""
        rows: list[dict[str, str]] = self.data.slice(0, n).to_pylist()
        return rows

    def plain(self, name: str) -> Floats | None:
        """(n,) a column of plain numbers, None where it has other texts; kept until :meth:`forget`.

        A column is judged first and typed then, and to read 1,000,000 numbers a second time takes as long again.
        """
        if name not in self._plain:
            wide = self._together(name)
            self._plain[name] = _plain_numbers(self.encoded(name)) if wide is None else wide.plain(name)
        return self._plain[name]

    def column(self, name: str) -> pa.ChunkedArray:
        """(n,) the texts of a column."""
        return texts_of(self.data.column(name))

    def encoded(self, name: str) -> pa.DictionaryArray:
        """(n,) the codes of a column, and its different texts in the order in which they come."""
        wide = self._together(name)
        return encoded(self.data.column(name)) if wide is None else wide.encoded(name)

    def counted(self, name: str) -> tuple[list[str], Ints]:
        """The different texts of a column in the order in which they come, and how many rows have each."""
        wide = self._together(name)
        if wide is not None:
            return wide.counted(name)
        column = self.encoded(name)
        words: list[str] = column.dictionary.to_pylist()
        return words, np.bincount(values(column.indices), minlength=len(words))

    def _together(self, name: str) -> Wide | None:
        """The columns of a wide file, where that one is still among them; None of other files."""
        if not self._wide:
            self._wide.append(Wide.of(self.data) if is_wide(self.data) else None)
        wide = self._wide[0]
        return wide if wide is not None and name in wide.place else None

    def with_column(self, name: str, values: pa.ChunkedArray) -> TextTable:
        """The same file with other texts in that column."""
        changed = replace(self, data=self.data.set_column(self.columns.index(name), name, coded(values.chunks)))
        changed._plain.update((column, known) for column, known in self._plain.items() if column != name)
        changed._wide.extend(None if wide is None else wide.without(name) for wide in self._wide)
        return changed

    def forget(self) -> None:
        """Let go of the numbers that :meth:`plain` keeps."""
        self._plain.clear()
        for wide in self._wide:
            if wide is not None:
                wide.forget()

    def line(self, row: int) -> int:
        """The line of the file on which record ``row`` (from 0) begins, as a text editor counts."""
        packed = (self.data.schema.metadata or {}).get(_LINES)
        if packed is None:
            return row + 2
        starts = np.frombuffer(packed, dtype="<i8").reshape(-1, 2)
        block = int(np.searchsorted(starts[:, 0], row, side="right")) - 1
        return int(starts[block, 1]) + row - int(starts[block, 0])


def _plain_numbers(column: pa.DictionaryArray) -> Floats | None:
    """(n,) a column of plain numbers, NaN where empty; None where it has other texts."""
    numbers = plain_numbers(pa.chunked_array([column.dictionary])) if len(column) else None
    return None if numbers is None else taken(numbers, values(column.indices))


def with_lines(data: pa.Table, lines: npt.NDArray[np.integer]) -> pa.Table:
    """The table with the line (n,) each record begins on; kept with it when it is stored."""
    offset = np.asarray(lines, dtype=np.int64) - np.arange(len(lines))
    jumps = np.flatnonzero(np.diff(offset, prepend=offset[:1] - 1)) if len(lines) else np.empty(0, dtype=np.int64)
    packed = np.column_stack([jumps, np.asarray(lines)[jumps]]).astype("<i8").tobytes()
    return data.replace_schema_metadata({_LINES: packed})


def lines_of(text: TextTable) -> Ints:
    """(n,) the line each record begins on."""
    packed = (text.data.schema.metadata or {}).get(_LINES)
    rows = np.arange(text.rows, dtype=np.int64)
    if packed is None:
        return rows + 2
    starts = np.frombuffer(packed, dtype="<i8").reshape(-1, 2)
    blocks = np.searchsorted(starts[:, 0], rows, side="right") - 1
    lines: Ints = starts[blocks, 1] + rows - starts[blocks, 0]
    return lines
