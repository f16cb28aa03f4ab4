"""Decision tree: a few questions one after the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Floats
from riskkit.explain.models import Classes, Model, TargetKind
from riskkit.explained._grown import average_trees, level
from riskkit.explained._learned import Labels, learn, root
from riskkit.parameters import CheckedPlugin, parameter


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

        shared = {"max_depth": self.depth, "min_samples_leaf": self.leaf, "random_state": root(rng)}

        def category(answers: Labels) -> Model:
            grown = DecisionTreeClassifier(**shared).fit(x, answers.y)
            return average_trees([grown], answers, grown.classes_)

        def number(answers: Labels) -> Model:
            return average_trees([DecisionTreeRegressor(**shared).fit(x, answers.y)], answers)

        return learn(x, y, levels, category, number, level)


PLUGIN = Tree
