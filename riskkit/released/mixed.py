"""Mixed: how near is the nearest released person?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from riskkit.released._bags import MIXED
from riskkit.released._two_tables import OrderedLook


@dataclass(frozen=True)
class Mixed(OrderedLook):
    """Less the distance to the nearest released person, by parent and children."""

    name: ClassVar[str] = "mixed"
    title: ClassVar[str] = "Mixed"
    card: ClassVar[str] = (
        "Scores a person higher the nearer the nearest released person is: by parent and children together, the "
        "children for most of it. Needs a second table joined by a key, and nothing but the release. Finds people "
        "whose rows of both tables were copied together; weaker than a look at one table where the leak lives in "
        "that one."
    )
    weight: ClassVar[float] = MIXED


PLUGIN = Mixed
