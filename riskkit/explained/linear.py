"""Linear regression: the model whose explanations give everything away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Floats
from riskkit.explain.models import Classes, LinearModel, Model, TargetKind
from riskkit.explained._learned import Labels, learn
from riskkit.parameters import CheckedPlugin, parameter

SMALLEST = 1e-10
"""Directions in which features vary by less, beside the widest, are taken not to vary."""


@dataclass(frozen=True)
class Linear(CheckedPlugin):
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
    predicts: ClassVar[tuple[TargetKind, ...]] = ("category", "number")

    penalty: float = parameter(
        0.0, label="Penalty", help="How strongly large slopes are shrunk (ridge).", low=0.0, high=1e6
    )

    def fit(self, x: Floats, y: Classes | Floats, rng: np.random.Generator, levels: int = 0) -> Model:  # noqa: ARG002  nothing is drawn
        """Find the slopes. Draws nothing at random.

        Raises
        ------
        DesignError
            There are no rows, or answers do not fit them.
        """
        return learn(x, y, levels, lambda a: self._solve(x, a), lambda a: self._solve(x, a))

    def _solve(self, x: Floats, answers: Labels) -> LinearModel:
        wanted = answers.y[:, None] == np.arange(answers.levels) if answers.levels else answers.y[:, None]
        middle, level = x.mean(axis=0), wanted.mean(axis=0)
        left, size, right = np.linalg.svd(x - middle, full_matrices=False)
        kept = size > SMALLEST * size.max(initial=0.0)
        gain = np.divide(size, size**2 + self.penalty, out=np.zeros_like(size), where=kept)
        slope = right.T @ (gain[:, None] * (left.T @ (wanted - level)))
        return LinearModel(slope, level - middle @ slope)


PLUGIN = Linear
