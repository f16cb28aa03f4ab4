"""Covariances and correlations: do the columns of a release move together as those of the real rows do?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from riskkit.core import Floats, Table
from riskkit.table.encode import Scale, labels, onehot
from riskkit.table.usefulness import ComparedTables, Measure, check_comparable

Form = Literal["official", "paper"]
CEILING = 1e6
"""What stands for the agreement of equal covariances, which the formula divides by nought."""

ROUNDING = 1e-13
"""Part of two columns' spreads by which equal covariances differ when the same rows are summed in another order."""


@dataclass(frozen=True)
class Correlation(Measure):
    """One less the mean absolute error of the correlations of all pairs of columns."""

    name: ClassVar[str] = "correlation"
    title: ClassVar[str] = "Correlations"
    card: ClassVar[str] = (
        "One minus the mean error of the correlations of two columns: 1 where all correlations are kept."
    )
    place: ClassVar[int] = 40
    frontier: ClassVar[int] = 3

    def measure(self, compared: ComparedTables) -> float:
        """See :class:`riskkit.table.usefulness.Measure`."""
        return correlation_agreement(compared.release, compared.sample)


@dataclass(frozen=True)
class CorrelationWorst(Measure):
    """The largest error of a correlation."""

    name: ClassVar[str] = "correlation_worst"
    title: ClassVar[str] = "Worst correlation"
    card: ClassVar[str] = "The error of the correlation of the worst pair of columns."
    place: ClassVar[int] = 110
    ends: ClassVar[tuple[float, float]] = (0.0, 2.0)
    more_is_better: ClassVar[bool] = False
    thresholds: ClassVar[Mapping[str, float]] = {"final": 0.1}

    def measure(self, compared: ComparedTables) -> float:
        """See :class:`riskkit.table.usefulness.Measure`."""
        return float(correlation_errors(compared.release, compared.sample).max())


@dataclass(frozen=True)
class Covariance(Measure):
    """One over the error of the covariances in their worst row, in the unit that the contest's plan asks for."""

    name: ClassVar[str] = "covariance"
    title: ClassVar[str] = "Covariances (contest)"
    card: ClassVar[str] = (
        "One divided by the error of the covariances in the worst row of their matrix, the official formula: 0.4 means "
        "a total error of 2.5 in that row. Numbers count in standard deviations, unless the plan asks for the table's "
        "own units."
    )
    place: ClassVar[int] = 50
    ends: ClassVar[tuple[float, float]] = (0.0, CEILING)
    thresholds: ClassVar[Mapping[str, float]] = {"official": 0.4}

    def measure(self, compared: ComparedTables) -> float:
        """See :class:`riskkit.table.usefulness.Measure`."""
        return covariance_agreement(compared.release, compared.sample, scale=compared.scale)


@dataclass(frozen=True)
class CovariancePaper(Measure):
    """One over the error of all covariances added up."""

    name: ClassVar[str] = "covariance_paper"
    title: ClassVar[str] = "Covariances (paper)"
    card: ClassVar[str] = "One divided by the errors of all covariances added up; never more than the contest's number."
    place: ClassVar[int] = 70
    ends: ClassVar[tuple[float, float]] = (0.0, CEILING)
    thresholds: ClassVar[Mapping[str, float]] = {"paper": 0.4}

    def measure(self, compared: ComparedTables) -> float:
        """See :class:`riskkit.table.usefulness.Measure`."""
        return covariance_agreement(compared.release, compared.sample, form="paper", scale=compared.scale)


@dataclass(frozen=True)
class CovarianceRaw(Measure):
    """The official formula in the table's own units, whatever the plan asks for."""

    name: ClassVar[str] = "covariance_raw"
    title: ClassVar[str] = "Covariances (contest, own units)"
    card: ClassVar[str] = (
        "The same official formula with numbers in the units of the table, where a number of large spread "
        "outweighs all else: two samples of the same people may miss the contest's threshold."
    )
    place: ClassVar[int] = 60
    ends: ClassVar[tuple[float, float]] = (0.0, CEILING)

    def measure(self, compared: ComparedTables) -> float:
        """See :class:`riskkit.table.usefulness.Measure`."""
        return covariance_agreement(compared.release, compared.sample, scale="raw")


def covariance_agreement(release: Table, sample: Table, *, form: Form = "official", scale: Scale = "raw") -> float:
    """One over how far the covariances are off: large where they agree, above 0, at most :data:`CEILING`.

    Covariances are those of the one-hot rows with every level, divided by ``n - 1``. ``official``, the PWS Cup 2020:
    absolute differences are summed row by row and the **worst row** counts, so .4 allows it 2.5. ``paper``: they are
    summed over the whole matrix, which is never less, so the same tables agree less.

    Parameters
    ----------
    scale
        ``raw`` are the units of the table. ``standard`` divides numbers by their standard deviation in the schema. The
        rules of the contest do not say which; with ages in years two samples of 10,000 census rows have an agreement
        below .4 by chance alone, so nobody could have taken part.

    Raises
    ------
    DesignError
        The tables have different schemas, no row or no column in use.
    """
    check_comparable(release, sample)
    there = _covariance(onehot(sample, scale=scale, drop_first=False))
    off = np.abs(_covariance(onehot(release, scale=scale, drop_first=False)) - there)
    spread = np.sqrt(np.diag(there))
    off[off <= ROUNDING * np.outer(spread, spread)] = 0
    worst = off.sum(axis=1).max() if form == "official" else off.sum()
    return float(min(1 / worst, CEILING)) if worst > 0 else CEILING


def correlation_errors(release: Table, sample: Table) -> Floats:
    """(d, d) how far the correlation of every two columns is off, in [0, 2]; 0 on the diagonal.

    A category counts as its code, a missing number as the column's mean, a column without spread as uncorrelated. The
    final round of the PWS Cup 2020 allows .1 in each pair; that codes stand for categories is our reading of it.

    Raises
    ------
    DesignError
        As :func:`covariance_agreement`.
    """
    check_comparable(release, sample)
    return np.abs(_correlation(labels(release)) - _correlation(labels(sample)))


def correlation_agreement(release: Table, sample: Table) -> float:
    """One less the mean absolute error of the correlations of all pairs of columns; 1 of a single column.

    Raises
    ------
    DesignError
        As :func:`covariance_agreement`.
    """
    off = correlation_errors(release, sample)
    pairs = off[np.triu_indices(len(off), 1)]
    return float(1 - pairs.mean()) if len(pairs) else 1.0


def _covariance(matrix: Floats) -> Floats:
    centred = matrix - matrix.mean(axis=0)
    covariance: Floats = centred.T @ centred / max(len(matrix) - 1, 1)
    return covariance


def _correlation(matrix: Floats) -> Floats:
    """Correlations; 0 with a column that has no spread, and 1 on the diagonal."""
    covariance = _covariance(matrix)
    spread = np.sqrt(np.diag(covariance))
    flat = spread <= 1e-12 * np.abs(matrix).max(axis=0, initial=1.0)
    units = np.outer(np.where(flat, 1.0, spread), np.where(flat, 1.0, spread))
    correlation = np.where(flat[:, None] | flat[None], 0.0, covariance / units)
    np.fill_diagonal(correlation, 1.0)
    return correlation


PLUGIN = Correlation, CorrelationWorst, Covariance, CovariancePaper, CovarianceRaw
