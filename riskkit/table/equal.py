"""Which rows are equal: a whole number for each row, made column by column, so that no key of a whole row is held.

A key of a row has all its bytes (:meth:`riskkit.core.Table.keys`); keys of a million rows of twenty columns, with what
it takes to sort them, are larger than the table. Here two rows have one number exactly where their keys are equal, and
numbers follow the order of the keys.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from riskkit.base import stages
from riskkit.core import Ints, Table

Array = npt.NDArray[Any]
Words = npt.NDArray[np.uint64]

_ROOM = 1 << 64
"""How many different rows a word can tell apart."""
_LISTED = 1 << 20
"""Codes of a column up to which their order is looked up."""


def records(*tables: Table) -> tuple[Ints, ...]:
    """The record of each row (n,), a number that equal rows of all these tables share; missing equals missing.

    Numbers are 0, 1, ... in the order of :meth:`Table.keys`: what ``np.unique`` of all keys gives as its inverse.
    """
    return number_records([(table.codes, table.numbers) for table in tables])


def number_records(tables: Sequence[Sequence[Array]]) -> tuple[Ints, ...]:
    """As :func:`records`, of tables that are arrays (n, width) of whole or decimal numbers, side by side."""
    words = [np.zeros(len(arrays[0]), dtype=np.uint64) for arrays in tables]
    kinds, done, total = 1, 0, sum(array.shape[1] for array in tables[0]) + 1
    for alike in zip(*tables, strict=True):
        for column in range(alike[0].shape[1]):
            stages.part(done, total)
            places, many = _places([array[:, column] for array in alike])
            if kinds * many > _ROOM:
                words, kinds = _close_words(words)
            done += 1
            words = [word * np.uint64(many) + place for word, place in zip(words, places, strict=True)]
            kinds *= many
    stages.part(done, total)
    return tuple(word.astype(np.int64) for word in _close_words(words)[0])


def count_shared(rows: Ints, among: Ints) -> int:
    """How many of these rows equal one of the others, by the numbers of both."""
    if not len(rows) or not len(among):
        return 0
    stands = np.zeros(max(int(rows.max()), int(among.max())) + 1, dtype=bool)
    stands[among] = True
    return int(stands[rows].sum())


def count_repeated(rows: Ints) -> int:
    """How many rows equal one that stands before them, by their numbers."""
    return len(rows) - int(np.count_nonzero(np.bincount(rows)))


def _close_words(words: Sequence[Words]) -> tuple[list[Words], int]:
    """The different words as 0, 1, ... in their order, and how many there are."""
    kinds = np.unique(np.concatenate(words))
    return [np.searchsorted(kinds, word).astype(np.uint64) for word in words], max(len(kinds), 1)


def _places(columns: Sequence[Array]) -> tuple[list[Words], int]:
    """Where each value stands among those of the column, by their bytes, and how many places there are."""
    if columns[0].dtype == np.int32:
        highest = max((int(column.max()) for column in columns if len(column)), default=0)
        lowest = min((int(column.min()) for column in columns if len(column)), default=0)
        if lowest >= 0 and highest < _LISTED:
            order = np.argsort(_bytes(np.arange(highest + 1, dtype=np.int32)))
            place = np.empty(highest + 1, dtype=np.uint64)
            place[order] = np.arange(highest + 1, dtype=np.uint64)
            return [place[column] for column in columns], highest + 1
    each = [_bytes(column) for column in columns]
    kinds = np.unique(np.concatenate([np.unique(column) for column in each]))
    return [np.searchsorted(kinds, column).astype(np.uint64) for column in each], max(len(kinds), 1)


def _bytes(column: Array) -> Array:
    """(n,) whole numbers in the order of the bytes of these values; 0.0 has one sign, and no number one spelling."""
    if column.dtype.kind == "f":
        column = column + 0.0
        column[np.isnan(column)] = np.nan
    little = column.astype(column.dtype.newbyteorder("<"))
    whole: Array = little.view(f">u{little.itemsize}").astype(f"=u{little.itemsize}")
    return whole
