"""Scores of many shapes whose AUC is known in closed form: what an interval must hold for, not only for normal ones."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import stats
from scipy.optimize import brentq

from riskkit.core import Floats
from riskkit.seeds import stream
from riskkit.stats.arms import Arm

Uniforms = Floats
Draw = Callable[[np.random.Generator, tuple[int, ...], float], tuple[Floats, Floats]]
FAR = 50.0
"""Above every score that is not told for sure."""


def _normal(spread: float) -> Draw:
    """Normal scores; those of releases with the record have ``spread`` times the standard deviation of the others."""

    def draw(rng: np.random.Generator, shape: tuple[int, ...], auc: float) -> tuple[Floats, Floats]:
        gap = stats.norm.ppf(auc) * np.sqrt(1 + spread**2)
        return spread * rng.standard_normal(shape) + gap, rng.standard_normal(shape)

    return draw


def _exponential(rng: np.random.Generator, shape: tuple[int, ...], auc: float) -> tuple[Floats, Floats]:
    """Waiting times whose means have the ratio r: the AUC is r / (1 + r)."""
    return rng.exponential(auc / (1 - auc), shape), rng.exponential(1.0, shape)


def _lomax(rng: np.random.Generator, shape: tuple[int, ...], auc: float) -> tuple[Floats, Floats]:
    """Lomax scores of shape 1, without a mean, scaled by s: the AUC is s (s - 1 - ln s) / (s - 1)^2."""
    scale = 1.0
    if auc > 0.5:
        scale = np.exp(brentq(lambda log: _lomax_auc(float(np.exp(log))) - auc, 1e-3, 30.0))
    return scale * rng.pareto(1.0, shape), rng.pareto(1.0, shape)


def _lomax_auc(scale: float) -> float:
    return float(scale * (scale - 1 - np.log(scale)) / (scale - 1) ** 2)


def _response(rng: np.random.Generator, shape: tuple[int, ...], auc: float) -> tuple[Floats, Floats]:
    """Randomised response: two scores, heavily tied, right with a chance that is the AUC."""
    return np.where(rng.random(shape) < auc, 1.0, -1.0), np.where(rng.random(shape) < auc, -1.0, 1.0)


def _copies(rng: np.random.Generator, shape: tuple[int, ...], auc: float) -> tuple[Floats, Floats]:
    """The table itself with chance p, else nothing; all other scores are 0: the AUC is (1 + p) / 2."""
    return (rng.random(shape) < 2 * auc - 1).astype(np.float64), np.zeros(shape)


def _few_leak(rng: np.random.Generator, shape: tuple[int, ...], auc: float) -> tuple[Floats, Floats]:
    """A share p is told for sure and the rest not at all: the AUC is (1 + p) / 2."""
    is_sure = rng.random(shape) < 2 * auc - 1
    return rng.standard_normal(shape) + FAR * is_sure, rng.standard_normal(shape)


def _marks(levels: int) -> Draw:
    """Normal scores read on so many marks: the AUC counts ties one half, and ``gap`` is found by bisection."""
    cuts = np.linspace(-1.5, 1.5, levels - 1)

    def area(gap: float) -> float:
        inside, outside = (
            np.diff(stats.norm.cdf(cuts - side), prepend=0.0, append=1.0) for side in (gap / 2, -gap / 2)
        )
        return float(inside @ (np.cumsum(outside) - outside / 2))

    def draw(rng: np.random.Generator, shape: tuple[int, ...], auc: float) -> tuple[Floats, Floats]:
        gap = brentq(lambda gap: area(gap) - auc, 0.0, 20.0)
        read = (rng.standard_normal(shape) + side for side in (gap / 2, -gap / 2))
        inside, outside = (np.searchsorted(cuts, value).astype(np.float64) for value in read)
        return inside, outside

    return draw


@dataclass(frozen=True, slots=True)
class Shape:
    """A family of scores, one member for each AUC."""

    name: str
    draw: Draw

    def __str__(self) -> str:
        return self.name

    def play(self, times: int, trainings: int, auc: float) -> tuple[Arm, Arm]:
        """That many audits of ``trainings`` an arm, one release each."""
        inside, outside = self.draw(stream(1, "shapes", self.name, trainings, f"{auc:g}"), (times, trainings), auc)
        sizes = np.ones(trainings, dtype=np.int64)
        return Arm(inside, sizes), Arm(outside, sizes)


SHAPES = (
    Shape("equal normal", _normal(1.0)),
    Shape("twice as wide", _normal(2.0)),
    Shape("half as wide", _normal(0.5)),
    Shape("three times as wide", _normal(3.0)),
    Shape("exponential", _exponential),
    Shape("Lomax", _lomax),
    Shape("randomised response", _response),
    Shape("copies", _copies),
    Shape("five marks", _marks(5)),
    Shape("few leak", _few_leak),
)


def told_or_hidden(times: int, trainings: int, auc: float) -> tuple[Arm, Arm]:
    """Told for sure with the chance ``auc``, else hidden below everybody: no scores of that AUC scatter more."""
    rng, sizes = stream(1, "told or hidden", trainings, f"{auc:g}"), np.ones(trainings, dtype=np.int64)
    inside, outside = rng.standard_normal((2, times, trainings))
    return Arm(inside + np.where(rng.random(inside.shape) < auc, FAR, -FAR), sizes), Arm(outside, sizes)
