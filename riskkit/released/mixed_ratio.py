"""Mixed, against others: how near is the nearest released person, compared with other people?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Floats
from riskkit.parameters import check_parameters, parameter
from riskkit.released._bags import MIXED, nearer
from riskkit.table.points import Points


@dataclass(frozen=True)
class MixedRatio:
    """Less the distance to the nearest released person over that to the nearest of the reference, by both tables.

    References
    ----------
    .. [1] Membership inference on relational synthetic data (MT-MIA, arXiv 2602.07126, 2026): that the children of a
       person tell what the person alone does not. The distance here is simpler and learns nothing.
    """

    name: ClassVar[str] = "mixed-ratio"
    title: ClassVar[str] = "Mixed, against others"
    card: ClassVar[str] = (
        "Scores a person higher the nearer the nearest released person is, as a share of the distance to the "
        "nearest other person of the population: by parent and children together, the children for most of it. "
        "Needs a second table joined by a key, the release, and reference people. Finds people whose rows of both "
        "tables were copied together; weaker than a look at one table where the leak lives in that one."
    )
    needs_reference: ClassVar[bool] = True
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
        reference: Points | None,
        rng: np.random.Generator,  # noqa: ARG002  the shape of every attack here
    ) -> Floats:
        """(n_targets,) at most 0, higher means nearer. Draws nothing at random."""
        return nearer(MIXED, release, targets, reference, self.title, ordered=self.ordered)


PLUGIN = MixedRatio
