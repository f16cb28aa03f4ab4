"""Local neighbourhood: how much of the release lies near the target?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Floats
from riskkit.parameters import check_parameters, parameter
from riskkit.released._distances import within
from riskkit.table.points import RowPoints


@dataclass(frozen=True)
class LocalNeighbourhood:
    """The share of released rows at the radius or nearer.

    References
    ----------
    .. [1] Ward et al., Synth-MIA (AISec 2025), which publishes it with radius 1.
    """

    name: ClassVar[str] = "local-neighbourhood"
    title: ClassVar[str] = "Rows within a radius"
    card: ClassVar[str] = (
        "Scores a record higher the more released rows lie within a fixed radius. Needs nothing but the release "
        "and a radius that suits its scale: in tables 1 is one category changed or one standard deviation; in "
        "plain arrays it is in their own units and may hold no row or all. Finds places that a release fills too "
        "densely; blind to single copies, and it takes typical records for members."
    )
    needs_reference: ClassVar[bool] = False
    radius: float = parameter(
        1.0,
        label="Radius",
        help="Released rows at this distance or nearer are counted; in tables a category that differs is 1 away.",
        low=0.0,
        high=1e6,
    )

    def __post_init__(self) -> None:
        check_parameters(self)

    def score(
        self,
        release: RowPoints,
        targets: RowPoints,
        reference: RowPoints | None,  # noqa: ARG002  the shape of every attack here
        rng: np.random.Generator,  # noqa: ARG002
    ) -> Floats:
        """(n_targets,) share between 0 and 1. Draws nothing at random."""
        return within(release, targets, self.radius)


PLUGIN = LocalNeighbourhood
