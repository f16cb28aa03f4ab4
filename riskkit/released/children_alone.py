"""Children alone: how near is the nearest released person?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from riskkit.released._bags import CHILDREN
from riskkit.released._two_tables import OrderedLook


@dataclass(frozen=True)
class ChildrenAlone(OrderedLook):
    """Less the distance to the nearest released person, by children alone."""

    name: ClassVar[str] = "children-alone"
    title: ClassVar[str] = "Children alone"
    card: ClassVar[str] = (
        "Scores a person higher the nearer the nearest released person is: by the rows of the second table and "
        "how many they are. Needs a second table joined by a key, and nothing but the release. Finds people whose "
        "rows of the second table were copied as a whole, whoever they were given to; blind to a leak that lives "
        "in the first table."
    )
    weight: ClassVar[float] = CHILDREN


PLUGIN = ChildrenAlone
