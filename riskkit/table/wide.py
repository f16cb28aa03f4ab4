"""The columns of a file of many columns and few rows, worked on together.

To code the texts of a column, and to read them as numbers, takes a tenth of a millisecond however few they are, and
that for each column of each file. Here the columns are one array of texts, and each different text is looked at once.
What comes of it is what every column gives by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from riskkit.core import Bools, Codes, Floats, Ints
from riskkit.table.arrow import EMPTY, values, whole
from riskkit.table.parse import EXACT, plain_numbers

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


@dataclass(frozen=True, slots=True, eq=False)
class Together:
    """Columns of one length (d, n) as codes.

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
    def of(cls, columns: Sequence[pa.Array]) -> Together:
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

    def texts_of(self, place: int) -> pa.StringArray:
        """The different texts of a column."""
        first, behind = int(self.start[place]), int(self.start[place + 1])
        return self.texts.slice(first, behind - first)


@dataclass(slots=True, eq=False)
class Wide:
    """What is known of the columns of a wide file.

    ``place`` is where each stands. One that was changed since stands nowhere and is worked on by itself.
    """

    together: Together
    place: dict[str, int]
    _texts: list[str] = field(default_factory=list)
    _numbers: list[PlainNumbers] = field(default_factory=list)

    @classmethod
    def of(cls, data: pa.Table) -> Wide:
        """The columns of that file."""
        whole_columns = [column.chunk(0) for column in data.unify_dictionaries().combine_chunks().columns]
        return cls(Together.of(whole_columns), {name: place for place, name in enumerate(data.column_names)})

    def without(self, name: str) -> Wide:
        """The same, but for a column that is changed."""
        return replace(self, place={column: place for column, place in self.place.items() if column != name})

    def encoded(self, name: str) -> pa.DictionaryArray:
        """The codes of a column, and its different texts in the order in which they come."""
        place = self.place[name]
        return pa.DictionaryArray.from_arrays(whole(self.together.codes[place]), self.together.texts_of(place))

    def counted(self, name: str) -> tuple[list[str], Ints]:
        """The different texts of a column in the order in which they come, and how many rows have each."""
        if not self._texts:
            self._texts += self.together.texts.to_pylist()
        place = self.place[name]
        first, behind = int(self.together.start[place]), int(self.together.start[place + 1])
        return self._texts[first:behind], np.bincount(self.together.codes[place], minlength=behind - first)

    def plain(self, name: str) -> Floats | None:
        """(n,) a column of plain numbers, NaN where empty; None where it has other texts."""
        if not self._numbers:
            self._numbers.append(PlainNumbers.of(self.together))
        place, numbers = self.place[name], self._numbers[0]
        if numbers.is_plain[place]:
            row: Floats = numbers.number[place]
            return row
        if numbers.is_other[place]:
            return None
        read = plain_numbers(pa.chunked_array([self.together.texts_of(place)]))
        return None if read is None else read[self.together.codes[place]]

    def forget(self) -> None:
        """Let go of the numbers, which can be read again."""
        self._numbers.clear()


@dataclass(frozen=True, slots=True, eq=False)
class PlainNumbers:
    """Columns as numbers: ``number`` (d, n), NaN where empty, holds of those that are ``is_plain`` (d,).

    ``is_other`` (d,) have a text that is no plain number; of those that are neither nobody knows yet.
    """

    number: Floats
    is_plain: Bools
    is_other: Bools

    @classmethod
    def of(cls, columns: Together) -> PlainNumbers:
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
