"""Compiled loops of :mod:`riskkit.generators.stat`. Imported only when something is fitted."""

from __future__ import annotations

from typing import Any

import numpy as np

from riskkit.table.compiled import compiled


@compiled
def walked(columns: Any, starts: Any, orders: Any, out: Any) -> None:
    """Into ``out`` (n, d): every sorted column of (rows, d) in ``n`` equal strides from its start, put in its order."""
    rows, n = columns.shape[0], out.shape[0]
    stride = rows / n
    for column in range(out.shape[1]):
        for row in range(n):
            at = int((orders[column, row] + starts[column]) * stride)
            out[row, column] = columns[min(at, rows - 1), column]


@compiled
def pairs(held: Any, out: Any) -> None:
    """Into ``out`` (width + 1, width + 1): how many rows hold both of two dimensions of different categories, or one.

    ``held`` (n, categories) is the dimension and one more; 0 is none, and what is counted of it means nothing.
    """
    for row in range(held.shape[0]):
        for one in range(held.shape[1]):
            for other in range(one + 1):
                out[held[row, one], held[row, other]] += 1.0
    for one in range(out.shape[0]):
        for other in range(one):
            total = out[one, other] + out[other, one]
            out[one, other] = total
            out[other, one] = total


@compiled
def sums(held: Any, dense: Any, out: Any) -> None:
    """Into ``out`` (width + 1, k): the sums of ``dense`` (n, k) over the rows that hold each dimension."""
    for row in range(held.shape[0]):
        for category in range(held.shape[1]):
            for column in range(dense.shape[1]):
                out[held[row, category], column] += dense[row, column]


@compiled
def add_levels(held: Any, worth: Any, out: Any) -> None:
    """To each row of ``out`` (n, k) what the dimensions it holds are ``worth`` (width + 1, k)."""
    for row in range(held.shape[0]):
        for category in range(held.shape[1]):
            dimension = held[row, category]
            if dimension:
                for column in range(out.shape[1]):
                    out[row, column] += worth[dimension, column]


@compiled
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
