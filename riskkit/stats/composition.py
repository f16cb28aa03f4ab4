"""The best attack on a private method, from the noise that each of its steps really adds.

One person's presence moves each step of such a method by a stated amount: a *loss*. Losses of several steps compose,
also where a step is chosen by what those before it gave. The result is a curve: for every epsilon the delta that the
whole keeps, and with it the most that any attack can reach. Releases drawn from the outcome say no more than the
outcome, however many they are.

A loss is a pair of a kind and its size:

- ``gaussian``: normal noise; the counts of the two worlds are ``size`` standard deviations apart (mu);
- ``laplace``: Laplace noise; they are ``size`` scales apart in one cell (epsilon of that cell);
- ``selection``: an exponential mechanism that keeps epsilon ``size``. It gives less away than that alone: whatever is
  picked, the logarithms of the two chances lie within one interval of that length;
- ``pure``: anything that keeps epsilon ``size``, and of which no more is known.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from riskkit.base import distributions
from riskkit.core import Floats
from riskkit.errors import ParameterError, ScoreError

Loss = tuple[str, float]
KINDS = ("gaussian", "laplace", "selection", "pure")
FINE = 32
"""Grid steps of the smallest loss."""
WIDEST, POINTS = 40.0, 40_001
"""Epsilons at most on the grid, and points on it: losses so small that they need more are rounded up together."""
FARTHEST = 12.0
"""Standard deviations at most between two worlds: at more, normal noise hides nothing to 16 digits."""
TAIL = 8.0
"""Standard deviations of normal noise that are followed."""


@dataclass(frozen=True, slots=True, eq=False)
class Composed:
    """What a whole method keeps: for every epsilon (m,), rising, the least delta (m,), falling."""

    epsilon: Floats
    delta: Floats

    @property
    def corners(self) -> tuple[Floats, Floats]:
        """False and true positive rates, (m,) each, of the corners of the region that no attack leaves.

        The region lies below the line ``delta + e^epsilon FPR`` of every epsilon; of a grid of lines it is a little too
        large, never too small.
        """
        slope = np.exp(self.epsilon)
        fpr = np.clip((self.delta[:-1] - self.delta[1:]) / np.diff(slope), 0.0, 1.0)
        tpr = np.clip(self.delta[:-1] + slope[:-1] * fpr, 0.0, 1.0)
        order = np.argsort(fpr, kind="stable")
        ends = np.concatenate([[0.0], fpr[order], [1.0]])
        return ends, np.maximum.accumulate(np.concatenate([[min(self.delta[-1], 1.0)], tpr[order], [1.0]]))

    @property
    def auc(self) -> float:
        """The largest AUC of any attack."""
        fpr, tpr = self.corners
        return float(np.trapezoid(tpr, fpr))

    def tpr(self, fpr: npt.ArrayLike) -> Floats:
        """(...,) the largest share that any attack can name at these false alarms (...,)."""
        named: Floats = np.interp(np.asarray(fpr, dtype=np.float64), *self.corners)
        return named


@lru_cache(maxsize=64)
def compose(losses: tuple[Loss, ...]) -> Composed:
    """The whole of these steps, in the order in which they are taken.

    From the last step to the first: what a step and all after it keep is, for its worst pair of worlds, the mean of
    what those after it keep once its own loss is taken off. Worst pairs of a selection have two outcomes, of losses
    ``t`` and ``t - size``; which ``t`` is worst may depend on all that came before, so the largest is taken at every
    epsilon. Of ``t`` that is tried on a grid, which leaves out less than 0.00002 of an AUC; all else errs upwards.

    Raises
    ------
    ParameterError
        A kind is unknown, or a size is not a positive number.

    References
    ----------
    .. [1] Dong, Durfee and Rogers 2020, Optimal differential privacy composition for exponential mechanisms, ICML.
    .. [2] Zhu, Dong and Wang 2022, Optimal accounting of differential privacy via characteristic function, AISTATS.
    """
    for kind, size in losses:
        if kind not in KINDS or not (size > 0 and math.isfinite(size)):
            raise ParameterError(f"A loss is {kind!r} of {size}; it is one of {', '.join(KINDS)}, and positive.")
    sizes = [(kind, min(size, FARTHEST if kind == "gaussian" else WIDEST)) for kind, size in losses]
    step, half = _grid(sizes)
    epsilon = np.linspace(-half * step, half * step, 2 * half + 1)
    delta: Floats = np.maximum(-np.expm1(epsilon), 0.0)  # of two equal worlds
    for kind, size in reversed(sizes):
        if kind in ("selection", "pure"):
            delta = _two_outcomes(delta, size, step, is_pure=kind == "pure")
        else:
            delta = _mean(delta, *_law(kind, size, step), step)
    return Composed(epsilon, delta)


def _grid(losses: Sequence[Loss]) -> tuple[float, int]:
    """The step of the grid of epsilons, and how many steps it has on either side of 0."""
    mean = sum(size**2 / 2 if kind == "gaussian" else min(size, size**2 / 2) for kind, size in losses)
    most = sum(math.inf if kind == "gaussian" else size for kind, size in losses)
    spread = math.sqrt(sum(size**2 for _, size in losses))
    reach = min(mean + TAIL * spread, most, WIDEST)
    step = max(min(size for _, size in losses) / FINE, 2 * reach / POINTS)
    return step, math.ceil(reach / step) + 1


def _two_outcomes(delta: Floats, size: float, step: float, *, is_pure: bool) -> Floats:
    """What a step with two outcomes and those after it keep, at the worst losses of the two."""
    worst = delta
    pairs = [(size, -size)] if is_pure else [(loss, loss - size) for loss in np.linspace(0.0, size, FINE + 1)[1:-1]]
    for first, second in pairs:
        chance = math.expm1(-second) / (math.exp(-second) - math.exp(-first))
        worst = np.maximum(worst, chance * _less(delta, first, step) + (1 - chance) * _less(delta, second, step))
    return worst


def _less(delta: Floats, loss: float, step: float) -> Floats:
    """(m,) delta at each epsilon less a loss; convex in ``e^epsilon``, so between grid points a little more."""
    steps = math.floor(loss / step)
    upper = math.expm1(steps * step - loss + step) / math.expm1(step)
    wide, half = _widen(delta, abs(steps) + 1, step)
    first = half - steps
    return upper * wide[first : first + len(delta)] + (1 - upper) * wide[first - 1 : first - 1 + len(delta)]


def _widen(delta: Floats, more: int, step: float) -> tuple[Floats, int]:
    """Delta on a grid that is wider by so many points on either side: too large there, never too small."""
    lowest = -(len(delta) // 2) * step
    below = 1 - np.exp(lowest - step * np.arange(more, 0, -1)) * (1 - delta[-1])
    return np.concatenate([below, delta, np.full(more, delta[-1])]), more


def _law(kind: str, size: float, step: float) -> tuple[Floats, int]:
    """The loss of a step in the world with the person: chances on grid points, and the grid point of the first.

    What lies between two points is given to both, so that either world keeps its chance there (Doroshenko and others
    2022, Connect the dots): a little worse than the truth, by the square of a grid step.
    """
    reach = size if kind == "laplace" else size**2 / 2 + TAIL * size
    half = math.ceil(reach / step) + 1
    losses = np.arange(-half, half + 1) * step
    if kind == "laplace":
        inside = np.clip(losses, -size, size)
        with_one = np.where(losses >= size, 1.0, np.where(losses < -size, 0.0, np.exp((inside - size) / 2) / 2))
        without = np.where(losses >= size, 1.0, np.where(losses < -size, 0.0, 1 - np.exp((-inside - size) / 2) / 2))
    else:
        with_one, without = ndtr((losses - size**2 / 2) / size), ndtr((losses + size**2 / 2) / size)
        with_one[-1] = without[-1] = 1.0
    own, other = np.diff(with_one), np.diff(without)
    lower = (other - own * np.exp(-losses[1:])) / (np.exp(-losses[:-1]) * -math.expm1(-step))
    lower = np.clip(lower, 0.0, own)
    shares = np.concatenate([lower, [0.0]])
    shares[1:] += own - lower
    return shares, -half


def _mean(delta: Floats, shares: Floats, first: int, step: float) -> Floats:
    """(m,) the mean delta once a loss of that law is taken off."""
    wide, _ = _widen(delta, -first, step)
    from scipy.signal import fftconvolve  # every command loads this file, and few need it

    mean: Floats = fftconvolve(wide, shares, mode="valid")
    return np.clip(np.minimum.accumulate(mean), 0.0, 1.0)


_SPAN = 256
"""Sizes of a group looked at together."""


def delta_of(k: int, rate: float, epsilon: float) -> float:
    """The delta of k-anonymity after sampling: ``max over n >= ceil(k / gamma - 1) of P(Bin(n, rate) > gamma n)``.

    ``gamma = (e^epsilon - 1 + rate) / e^epsilon``. 1, which promises nothing, where epsilon is below
    ``-log(1 - rate)``, for which nothing is proved.

    Raises
    ------
    ScoreError
        ``k`` is below 1, the rate not between 0 and 1, or epsilon not above 0.
    """
    if k < 1 or not 0 < rate < 1 or not epsilon > 0:
        raise ScoreError(
            "A bound is asked for k of at least 1, a rate of sampling between 0 and 1, and epsilon above 0."
        )
    if epsilon < -math.log1p(-rate) - 1e-12:
        return 1.0
    gamma = 1 - (1 - rate) * math.exp(-epsilon)
    start, largest = max(math.ceil(k / gamma - 1 - 1e-12), 1), 0.0
    decay = gamma * math.log(gamma / rate) + (1 - gamma) * math.log((1 - gamma) / (1 - rate))
    while math.exp(-start * decay) > largest:  # Chernoff: no larger group has a larger tail
        n = np.arange(start, start + _SPAN)
        largest = max(largest, float(np.max(distributions.binom.sf(np.floor(gamma * n + 1e-9), n, rate))))
        start += _SPAN
    return largest
