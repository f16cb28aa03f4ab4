"""Random forest: a hundred shallow trees on resampled rows."""

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

        shared = {"n_estimators": self.trees, "max_depth": self.depth, "random_state": root(rng), "n_jobs": 1}

        def category(answers: Labels) -> Model:
            forest = RandomForestClassifier(**shared).fit(x, answers.y)
            return average_trees(forest.estimators_, answers, forest.classes_)

        def number(answers: Labels) -> Model:
            forest = RandomForestRegressor(max_features=1 / 3, **shared).fit(x, answers.y)
            return average_trees(forest.estimators_, answers)

        return learn(x, y, levels, category, number, level)


PLUGIN = Forest
