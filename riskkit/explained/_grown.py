"""Fitted trees of scikit-learn as one :class:`riskkit.explain.trees.TreeEnsemble`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from riskkit.core import Floats
from riskkit.explain.trees import Link, TreeEnsemble
from riskkit.explained._learned import Labels


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
            value = answers.spread(value / value.sum(axis=1, keepdims=True), classes)
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
