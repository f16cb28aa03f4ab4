"""The column whose histogram is kept worst."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from riskkit.table.usefulness import ComparedTables, Measure
from riskkit.utility._marginals import histogram_errors


@dataclass(frozen=True)
class HistogramWorst(Measure):
    """The largest error of a column's histogram."""

    name: ClassVar[str] = "histogram_worst"
    title: ClassVar[str] = "Worst histogram"
    card: ClassVar[str] = "The share of rows that would have to change for the worst column to have its real histogram."
    place: ClassVar[int] = 100
    more_is_better: ClassVar[bool] = False
    thresholds: ClassVar[Mapping[str, float]] = {"final": 0.03}

    def of(self, compared: ComparedTables) -> float:
        """See :class:`riskkit.table.usefulness.Measure`."""
        return float(histogram_errors(compared.release, compared.sample).max())


PLUGIN = HistogramWorst
