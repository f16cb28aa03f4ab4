"""Children alone, against others: how near is the nearest released person, compared with other people?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from riskkit.released._bags import CHILDREN
from riskkit.released._two_tables import OrderedLook


@dataclass(frozen=True)
class ChildrenAloneRatio(OrderedLook):
    """Less the distance to the nearest released person over that to the nearest of the reference, by children alone."""

    name: ClassVar[str] = "children-alone-ratio"
    title: ClassVar[str] = "Children alone, against others"
    card: ClassVar[str] = (
        "Scores a person higher the nearer the nearest released person is, as a share of the distance to the "
        "nearest other person of the population: by the rows of the second table and how many they are. Needs a "
        "second table joined by a key, the release, and reference people. Finds people whose rows of the second "
        "table were copied as a whole, whoever they were given to; blind to a leak that lives in the first table."
    )
    weight: ClassVar[float] = CHILDREN
    needs_reference: ClassVar[bool] = True


PLUGIN = ChildrenAloneRatio
