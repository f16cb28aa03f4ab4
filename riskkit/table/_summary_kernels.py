"""Compiled loops of :mod:`riskkit.table.summaries`. Imported only when a table is first summed up."""

from __future__ import annotations

import numpy as np

from riskkit.base.compiled import compile_loop
from riskkit.core import Codes, Floats, Ints


@compile_loop
def gram_of(codes: Codes, start: Ints, dense: Floats, place: Ints, out: Floats) -> None:
    """Into ``out`` (width, width): the upper triangle of the Gram matrix ``X' X`` of one-hot rows.

    Category ``column`` of a row is the dimension ``start[column]`` plus its code less 1; the first level has none.
    ``dense`` (n, m) are the other dimensions, at ``place`` (m,). Only what is not zero is multiplied.
    """
    out[:] = 0.0
    held = np.empty(codes.shape[1], dtype=np.int64)
    for row in range(codes.shape[0]):
        count = 0
        for column in range(codes.shape[1]):
            if codes[row, column] > 0:
                held[count] = start[column] + codes[row, column] - 1
                count += 1
        for first in range(count):
            for other in range(first, count):
                out[held[first], held[other]] += 1.0
        for first in range(place.shape[0]):
            value, column = dense[row, first], place[first]
            for other in range(count):
                out[min(column, held[other]), max(column, held[other])] += value
            for other in range(first, place.shape[0]):
                out[column, place[other]] += value * dense[row, other]


@compile_loop
def pearson_of(gram: Floats, flat: float, out: Floats) -> None:
    """Into ``out`` (d (d - 1) / 2,): the correlations of the first d dimensions, row by row above the diagonal.

    The last dimension of ``gram`` (upper triangle) is 1 in every row. A dimension whose variance is below ``flat`` of
    its mean square does not vary, and correlates with nothing: 0.
    """
    width = gram.shape[0] - 1
    n = gram[width, width]
    mean, scale = np.empty(width), np.empty(width)
    for column in range(width):
        mean[column] = gram[column, width] / n
        square = gram[column, column] / n
        variance = square - mean[column] * mean[column]
        scale[column] = 1.0 / np.sqrt(variance) if variance > flat * square else 0.0
    place = 0
    for first in range(width):
        for other in range(first + 1, width):
            out[place] = (gram[first, other] / n - mean[first] * mean[other]) * scale[first] * scale[other]
            place += 1
