"""Compiled loops of :mod:`riskkit.table.agreeing`. Imported only when releases are first compared with a record."""

from __future__ import annotations

from typing import Any

import numpy as np

from riskkit.base.compiled import compile_loop
from riskkit.core import Codes, Floats, Ints


@compile_loop
def words_of(places: Any, low: Any, high: Any, columns: Ints, out: Any) -> None:
    """Into ``out`` (releases, n): bit ``b`` says whether a row agrees with the record on column ``columns[b]``.

    ``places`` (releases, d, n) agree where they lie within ``low`` and ``high`` (d,).
    """
    out[:] = 0
    for release in range(places.shape[0]):
        word = out[release]
        for bit in range(columns.shape[0]):
            column = columns[bit]
            least, most, values = low[column], high[column], places[release, column]
            for row in range(values.shape[0]):
                word[row] |= np.int16((values[row] >= least) & (values[row] <= most)) << bit


@compile_loop
def words_of_rows(
    codes: Codes, numbers: Floats, code: Codes, number: Floats, outward: Any, bits: Any, out: Any
) -> None:
    """Into ``out`` (n,): the same of one release as it is, for one record.

    ``bits`` (columns,) are the bits of the categories, then of the numbers; -1 for those that are not looked at.
    """
    out[:] = 0
    for column in range(codes.shape[1]):
        if bits[column] >= 0:
            for row in range(codes.shape[0]):
                out[row] |= np.int16(codes[row, column] == code[column]) << bits[column]
    for column in range(numbers.shape[1]):
        bit, wanted = bits[codes.shape[1] + column], number[column]
        if bit < 0:
            continue
        if np.isnan(wanted):
            for row in range(numbers.shape[0]):
                out[row] |= np.int16(np.isnan(numbers[row, column])) << bit
        elif outward[column]:
            for row in range(numbers.shape[0]):
                out[row] |= np.int16(numbers[row, column] >= wanted) << bit
        else:
            for row in range(numbers.shape[0]):
                out[row] |= np.int16(numbers[row, column] <= wanted) << bit


@compile_loop
def supersets(counts: Any) -> None:
    """In place: for each set how many words hold all its bits, from how many are each word; one pass for each bit."""
    step = 1
    while step < counts.shape[0]:
        for start in range(0, counts.shape[0], 2 * step):
            low, high = counts[start : start + step], counts[start + step : start + 2 * step]
            for place in range(step):
                low[place] += high[place]
        step *= 2


@compile_loop
def subsets(values: Floats) -> None:
    """In place: for each word the sum over the sets that it holds, from one value a set."""
    step = 1
    while step < values.shape[0]:
        for start in range(0, values.shape[0], 2 * step):
            low, high = values[start : start + step], values[start + step : start + 2 * step]
            for place in range(step):
                high[place] += low[place]
        step *= 2


@compile_loop
def sums_of_counts(words: Any, total: Floats, squares: Floats) -> None:
    """Adds to ``total`` and ``squares`` (sets,) the counts of each set in each of the (releases, n) words."""
    counts = np.zeros(total.shape[0], dtype=np.int32)
    for release in range(words.shape[0]):
        counts[:] = 0
        for row in range(words.shape[1]):
            counts[words[release, row]] += 1
        supersets(counts)
        for place in range(counts.shape[0]):
            count = np.float64(counts[place])
            total[place] += count
            squares[place] += count * count


@compile_loop
def scores_of(words: Any, worth: Floats, out: Floats) -> None:
    """Adds to ``out`` (releases,) the sum over rows of what each word is worth."""
    for release in range(words.shape[0]):
        sum_of = 0.0
        for row in range(words.shape[1]):
            sum_of += worth[words[release, row]]
        out[release] += sum_of
