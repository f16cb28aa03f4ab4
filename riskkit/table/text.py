"""A file as text columns, before anything is said about what the texts mean."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from riskkit.core import Floats
from riskkit.errors import Problem
from riskkit.table.parse import plain_numbers

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


@dataclass(frozen=True, slots=True, eq=False)
class TextTable:
    """One file, read: every column as text, a missing value as the empty text.

    ``sha256`` and ``size`` are those of the file as it came. ``encoding_from`` says how the encoding was found:
    ``bom``, ``utf-8``, ``guess`` or ``chosen``. ``problems`` are what was repaired or has to be asked.
    """

    name: str
    sha256: str
    size: int
    data: pa.Table
    encoding: str
    encoding_from: str
    delimiter: str
    problems: tuple[Problem, ...] = ()
    _plain: dict[str, Floats | None] = field(default_factory=dict, init=False, repr=False)

    @property
    def rows(self) -> int:
        """How many records the file holds."""
        return int(self.data.num_rows)

    @property
    def columns(self) -> tuple[str, ...]:
        """The column names in file order."""
        return tuple(self.data.column_names)

    def preview(self, n: int = 8) -> list[dict[str, str]]:
        """The first ``n`` records, for the owner's eyes."""
        rows: list[dict[str, str]] = self.data.slice(0, n).to_pylist()
        return rows

    def plain(self, name: str) -> Floats | None:
        """(n,) a column of plain numbers, None where it has other texts; kept until :meth:`forget`.

        A column is judged first and typed then, and to read 1,000,000 numbers a second time takes as long again.
        """
        if name not in self._plain:
            self._plain[name] = plain_numbers(self.data.column(name))
        return self._plain[name]

    def forget(self) -> None:
        """Let go of the numbers that :meth:`plain` keeps."""
        self._plain.clear()

    def line(self, row: int) -> int:
        """The line of the file on which record ``row`` (from 0) begins, as a text editor counts."""
        packed = (self.data.schema.metadata or {}).get(_LINES)
        if packed is None:
            return row + 2
        starts = np.frombuffer(packed, dtype="<i8").reshape(-1, 2)
        at = int(np.searchsorted(starts[:, 0], row, side="right")) - 1
        return int(starts[at, 1]) + row - int(starts[at, 0])


def with_lines(data: pa.Table, lines: npt.NDArray[np.integer]) -> pa.Table:
    """The table with the line (n,) each record begins on; kept with it when it is stored."""
    offset = np.asarray(lines, dtype=np.int64) - np.arange(len(lines))
    jumps = np.flatnonzero(np.diff(offset, prepend=offset[:1] - 1)) if len(lines) else np.empty(0, dtype=np.int64)
    packed = np.column_stack([jumps, np.asarray(lines)[jumps]]).astype("<i8").tobytes()
    return data.replace_schema_metadata({_LINES: packed})
