"""Sorted columns: a histogram that keeps every value, and gives one up without being sorted again."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from riskkit.core import Codes, Floats

Columns = TypeVar("Columns", Codes, Floats)


def in_order(numbers: Floats) -> Floats:
    """(n, d) each column sorted, missing numbers last; -0.0 is 0.0, or which of the two leaves would be an accident."""
    return np.sort(numbers + 0.0, axis=0)


def dropped(columns: Columns, values: Columns) -> Columns:
    """(n - 1, d) the columns, each sorted, without the one value of each that is named; NaN stands last.

    ``values`` is (d,); each must occur in its column.
    """
    rank = [np.searchsorted(column, value) for column, value in zip(columns.T, values, strict=True)]
    before = np.arange(len(columns) - 1)[:, None] < np.array(rank, dtype=np.int64)
    out: Columns = np.where(before, columns[:-1], columns[1:])
    return out
