"""Random forest: the reference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.inference._learned import learn, root
from riskkit.parameters import CheckedPlugin, parameter
from riskkit.table.features import Features, FittedInference, Secret, SecretKind

MOST_BYTES = 2_000_000_000
"""What the trees may take: each of their nodes holds a share for every level."""


@dataclass(frozen=True)
class Forest(CheckedPlugin):
    """Trees on resampled rows, each grown until its leaves are pure; the mean of their answers.

    Categories enter as their codes, numbers as they are, missing numbers as missing. A tree looks at the root of the
    number of columns at each split for a category, and at a third of them for a number. Where a secret has so many
    levels that the trees might take more than two gigabytes, leaves are made larger until they cannot.

    References
    ----------
    .. [1] Breiman, Random forests (2001).
    """

    name: ClassVar[str] = "forest"
    title: ClassVar[str] = "Random forest"
    card: ClassVar[str] = (
        "The reference. A hundred trees, each on rows drawn anew, vote on the secret. Finds dependences of any shape "
        "and remembers single rows, so it sees a release that repeats its members. Seconds for 30,000 rows."
    )
    guesses: ClassVar[tuple[SecretKind, ...]] = ("category", "number")

    trees: int = parameter(100, label="Trees", help="How many trees vote.", low=1, high=1000)
    leaf: int = parameter(
        1,
        label="Smallest leaf",
        help="How many rows a leaf must hold. More is faster and remembers less.",
        low=1,
        high=1000,
        unit="rows",
    )

    def fit(self, known: Features, secret: Secret, rng: np.random.Generator) -> FittedInference:
        """Grow the trees.

        Raises
        ------
        DesignError
            There is no row to learn from.
        """
        from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

        shared = {
            "n_estimators": self.trees,
            "min_samples_leaf": max(self.leaf, self.affordable_leaf(len(secret), secret.n_levels)),
            "random_state": root(rng),
            "n_jobs": 1,
        }
        return learn(
            known,
            secret,
            Features.ordinal,
            lambda: RandomForestClassifier(**shared),
            lambda: RandomForestRegressor(max_features=1 / 3, **shared),
        )

    def affordable_leaf(self, rows: int, levels: int) -> int:
        """The smallest leaf with which that many rows and levels fit into memory."""
        nodes = 2 * rows * self.trees  # twice as many as leaves, of which there are at most as many as rows
        return max(1, -(-nodes * levels * 8 // MOST_BYTES))


PLUGIN = Forest
