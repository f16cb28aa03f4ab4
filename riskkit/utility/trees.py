"""Decision trees by the F-measure of the PWS Cup 2020."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from riskkit.table.usefulness import ComparedTables, Measure
from riskkit.utility._trees import agreements


@dataclass(frozen=True)
class Trees(Measure):
    """The F-measure of the worst question asked of trees grown on the release and on the real rows."""

    name: ClassVar[str] = "trees"
    title: ClassVar[str] = "Decision trees (contest)"
    card: ClassVar[str] = (
        "How similarly a tree grown on the release and a tree grown on the real rows answer for people neither has "
        "seen: the F-measure of “yes”, for the worst question asked."
    )
    place: ClassVar[int] = 80
    thresholds: ClassVar[Mapping[str, float]] = {"official": 0.85, "final": 0.95}
    frontier: ClassVar[int] = 4

    def of(self, compared: ComparedTables) -> float | None:
        """See :class:`riskkit.table.usefulness.Measure`."""
        answers = compared.once(agreements)
        return min((answer.f for answer in answers), default=None)


PLUGIN = Trees
