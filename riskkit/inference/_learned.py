"""What the models that stand on scikit-learn share: secrets in, guesses over every level out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np

from riskkit.core import Column, Floats
from riskkit.errors import DesignError
from riskkit.table.features import Features, FittedInference, Guess, Secret, Singles, guess_level, guess_number

View = Callable[[Features], Singles | Floats]


@dataclass(frozen=True, slots=True, eq=False)
class Always:
    """The same guess for everybody: all there is to learn where the training has one value only."""

    column: Column
    value: float

    def guess(self, known: Features) -> Guess:
        """That value, with certainty."""
        if self.column.is_numeric:
            return guess_number(np.full(len(known), self.value), self.column)
        probability = np.zeros((len(known), len(self.column.levels)))
        probability[:, int(self.value)] = 1.0
        return guess_level(probability)


@dataclass(frozen=True, slots=True, eq=False)
class Classifier:
    """A fitted classifier of scikit-learn; levels it never met have probability 0."""

    model: Any
    view: View
    n_levels: int

    def guess(self, known: Features) -> Guess:
        """The probabilities of the model, spread over all levels."""
        probability = self.model.predict_proba(self.view(known))
        return guess_level(spread(probability, self.model.classes_, self.n_levels))


@dataclass(frozen=True, slots=True, eq=False)
class Regressor:
    """A fitted regression of scikit-learn on the secret in standard deviations of the schema."""

    model: Any
    view: View
    column: Column

    def guess(self, known: Features) -> Guess:
        """The value of the model, within the domain."""
        numbers = self.model.predict(self.view(known))
        guessed = np.asarray(numbers, dtype=np.float64).reshape(len(known))
        return guess_number(guessed * (self.column.sd or 1.0) + self.column.mean, self.column)


def spread(probability: Floats, classes: Any, n_levels: int) -> Floats:
    """(n, n_levels) probabilities of the levels that were met, and 0 for the others."""
    out = np.zeros((len(probability), n_levels))
    out[:, np.asarray(classes, dtype=np.int64)] = probability
    return out


def learn(
    known: Features,
    secret: Secret,
    view: View,
    classifier: Callable[[], Any],
    regressor: Callable[[], Any],
) -> FittedInference:
    """Fit the estimator that this kind of secret wants; where the secret has one value only, say it always.

    Raises
    ------
    DesignError
        There is no row to learn from.
    """
    check_rows(secret)
    truth = secret.truth
    if (truth == truth[0]).all():
        return Always(secret.column, float(truth[0]))
    matrix = view(known)
    with without_limit_warning():
        if secret.kind == "category":
            return Classifier(classifier().fit(matrix, secret.codes), view, secret.n_levels)
        return Regressor(regressor().fit(matrix, in_deviations(secret)), view, secret.column)


def check_rows(secret: Secret) -> None:
    """Refuse to learn from nothing."""
    if not len(secret):
        raise DesignError.phrase(
            "No row has a value of {column!r}, so nothing can be learnt of it.", column=secret.column.name
        )


def in_deviations(secret: Secret) -> Floats:
    """(n,) the numbers of the secret in standard deviations of the schema."""
    return (secret.values - secret.column.mean) / (secret.column.sd or 1.0)


@contextmanager
def without_limit_warning() -> Iterator[None]:
    """An optimiser that stops at its limit of steps has done what it was asked; no warning."""
    from sklearn.exceptions import ConvergenceWarning

    with catch_warnings():
        simplefilter("ignore", ConvergenceWarning)
        yield


def root(rng: np.random.Generator) -> int:
    """The seed that scikit-learn wants, drawn from the stream."""
    return int(rng.integers(2**31))
