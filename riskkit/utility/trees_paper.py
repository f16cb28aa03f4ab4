"""Decision trees by the share of equal answers, as the paper about the PWS Cup 2020 has it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from riskkit.table.usefulness import ComparedTables, Measure
from riskkit.utility._trees import agreements


@dataclass(frozen=True)
class TreesPaper(Measure):
    """The share of equal answers to the worst question asked."""

    name: ClassVar[str] = "trees_paper"
    title: ClassVar[str] = "Decision trees (paper)"
    card: ClassVar[str] = "The share of people for whom both trees answer the same, for the worst question asked."
    place: ClassVar[int] = 90
    thresholds: ClassVar[Mapping[str, float]] = {"paper": 0.85}

    def of(self, compared: ComparedTables) -> float | None:
        """See :class:`riskkit.table.usefulness.Measure`."""
        answers = compared.once(agreements)
        return min((answer.match for answer in answers), default=None)


PLUGIN = TreesPaper
