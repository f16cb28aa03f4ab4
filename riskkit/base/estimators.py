"""What every estimator of scikit-learn wants of us, and gives back in a form of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np
import numpy.typing as npt

Shares = npt.NDArray[np.float64]


def integer_seed(rng: np.random.Generator) -> int:
    """The seed of a library that takes no generator, drawn from the stream."""
    return int(rng.integers(2**31))


@contextmanager
def without_limit_warning() -> Iterator[None]:
    """An optimiser that stops at its limit of steps has done what it was asked; no warning."""
    from sklearn.exceptions import ConvergenceWarning

    with catch_warnings():
        simplefilter("ignore", ConvergenceWarning)
        yield


def fill_classes(probability: Shares, classes: Any, levels: int) -> Shares:
    """(n, levels) the columns of classes that were met at their place, 0 for the others."""
    out = np.zeros((len(probability), levels))
    out[:, np.asarray(classes, dtype=np.int64)] = probability
    return out
