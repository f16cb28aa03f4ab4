"""Support vector machine: a smooth border between classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC, SVR

from riskkit.core import Floats
from riskkit.explain.models import Classes, Model, TargetKind
from riskkit.explained._learned import Answers, Number, learn
from riskkit.parameters import check_parameters, parameter

SET_ASIDE = 0.2
"""Share of the rows on which margins become probabilities."""


@dataclass(frozen=True, slots=True, eq=False)
class Margins:
    """A fitted machine, and the logistic regression that makes probabilities of its margins."""

    machine: Any
    curve: Any
    answers: Answers

    def predict(self, x: Floats) -> Floats:
        """(n, levels) probabilities."""
        return self.answers.spread(self.curve.predict_proba(_margins(self.machine, x)), self.curve.classes_)


@dataclass(frozen=True)
class Svm:
    """A support vector machine with the radial kernel; a regression of the same kind for a number.

    It learns from some of the rows only, drawn at random, because its time grows with their square. Its margins become
    probabilities by a logistic regression on a fifth of these rows, set aside unless a class would be lost by it.
    """

    name: ClassVar[str] = "svm"
    title: ClassVar[str] = "Support vector machine"
    card: ClassVar[str] = (
        "Draws a smooth border between the classes from the rows nearest to it. Its answer bends with every feature. "
        "It holds some training rows in itself, and is the slowest of all to explain."
    )
    predicts: ClassVar[tuple[TargetKind, ...]] = ("category", "number")

    rows: int = parameter(
        2000, label="Rows", help="How many rows it learns from at most.", low=10, high=10_000, unit="rows"
    )
    cost: float = parameter(1.0, label="Cost", help="How much a row on the wrong side counts.", low=1e-3, high=1e3)

    def __post_init__(self) -> None:
        check_parameters(self)

    def fit(self, x: Floats, y: Classes | Floats, rng: np.random.Generator, levels: int = 0) -> Model:
        """Find the border.

        Raises
        ------
        DesignError
            There are no rows, or answers do not fit them.
        """
        chosen = rng.permutation(len(x))[: self.rows]
        return learn(
            x[chosen], y[chosen], levels, lambda a: self._category(x[chosen], a),
            lambda a: self._number(x[chosen], a),
        )  # fmt: skip

    def _category(self, x: Floats, answers: Answers) -> Model:
        aside = np.arange(len(x)) < SET_ASIDE * len(x)
        if min(len(np.unique(answers.y[aside])), len(np.unique(answers.y[~aside]))) < answers.met:
            aside = np.ones(len(x), dtype=bool)
            machine = SVC(C=self.cost).fit(x, answers.y)
        else:
            machine = SVC(C=self.cost).fit(x[~aside], answers.y[~aside])
        curve = LogisticRegression(C=1e3).fit(_margins(machine, x[aside]), answers.y[aside])
        return Margins(machine, curve, answers)

    def _number(self, x: Floats, answers: Answers) -> Model:
        middle, spread = answers.y.mean(), answers.y.std()
        return Rescaled(SVR(C=self.cost).fit(x, (answers.y - middle) / spread), middle, spread)


@dataclass(frozen=True, slots=True, eq=False)
class Rescaled:
    """A regression on standard deviations, in the unit of the answers."""

    model: Any
    middle: float
    spread: float

    def predict(self, x: Floats) -> Floats:
        """(n, 1) its numbers."""
        return Number(self.model).predict(x) * self.spread + self.middle


def _margins(machine: Any, x: Floats) -> Floats:
    """(n, margins) how far each row lies from the border of each class."""
    return np.asarray(machine.decision_function(x), dtype=np.float64).reshape(len(x), -1)


PLUGIN = Svm
