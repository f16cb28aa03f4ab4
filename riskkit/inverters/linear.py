"""Linear: least squares from explanations back to inputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Floats
from riskkit.explain.inversion import FittedInverter, Holding, KnownRows
from riskkit.inverters._learned import learn

RANK = 1e-10
"""Directions of the explanations weaker than that share of the strongest are taken for rounding."""


@dataclass(frozen=True)
class Linear:
    """Every input as a weighted sum of all explanation values, by least squares.

    Where the explained model is linear, this recovers every input that has a weight in it and varied among the
    auxiliary rows, without error. Directions in which the explanations do not vary are left out (pseudo-inverse).

    References
    ----------
    .. [1] Toma and Kikuchi, feature inference attacks on Shapley values of linear models (2024).
    """

    name: ClassVar[str] = "linear"
    title: ClassVar[str] = "Least squares"
    card: ClassVar[str] = (
        "Needs other people's rows and their explanations. Exact against a linear model, whatever reference the "
        "service uses; against other models only as good as a straight line."
    )
    holds: ClassVar[Holding] = "auxiliary"

    def fit(self, held: KnownRows, rng: np.random.Generator) -> FittedInverter:  # noqa: ARG002  nothing is drawn
        """Solve the least squares. Draws nothing at random."""
        return learn(held, _least_squares)


@dataclass(frozen=True, slots=True, eq=False)
class _Line:
    """A fitted straight line."""

    centre: Floats
    weights: Floats
    middle: Floats

    def __call__(self, scaled: Floats) -> Floats:
        line: Floats = (scaled - self.centre) @ self.weights + self.middle
        return line


def _least_squares(scaled: Floats, inputs: Floats) -> _Line:
    """The line of least squared error; of several, the one of the smallest weights."""
    centre, middle = scaled.mean(axis=0), inputs.mean(axis=0)
    weights = np.linalg.lstsq(scaled - centre, inputs - middle, rcond=RANK)[0]
    return _Line(centre, weights, middle)


PLUGIN = Linear
