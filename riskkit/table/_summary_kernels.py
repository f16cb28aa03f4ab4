"""Compiled loops of :mod:`riskkit.table.summaries`. Imported only when a table is first summed up."""

from __future__ import annotations

import numpy as np

from riskkit.compiled import compiled
from riskkit.core import Codes, Floats, Ints


@compiled
def gram_of(codes: Codes, start: Ints, dense: Floats, place: Ints, out: Floats) -> None:
    """Into ``out`` (width, width): the upper triangle of the Gram matrix ``X' X`` of one-hot rows.

    Category ``at`` of a row is the dimension ``start[at]`` plus its code less 1; the first level has none. ``dense``
    (n, m) are the other dimensions, at ``place`` (m,). Only what is not zero is multiplied.
    """
    out[:] = 0.0
    held = np.empty(codes.shape[1], dtype=np.int64)
    for row in range(codes.shape[0]):
        count = 0
        for at in range(codes.shape[1]):
            if codes[row, at] > 0:
                held[count] = start[at] + codes[row, at] - 1
                count += 1
        for one in range(count):
            for other in range(one, count):
                out[held[one], held[other]] += 1.0
        for one in range(place.shape[0]):
            value, at = dense[row, one], place[one]
            for other in range(count):
                out[min(at, held[other]), max(at, held[other])] += value
            for other in range(one, place.shape[0]):
                out[at, place[other]] += value * dense[row, other]


@compiled
def pearson_of(gram: Floats, flat: float, out: Floats) -> None:
    """Into ``out`` (d (d - 1) / 2,): the correlations of the first d dimensions, row by row above the diagonal.

    The last dimension of ``gram`` (upper triangle) is 1 in every row. A dimension whose variance is below ``flat`` of
    its mean square does not vary, and correlates with nothing: 0.
    """
    width = gram.shape[0] - 1
    n = gram[width, width]
    mean, scale = np.empty(width), np.empty(width)
    for at in range(width):
        mean[at] = gram[at, width] / n
        square = gram[at, at] / n
        variance = square - mean[at] * mean[at]
        scale[at] = 1.0 / np.sqrt(variance) if variance > flat * square else 0.0
    place = 0
    for one in range(width):
        for other in range(one + 1, width):
            out[place] = (gram[one, other] / n - mean[one] * mean[other]) * scale[one] * scale[other]
            place += 1
