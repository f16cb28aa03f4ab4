"""Histograms: do the columns of a release, alone and in pairs, hold what those of the real rows hold?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np

from riskkit.core import Codes, Floats, Ints, Table
from riskkit.table.encode import bin_columns
from riskkit.table.usefulness import ComparedTables, Measure, check_comparable

VALUES = 100
"""A number of no more possible values is compared value by value; one of more in so many equal widths."""
COARSE = 20
"""The same for pairs of columns, of whose cells most would otherwise be empty."""


@dataclass(frozen=True)
class Histogram(Measure):
    """One less the mean error of the columns' histograms, by shares of rows."""

    name: ClassVar[str] = "histogram"
    title: ClassVar[str] = "Histograms"
    card: ClassVar[str] = (
        "How well each column by itself is kept: 1 where every value has the same share of rows as in the real "
        "rows, however many rows there are."
    )
    place: ClassVar[int] = 10
    frontier: ClassVar[int] = 2

    def measure(self, compared: ComparedTables) -> float:
        """See :class:`riskkit.table.usefulness.Measure`."""
        return histogram_agreement(compared.release, compared.sample)


@dataclass(frozen=True)
class HistogramCounts(Measure):
    """The contest's formula; of other people there are more or fewer, which is all it would tell of them."""

    name: ClassVar[str] = "histogram_counts"
    title: ClassVar[str] = "Histograms (contest)"
    card: ClassVar[str] = (
        "The same counted in rows, the formula of the contest and of its paper: a release of fewer or more rows than "
        "the real ones loses by it; half the rows with the same shares score 0.75."
    )
    place: ClassVar[int] = 20
    ends: ClassVar[tuple[float, float]] = (-math.inf, 1.0)
    thresholds: ClassVar[Mapping[str, float]] = {"official": 0.99, "paper": 0.99}
    of_others: ClassVar[bool] = False

    def measure(self, compared: ComparedTables) -> float:
        """See :class:`riskkit.table.usefulness.Measure`."""
        return histogram_count_agreement(compared.release, compared.sample)


@dataclass(frozen=True)
class HistogramWorst(Measure):
    """The largest error of a column's histogram."""

    name: ClassVar[str] = "histogram_worst"
    title: ClassVar[str] = "Worst histogram"
    card: ClassVar[str] = "The share of rows that would have to change for the worst column to have its real histogram."
    place: ClassVar[int] = 100
    more_is_better: ClassVar[bool] = False
    thresholds: ClassVar[Mapping[str, float]] = {"final": 0.03}

    def measure(self, compared: ComparedTables) -> float:
        """See :class:`riskkit.table.usefulness.Measure`."""
        return float(histogram_errors(compared.release, compared.sample).max())


@dataclass(frozen=True)
class Pairs(Measure):
    """One less the mean error of the joint histograms of all pairs of columns."""

    name: ClassVar[str] = "pairs"
    title: ClassVar[str] = "Pairs of columns"
    card: ClassVar[str] = "How well every two columns together are kept: 1 where every combination is as frequent."
    place: ClassVar[int] = 30
    frontier: ClassVar[int] = 1

    def measure(self, compared: ComparedTables) -> float:
        """See :class:`riskkit.table.usefulness.Measure`."""
        return pair_agreement(compared.release, compared.sample)


def histogram_errors(release: Table, sample: Table, *, bins: int = VALUES) -> Floats:
    """How far the histogram of each column is off: half the sum of absolute differences of shares.

    0 where release and real rows hold every value equally often, 1 where they share no value. The final round of the
    PWS Cup 2020 allows .03 in each column; that it means shares of rows is our reading of it.

    Returns
    -------
    (d,) in the order of the columns in use, each in [0, 1].

    Raises
    ------
    DesignError
        The tables have different schemas, no row or no column in use.
    """
    (ours, theirs), sizes = _codes(release, sample, bins)
    pairs = zip(ours.T, theirs.T, sizes, strict=True)
    return np.array([_apart(_shares(own, size), _shares(other, size)) for own, other, size in pairs])


def histogram_agreement(release: Table, sample: Table) -> float:
    """One less the mean error of the columns' histograms: 1 where every column holds the same shares, at least 0.

    It compares shares, so a release of half the rows with the same shares has 1; the contest, which counts rows, gives
    it less (:func:`histogram_count_agreement`).

    Raises
    ------
    DesignError
        As :func:`histogram_errors`.
    """
    return float(1 - histogram_errors(release, sample).mean())


def histogram_count_agreement(release: Table, sample: Table) -> float:
    """How well the columns' histograms agree, counted in rows: 1 where every value is in as many rows of both.

    The formula of the PWS Cup 2020, ``1 - sum |x_D - x_C| / (2 |C| d)`` over all values of ``d`` columns, where ``x``
    counts rows and ``|C|`` is the number of real rows; the paper about it has the same. Rows that lack or are too many
    count against a release: half the rows with the same shares have 3/4, and far more rows than ``C`` go below 0.

    Raises
    ------
    DesignError
        As :func:`histogram_errors`.

    References
    ----------
    .. [1] Rules of the PWS Cup 2020, version 2 (AMIC); Chida et al., its design and result (IPSJ Journal, 2023).
    """
    (ours, theirs), sizes = _codes(release, sample, VALUES)
    pairs = zip(ours.T, theirs.T, sizes, strict=True)
    off = sum(int(np.abs(_counts(own, size) - _counts(other, size)).sum()) for own, other, size in pairs)
    return 1 - off / (2 * len(sample) * len(sizes))


def pair_agreement(release: Table, sample: Table) -> float:
    """One less the mean error of the joint histograms of all pairs of columns; of a single column, its own.

    A release that keeps every column but shuffles them apart has full agreement of columns and little of pairs.

    Raises
    ------
    DesignError
        As :func:`histogram_errors`.
    """
    (ours, theirs), sizes = _codes(release, sample, COARSE)
    pairs = list(combinations(range(len(sizes)), 2)) or [(0, 0)]
    return float(1 - np.mean([_apart(*_joint(ours, theirs, sizes, pair)) for pair in pairs]))


def _codes(release: Table, sample: Table, bins: int) -> tuple[tuple[Codes, Codes], tuple[int, ...]]:
    check_comparable(release, sample)
    (ours, sizes), (theirs, _) = bin_columns(release, bins), bin_columns(sample, bins)
    return (ours, theirs), sizes


def _counts(codes: Codes, size: int) -> Ints:
    return np.bincount(codes, minlength=size)


def _shares(codes: Codes, size: int) -> Floats:
    return _counts(codes, size) / len(codes)


def _apart(ours: Floats, theirs: Floats) -> float:
    return float(np.abs(ours - theirs).sum() / 2)


def _joint(ours: Codes, theirs: Codes, sizes: tuple[int, ...], pair: tuple[int, int]) -> tuple[Floats, Floats]:
    """The joint shares of two columns in either table, over the cells that any row has."""
    first, second = pair
    keys = [part[:, first].astype(np.int64) * sizes[second] + part[:, second] for part in (ours, theirs)]
    cells, place = np.unique(np.concatenate(keys), return_inverse=True)
    parts = place[: len(ours)], place[len(ours) :]
    return tuple(np.bincount(part, minlength=len(cells)) / len(part) for part in parts)  # type: ignore[return-value]


PLUGIN = Histogram, HistogramCounts, HistogramWorst, Pairs
