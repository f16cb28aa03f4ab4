"""From a sample to its population: how many are unique there, and how often a match is right.

Zayatz (1991); Hoshino (2001) for Pitman's sampling formula; Chen and Keller-McNulty (1998) for the slide negative
binomial, with the number of classes of Haas and Stokes (1998); which of them to take of Dankar et al. (2012), as ARX
does; individual risk of Benedetti and Franconi (1998).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt
from scipy import special

from riskkit.core import Floats, Ints

SMALL_FRACTION = 0.1
"""Up to this share of the population Pitman's formula is taken (Dankar et al.)."""
PITMAN, ZAYATZ, SNB = "pitman", "zayatz", "snb"


@dataclass(frozen=True, slots=True)
class PopulationUniques:
    """People who are unique in the population, as each model has it; None where it has no solution.

    ``chosen`` names the model that the rule takes.
    """

    zayatz: float | None
    pitman: float | None
    snb: float | None
    chosen: str

    @property
    def value(self) -> float | None:
        """That of the model that the rule takes."""
        value: float | None = getattr(self, self.chosen)
        return value


def population_uniques(sizes: Ints, population: float) -> PopulationUniques:
    """The people who are unique in a population of that many, from the (classes,) sizes of a sample of it."""
    size, count = np.unique(sizes, return_counts=True)
    rows = int(sizes.sum())
    fraction = rows / population
    if not (size == 1).any():
        return PopulationUniques(0.0, 0.0, 0.0, PITMAN if fraction <= SMALL_FRACTION else ZAYATZ)
    models = {
        ZAYATZ: zayatz(size, count, population),
        PITMAN: pitman(size, count, population),
        SNB: slide_negative_binomial(size, count, fraction),
    }
    return PopulationUniques(**models, chosen=choose(models, fraction))


def choose(models: dict[str, float | None], fraction: float) -> str:
    """The model that Dankar's rule takes: Pitman's of a small sample, else the lower of the two others."""
    if fraction <= SMALL_FRACTION:
        return PITMAN if models[PITMAN] is not None else ZAYATZ
    lower, other = models[SNB], models[ZAYATZ]
    return SNB if lower is not None and (other is None or lower <= other) else ZAYATZ


def zayatz(size: Ints, count: Ints, population: float) -> float | None:
    """Sample uniques times the chance that one comes from a class of one, were classes as large as in the sample.

    ``size`` and ``count`` (different sizes,) are sizes of classes and how many have them.
    """
    rows = float((size * count).sum())
    if population <= rows:
        return float(count[size == 1].sum())
    alone = _once(size.astype(np.float64), population, rows)
    if not math.isfinite(whole := float((count * alone).sum())) or whole <= 0:
        return None
    uniques = float(count[size == 1].sum())
    return float(uniques * uniques * alone[size == 1][0] / whole * population / rows)


def _once(size: Floats, population: float, rows: float) -> Floats:
    """The chance that of so many just one is among the rows that are drawn from the population (hypergeometric)."""
    log = np.log(size) + special.betaln(population - rows + 1, rows + 1)
    log = log - special.betaln(np.maximum(population - size - rows + 2, 1e-300), rows)
    log = log + np.log(population + 1) - np.log(population - size + 1)
    return np.where(population - size - rows + 1 > 0, np.exp(log), 0.0)


def pitman(size: Ints, count: Ints, population: float) -> float | None:
    """What Pitman's sampling formula has, its two parameters by maximum likelihood; None where there is none."""
    if not (size > 1).any():
        return None
    loss = partial(_pitman_loss, size=size, count=count)
    from scipy import optimize  # it takes long to load

    best = optimize.minimize(
        loss, _start(size, count), method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-9, "maxiter": 5_000}
    )
    theta, alpha = _pitman_parameters(best.x)
    if not best.success or not 1e-6 < alpha < 1 - 1e-6:
        return None
    value = math.exp(special.gammaln(theta + 1) - special.gammaln(theta + alpha) + alpha * math.log(population))
    return value if value <= population else None


def _start(size: Ints, count: Ints) -> Floats:
    alone = float(count[size == 1].sum()) / float(count.sum())
    alpha = min(max(alone, 0.05), 0.95)
    return np.array([math.log(alpha / (1 - alpha)), math.log(float(count.sum()))])


