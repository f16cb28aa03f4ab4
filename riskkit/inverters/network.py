"""Network: the papers' attacker with an auxiliary table, of two sigmoid layers trained on absolute errors.

Written out by hand, since a step of so small a network costs a fifth of what a general library needs for it. The four
optimisers are those of PyTorch, with its defaults for all but the learning rate.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from riskkit.core import Floats, Ints
from riskkit.explain.publishing import FittedInverter, Holding, KnownRows
from riskkit.inverters._learned import learn
from riskkit.parameters import CheckedPlugin, parameter

Singles = npt.NDArray[np.float32]
Step = Callable[[Singles], Singles]
"""From a gradient to the change of the weights."""

MOMENTUM, DECAY, SQUARE_DECAY, SMOOTHING, TINY = 0.9, 0.9, 0.999, 0.99, 1e-8
FARTHEST = np.float32(87)
"""How far below 0 a sigmoid is told apart from lower ones: its value is then the least that is held in full."""


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """All weights in one vector, and the four arrays that look into it."""

    flat: Singles
    first: Singles
    first_bias: Singles
    second: Singles
    second_bias: Singles

    @classmethod
    def over(cls, flat: Singles, inputs: int, hidden: int, outputs: int) -> Weights:
        """The views of a vector of ``(inputs + 1) * hidden + (hidden + 1) * outputs`` numbers."""
        ends = np.cumsum([inputs * hidden, hidden, hidden * outputs, outputs])
        parts = np.split(flat, ends[:-1])
        return cls(flat, parts[0].reshape(inputs, hidden), parts[1], parts[2].reshape(hidden, outputs), parts[3])

    @classmethod
    def draw(cls, inputs: int, hidden: int, outputs: int, rng: np.random.Generator) -> Weights:
        """Uniform within one over the root of the number of units that feed in."""
        room = np.empty((inputs + 1) * hidden + (hidden + 1) * outputs, dtype=np.float32)
        out = cls.over(room, inputs, hidden, outputs)
        for parts, fed_by in (((out.first, out.first_bias), inputs), ((out.second, out.second_bias), hidden)):
            for part in parts:
                part[...] = rng.uniform(-1, 1, part.shape) / np.sqrt(fed_by)
        return out

    def like(self) -> Weights:
        """Room for a gradient of the same form."""
        inputs, hidden = self.first.shape
        return Weights.over(np.zeros_like(self.flat), inputs, hidden, len(self.second_bias))

    def __call__(self, x: Singles) -> Singles:
        """(n, outputs) what the network says."""
        return sigmoid(sigmoid(x @ self.first + self.first_bias) @ self.second + self.second_bias)


def sigmoid(x: Singles) -> Singles:
    """1 / (1 + exp(-x)), in place; see :func:`sigmoid_and_slope`."""
    return sigmoid_and_slope(x)[0]


def sigmoid_and_slope(x: Singles) -> tuple[Singles, Singles]:
    """1 / (1 + exp(-x)) and its derivative, each to the last bits of single precision however far out; x is used up.

    Not by the hyperbolic tangent, which goes in steps of 6e-8 near -1, nor with the slope as s (1 - s), as PyTorch has
    it: single precision would make the one 0 below -17 and the other 0 above 17, and a unit that is there would never
    learn again.
    """
    np.negative(x, out=x)
    np.minimum(x, FARTHEST, out=x)
    odds = np.exp(x, out=x)
    value: Singles = np.reciprocal(1 + odds)
    odds *= value
    odds *= value
    return value, odds


def gradient(weights: Weights, x: Singles, y: Singles, out: Weights) -> None:
    """Write into ``out`` the gradient of the mean absolute error over rows and outputs."""
    hidden, bend = sigmoid_and_slope(x @ weights.first + weights.first_bias)
    output, back = sigmoid_and_slope(hidden @ weights.second + weights.second_bias)
    back *= np.sign(output - y)
    back /= np.float32(y.size)
    np.matmul(hidden.T, back, out=out.second)
    back.sum(axis=0, out=out.second_bias)
    back = back @ weights.second.T
    back *= bend
    np.matmul(x.T, back, out=out.first)
    back.sum(axis=0, out=out.first_bias)


def _root(square: Singles) -> Singles:
    """Its square root, in single precision as it is."""
    out = np.empty_like(square)
    np.sqrt(square, out=out)
    return out


def plain(rate: float, size: int) -> Step:  # noqa: ARG001  the four are made alike
    """Stochastic gradient descent."""
    return lambda slope: -np.float32(rate) * slope


def momentum(rate: float, size: int) -> Step:
    """Gradient descent that keeps nine tenths of its speed."""
    speed = np.zeros(size, dtype=np.float32)

    def step(slope: Singles) -> Singles:
        np.multiply(speed, np.float32(MOMENTUM), out=speed)
        np.add(speed, slope, out=speed)
        return -np.float32(rate) * speed

    return step


def rmsprop(rate: float, size: int) -> Step:
    """Every weight by its own usual slope."""
    square = np.zeros(size, dtype=np.float32)

    def step(slope: Singles) -> Singles:
        np.multiply(square, np.float32(SMOOTHING), out=square)
        np.add(square, np.float32(1 - SMOOTHING) * slope * slope, out=square)
        change: Singles = -np.float32(rate) * slope / (_root(square) + np.float32(TINY))
        return change

    return step


def adam(rate: float, size: int) -> Step:
    """Every weight by its own usual slope, with speed, both corrected for having started at nothing."""
    speed, square = np.zeros(size, dtype=np.float32), np.zeros(size, dtype=np.float32)
    taken = 0

    def step(slope: Singles) -> Singles:
        nonlocal taken
        taken += 1
        np.multiply(speed, np.float32(DECAY), out=speed)
        np.add(speed, np.float32(1 - DECAY) * slope, out=speed)
        np.multiply(square, np.float32(SQUARE_DECAY), out=square)
        np.add(square, np.float32(1 - SQUARE_DECAY) * slope * slope, out=square)
        reach = np.float32(rate / (1 - DECAY**taken))
        usual: Singles = _root(square) / np.float32(np.sqrt(1 - SQUARE_DECAY**taken)) + np.float32(TINY)
        change: Singles = -reach * speed / usual
        return change

    return step


OPTIMISERS: dict[str, Callable[[float, int], Step]] = {
    "sgd": plain,
    "momentum": momentum,
    "rmsprop": rmsprop,
    "adam": adam,
}
PAPERS = {"sgd": 1e-2, "momentum": 1e-2, "rmsprop": 1e-2, "adam": 1e-3}
"""The learning rates the papers ran with: .01 for plain descent and for momentum (.9), PyTorch's default for others."""


