"""Models of grown trees: one, a forest, boosted trees. Each becomes a :class:`~riskkit.explain.trees.TreeEnsemble`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from riskkit.base.estimators import fill_classes, integer_seed
from riskkit.core import Floats
from riskkit.explain.models import Classes, Model, TargetKind
from riskkit.explain.trees import Link, TreeEnsemble
from riskkit.explained._learned import Labels, learn
from riskkit.parameters import CheckedPlugin, parameter


def level(answers: Labels) -> TreeEnsemble:
    """No question, and one leaf for everybody."""
    none, leaf = np.zeros(1, dtype=np.int64), np.full(1, -1, dtype=np.int64)
    return TreeEnsemble(none, leaf, np.zeros(1), leaf, leaf, answers.shares()[None], 0.0 * answers.shares(), "none", 0)


def average_trees(estimators: Sequence[Any], answers: Labels, classes: Any = None) -> TreeEnsemble:
    """The mean of single trees: of the shares of the classes in their leaves, or of the means of numbers."""
    values = []
    for estimator in estimators:
        value = np.asarray(estimator.tree_.value[:, 0, :], dtype=np.float64)
        if answers.levels:
            value = fill_classes(value / value.sum(axis=1, keepdims=True), classes, answers.levels)
        values.append(value / len(estimators))
    return TreeEnsemble.flatten([tree.tree_ for tree in estimators], values, np.zeros(values[0].shape[1]))


def boosted_sum(model: Any, x: Floats, answers: Labels) -> TreeEnsemble:
    """Boosted trees: a constant and the trees' values times the rate, behind a logistic function or a softmax.

    Two classes have one tree a round, whose value is added for the second class and taken off for the first. A class
    that the training lacks has a score so low that its probability is 0.
    """
    outputs = answers.levels or 1
    many = model.estimators_.shape[1]
    two = bool(answers.levels) and many == 1
    columns = np.asarray(model.classes_, dtype=np.int64) if answers.levels else np.zeros(1, dtype=np.int64)
    trees, values = [], []
    for stage in model.estimators_:
        for place, estimator in enumerate(stage):
            step = model.learning_rate * estimator.tree_.value[:, 0, 0]
            value = np.zeros((len(step), outputs))
            if two:
                value[:, columns[0]], value[:, columns[1]] = -step, step
            else:
                value[:, columns[place]] = step
            trees.append(estimator.tree_)
            values.append(value)
    link: Link = "none" if not answers.levels else ("logistic" if two else "softmax")
    bare = TreeEnsemble.flatten(trees, values, np.zeros(outputs), link)
    shown = x[:1]
    known = model.decision_function(shown) if answers.levels else model.predict(shown)
    base = np.full(outputs, -np.inf if answers.levels else 0.0)
    base[columns] = (np.array([-known[0], known[0]]) if two else np.ravel(known[0])) - bare.score(shown)[0, columns]
    return TreeEnsemble.flatten(trees, values, np.where(np.isfinite(base), base, NEVER), link)


NEVER = -1e3
"""The score of a class that was never met: its probability underflows to 0 against any other."""


@dataclass(frozen=True)
class Tree(CheckedPlugin):
    """One tree of yes-no questions about single features; a leaf answers with the shares of its training rows."""

    name: ClassVar[str] = "tree"
    title: ClassVar[str] = "Decision tree"
    card: ClassVar[str] = (
        "Asks a few yes-no questions one after the other. It has few different answers, so its explanations tell in "
        "which leaf a person lies, and nothing more about the features."
    )
    predicts: ClassVar[tuple[TargetKind, ...]] = ("category", "number")
    has_slope: ClassVar[bool] = False

    depth: int = parameter(5, label="Depth", help="How many questions a tree asks one after the other.", low=1, high=30)
    leaf: int = parameter(
        1, label="Smallest leaf", help="How many rows a leaf must hold.", low=1, high=1000, unit="rows"
    )

    def fit(self, x: Floats, y: Classes | Floats, rng: np.random.Generator, levels: int = 0) -> Model:
        """Grow the tree.

        Raises
        ------
        DesignError
            There are no rows, or answers do not fit them.
        """
        from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

        shared = {"max_depth": self.depth, "min_samples_leaf": self.leaf, "random_state": integer_seed(rng)}

        def category(answers: Labels) -> Model:
            grown = DecisionTreeClassifier(**shared).fit(x, answers.y)
            return average_trees([grown], answers, grown.classes_)

        def number(answers: Labels) -> Model:
            return average_trees([DecisionTreeRegressor(**shared).fit(x, answers.y)], answers)

        return learn(x, y, levels, category, number, level)


@dataclass(frozen=True)
class Forest(CheckedPlugin):
    """The mean of a hundred trees of depth five, as in Luo et al., each on rows drawn anew.

    A tree looks at the root of the number of features at each split for a category, and at a third of them for a
    number.
    """

    name: ClassVar[str] = "forest"
    title: ClassVar[str] = "Random forest"
    card: ClassVar[str] = (
        "Averages a hundred shallow trees, each grown on rows drawn anew. Its explanations change in small steps, so "
        "they tell roughly where the value of a feature lies. Takes a second or two for 30,000 rows."
    )
    predicts: ClassVar[tuple[TargetKind, ...]] = ("category", "number")
    has_slope: ClassVar[bool] = False

    trees: int = parameter(100, label="Trees", help="How many trees are averaged.", low=1, high=1000)
    depth: int = parameter(5, label="Depth", help="How many questions a tree asks one after the other.", low=1, high=30)

    def fit(self, x: Floats, y: Classes | Floats, rng: np.random.Generator, levels: int = 0) -> Model:
        """Grow the trees.

        Raises
        ------
        DesignError
            There are no rows, or answers do not fit them.
        """
        from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

        shared = {"n_estimators": self.trees, "max_depth": self.depth, "random_state": integer_seed(rng), "n_jobs": 1}

        def category(answers: Labels) -> Model:
            forest = RandomForestClassifier(**shared).fit(x, answers.y)
            return average_trees(forest.estimators_, answers, forest.classes_)

        def number(answers: Labels) -> Model:
            forest = RandomForestRegressor(max_features=1 / 3, **shared).fit(x, answers.y)
            return average_trees(forest.estimators_, answers)

        return learn(x, y, levels, category, number, level)


@dataclass(frozen=True)
class Boosting(CheckedPlugin):
    """A hundred rounds of trees of depth three, as in Luo et al.; their sum bent into probabilities."""

    name: ClassVar[str] = "boosting"
    title: ClassVar[str] = "Gradient boosting"
    card: ClassVar[str] = (
        "Adds up small trees, each of which corrects the errors of those before it, and turns the sum into a "
        "probability. Often the most accurate model. An exact explanation is about the sum; an explanation by "
        "permutations is about the probability."
    )
    predicts: ClassVar[tuple[TargetKind, ...]] = ("category", "number")
    has_slope: ClassVar[bool] = False

    rounds: int = parameter(100, label="Rounds", help="How many trees are added.", low=1, high=1000)
    depth: int = parameter(3, label="Depth", help="How many questions a tree asks one after the other.", low=1, high=30)
    rate: float = parameter(0.1, label="Learning rate", help="How much each tree may change.", low=0.001, high=1.0)

    def fit(self, x: Floats, y: Classes | Floats, rng: np.random.Generator, levels: int = 0) -> Model:
        """Add the trees.

        Raises
        ------
        DesignError
            There are no rows, or answers do not fit them.
        """
        from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor

        shared = {
            "n_estimators": self.rounds,
            "max_depth": self.depth,
            "learning_rate": self.rate,
            "random_state": integer_seed(rng),
        }

        def category(answers: Labels) -> Model:
            return boosted_sum(GradientBoostingClassifier(**shared).fit(x, answers.y), x, answers)

        def number(answers: Labels) -> Model:
            return boosted_sum(GradientBoostingRegressor(**shared).fit(x, answers.y), x, answers)

        return learn(x, y, levels, category, number, level)


PLUGIN = Tree, Forest, Boosting
