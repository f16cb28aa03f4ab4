"""Collisions: does the release hit the target more often than its surroundings explain?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Floats
from riskkit.parameters import parameter
from riskkit.released._attack import FileAttack, Sight
from riskkit.table.neighbours import counts_within, nearest

AROUND = 3.0
"""How many times the reach the surroundings extend."""


@dataclass(frozen=True)
class Collision(FileAttack):
    """Released rows that hit the target or nearly so, over those around it.

    TableGAN-MCA trains generators of its own and learns from them which released rows are members. Nothing is trained
    here: what its classifier picks up, rows that a release repeats more often than the density there explains, is
    counted directly. A hit is a released row within ``reach`` times the usual spacing of the release (the median
    distance of a released row to its nearest other); the score is hits over (rows within three times that distance
    plus 1), so that a hit in a sparse place counts most and a miss counts 0 everywhere.

    References
    ----------
    .. [1] Hu et al., TableGAN-MCA: membership collisions of released tables made by GANs (CCS 2021).
    """

    name: ClassVar[str] = "collision"
    title: ClassVar[str] = "Collisions"
    card: ClassVar[str] = (
        "Scores a record higher the more released rows equal it, or nearly do, beyond what the density around it "
        "explains. Needs nothing but the release; unlike the published attack it trains no generator. Finds copies "
        "and near copies in dense and sparse places alike; blind to rows beyond its reach."
    )
    least: ClassVar[int] = 2
    reach: float = parameter(
        0.5,
        label="Reach",
        help="A hit is a released row within this many times the usual spacing of the release.",
        low=0.0,
        high=10.0,
    )

    def judge(self, sight: Sight) -> Floats:
        """(n_targets,) 0 for a miss, below 1; higher means hit more often than the density there explains."""
        radius = self.reach * float(np.median(nearest(sight.release, sight.release, 2)[0][:, 1]))
        hits, around = (counts_within(sight.targets, sight.release, radius * times) for times in (1.0, AROUND))
        return hits / (around + 1.0)


PLUGIN = Collision
