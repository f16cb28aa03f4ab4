"""Pairs of columns: is every combination as frequent?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from riskkit.table.usefulness import ComparedTables, Measure
from riskkit.utility._marginals import pair_agreement


@dataclass(frozen=True)
class Pairs(Measure):
    """One less the mean error of the joint histograms of all pairs of columns."""

    name: ClassVar[str] = "pairs"
    title: ClassVar[str] = "Pairs of columns"
    card: ClassVar[str] = "How well every two columns together are kept: 1 where every combination is as frequent."
    place: ClassVar[int] = 30
    frontier: ClassVar[int] = 1

    def of(self, compared: ComparedTables) -> float:
        """See :class:`riskkit.table.usefulness.Measure`."""
        return pair_agreement(compared.release, compared.sample)


PLUGIN = Pairs
