"""Histograms counted in rows, as the PWS Cup 2020 counts them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from riskkit.table.usefulness import ComparedTables, Measure
from riskkit.utility._marginals import histogram_count_agreement


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

    def of(self, compared: ComparedTables) -> float:
        """See :class:`riskkit.table.usefulness.Measure`."""
        return histogram_count_agreement(compared.release, compared.sample)


PLUGIN = HistogramCounts
