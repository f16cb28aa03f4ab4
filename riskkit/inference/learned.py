"""Models of scikit-learn that learn a secret: a tree, a forest, boosted trees, straight lines, a network.

Secrets go in, guesses over every level come out. Each model names its estimators and how it looks at known columns.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from riskkit.base.estimators import fill_classes, integer_seed, without_limit_warning
from riskkit.base.threads import cores
from riskkit.core import Column, Floats
from riskkit.inference._groups import check_rows
from riskkit.parameters import CheckedPlugin, parameter
from riskkit.table.features import (
    Features,
    FittedInference,
    Guess,
    Secret,
    SecretKind,
    Singles,
    guess_level,
    guess_number,
)

View = Callable[[Features], Singles | Floats]


@dataclass(frozen=True, slots=True, eq=False)
class Always:
    """The same guess for everybody: all there is to learn where the training has one value only."""

    column: Column
    value: float

    def guess(self, known: Features) -> Guess:
        """That value, with certainty."""
        if self.column.is_numeric:
            return guess_number(np.full(len(known), self.value), self.column)
        probability = np.zeros((len(known), len(self.column.levels)))
        probability[:, int(self.value)] = 1.0
        return guess_level(probability)


@dataclass(frozen=True, slots=True, eq=False)
class Classifier:
    """A fitted classifier of scikit-learn; levels it never met have probability 0."""

    model: Any
    view: View
    n_levels: int

    def guess(self, known: Features) -> Guess:
        """The probabilities of the model, spread over all levels."""
        probability = self.model.predict_proba(self.view(known))
        return guess_level(fill_classes(probability, self.model.classes_, self.n_levels))


@dataclass(frozen=True, slots=True, eq=False)
class Regressor:
    """A fitted regression of scikit-learn on the secret in standard deviations of the schema."""

    model: Any
    view: View
    column: Column

    def guess(self, known: Features) -> Guess:
        """The value of the model, within the domain."""
        numbers = self.model.predict(self.view(known))
        guessed = np.asarray(numbers, dtype=np.float64).reshape(len(known))
        return guess_number(guessed * (self.column.sd or 1.0) + self.column.mean, self.column)


def in_deviations(secret: Secret) -> Floats:
    """(n,) the numbers of the secret in standard deviations of the schema."""
    return (secret.values - secret.column.mean) / (secret.column.sd or 1.0)


class LearnedModel(CheckedPlugin, ABC):
    """A model of scikit-learn: it names its estimators and how they look at known columns."""

    guesses: ClassVar[tuple[SecretKind, ...]] = ("category", "number")

    def fit(self, known: Features, secret: Secret, rng: np.random.Generator) -> FittedInference:
        """Fit the estimator that this kind of secret wants; where the secret has one value only, say it always.

        Raises
        ------
        DesignError
            There is no row to learn from.
        """
        check_rows(secret)
        classifier, regressor = self.estimators(known, secret, rng)
        truth = secret.truth
        if (truth == truth[0]).all():
            return Always(secret.column, float(truth[0]))
        matrix = self.view(known)
        with without_limit_warning():
            if secret.kind == "category":
                return Classifier(classifier.fit(matrix, secret.codes), self.view, secret.n_levels)
            return Regressor(regressor.fit(matrix, in_deviations(secret)), self.view, secret.column)

    @staticmethod
    def view(known: Features) -> Singles | Floats:
        """What they see of known columns: one dimension a column, categories as codes."""
        return known.ordinal()

    @abstractmethod
    def estimators(self, known: Features, secret: Secret, rng: np.random.Generator) -> tuple[Any, Any]:
        """What learns a category, and what learns a number."""


@dataclass(frozen=True)
class Tree(LearnedModel):
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

    leaf: int = parameter(
        5,
        label="Smallest leaf",
        help="How many rows a leaf must hold. At 1 the tree remembers single rows.",
        low=1,
        high=10_000,
        unit="rows",
    )

    def estimators(self, known: Features, secret: Secret, rng: np.random.Generator) -> tuple[Any, Any]:
        """A tree of either kind."""
        from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

        shared = {"min_samples_leaf": self.leaf, "random_state": integer_seed(rng)}
        return DecisionTreeClassifier(**shared), DecisionTreeRegressor(**shared)


MOST_BYTES = 2_000_000_000
"""What the trees may take: each of their nodes holds a share for every level."""


@dataclass(frozen=True)
class Forest(LearnedModel):
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
        """The same on all cores: trees have seeds of their own, and their answers are added in order."""
        from joblib import parallel_config

        with parallel_config("threading", n_jobs=cores()):
            return super().fit(known, secret, rng)

    def estimators(self, known: Features, secret: Secret, rng: np.random.Generator) -> tuple[Any, Any]:
        """Trees on resampled rows, of either kind."""
        from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

        shared = {
            "n_estimators": self.trees,
            "min_samples_leaf": max(self.leaf, self.affordable_leaf(len(secret), secret.n_levels)),
            "random_state": integer_seed(rng),
        }
        return RandomForestClassifier(**shared), RandomForestRegressor(max_features=1 / 3, **shared)

    def affordable_leaf(self, rows: int, levels: int) -> int:
        """The smallest leaf with which that many rows and levels fit into memory."""
        nodes = 2 * rows * self.trees  # twice as many as leaves, of which there are at most as many as rows
        return max(1, -(-nodes * levels * 8 // MOST_BYTES))


MOST_LEVELS = 255
"""Levels up to which a column is split as a category; one with more is split by its code."""


@dataclass(frozen=True)
class Boosting(LearnedModel):
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

    rounds: int = parameter(100, label="Rounds", help="How many trees are added.", low=1, high=2000)
    leaves: int = parameter(31, label="Leaves", help="How many leaves a tree may have.", low=2, high=1000)
    rate: float = parameter(0.1, label="Learning rate", help="How much each tree may change.", low=0.001, high=1.0)

    def estimators(self, known: Features, secret: Secret, rng: np.random.Generator) -> tuple[Any, Any]:
        """Boosted trees of either kind."""
        from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

        shared = {
            "max_iter": self.rounds,
            "max_leaf_nodes": self.leaves,
            "learning_rate": self.rate,
            "early_stopping": False,  # it would set rows aside, and fails where a level has one row
            "categorical_features": [0 < size <= MOST_LEVELS for size in known.sizes],
            "random_state": integer_seed(rng),
        }
        return HistGradientBoostingClassifier(**shared), HistGradientBoostingRegressor(**shared)


@dataclass(frozen=True)
class Linear(LearnedModel):
    """Logistic regression for a category, ridge regression for a number, on one-hot columns.

    The penalty is half the squared length of the coefficients, numbers being in standard deviations of the schema.
    """

    name: ClassVar[str] = "linear"
    title: ClassVar[str] = "Logistic or ridge regression"
    card: ClassVar[str] = (
        "Adds up what each known column says by itself. Cannot remember single rows, so what it finds is what the "
        "release says of the population. Misses what only two columns together tell."
    )

    penalty: float = parameter(
        1.0, label="Penalty", help="How strongly large coefficients are shrunk.", low=1e-3, high=1e6
    )
    iterations: int = parameter(
        100, label="Iterations", help="How many iterations the logistic fit may take.", low=1, high=10_000
    )

    @staticmethod
    def view(known: Features) -> Floats:
        """One-hot columns in double precision: sums of squares over many rows lose too much in single."""
        return known.onehot().astype(np.float64)

    def estimators(self, known: Features, secret: Secret, rng: np.random.Generator) -> tuple[Any, Any]:
        """Logistic and ridge regression. Draws nothing at random."""
        from sklearn.linear_model import LogisticRegression, Ridge

        logistic = LogisticRegression(C=1 / self.penalty, max_iter=self.iterations, tol=1e-3)
        return logistic, Ridge(alpha=self.penalty, solver="cholesky")


BATCH = 200
"""Rows behind one change of the weights."""


@dataclass(frozen=True)
class Network(LearnedModel):
    """A network with one hidden layer on one-hot columns, trained for a fixed number of updates (Adam).

    Each update learns from 200 rows, or from all where there are fewer; short tables are gone through more often.
    """

    name: ClassVar[str] = "network"
    title: ClassVar[str] = "Neural network"
    card: ClassVar[str] = (
        "A small network that learns smooth dependences of any shape. Many updates on few rows let it remember them. "
        "Slower than the forest on long tables."
    )

    hidden: int = parameter(64, label="Hidden units", help="How wide the hidden layer is.", low=1, high=1024)
    updates: int = parameter(
        3000,
        label="Updates",
        help="How often the weights are changed. With more updates the network remembers more.",
        low=1,
        high=1_000_000,
    )
    penalty: float = parameter(1e-4, label="Penalty", help="How strongly large weights are shrunk.", low=0.0, high=10.0)

    @staticmethod
    def view(known: Features) -> Singles:
        """One-hot columns."""
        return known.onehot()

    def estimators(self, known: Features, secret: Secret, rng: np.random.Generator) -> tuple[Any, Any]:
        """A network of either kind."""
        from sklearn.neural_network import MLPClassifier, MLPRegressor

        batches = -(-len(secret) // BATCH)
        passes = -(-self.updates // max(batches, 1))
        shared = {
            "batch_size": min(BATCH, len(secret)),
            "hidden_layer_sizes": (self.hidden,),
            "alpha": self.penalty,
            "max_iter": passes,
            "n_iter_no_change": passes,  # it never stops before
            "random_state": integer_seed(rng),
        }
        return MLPClassifier(**shared), MLPRegressor(**shared)


PLUGIN = Tree, Forest, Boosting, Linear, Network