def _pitman_parameters(x: Floats) -> tuple[float, float]:
    """Theta and alpha, with alpha between 0 and 1 and theta above minus alpha, from any two numbers."""
    alpha = float(special.expit(x[0]))
    return math.exp(min(float(x[1]), 50.0)) - alpha, alpha


def _pitman_loss(x: Floats, size: Ints, count: Ints) -> float:
    """Minus the logarithm of the likelihood of the sizes."""
    theta, alpha = _pitman_parameters(x)
    classes, rows = int(count.sum()), int((size * count).sum())
    if not 0 < alpha < 1:
        return math.inf
    first = (classes - 1) * math.log(alpha) + _rising(theta / alpha + 1, classes - 1)
    second = _rising(theta + 1, rows - 1)
    third = float((count * (special.gammaln(size - alpha) - special.gammaln(1 - alpha))).sum())
    return -(first - second + third)


def _rising(start: float, times: int) -> float:
    return float(special.gammaln(start + times) - special.gammaln(start))


def slide_negative_binomial(size: Ints, count: Ints, fraction: float) -> float | None:
    """What classes of one more than a negative binomial have, fitted to the classes of one and of two rows."""
    ones, twos = (float(count[size == wanted].sum()) for wanted in (1, 2))
    if fraction >= 1:
        return ones
    classes = classes_in_population(size, count, fraction)
    if not (ones and twos and math.isfinite(classes)):
        return None

    def apart(x: Floats) -> Floats:
        """How far the two expected counts are from those that there are, on logarithms."""
        alpha, beta = math.exp(float(x[0])), float(special.expit(x[1]))
        expected = expected_classes(classes, alpha, beta, fraction)
        return np.log(np.maximum(expected, 1e-300)) - np.log([ones, twos])

    from scipy import optimize  # as above

    for start in STARTS:
        root = optimize.root(apart, start, method="hybr", options={"xtol": 1e-12})
        if root.success and np.abs(root.fun).max() < 1e-8:
            alpha, beta = math.exp(float(root.x[0])), float(special.expit(root.x[1]))
            return float(classes * beta**alpha)
    return None


STARTS = tuple(np.array([alpha, beta]) for alpha in (0.0, -2.0, 2.0) for beta in (0.0, -3.0, 3.0))


def expected_classes(classes: float, alpha: float, beta: float, fraction: float) -> Floats:
    """(2,) the classes of one and of two rows in a sample of ``classes`` whose size less one is negative binomial.

    ``alpha`` is its number of failures, ``beta`` the chance of one; each person is drawn with the chance ``fraction``.
    """
    rest = (1 - fraction) * (1 - beta)
    drawn = (beta / (1 - rest)) ** alpha
    singles = classes * fraction * drawn * (alpha * rest / (1 - rest) + 1)
    pairs = classes * fraction**2 * drawn * alpha * (1 - beta) * (2 - (1 - alpha) * rest) / (2 * (1 - rest) ** 2)
    return np.array([singles, pairs])


def classes_in_population(size: Ints, count: Ints, fraction: float) -> float:
    """The number of classes in the population, as Shlosser's estimator has it, modified by Haas and Stokes."""
    out = (1 - fraction) ** size
    square = fraction**2
    first = (size * square * (1 - square) ** (size - 1) * count).sum()
    second = (out * ((1 + fraction) ** size.astype(np.float64) - 1) * count).sum()
    third, fourth = (out * count).sum(), (size * fraction * (1 - fraction) ** (size - 1) * count).sum()
    return float(count.sum() + count[size == 1].sum() * (first / second) * (third / fourth) ** 2)


def individual_risk(size: Floats | Ints, weight: npt.ArrayLike) -> Floats:
    """(n,) the chance that a match of somebody with that row is right: the mean of 1 over its class in the population.

    Given the ``size`` of its class in the sample, the class in the population is taken to be negative binomial with as
    many successes, each of the chance ``size / weight``; ``weight`` (n,) is the sum of the weights of the class.
    """
    own = np.asarray(size, dtype=np.float64)
    chance = np.minimum(own / np.maximum(np.asarray(weight, dtype=np.float64), own), 1.0)
    return np.asarray(chance / own * special.hyp2f1(1.0, 1.0, own + 1, 1 - chance))
