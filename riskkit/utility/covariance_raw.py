"""Covariances by the official formula, in the units of the table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from riskkit.table.usefulness import ComparedTables, Measure
from riskkit.utility._covariance import CEILING, covariance_agreement


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

    def of(self, compared: ComparedTables) -> float:
        """See :class:`riskkit.table.usefulness.Measure`."""
        return covariance_agreement(compared.release, compared.sample, scale="raw")


PLUGIN = CovarianceRaw
