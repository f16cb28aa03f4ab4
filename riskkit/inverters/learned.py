"""Regressions of scikit-learn from explanations back to inputs: a tree, a forest, neighbours, straight lines."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from riskkit.base.estimators import integer_seed
from riskkit.core import Floats
from riskkit.explain.publishing import FittedInverter, Holding, KnownRows
from riskkit.inverters._learned import Regress, learn
from riskkit.parameters import CheckedPlugin, parameter


class Regression(CheckedPlugin, ABC):
    """An attacker who learns with a regression of scikit-learn."""

    holds: ClassVar[Holding] = "auxiliary"

    def fit(self, held: KnownRows, rng: np.random.Generator) -> FittedInverter:
        """Learn all inputs at once from the explanations."""

        def regress(scaled: Floats, inputs: Floats) -> Regress:
            predict: Regress = self.estimator(len(inputs), rng).fit(scaled, inputs).predict
            return predict

        return learn(held, regress)

    @abstractmethod
    def estimator(self, rows: int, rng: np.random.Generator) -> Any:
        """The regression, to be fitted to so many rows."""


@dataclass(frozen=True)
class Tree(Regression):
    """A regression tree from explanations to all inputs at once, grown until its leaves are small or pure."""

    name: ClassVar[str] = "tree"
    title: ClassVar[str] = "Regression tree"
    card: ClassVar[str] = (
        "Needs other people's rows and their explanations. Cuts the explanations into boxes and answers with the rows "
        "it knows in a box; a simple reference, which the forest mostly beats."
    )

    leaf: int = parameter(1, label="Smallest leaf", help="Auxiliary rows a leaf must hold.", low=1, high=1000)

    def estimator(self, rows: int, rng: np.random.Generator) -> Any:
        """A tree."""
        from sklearn.tree import DecisionTreeRegressor

        return DecisionTreeRegressor(min_samples_leaf=min(self.leaf, rows), random_state=integer_seed(rng))


@dataclass(frozen=True)
class Forest(Regression):
    """Regression trees from explanations to all inputs at once, each on resampled rows; the mean of their answers."""

    name: ClassVar[str] = "forest"
    title: ClassVar[str] = "Random forest"
    card: ClassVar[str] = (
        "Needs other people's rows and their explanations. Strong against explained trees, whose explanations jump; "
        "seconds for 1,600 auxiliary rows."
    )

    trees: int = parameter(100, label="Trees", help="How many trees are averaged.", low=1, high=1000)
    leaf: int = parameter(1, label="Smallest leaf", help="Auxiliary rows a leaf must hold.", low=1, high=1000)

    def estimator(self, rows: int, rng: np.random.Generator) -> Any:
        """A forest."""
        from sklearn.ensemble import RandomForestRegressor

        return RandomForestRegressor(
            self.trees,
            min_samples_leaf=min(self.leaf, rows),
            max_features=1 / 3,
            random_state=integer_seed(rng),
            n_jobs=1,
        )


@dataclass(frozen=True)
class Knn(Regression):
    """The mean of the inputs of the auxiliary rows whose whole explanations lie nearest, nearer ones counting more."""

    name: ClassVar[str] = "knn"
    title: ClassVar[str] = "Nearest auxiliary rows"
    card: ClassVar[str] = (
        "Needs other people's rows and their explanations. Copies the people with the most similar explanations; "
        "nothing is trained, so it shows what the explanations alone say."
    )

    k: int = parameter(5, label="Neighbours", help="How many auxiliary rows are averaged.", low=1, high=1000)

    def estimator(self, rows: int, rng: np.random.Generator) -> Any:  # noqa: ARG002  nothing is drawn
        """A search for the nearest rows. Draws nothing at random."""
        from sklearn.neighbors import KNeighborsRegressor

        return KNeighborsRegressor(min(self.k, rows), weights="distance", n_jobs=1)


RANK = 1e-10
"""Directions of the explanations weaker than that share of the strongest are taken for rounding."""


@dataclass(frozen=True)
class Linear:
    """Every input as a weighted sum of all explanation values, by least squares.

    Where the explained model is linear, this recovers every input that has a weight in it and varied among the
    auxiliary rows, without error. Directions in which the explanations do not vary are left out (pseudo-inverse).

    References
    ----------
    .. [1] Toma and Kikuchi, feature inference attacks on Shapley values of linear models (2024).
    """

    name: ClassVar[str] = "linear"
    title: ClassVar[str] = "Least squares"
    card: ClassVar[str] = (
        "Needs other people's rows and their explanations. Exact against a linear model, whatever reference the "
        "service uses; against other models only as good as a straight line."
    )
    holds: ClassVar[Holding] = "auxiliary"

    def fit(self, held: KnownRows, rng: np.random.Generator) -> FittedInverter:  # noqa: ARG002  nothing is drawn
        """Solve the least squares. Draws nothing at random."""
        return learn(held, _least_squares)


@dataclass(frozen=True, slots=True, eq=False)
class _Line:
    """A fitted straight line."""

    centre: Floats
    weights: Floats
    middle: Floats

    def __call__(self, scaled: Floats) -> Floats:
        line: Floats = (scaled - self.centre) @ self.weights + self.middle
        return line


def _least_squares(scaled: Floats, inputs: Floats) -> _Line:
    """The line of least squared error; of several, the one of the smallest weights."""
    centre, middle = scaled.mean(axis=0), inputs.mean(axis=0)
    weights = np.linalg.lstsq(scaled - centre, inputs - middle, rcond=RANK)[0]
    return _Line(centre, weights, middle)


PLUGIN = Tree, Forest, Knn, Linear
