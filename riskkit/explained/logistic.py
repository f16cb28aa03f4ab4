"""Logistic regression: straight lines behind a curve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Floats
from riskkit.errors import DesignError
from riskkit.explain.models import Classes, Model, TargetKind
from riskkit.explained._learned import Labels, LogisticLines, learn
from riskkit.parameters import CheckedPlugin, parameter


@dataclass(frozen=True)
class Logistic(CheckedPlugin):
    """Logistic regression on the features as they are, several classes together (softmax)."""

    name: ClassVar[str] = "logistic"
    title: ClassVar[str] = "Logistic regression"
    card: ClassVar[str] = (
        "Multiplies each feature by a constant, adds the products up and turns the sum into a probability. The usual "
        "choice where people must be able to read the model. The explanations are about the probability, so they are "
        "not linear in the features. For categories only."
    )
    predicts: ClassVar[tuple[TargetKind, ...]] = ("category",)

    penalty: float = parameter(1.0, label="Penalty", help="How strongly large slopes are shrunk.", low=1e-6, high=1e6)
    iterations: int = parameter(
        300, label="Iterations", help="How many iterations the fit may take.", low=1, high=10_000
    )

    def fit(self, x: Floats, y: Classes | Floats, rng: np.random.Generator, levels: int = 0) -> Model:  # noqa: ARG002  nothing is drawn
        """Find the slopes. Draws nothing at random.

        Raises
        ------
        DesignError
            The answers are numbers, there are no rows, or answers do not fit them.
        """
        return learn(x, y, levels, lambda a: self._category(x, a), _refuse)

    def _category(self, x: Floats, answers: Labels) -> Model:
        from sklearn.linear_model import LogisticRegression

        curve = LogisticRegression(C=1 / self.penalty, max_iter=self.iterations)
        curve.fit(x, answers.y)
        return LogisticLines.read(curve, answers)


def _refuse(_: Labels) -> Model:
    raise DesignError("Logistic regression learns a category, not a number. Choose the linear regression instead.")


PLUGIN = Logistic
