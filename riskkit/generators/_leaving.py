"""A fit that gives up one row without a refit gives up a set of rows too: a person takes all of theirs along."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from riskkit.core import Ints

Fit = TypeVar("Fit")
Left = TypeVar("Left")


def leaving(rows: npt.ArrayLike) -> Ints:
    """The different rows of a set, the last first: where they leave in this order, no number moves."""
    return np.unique(np.asarray(rows, dtype=np.int64))[::-1]


def one_by_one(without: Callable[[Fit, int], Left]) -> Callable[[Fit, npt.ArrayLike], Left]:
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
