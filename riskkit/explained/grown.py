"""Models of grown trees: one, a forest, boosted trees. Each becomes a :class:`~riskkit.explain.trees.TreeEnsemble`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from riskkit.base.estimators import fill_classes, integer_seed
from riskkit.core import Floats
from riskkit.explain.trees import Link, TreeEnsemble
from riskkit.explained._learned import Labels, LearnedModel
from riskkit.parameters import parameter


def average_trees(model: Any, estimators: Sequence[Any], answers: Labels) -> TreeEnsemble:
    """The mean of a model's single trees: of the shares of the classes in their leaves, or of the means of numbers."""
    values = []
    for estimator in estimators:
        value = np.asarray(estimator.tree_.value[:, 0, :], dtype=np.float64)
        if answers.levels:
            value = fill_classes(value / value.sum(axis=1, keepdims=True), model.classes_, answers.levels)
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


class GrownModel(LearnedModel):
    """A model of trees, the same for everybody where all answers are."""

    has_slope: ClassVar[bool] = False

    def constant(self, x: Floats, answers: Labels) -> TreeEnsemble:  # noqa: ARG002  nobody is asked
        """No question, and one leaf for everybody."""
        none, leaf, shares = np.zeros(1, dtype=np.int64), np.full(1, -1, dtype=np.int64), answers.shares()
        return TreeEnsemble(none, leaf, np.zeros(1), leaf, leaf, shares[None], 0.0 * shares, "none", 0)


@dataclass(frozen=True)
class Tree(GrownModel):
    """One tree of yes-no questions about single features; a leaf answers with the shares of its training rows."""

    name: ClassVar[str] = "tree"
    title: ClassVar[str] = "Decision tree"
    card: ClassVar[str] = (
        "Asks a few yes-no questions one after the other. It has few different answers, so its explanations tell in "
        "which leaf a person lies, and nothing more about the features."
    )

    depth: int = parameter(5, label="Depth", help="How many questions a tree asks one after the other.", low=1, high=30)
    leaf: int = parameter(
        1, label="Smallest leaf", help="How many rows a leaf must hold.", low=1, high=1000, unit="rows"
    )

    def learn(self, x: Floats, answers: Labels, rng: np.random.Generator) -> TreeEnsemble:
        """Grow the tree."""
        from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

        kind = DecisionTreeClassifier if answers.levels else DecisionTreeRegressor
        tree = kind(max_depth=self.depth, min_samples_leaf=self.leaf, random_state=integer_seed(rng)).fit(x, answers.y)
        return average_trees(tree, [tree], answers)


@dataclass(frozen=True)
class Forest(GrownModel):
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

    trees: int = parameter(100, label="Trees", help="How many trees are averaged.", low=1, high=1000)
    depth: int = parameter(5, label="Depth", help="How many questions a tree asks one after the other.", low=1, high=30)

    def learn(self, x: Floats, answers: Labels, rng: np.random.Generator) -> TreeEnsemble:
        """Grow the trees."""
        from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

        shared = {"n_estimators": self.trees, "max_depth": self.depth, "random_state": integer_seed(rng), "n_jobs": 1}
        bare = (
            RandomForestClassifier(**shared) if answers.levels else RandomForestRegressor(max_features=1 / 3, **shared)
        )
        forest = bare.fit(x, answers.y)
        return average_trees(forest, forest.estimators_, answers)


@dataclass(frozen=True)
class Boosting(GrownModel):
    """A hundred rounds of trees of depth three, as in Luo et al.; their sum bent into probabilities."""

    name: ClassVar[str] = "boosting"
    title: ClassVar[str] = "Gradient boosting"
    card: ClassVar[str] = (
        "Adds up small trees, each of which corrects the errors of those before it, and turns the sum into a "
        "probability. Often the most accurate model. An exact explanation is about the sum; an explanation by "
        "permutations is about the probability."
    )

    rounds: int = parameter(100, label="Rounds", help="How many trees are added.", low=1, high=1000)
    depth: int = parameter(3, label="Depth", help="How many questions a tree asks one after the other.", low=1, high=30)
    rate: float = parameter(0.1, label="Learning rate", help="How much each tree may change.", low=0.001, high=1.0)

    def learn(self, x: Floats, answers: Labels, rng: np.random.Generator) -> TreeEnsemble:
        """Add the trees."""
        from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor

        kind = GradientBoostingClassifier if answers.levels else GradientBoostingRegressor
        bare = kind(
            n_estimators=self.rounds, max_depth=self.depth, learning_rate=self.rate, random_state=integer_seed(rng)
        )
        return boosted_sum(bare.fit(x, answers.y), x, answers)


PLUGIN = Tree, Forest, Boosting
