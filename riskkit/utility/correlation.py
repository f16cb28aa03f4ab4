"""Correlations: do columns move together as in the real rows?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from riskkit.table.usefulness import ComparedTables, Measure
from riskkit.utility._covariance import correlation_agreement


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

    def of(self, compared: ComparedTables) -> float:
        """See :class:`riskkit.table.usefulness.Measure`."""
        return correlation_agreement(compared.release, compared.sample)


PLUGIN = Correlation
