"""Parent alone: how near is the nearest released person?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from riskkit.released._bags import PARENT
from riskkit.released._two_tables import TwoTableLook


@dataclass(frozen=True)
class ParentAlone(TwoTableLook):
    """Less the distance to the nearest released person, by parent alone."""

    name: ClassVar[str] = "parent-alone"
    title: ClassVar[str] = "Parent alone"
    card: ClassVar[str] = (
        "Scores a person higher the nearer the nearest released person is: by the row of the first table alone. "
        "Needs a second table joined by a key, and nothing but the release. Finds people whose row of the first "
        "table was copied, whatever became of their rows in the second; blind to a leak that lives in those."
    )
    weight: ClassVar[float] = PARENT


PLUGIN = ParentAlone
