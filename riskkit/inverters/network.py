"""Network: the papers' attacker with an auxiliary table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from riskkit.core import Floats
from riskkit.explain.inversion import FittedInverter, Holding, KnownRows
from riskkit.inverters._descent import (
    OPTIMISERS,
    PAPERS,
    Course,
    Singles,
    Weights,
    absolute_error,
    descend,
    singles,
)
from riskkit.inverters._learned import learn
from riskkit.parameters import CheckedPlugin, parameter

RATES = (1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0)
"""What is tried when the learning rate is tuned: wide enough for every optimiser to have its best inside."""


@dataclass(frozen=True)
class Network(CheckedPlugin):
    """A network from explanations to inputs: four times as many hidden units as features, sigmoids, absolute errors.

    All auxiliary rows train it. (The code of [1] holds a fifth back and only watches the error on it, which helps the
    attacker in nothing.) Where the learning rate is tuned, a fifth chooses it first, from :data:`RATES`.

    References
    ----------
    .. [1] Luo, Jiang and Xiao, Feature inference attack on Shapley values (CCS 2022), attack 1.
    """

    name: ClassVar[str] = "network"
    title: ClassVar[str] = "Neural network"
    card: ClassVar[str] = (
        "Needs other people's rows and their explanations; the papers' first attack. Its success depends more on its "
        "learning rate than on its optimiser, so tune the rate before comparing optimisers."
    )
    holds: ClassVar[Holding] = "auxiliary"

    optimiser: str = parameter(
        "adam",
        label="Optimiser",
        help="How the weights are moved.",
        choices=dict(zip(OPTIMISERS, ("SGD", "SGD with momentum", "RMSprop", "Adam"), strict=True)),
    )
    rates: str = parameter(
        "papers",
        label="Learning rate from",
        help="The papers' defaults, which differ between optimisers; the rate given below; or the best of several.",
        choices={"papers": "The papers' rates", "given": "The rate given below", "tuned": "Tuned rates"},
    )
    rate: float = parameter(
        0.001, label="Learning rate", help="Used only where the rate is the one given here.", low=1e-8, high=1e3
    )
    epochs: int = parameter(600, label="Epochs", help="Passes over the auxiliary rows.", low=1, high=100_000)
    batch: int = parameter(64, label="Batch", help="Rows used for one change of the weights.", low=1, high=100_000)
    widen: int = parameter(
        4, label="Hidden units", help="How many hidden units there are for each feature.", low=1, high=64
    )

    def fit(self, held: KnownRows, rng: np.random.Generator) -> FittedInverter:
        """Train the network, where the rate is tuned after having tried each."""

        def train(scaled: Floats, inputs: Floats) -> _Said:
            x, y = singles(scaled), singles(inputs)
            hidden = self.widen * inputs.shape[1]
            with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
                return _Said(descend(x, y, hidden, self._course(x, y, hidden, rng), rng))

        return learn(held, train)

    def _course(self, x: Singles, y: Singles, hidden: int, rng: np.random.Generator) -> Course:
        """How the network is trained; a tuned rate is the one that errs least on the fifth of the rows kept apart."""
        course = Course(self.optimiser, PAPERS[self.optimiser], self.epochs, self.batch)
        if self.rates == "given":
            return replace(course, rate=self.rate)
        order = rng.permutation(len(x))
        taught, watched = np.split(order, [len(x) * 4 // 5])
        if self.rates == "papers" or not len(taught):
            return course
        errors = []
        for rate in RATES:
            weights = descend(x[taught], y[taught], hidden, replace(course, rate=rate), rng)
            errors.append(absolute_error(weights, x[watched], y[watched]))
        return replace(course, rate=RATES[int(np.argmin(np.nan_to_num(errors, nan=np.inf)))])


@dataclass(frozen=True, slots=True, eq=False)
class _Said:
    """A trained network; of explanations far from what it saw it says the middle rather than no number."""

    weights: Weights

    def __call__(self, scaled: Floats) -> Floats:
        answers: Singles = self.weights(singles(scaled))
        return np.nan_to_num(answers.astype(np.float64), nan=0.5)


PLUGIN = Network
