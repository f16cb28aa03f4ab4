"""How many rows agree with a record on each set of columns: the questions an attacker may put to a release.

Every row becomes a word with one bit a column, which says whether it agrees there. The rows that agree on a set of
columns are those whose word has all bits of the set, so one superset sum over the histogram of words answers all sets
at once: columns times sets additions, whatever the number of rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from riskkit.core import Bools, Codes, Ints, Schema, Table
from riskkit.errors import DesignError
from riskkit.table.encode import layout

WIDEST = 17
"""The most columns of which all sets are asked: 131,071 of them."""
NUMBERS = ("at least", "at most", "outward")
"""When a number agrees with the record's: as large or larger, as small or smaller, or as far out on its side."""
DRAWN, ROUNDS = 8192, 100
"""Sets drawn at a time, and how often, before fewer than were wanted will do."""

Words = npt.NDArray[np.uint64]


@dataclass(frozen=True, slots=True, eq=False)
class SubsetCounts:
    """Sets of columns, and for each of some records the rows of a table that agree with it on every column of the set.

    Columns are the modelled ones in file order. ``masks`` (words, n_sets) has bit ``b`` for column ``b``, or is None
    where all ``2^d - 1`` sets are asked in the order of their masks as numbers. ``upward`` (n_records, n_numeric) says
    whether a number agrees where it is at least the record's (else at most).
    """

    records: Table
    upward: Bools
    masks: Words | None

    @classmethod
    def draw(
        cls, records: Table, *, numbers: str = "at least", most: int | None = None, rng: np.random.Generator
    ) -> SubsetCounts:
        """All sets of up to :data:`WIDEST` columns, where they are not more than ``most``; else a drawn part of them.

        The drawn part holds every single column and the set of all columns; of the others the size is drawn first,
        each as likely, then the columns. ``rng`` is drawn from only where not all sets are asked.

        Parameters
        ----------
        numbers
            One of :data:`NUMBERS`. ``outward`` is at least for what is not below the column's mean, else at most.

        Raises
        ------
        DesignError
            There is no column in use.
        """
        schema = records.schema
        columns = len(schema.modelled)
        if not columns:
            raise DesignError.phrase(
                "No column is in use, so nothing can be counted. Give a column a role on the Data page."
            )
        if numbers == "outward":
            upward = np.isnan(records.numbers) | (records.numbers >= [column.mean for column in schema.numeric])
        else:
            upward = np.full(records.numbers.shape, numbers == "at least")
        every = 2**columns - 1
        limit = 2**WIDEST - 1 if most is None else most
        if columns <= WIDEST and every <= limit:
            return cls(records, upward, None)
        return cls(records, upward, drawn_masks(columns, min(limit, every), rng))

    def __len__(self) -> int:
        """How many sets are asked."""
        return int(2 ** len(self.records.schema.modelled) - 1) if self.masks is None else self.masks.shape[1]

    def only(self, record: int) -> SubsetCounts:
        """The same sets for that record alone."""
        return SubsetCounts(self.records.rows([record]), self.upward[[record]], self.masks)

    def sizes(self) -> Ints:
        """(n_sets,) how many columns each set has."""
        if self.masks is not None:
            sizes: Ints = np.bitwise_count(self.masks).sum(axis=0, dtype=np.int64)
            return sizes
        return np.bitwise_count(np.arange(1, len(self) + 1)).astype(np.int64)

    def counts(self, table: Table) -> Codes:
        """(n_records, n_sets) how many rows agree with the record on every column of the set."""
        from riskkit.table import _kernels

        columns = len(table.schema.modelled)
        code_bits, number_bits = _bits(table.schema)
        words = np.empty((-(-columns // 64), len(table)), dtype=np.uint64)
        sums = np.empty(2**columns if self.masks is None else 0, dtype=np.int32)
        out = np.empty((len(self.records), len(self)), dtype=np.int32)
        for record_index in range(len(self.records)):
            record = self.records.codes[record_index], self.records.numbers[record_index], self.upward[record_index]
            _kernels.agreement_bits(table.codes, table.numbers, *record, code_bits, number_bits, words)
            if self.masks is None:
                _kernels.superset_sums(words[0], columns, sums)
                out[record_index] = sums[1:]
            else:
                _kernels.superset_counts(words, self.masks, out[record_index])
        return out


def drawn_masks(columns: int, most: int, rng: np.random.Generator) -> Words:
    """(words, n) different sets of columns, at most ``most`` of them: singles first, then all columns, then drawn ones.

    They are fewer only where nearly all sets there are would have been wanted.
    """
    singles = np.vstack([np.eye(columns, dtype=bool), np.ones((1, columns), dtype=bool)])
    masks = dict.fromkeys(map(bytes, _pack_masks(singles)))
    for _ in range(ROUNDS):
        if len(masks) >= most or columns < 3:
            break
        size = rng.integers(2, columns, DRAWN)
        rank = rng.random((DRAWN, columns)).argsort(axis=1)
        masks.update(dict.fromkeys(map(bytes, _pack_masks(rank < size[:, None]))))
    rows = np.frombuffer(b"".join(list(masks)[:most]), dtype=np.uint64)
    return np.ascontiguousarray(rows.reshape(-1, -(-columns // 64)).T)


def _pack_masks(chosen: Bools) -> Words:
    """(n, words) the masks of (n, d) chosen columns."""
    out = np.zeros((len(chosen), -(-chosen.shape[1] // 64)), dtype=np.uint64)
    for column in range(chosen.shape[1]):
        out[:, column // 64] |= chosen[:, column].astype(np.uint64) << np.uint64(column % 64)
    return out


def _bits(schema: Schema) -> tuple[Ints, Ints]:
    """The bit of every categorical and of every numeric column: its place in file order."""
    kinds = [block.column.is_numeric for block in layout(schema)]
    return np.flatnonzero(np.logical_not(kinds)).astype(np.int64), np.flatnonzero(kinds).astype(np.int64)
