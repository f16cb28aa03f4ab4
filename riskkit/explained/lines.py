"""Straight lines, whose explanations have a closed form: for numbers, and behind a curve for classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Floats
from riskkit.errors import DesignError
from riskkit.explain.models import LinearModel, Model, TargetKind
from riskkit.explained._learned import Labels, LearnedModel, LogisticLines
from riskkit.parameters import parameter

SMALLEST = 1e-10
"""Directions in which features vary by less, beside the widest, are taken not to vary."""


@dataclass(frozen=True)
class Linear(LearnedModel):
    """Least squares on zeros and ones, one column a class; on the number itself for a number.

    For two classes this is the regression on the index of the class, for either of them. Answers are not kept within
    0 and 1. Of slopes that fit equally well, as with the one-hot levels of a column, the shortest are taken.
    """

    name: ClassVar[str] = "linear"
    title: ClassVar[str] = "Linear regression"
    card: ClassVar[str] = (
        "Multiplies each feature by a constant and adds the products up. Its Shapley values have a closed form: "
        "anybody who can estimate the constants can compute every feature exactly. The worst case for the people who "
        "are explained."
    )

    penalty: float = parameter(
        0.0, label="Penalty", help="How strongly large slopes are shrunk (ridge).", low=0.0, high=1e6
    )

    def learn(self, x: Floats, answers: Labels, rng: np.random.Generator) -> LinearModel:  # noqa: ARG002  nothing is drawn
        """Find the slopes. Draws nothing at random."""
        wanted = answers.y[:, None] == np.arange(answers.levels) if answers.levels else answers.y[:, None]
        middle, level = x.mean(axis=0), wanted.mean(axis=0)
        left, size, right = np.linalg.svd(x - middle, full_matrices=False)
        kept = size > SMALLEST * size.max(initial=0.0)
        gain = np.divide(size, size**2 + self.penalty, out=np.zeros_like(size), where=kept)
        slope = right.T @ (gain[:, None] * (left.T @ (wanted - level)))
        return LinearModel(slope, level - middle @ slope)


@dataclass(frozen=True)
class Logistic(LearnedModel):
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

    def learn(self, x: Floats, answers: Labels, rng: np.random.Generator) -> Model:  # noqa: ARG002  nothing is drawn
        """Find the slopes; of classes alone. Draws nothing at random."""
        from sklearn.linear_model import LogisticRegression

        if not answers.levels:
            raise DesignError(
                "Logistic regression learns a category, not a number. Choose the linear regression instead."
            )
        curve = LogisticRegression(C=1 / self.penalty, max_iter=self.iterations)
        return LogisticLines.read(curve.fit(x, answers.y), answers)


PLUGIN = Linear, Logistic
