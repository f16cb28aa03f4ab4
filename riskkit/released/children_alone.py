"""Children alone: how near is the nearest released person?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Floats
from riskkit.parameters import check_parameters, parameter
from riskkit.released._bags import CHILDREN, near
from riskkit.table.points import Points


@dataclass(frozen=True)
class ChildrenAlone:
    """Less the distance to the nearest released person, by children alone.

    References
    ----------
    .. [1] Membership inference on relational synthetic data (MT-MIA, arXiv 2602.07126, 2026): that the children of a
       person tell what the person alone does not. The distance here is simpler and learns nothing.
    """

    name: ClassVar[str] = "children-alone"
    title: ClassVar[str] = "Children alone"
    card: ClassVar[str] = (
        "Scores a person higher the nearer the nearest released person is: by the rows of the second table and "
        "how many they are. Needs a second table joined by a key, and nothing but the release. Finds people whose "
        "rows of the second table were copied as a whole, whoever they were given to; blind to a leak that lives "
        "in the first table."
    )
    needs_reference: ClassVar[bool] = False
    needs_children: ClassVar[bool] = True
    is_distance: ClassVar[bool] = True
    in_all: ClassVar[bool] = False
    """Most audits have one table; one that has two asks it."""

    ordered: bool = parameter(
        False,
        label="Keep the order of rows",
        help="Compare the rows of two people one after the other, by the first column of dates of the second table.",
    )

    def __post_init__(self) -> None:
        check_parameters(self)

    def score(
        self,
        release: Points,
        targets: Points,
        reference: Points | None,  # noqa: ARG002  the shape of every attack here
        rng: np.random.Generator,  # noqa: ARG002
    ) -> Floats:
        """(n_targets,) at most 0, higher means nearer. Draws nothing at random."""
        return near(CHILDREN, release, targets, self.title, ordered=self.ordered)


PLUGIN = ChildrenAlone
