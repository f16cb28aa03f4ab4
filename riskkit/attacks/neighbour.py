"""Neighbour: are there rows of the release nearer to the target than a release without it would have?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.attacks._learned import LearnsFromReleases
from riskkit.core import Brief, Floats, Knowledge, Table
from riskkit.errors import DesignError
from riskkit.parameters import parameter
from riskkit.table.encode import Metric, distances


@dataclass(frozen=True)
class Neighbour(LearnsFromReleases):
    """Mean distance from the target to its ``m`` nearest released rows, against the attacker's own releases.

    The attacker refits the generator to the table with and without the target and measures both; the cut lies half
    way between. The score is that cut less the distance in the release, so nearer means "in". The challenger's fit is
    never reused: that would test two fixed models, not membership.

    References
    ----------
    .. [1] Miura et al., the membership game on statistics-based, Bayesian-network and CTGAN synthesis; the distance of
       their definition 3.3 is ``metric=raw``.
    """

    name: ClassVar[str] = "neighbour"
    title: ClassVar[str] = "Nearest neighbours"
    card: ClassVar[str] = (
        "Measures how near the closest released rows are to the target, and compares this with releases that the "
        "attacker makes with and without the target. Needs every other real row and the generator, and costs a few "
        "trainings of its own. Strong on outliers where a method can only repeat what it has seen. Leave it out "
        "where noise moves every row."
    )
    knowledge: ClassVar[Knowledge] = Knowledge.EXACT
    control: ClassVar[str] = "bootstrap"

    m: int = parameter(
        10, label="Neighbours", help="How many nearest released rows are averaged.", low=1, high=1000, unit="rows"
    )
    metric: str = parameter(
        "mixed",
        label="Distance",
        help="Column by column: the share of columns that differ, numbers by their share of the domain. A straight "
        "line weighs a difference by its square; in the table's own units the widest numbers decide.",
        choices={
            "mixed": "Column by column",
            "euclidean": "Straight line (Euclidean), numbers as shares of their domain",
            "raw": "Straight line (Euclidean) in the table's own units",
        },
    )
    own: int = parameter(
        10,
        label="Attacker's releases per side",
        help="How many releases the attacker makes with and without the target to place the cut.",
        low=1,
        high=1000,
        unit="releases",
    )

    def fit(self, brief: Brief, rng: np.random.Generator) -> FittedNeighbour:  # noqa: ARG002  the protocol's shape
        """Place the cut half way between the own releases with and without the targets. Draws nothing at random.

        Raises
        ------
        DesignError
            Too few own releases, or releases of fewer rows than neighbours.
        """
        if min(len(brief.shadows_in), len(brief.shadows_out)) < self.own:
            raise DesignError.phrase(
                "The neighbour attack wants {own} own releases a side and got fewer.", own=self.own
            )
        metric: Metric = self.metric  # type: ignore[assignment]  # the menu holds just these words
        ruler = FittedNeighbour(brief.targets, np.zeros(len(brief.targets)), self.m, metric)
        near = ruler.average(brief.shadows_in[: self.own])
        far = ruler.average(brief.shadows_out[: self.own])
        return FittedNeighbour(brief.targets, (near + far) / 2, self.m, metric)


@dataclass(frozen=True, slots=True)
class FittedNeighbour:
    """The targets and the distance at which each is called "in"."""

    targets: Table
    cut: Floats
    m: int
    metric: Metric

    def score(self, release: Table) -> Floats:
        """(n_targets,) the cut less the mean distance to the ``m`` nearest rows."""
        return self.cut - self.spacing(release)

    def spacing(self, release: Table) -> Floats:
        """(n_targets,) mean distance from each target to its ``m`` nearest rows of the release."""
        if len(release) < self.m:
            raise DesignError.phrase(
                "The neighbour attack averages {wanted} nearest rows, the release has {rows}: ask for "
                "fewer neighbours or a larger release.",
                wanted=self.m,
                rows=len(release),
            )
        gaps = distances(self.targets, release, self.metric)
        nearest: Floats = np.partition(gaps, self.m - 1, axis=1)[:, : self.m].mean(axis=1)
        return nearest

    def average(self, releases: Sequence[Table]) -> Floats:
        """(n_targets,) the spacing, averaged over releases."""
        mean: Floats = np.mean([self.spacing(release) for release in releases], axis=0)
        return mean


PLUGIN = Neighbour
