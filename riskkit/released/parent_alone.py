"""Parent alone: how near is the nearest released person?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Floats
from riskkit.released._bags import PARENT, near
from riskkit.table.points import Points


@dataclass(frozen=True)
class ParentAlone:
    """Less the distance to the nearest released person, by parent alone.

    References
    ----------
    .. [1] Membership inference on relational synthetic data (MT-MIA, arXiv 2602.07126, 2026): that the children of a
       person tell what the person alone does not. The distance here is simpler and learns nothing.
    """

    name: ClassVar[str] = "parent-alone"
    title: ClassVar[str] = "Parent alone"
    card: ClassVar[str] = (
        "Scores a person higher the nearer the nearest released person is: by the row of the first table alone. "
        "Needs a second table joined by a key, and nothing but the release. Finds people whose row of the first "
        "table was copied, whatever became of their rows in the second; blind to a leak that lives in those."
    )
    needs_reference: ClassVar[bool] = False
    needs_children: ClassVar[bool] = True
    is_distance: ClassVar[bool] = True
    in_all: ClassVar[bool] = False
    """Most audits have one table; one that has two asks it."""

    def score(
        self,
        release: Points,
        targets: Points,
        reference: Points | None,  # noqa: ARG002  the shape of every attack here
        rng: np.random.Generator,  # noqa: ARG002
    ) -> Floats:
        """(n_targets,) at most 0, higher means nearer. Draws nothing at random."""
        return near(PARENT, release, targets, self.title)


PLUGIN = ParentAlone
