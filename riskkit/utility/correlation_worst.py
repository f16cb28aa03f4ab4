"""The pair of columns whose correlation is kept worst."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from riskkit.table.usefulness import ComparedTables, Measure
from riskkit.utility._covariance import correlation_errors


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

    def of(self, compared: ComparedTables) -> float:
        """See :class:`riskkit.table.usefulness.Measure`."""
        return float(correlation_errors(compared.release, compared.sample).max())


PLUGIN = CorrelationWorst
