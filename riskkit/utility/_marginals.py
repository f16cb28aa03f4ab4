"""Do the columns of a release, alone and in pairs, hold what those of the real rows hold?"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from riskkit.core import Codes, Floats, Ints, Table
from riskkit.errors import DesignError
from riskkit.phrases import phrase
from riskkit.table.encode import binned

VALUES = 100
"""A number of no more possible values is compared value by value; one of more in so many equal widths."""
COARSE = 20
"""The same for pairs of columns, of whose cells most would otherwise be empty."""


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
    (ours, theirs), sizes = _coded(release, sample, bins)
    pairs = zip(ours.T, theirs.T, sizes, strict=True)
    return np.array([_apart(_shares(own, size), _shares(other, size)) for own, other, size in pairs])


def histogram_agreement(release: Table, sample: Table, *, bins: int = VALUES) -> float:
    """One less the mean error of the columns' histograms: 1 where every column holds the same shares, at least 0.

    It compares shares, so a release of half the rows with the same shares has 1; the contest, which counts rows, gives
    it less (:func:`histogram_count_agreement`).

    Raises
    ------
    DesignError
        As :func:`histogram_errors`.
    """
    return float(1 - histogram_errors(release, sample, bins=bins).mean())


def histogram_count_agreement(release: Table, sample: Table, *, bins: int = VALUES) -> float:
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
    (ours, theirs), sizes = _coded(release, sample, bins)
    pairs = zip(ours.T, theirs.T, sizes, strict=True)
    off = sum(int(np.abs(_counts(own, size) - _counts(other, size)).sum()) for own, other, size in pairs)
    return 1 - off / (2 * len(sample) * len(sizes))


def pair_agreement(release: Table, sample: Table, *, bins: int = COARSE) -> float:
    """One less the mean error of the joint histograms of all pairs of columns; of a single column, its own.

    A release that keeps every column but shuffles them apart has full agreement of columns and little of pairs.

    Raises
    ------
    DesignError
        As :func:`histogram_errors`.
    """
    (ours, theirs), sizes = _coded(release, sample, bins)
    pairs = list(combinations(range(len(sizes)), 2)) or [(0, 0)]
    return float(1 - np.mean([_apart(*_joint(ours, theirs, sizes, pair)) for pair in pairs]))


def same_kind(release: Table, sample: Table) -> None:
    """Refuse tables that cannot be compared: :class:`DesignError` for other schemas, no row, or no column."""
    if release.schema != sample.schema:
        raise DesignError(phrase("The release and the real rows have different schemas. Load both files together."))
    if not len(release) or not len(sample):
        raise DesignError(phrase("There is nothing to compare: one of the two tables has no row."))
    if not sample.schema.modelled:
        raise DesignError(phrase("No column is left to compare. Give at least one column a role on the Data page."))


def _coded(release: Table, sample: Table, bins: int) -> tuple[tuple[Codes, Codes], tuple[int, ...]]:
    same_kind(release, sample)
    (ours, sizes), (theirs, _) = binned(release, bins), binned(sample, bins)
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
