"""Mixed, against others: how near is the nearest released person, compared with other people?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from riskkit.released._bags import MIXED
from riskkit.released._two_tables import OrderedLook


@dataclass(frozen=True)
class MixedRatio(OrderedLook):
    """Less the distance to the nearest released person over that to the nearest of the reference, by both tables."""

    name: ClassVar[str] = "mixed-ratio"
    title: ClassVar[str] = "Mixed, against others"
    card: ClassVar[str] = (
        "Scores a person higher the nearer the nearest released person is, as a share of the distance to the "
        "nearest other person of the population: by parent and children together, the children for most of it. "
        "Needs a second table joined by a key, the release, and reference people. Finds people whose rows of both "
        "tables were copied together; weaker than a look at one table where the leak lives in that one."
    )
    weight: ClassVar[float] = MIXED
    needs_reference: ClassVar[bool] = True


PLUGIN = MixedRatio
