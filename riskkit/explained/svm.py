"""Support vector machine: a smooth border between classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from riskkit.base.estimators import integer_seed
from riskkit.core import Floats
from riskkit.explain.models import Classes, Model
from riskkit.explained._learned import Labels, LearnedModel, LogisticLines
from riskkit.parameters import parameter

SET_ASIDE = 0.2
"""Share of the rows on which margins become probabilities."""


@dataclass(frozen=True, slots=True, eq=False)
class Margins:
    """A fitted machine, and the curve that makes probabilities of its margins."""

    machine: Any
    curve: LogisticLines

    def predict(self, x: Floats) -> Floats:
        """(n, levels) probabilities."""
        return self.curve.predict(_margins(self.machine, x))


@dataclass(frozen=True, slots=True, eq=False)
class Rescaled:
    """A regression on standard deviations, in the unit of the answers."""

    machine: Any
    middle: float
    spread: float

    def predict(self, x: Floats) -> Floats:
        """(n, 1) its numbers."""
        answers = self.machine.predict(x)[:, None] if len(x) else np.empty((0, 1))
        out: Floats = answers * self.spread + self.middle
        return out


@dataclass(frozen=True)
class Svm(LearnedModel):
    """A support vector machine with the radial kernel; a regression of the same kind for a number.

    It learns from some of the rows only, drawn at random, because its time grows with their square. Its margins become
    probabilities by a logistic regression on a fifth of these rows, set aside unless a class would be lost by it.
    """

    name: ClassVar[str] = "svm"
    title: ClassVar[str] = "Support vector machine"
    card: ClassVar[str] = (
        "Draws a smooth border between the classes from the rows nearest to the border. Its answer changes with every "
        "feature. It stores some of its training rows, and is the slowest of all models to explain."
    )

    rows: int = parameter(
        2000, label="Rows", help="How many rows the model learns from, at most.", low=10, high=10_000, unit="rows"
    )
    cost: float = parameter(1.0, label="Cost", help="How much a row on the wrong side counts.", low=1e-3, high=1e3)

    def fit(self, x: Floats, y: Classes | Floats, rng: np.random.Generator, levels: int = 0) -> Model:
        """Learn of some of the rows alone; raises what every model does."""
        answers = Labels.code(x, y, levels)
        chosen = rng.permutation(len(x))[: self.rows]
        return super().fit(x[chosen], answers.y[chosen], rng, answers.levels)

    def learn(self, x: Floats, answers: Labels, rng: np.random.Generator) -> Model:
        """Find the border."""
        seed = integer_seed(rng)
        return self._category(x, answers, seed) if answers.levels else self._number(x, answers, seed)

    def _category(self, x: Floats, answers: Labels, seed: int) -> Model:
        from sklearn.linear_model import LogisticRegression
        from sklearn.svm import SVC

        aside = np.arange(len(x)) < SET_ASIDE * len(x)
        learnt = ~aside
        if min(len(np.unique(answers.y[part])) for part in (aside, learnt)) < answers.n_answers:
            aside = learnt = np.ones(len(x), dtype=bool)
        machine = SVC(C=self.cost, random_state=seed).fit(x[learnt], answers.y[learnt])
        curve = LogisticRegression(C=1e3, max_iter=1000).fit(_margins(machine, x[aside]), answers.y[aside])
        return Margins(machine, LogisticLines.read(curve, answers))

    def _number(self, x: Floats, answers: Labels, seed: int) -> Model:
        from sklearn.svm import SVR

        middle, spread = float(answers.y.mean()), float(answers.y.std())
        machine = SVR(C=self.cost)
        machine.random_state = seed  # not among its parameters, yet it would draw a seed from numpy's global state
        return Rescaled(machine.fit(x, (answers.y - middle) / spread), middle, spread)


def _margins(machine: Any, x: Floats) -> Floats:
    """(n, margins) how far each row lies from the border of each class."""
    if not len(x):
        return np.empty((0, len(machine.classes_) if len(machine.classes_) > 2 else 1))
    return np.asarray(machine.decision_function(x), dtype=np.float64).reshape(len(x), -1)


PLUGIN = Svm