@dataclass(frozen=True, slots=True)
class Course:
    """How a network is trained: optimiser, learning rate, passes over the rows and rows behind one step."""

    optimiser: str
    rate: float
    epochs: int
    batch: int


def descend(x: Singles, y: Singles, hidden: int, course: Course, rng: np.random.Generator) -> Weights:
    """Train a network from scratch; the rows are shuffled anew in every pass."""
    weights = Weights.draw(x.shape[1], hidden, y.shape[1], rng)
    slope = weights.like()
    step = OPTIMISERS[course.optimiser](course.rate, len(weights.flat))
    for _ in range(course.epochs):
        order: Ints = rng.permutation(len(x))
        mixed_x, mixed_y = x[order], y[order]
        for start in range(0, len(x), course.batch):
            rows = slice(start, start + course.batch)
            gradient(weights, mixed_x[rows], mixed_y[rows], slope)
            np.add(weights.flat, step(slope.flat), out=weights.flat)
    return weights


def singles(matrix: Floats) -> Singles:
    """The matrix in single precision."""
    return np.ascontiguousarray(matrix, dtype=np.float32)


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
            errors.append(float(np.abs(weights(x[watched]) - y[watched]).mean()))
        return replace(course, rate=RATES[int(np.argmin(np.nan_to_num(errors, nan=np.inf)))])


@dataclass(frozen=True, slots=True, eq=False)
class _Said:
    """A trained network; of explanations far from what it saw it says the middle rather than no number."""

    weights: Weights

    def __call__(self, scaled: Floats) -> Floats:
        answers: Singles = self.weights(singles(scaled))
        return np.nan_to_num(answers.astype(np.float64), nan=0.5)


PLUGIN = Network
