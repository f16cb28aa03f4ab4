"""Groundhog: do the summary figures of the release look as they do with the target, or without?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.attacks._learned import Judge, learn, own_releases
from riskkit.core import Brief, Floats, Knowledge, Table
from riskkit.parameters import CheckedPlugin, parameter
from riskkit.table.summaries import correlations, figures, histograms

BINS = 10
"""Bins of a number in the histograms, of equal width over the frozen domain: the same in every release."""
FEATURES: Mapping[str, Callable[[Table], Floats]] = {
    "naive": figures,
    "hist": lambda table: histograms(table, BINS),
    "corr": correlations,
    "ensemble": lambda table: np.concatenate([figures(table), histograms(table, BINS), correlations(table)]),
}
MODELS = {"forest": "forest", "logistic": "logistic", "k-nn": "nearest", "svm": "svm"}
"""The names of the menu, and of what is learnt."""


@dataclass(frozen=True)
class Groundhog(CheckedPlugin):
    """Learns from the attacker's own releases to tell summary figures with the targets from those without.

    Features: ``naive`` has three figures a column, ``hist`` the counts of all levels and bins, ``corr`` the
    correlations of all one-hot dimensions, ``ensemble`` all of them. They are standard scores over the own releases, so
    that no model sees units. ``forest`` is 100 trees, ``logistic`` has a penalty of half the squared length, ``k-nn``
    compares the mean distance to the 5 nearest own releases of each side, ``svm`` has a Gaussian kernel.

    References
    ----------
    .. [1] Stadler, Oprisanu, Troncoso 2022, Synthetic data: anonymisation groundhog day,
       https://arxiv.org/abs/2011.07018
    """

    name: ClassVar[str] = "groundhog"
    title: ClassVar[str] = "Summary figures (Groundhog)"
    card: ClassVar[str] = (
        "Summarises the release in figures (means, frequencies, histograms, correlations) and learns from releases "
        "of the attacker's own which figures change with the target. Needs the generator and many such releases, "
        "which take most of its time. Looks at no single record: it finds what outliers do to whole columns and "
        "misses rare combinations. Leave it out where the generator takes hours to train, or where one person "
        "changes no figure."
    )
    knowledge: ClassVar[Knowledge] = Knowledge.EXACT

    features: str = parameter(
        "naive",
        label="Figures",
        help="What the attack computes from each release before it learns.",
        choices={
            "naive": "Three figures of each column",
            "hist": "Counts of levels and bins",
            "corr": "All correlations",
            "ensemble": "All three together",
        },
    )
    model: str = parameter(
        "forest",
        label="Learning method",
        help="The random forest is the published one. The nearest neighbours are the attacker's own releases.",
        choices={
            "forest": "Random forest",
            "logistic": "Logistic regression",
            "k-nn": "Nearest neighbours",
            "svm": "Support vector machine",
        },
    )
    own: int = parameter(
        50,
        label="Attacker's releases per side",
        help="How many releases the attacker makes with and without the target to learn from.",
        low=5,
        high=10_000,
        unit="releases",
    )

    @property
    def shadows(self) -> int:
        """Own releases a side."""
        return self.own

    @property
    def control(self) -> str:
        """The leak it must find: the table itself. A draw of rows anew outweighs what one row does to figures."""
        return "identity"

    def fit(self, brief: Brief, rng: np.random.Generator) -> FittedGroundhog:
        """Sum up the own releases and learn.

        Raises
        ------
        DesignError
            Too few own releases.
        """
        summed = FEATURES[self.features]
        inside, outside = (
            np.stack([summed(table) for table in side]) for side in own_releases(brief, self.own, self.name)
        )
        return FittedGroundhog(self.features, learn(MODELS[self.model], inside, outside, rng), len(brief.targets))


@dataclass(frozen=True, slots=True, eq=False)
class FittedGroundhog:
    """Which figures, and what was learnt of them."""

    features: str
    judge: Judge
    n_targets: int

    def score(self, release: Table) -> Floats:
        """(n_targets,) one score for the whole group of targets, repeated: the figures hold all of them."""
        return np.full(self.n_targets, self.judge(FEATURES[self.features](release)))


PLUGIN = Groundhog
