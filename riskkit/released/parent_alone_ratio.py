"""Parent alone, against others: how near is the nearest released person, compared with other people?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from riskkit.released._bags import PARENT
from riskkit.released._two_tables import TwoTableLook


@dataclass(frozen=True)
class ParentAloneRatio(TwoTableLook):
    """Less the distance to the nearest released person over that to the nearest of the reference, by parent alone."""

    name: ClassVar[str] = "parent-alone-ratio"
    title: ClassVar[str] = "Parent alone, against others"
    card: ClassVar[str] = (
        "Scores a person higher the nearer the nearest released person is, as a share of the distance to the "
        "nearest other person of the population: by the row of the first table alone. Needs a second table joined "
        "by a key, the release, and reference people. Finds people whose row of the first table was copied, "
        "whatever became of their rows in the second; blind to a leak that lives in those."
    )
    weight: ClassVar[float] = PARENT
    needs_reference: ClassVar[bool] = True


PLUGIN = ParentAloneRatio
