"""Histograms: is each column by itself kept?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from riskkit.table.usefulness import ComparedTables, Measure
from riskkit.utility._marginals import histogram_agreement


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

    def of(self, compared: ComparedTables) -> float:
        """See :class:`riskkit.table.usefulness.Measure`."""
        return histogram_agreement(compared.release, compared.sample)


PLUGIN = Histogram
