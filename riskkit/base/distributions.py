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


class beta:  # noqa: N801  as scipy calls it
    """The law of a share of which so much is known."""

    @staticmethod
    def ppf(share: Any, first: Any, second: Any) -> Any:
        """The number below which that share lies."""
        return special.betaincinv(first, second, share)

    @staticmethod
    def isf(share: Any, first: Any, second: Any) -> Any:
        """The number above which that share lies."""
        return special.betainccinv(first, second, share)

    @staticmethod
    def cdf(number: Any, first: Any, second: Any) -> Any:
        """The share below a number."""
        return special.betainc(first, second, np.clip(number, 0.0, 1.0))


class t:  # noqa: N801  as scipy calls it
    """Student's distribution."""

    @staticmethod
    def ppf(share: Any, freedom: Any) -> Any:
        """The number below which that share lies, with so many degrees of freedom."""
        shares = np.asarray(share)
        inner = np.where(shares == 0, -np.inf, np.where(shares == 1, np.inf, special.stdtrit(freedom, share)))
        return np.where(np.asarray(freedom) > 0, inner, np.nan)[()]


def ranks(values: npt.NDArray[Any]) -> Floats:
    """(n,) the rank of each number, from 1; those that tie share the mean of theirs."""
    return rankdata(values)


def rankdata(values: npt.ArrayLike, axis: int | None = None) -> Floats:
    """The rank of each number along that axis, of all where it is None; those that tie share the mean of theirs.

    As :func:`scipy.stats.rankdata`, which is asked where a number is missing.
    """
    numbers = np.asarray(values)
    if axis is None:
        numbers, axis = numbers.ravel(), -1
    if numbers.dtype.kind == "f" and np.isnan(numbers).any():
        from scipy import stats

        missing: Floats = stats.rankdata(numbers, axis=axis)
        return missing
    if not numbers.size:
        return np.empty(numbers.shape)
    rows = np.moveaxis(numbers, axis, -1)
    n = rows.shape[-1]
    order = np.argsort(rows, axis=-1, kind="stable").reshape(-1, n)
    begins = n * np.arange(len(order))[:, None]  # where each row begins, one row behind the other
    ordered = np.ascontiguousarray(rows).reshape(-1)[order + begins]
    is_next = np.ones(order.shape, dtype=np.bool_)
    is_next[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    group, ends = np.cumsum(is_next).reshape(order.shape) - 1, np.append(np.flatnonzero(is_next), is_next.size)
    out = np.empty(is_next.size)
    out[order + begins] = (ends[group] + ends[group + 1] + 1) / 2 - begins
    return np.moveaxis(out.reshape(rows.shape), -1, axis)


def __getattr__(name: str) -> Any:
    """Whatever else there is in :mod:`scipy.stats`."""
    if name.startswith("__"):  # what Python itself looks for in a module
        raise AttributeError(name)
    from scipy import stats

    return getattr(stats, name)
