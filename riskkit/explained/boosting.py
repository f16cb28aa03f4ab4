"""Gradient boosting: a hundred small trees that mend one another's errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Floats
from riskkit.explain.models import Classes, Model, TargetKind
from riskkit.explained._grown import boosted_sum, level
from riskkit.explained._learned import Labels, learn, root
from riskkit.parameters import CheckedPlugin, parameter


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
            "random_state": root(rng),
        }

        def category(answers: Labels) -> Model:
            return boosted_sum(GradientBoostingClassifier(**shared).fit(x, answers.y), x, answers)

        def number(answers: Labels) -> Model:
            return boosted_sum(GradientBoostingRegressor(**shared).fit(x, answers.y), x, answers)

        return learn(x, y, levels, category, number, level)


PLUGIN = Boosting
