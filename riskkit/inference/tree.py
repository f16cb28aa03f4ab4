"""Decision tree: rules that can be read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.inference._learned import learn, root
from riskkit.parameters import CheckedPlugin, parameter
from riskkit.table.features import Features, FittedInference, Secret, SecretKind


@dataclass(frozen=True)
class Tree(CheckedPlugin):
    """One tree of yes-no questions on single columns, grown until a leaf would hold too few rows.

    References
    ----------
    .. [1] Breiman, Friedman, Olshen and Stone, Classification and regression trees (1984).
    """

    name: ClassVar[str] = "tree"
    title: ClassVar[str] = "Decision tree"
    card: ClassVar[str] = (
        "One tree of questions about single columns. Fast, and within reach of anybody with a spreadsheet; weaker than "
        "the forest. Large leaves remember no single row; leaves of one row remember every row."
    )
    guesses: ClassVar[tuple[SecretKind, ...]] = ("category", "number")

    leaf: int = parameter(
        5,
        label="Smallest leaf",
        help="How many rows a leaf must hold. At 1 the tree remembers single rows.",
        low=1,
        high=10_000,
        unit="rows",
    )

    def fit(self, known: Features, secret: Secret, rng: np.random.Generator) -> FittedInference:
        """Grow the tree.

        Raises
        ------
        DesignError
            There is no row to learn from.
        """
        from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

        shared = {"min_samples_leaf": self.leaf, "random_state": root(rng)}
        return learn(
            known,
            secret,
            Features.ordinal,
            lambda: DecisionTreeClassifier(**shared),
            lambda: DecisionTreeRegressor(**shared),
        )


PLUGIN = Tree
