"""Covariances by the official formula of the PWS Cup 2020."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from riskkit.table.usefulness import ComparedTables, Measure
from riskkit.utility._covariance import CEILING, covariance_agreement


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

    def of(self, compared: ComparedTables) -> float:
        """See :class:`riskkit.table.usefulness.Measure`."""
        return covariance_agreement(compared.release, compared.sample, scale=compared.scale)


PLUGIN = Covariance
