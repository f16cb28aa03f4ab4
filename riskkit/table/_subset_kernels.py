"""Compiled loops of :mod:`riskkit.table.subset_counts`. Imported only when rows are first counted."""

from __future__ import annotations

from typing import Any

import numpy as np

from riskkit.base.compiled import compile_loop
from riskkit.core import Bools, Codes, Floats, Ints


@compile_loop
def words_of(
    codes: Codes,
    numbers: Floats,
    code: Codes,
    number: Floats,
    upward: Bools,
    code_bits: Ints,
    number_bits: Ints,
    out: Any,
) -> None:
    """Into ``out`` (words, n) uint64: bit ``b`` of a row's words says whether it agrees with the record on column b.

    ``code_bits`` and ``number_bits`` are the bits of the categories and numbers. A number agrees where it is at least
    (``upward``), else at most, the record's; a missing one agrees with a missing one alone.
    """
    out[:] = np.uint64(0)
    for column in range(code_bits.shape[0]):
        word, bit = code_bits[column] // 64, np.uint64(1) << np.uint64(code_bits[column] % 64)
        for row in range(codes.shape[0]):
            if codes[row, column] == code[column]:
                out[word, row] |= bit
    for column in range(number_bits.shape[0]):
        word, bit = number_bits[column] // 64, np.uint64(1) << np.uint64(number_bits[column] % 64)
        wanted, rises, is_missing = number[column], upward[column], np.isnan(number[column])
        for row in range(numbers.shape[0]):
            value = numbers[row, column]
            agrees = np.isnan(value) if is_missing else (value >= wanted if rises else value <= wanted)
            if agrees:
                out[word, row] |= bit


@compile_loop
def superset_sums(word: Any, columns: int, out: Codes) -> None:
    """Into ``out`` (2^columns,): how many of the words have every bit of the index, by one pass for each bit."""
    out[:] = 0
    for row in range(word.shape[0]):
        out[word[row]] += 1
    for bit in range(columns):
        step = 1 << bit
        for start in range(0, out.shape[0], 2 * step):
            low, high = out[start : start + step], out[start + step : start + 2 * step]
            for place in range(step):
                low[place] += high[place]


@compile_loop
def counts_of(words: Any, masks: Any, out: Codes) -> None:
    """Into ``out`` (n_masks,): how many rows of ``words`` (words, n) have every bit of ``masks`` (words, n_masks)."""
    for mask_index in range(masks.shape[1]):
        total = 0
        if words.shape[0] == 1:
            mask = masks[0, mask_index]
            for row in range(words.shape[1]):
                total += (words[0, row] & mask) == mask
        else:
            for row in range(words.shape[1]):
                agrees = True
                for word in range(words.shape[0]):
                    agrees &= (words[word, row] & masks[word, mask_index]) == masks[word, mask_index]
                total += agrees
        out[mask_index] = total
