"""Covariances by the formula of the paper about the PWS Cup 2020."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from riskkit.table.usefulness import ComparedTables, Measure
from riskkit.utility._covariance import CEILING, covariance_agreement


@dataclass(frozen=True)
class CovariancePaper(Measure):
    """One over the error of all covariances added up."""

    name: ClassVar[str] = "covariance_paper"
    title: ClassVar[str] = "Covariances (paper)"
    card: ClassVar[str] = "One divided by the errors of all covariances added up; never more than the contest's number."
    place: ClassVar[int] = 70
    ends: ClassVar[tuple[float, float]] = (0.0, CEILING)
    thresholds: ClassVar[Mapping[str, float]] = {"paper": 0.4}

    def of(self, compared: ComparedTables) -> float:
        """See :class:`riskkit.table.usefulness.Measure`."""
        return covariance_agreement(compared.release, compared.sample, form="paper", scale=compared.scale)


PLUGIN = CovariancePaper
