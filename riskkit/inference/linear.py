"""Logistic and ridge regression: straight lines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Floats
from riskkit.inference._learned import learn
from riskkit.parameters import CheckedPlugin, parameter
from riskkit.table.features import Features, FittedInference, Secret, SecretKind


@dataclass(frozen=True)
class Linear(CheckedPlugin):
    """Logistic regression for a category, ridge regression for a number, on one-hot columns.

    The penalty is half the squared length of the coefficients, numbers being in standard deviations of the schema.
    """

    name: ClassVar[str] = "linear"
    title: ClassVar[str] = "Logistic or ridge regression"
    card: ClassVar[str] = (
        "Adds up what each known column says by itself. Cannot remember single rows, so what it finds is what the "
        "release says of the population. Misses what only two columns together tell."
    )
    guesses: ClassVar[tuple[SecretKind, ...]] = ("category", "number")

    penalty: float = parameter(
        1.0, label="Penalty", help="How strongly large coefficients are shrunk.", low=1e-3, high=1e6
    )
    iterations: int = parameter(
        100, label="Iterations", help="How many iterations the logistic fit may take.", low=1, high=10_000
    )

    def fit(self, known: Features, secret: Secret, rng: np.random.Generator) -> FittedInference:  # noqa: ARG002  nothing is drawn
        """Find the coefficients. Draws nothing at random.

        Raises
        ------
        DesignError
            There is no row to learn from.
        """
        from sklearn.linear_model import LogisticRegression, Ridge

        return learn(
            known,
            secret,
            _exact,
            lambda: LogisticRegression(C=1 / self.penalty, max_iter=self.iterations, tol=1e-3),
            lambda: Ridge(alpha=self.penalty, solver="cholesky"),
        )


def _exact(known: Features) -> Floats:
    """One-hot columns in double precision: sums of squares over many rows lose too much in single."""
    return known.onehot().astype(np.float64)


PLUGIN = Linear
