"""Distributions and ranks, without what takes longer to load than to work out.

All names of :mod:`scipy.stats` can be had here. It takes half a second of every process to load, so it is loaded when
one is first asked for that is not written out below. What is written out gives the same numbers to the last bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import special

Floats = npt.NDArray[np.float64]


class norm:  # noqa: N801  as scipy calls it
    """The standard normal distribution."""

    @staticmethod
    def ppf(share: Any) -> Any:
        """The number below which that share lies."""
        return special.ndtri(share)

    @staticmethod
    def isf(share: Any) -> Any:
        """The number above which that share lies."""
        return -special.ndtri(share)

    @staticmethod
    def sf(number: Any) -> Any:
        """The share above a number."""
        return special.ndtr(np.negative(number))


def ranks(values: npt.NDArray[Any]) -> Floats:
    """(n,) the rank of each number, from 1; those that tie share the mean of theirs."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    is_next = np.append(True, ordered[1:] != ordered[:-1])[: len(values)]
    group, ends = np.cumsum(is_next) - 1, np.append(np.flatnonzero(is_next), len(values))
    out = np.empty(len(values))
    out[order] = (ends[group] + ends[group + 1] + 1) / 2
    return out


def __getattr__(name: str) -> Any:
    """Whatever else there is in :mod:`scipy.stats`."""
    if name.startswith("__"):  # what Python itself looks for in a module
        raise AttributeError(name)
    from scipy import stats

    return getattr(stats, name)
