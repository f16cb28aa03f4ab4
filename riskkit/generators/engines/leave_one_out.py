"""A fit that gives up one row without a refit gives up a set of rows too: a person takes all of theirs along."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from riskkit.core import Codes, Floats, Ints

Fit = TypeVar("Fit")
Left = TypeVar("Left")


def leaving(rows: npt.ArrayLike) -> Ints:
    """The different rows of a set, the last first: where they leave in this order, no number moves."""
    return np.unique(np.asarray(rows, dtype=np.int64))[::-1]


def in_turn(without: Callable[[Fit, int], Left]) -> Callable[[Fit, npt.ArrayLike], Left]:
    """The ``without`` of one row as one of a row or of a set of rows, which leave one after another."""

    @wraps(without)
    def of_set(fitted: Any, rows: npt.ArrayLike) -> Any:
        last_first = leaving(rows).tolist()
        if len(last_first) == 1:
            return without(fitted, last_first[0])
        for row in last_first:
            fitted = fitted.without(row)  # what is left may be a fit of another class
        return fitted

    return of_set


Columns = TypeVar("Columns", Codes, Floats)


def in_order(numbers: Floats) -> Floats:
    """(n, d) each column sorted, missing numbers last; -0.0 is 0.0, or which of the two leaves would be an accident."""
    return np.sort(numbers + 0.0, axis=0)


def drop_row(columns: Columns, values: Columns) -> Columns:
    """(n - 1, d) the columns, each sorted, without the one value of each that is named; NaN stands last.

    ``values`` is (d,); each must occur in its column.
    """
    rank = [np.searchsorted(column, value) for column, value in zip(columns.T, values, strict=True)]
    before = np.arange(len(columns) - 1)[:, None] < np.array(rank, dtype=np.int64)
    out: Columns = np.where(before, columns[:-1], columns[1:])
    return out
