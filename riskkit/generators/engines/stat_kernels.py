"""Compiled loops of :mod:`riskkit.generators.stat`. Imported only when something is fitted."""

from __future__ import annotations

from typing import Any

import numpy as np

from riskkit.base.compilation import compile_loop


@compile_loop
def walk_strides(columns: Any, starts: Any, orders: Any, out: Any) -> None:
    """Into ``out`` (n, d): every sorted column of (rows, d) in ``n`` equal strides from its start, put in its order."""
    rows, n = columns.shape[0], out.shape[0]
    stride = rows / n
    for column in range(out.shape[1]):
        for row in range(n):
            position = int((orders[column, row] + starts[column]) * stride)
            out[row, column] = columns[min(position, rows - 1), column]


@compile_loop
def find_held(codes: Any, starts: Any, held: Any, bits: Any) -> None:
    """Into ``held`` (n, categories): the dimension of each code and one more, 0 for code 0, which has none.

    Into ``bits`` (width + 1, words), given as zeros: for each dimension one bit a row that holds it, 64 to a word.
    """
    for row in range(codes.shape[0]):
        word, bit = row >> 6, np.uint64(1) << np.uint64(row & 63)
        for category in range(codes.shape[1]):
            code = codes[row, category]
            dimension = code + starts[category] if code > 0 else 0
            held[row, category] = dimension
            bits[dimension, word] |= bit


@compile_loop
def both(first: Any, other: Any) -> float:
    """How many bits two rows of words have in common, by adding neighbours: pairs, fours, bytes."""
    total = np.uint64(0)
    for word in range(first.shape[0]):
        x = first[word] & other[word]
        x -= (x >> np.uint64(1)) & np.uint64(0x5555555555555555)
        x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
        x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
        total += (x * np.uint64(0x0101010101010101)) >> np.uint64(56)
    return np.float64(total)


@compile_loop
def counts(bits: Any, out: Any) -> None:
    """Into ``out`` (width,): how many rows hold each dimension."""
    for column in range(out.shape[0]):
        out[column] = both(bits[column + 1], bits[column + 1])


@compile_loop
def covariance(bits: Any, share: Any, unit: Any, n: int, out: Any) -> None:
    """Into ``out`` (width, width): the covariance (n - 1) of levels, 0 where one has no unit."""
    for column in range(out.shape[0]):
        for other in range(column + 1):
            value, scale = 0.0, unit[column] * unit[other]
            if scale > 0.0:
                value = (both(bits[column + 1], bits[other + 1]) - n * share[column] * share[other]) * scale / (n - 1.0)
            out[column, other] = value
            out[other, column] = value


@compile_loop
def sums(held: Any, dense: Any, out: Any) -> None:
    """Into ``out`` (width + 1, k): the sums of ``dense`` (n, k) over the rows that hold each dimension."""
    for row in range(held.shape[0]):
        own = dense[row]
        for category in range(held.shape[1]):
            to = out[np.uint32(held[row, category])]  # a number without sign is not looked at for counting backwards
            for column in range(own.shape[0]):
                to[column] += own[column]


@compile_loop
def add_levels(held: Any, worth: Any, base: Any, out: Any) -> None:
    """To each row of ``out`` (n, k) ``base`` (k,) and what the dimensions it holds are ``worth`` (width + 1, k)."""
    for row in range(held.shape[0]):
        for column in range(out.shape[1]):
            out[row, column] += base[column]
        for category in range(held.shape[1]):
            dimension = held[row, category]
            if dimension:
                for column in range(out.shape[1]):
                    out[row, column] += worth[dimension, column]


@compile_loop
def root_of_tridiagonal(
    diagonal: Any, beside: Any, shifts: Any, weights: Any, least: float, most: float, out: Any
) -> bool:
    """Into ``out`` (d, d): the sum over shifts of ``weight (T + shift)^-1``, T symmetric and tridiagonal.

    False, and nothing is written, unless all eigenvalues of T lie between ``least`` and ``most``: the eliminations of
    ``T - least`` and ``most - T`` have positive pivots alone.
    """
    d = diagonal.shape[0]
    above, below = diagonal[0] - least, most - diagonal[0]
    for row in range(1, d):
        if not (above > 0.0 and below > 0.0):
            return False
        above = diagonal[row] - least - beside[row - 1] ** 2 / above
        below = most - diagonal[row] - beside[row - 1] ** 2 / below
    if not (above > 0.0 and below > 0.0):
        return False
    out[:] = 0.0
    last, column = np.empty(d), np.empty(d)
    for term in range(shifts.shape[0]):
        shift, weight = shifts[term], weights[term]
        last[d - 1] = diagonal[d - 1] + shift  # pivots of the elimination from the last row upwards
        for row in range(d - 2, -1, -1):
            last[row] = diagonal[row] + shift - beside[row] ** 2 / last[row + 1]
        lost = 0.0  # by a row of the elimination from the first row downwards
        for row in range(d):
            if row:
                ratio = -beside[row - 1] / last[row]
                for before in range(row):
                    column[before] *= ratio
                lost = beside[row - 1] ** 2 / (diagonal[row - 1] + shift - lost)
            column[row] = weight / (last[row] - lost)
            for before in range(row + 1):
                out[row, before] += column[before]
    for row in range(d):
        for before in range(row):
            out[before, row] = out[row, before]
    return True


@compile_loop
def standardise(matrix: Any, mean: Any, sd: Any) -> None:
    """In place: columns of mean 0 and variance 1 (n - 1), or 0 where constant. ``mean`` and ``sd`` are written."""
    n, columns = matrix.shape
    least, most = matrix[0].copy(), matrix[0].copy()
    mean[:] = 0.0
    for row in range(n):
        for column in range(columns):
            value = matrix[row, column]
            mean[column] += value
            least[column], most[column] = min(least[column], value), max(most[column], value)
    for column in range(columns):
        mean[column] = least[column] if least[column] == most[column] else mean[column] / n
    again, squares = np.zeros(columns), np.zeros(columns)
    for row in range(n):
        for column in range(columns):
            matrix[row, column] -= mean[column]
            again[column] += matrix[row, column]
    again /= n  # what the first mean lost to rounding on large numbers
    for row in range(n):
        for column in range(columns):
            matrix[row, column] -= again[column]
            squares[column] += matrix[row, column] ** 2
    for column in range(columns):
        mean[column] += again[column]
        sd[column] = np.sqrt(squares[column] / (n - 1))
        if sd[column] > 0.0:
            for row in range(n):
                matrix[row, column] /= sd[column]
