"""What looks at two tables share: all score a person by the distance to the nearest released one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Floats
from riskkit.parameters import check_parameters, parameter
from riskkit.released._bags import near, nearer
from riskkit.table.points import RowPoints


@dataclass(frozen=True)
class TwoTableLook:
    """Less the distance to the nearest released person; with a reference, as a share of that to the nearest of it.

    ``weight`` is the share of the first table in the distance.

    References
    ----------
    .. [1] Membership inference on relational synthetic data (MT-MIA, arXiv 2602.07126, 2026): that the children of a
       person tell what the person alone does not. The distance here is simpler and learns nothing.
    """

    title: ClassVar[str]
    weight: ClassVar[float]
    needs_reference: ClassVar[bool] = False
    needs_children: ClassVar[bool] = True
    is_distance: ClassVar[bool] = True
    in_all: ClassVar[bool] = False
    """Most audits have one table; one that has two asks it."""

    @property
    def is_ordered(self) -> bool:
        """Whether the rows of two people are compared one after the other."""
        return False

    def score(
        self,
        release: RowPoints,
        targets: RowPoints,
        reference: RowPoints | None,
        rng: np.random.Generator,  # noqa: ARG002  the shape of every attack here
    ) -> Floats:
        """(n_targets,) at most 0, higher means nearer. Draws nothing at random."""
        if self.needs_reference:
            return nearer(self.weight, release, targets, reference, self.title, ordered=self.is_ordered)
        return near(self.weight, release, targets, self.title, ordered=self.is_ordered)


@dataclass(frozen=True)
class OrderedLook(TwoTableLook):
    """A look at children, whose rows may have an order."""

    ordered: bool = parameter(
        False,
        label="Keep the order of rows",
        help="Compare the rows of two people one after the other, by the first column of dates of the second table.",
    )

    def __post_init__(self) -> None:
        check_parameters(self)

    @property
    def is_ordered(self) -> bool:
        """As it was asked."""
        return self.ordered
