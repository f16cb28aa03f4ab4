"""Boosted trees: small trees that mend one another's errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.inference._learned import learn, root
from riskkit.parameters import CheckedPlugin, parameter
from riskkit.table.features import Features, FittedInference, Secret, SecretKind

MOST_LEVELS = 255
"""Levels up to which a column is split as a category; one with more is split by its code."""


@dataclass(frozen=True)
class Boosting(CheckedPlugin):
    """Gradient boosting of trees on values in at most 255 bins, without early stopping.

    A category with k levels costs k trees a round (two levels cost one), so secrets of many levels take long.

    References
    ----------
    .. [1] Ke et al., LightGBM: a highly efficient gradient boosting decision tree (2017).
    """

    name: ClassVar[str] = "boosting"
    title: ClassVar[str] = "Boosted trees"
    card: ClassVar[str] = (
        "Small trees, each of which corrects the errors of those before it. Often the best guess of the population. "
        "Takes a second or two for a number or a secret of two levels; slow for secrets of many levels. Remembers "
        "single rows less than the forest."
    )
    guesses: ClassVar[tuple[SecretKind, ...]] = ("category", "number")

    rounds: int = parameter(100, label="Rounds", help="How many trees are added.", low=1, high=2000)
    leaves: int = parameter(31, label="Leaves", help="How many leaves a tree may have.", low=2, high=1000)
    rate: float = parameter(0.1, label="Learning rate", help="How much each tree may change.", low=0.001, high=1.0)

    def fit(self, known: Features, secret: Secret, rng: np.random.Generator) -> FittedInference:
        """Add the trees.

        Raises
        ------
        DesignError
            There is no row to learn from.
        """
        from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

        shared = {
            "max_iter": self.rounds,
            "max_leaf_nodes": self.leaves,
            "learning_rate": self.rate,
            "early_stopping": False,  # it would set rows aside, and fails where a level has one row
            "categorical_features": [0 < size <= MOST_LEVELS for size in known.sizes],
            "random_state": root(rng),
        }
        return learn(
            known,
            secret,
            Features.ordinal,
            lambda: HistGradientBoostingClassifier(**shared),
            lambda: HistGradientBoostingRegressor(**shared),
        )


PLUGIN = Boosting
