"""How likely a correlated normal vector falls into a box."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.special import ndtr, ndtri

from riskkit.core import Floats

POINTS = 1024
"""Points of the rule a box is integrated with."""

BLOCK = 1 << 16
"""So many numbers are worked on together: what fits into the cache."""

SINGULAR = 1e-10
"""A variable that the ones before it leave less variance than this is their sum."""

EDGE = 1e-9
"""Such a sum may lie so far outside its interval: it is worth no more digits."""

FAR = 40.0
"""No normal variable of double precision is further from 0."""


def log_volume(low: Floats, high: Floats, correlation: Floats) -> Floats:
    """(n,) logarithm of the chance that a normal vector of mean 0 and this correlation lies in each of n boxes.

    Parameters
    ----------
    low, high
        (n, d) ends of the boxes, -inf and inf among them. An interval without length makes the chance 0.
    correlation
        (d, d), perhaps singular.

    The variables are taken one after another, each given those before: its interval has a conditional chance, and a
    point of it is passed on to the next. What is left is an integral over the unit cube of one dimension less, which a
    fixed Sobol sequence of :data:`POINTS` points sums up. Of one variable, and of independent ones, the result is
    exact; else two calls with nearly equal arguments make nearly equal errors, for the points are the same.

    References
    ----------
    .. [1] Genz, Numerical computation of multivariate normal probabilities, J. Comput. Graph. Stat. 1 (1992),
       https://doi.org/10.1080/10618600.1992.10477010
    """
    root = triangle(correlation)
    points = cube(len(root))
    out = np.empty(len(low))
    rows = max(1, BLOCK // points.shape[1])
    for start in range(0, len(low), rows):
        part = slice(start, start + rows)
        each = _log_integrand(low[part], high[part], root, points)
        top = np.maximum(each.max(axis=1), -np.finfo(float).max)
        with np.errstate(divide="ignore"):  # a box that no point hits has the chance 0
            out[part] = top + np.log(np.exp(each - top[:, None]).mean(axis=1))
    return out


def _log_integrand(low: Floats, high: Floats, root: Floats, points: Floats) -> Floats:
    """(n, points) logarithm of the product of conditional chances, for each box along each point."""
    drawn = np.zeros((len(root), len(low), points.shape[1]))
    total = np.zeros(drawn.shape[1:])
    for j, row in enumerate(root):
        mean = np.tensordot(row[:j], drawn[:j], axes=1)
        a, b = _conditional(low[:, [j]] - mean, high[:, [j]] - mean, row[j])
        chance, drawn[j] = _within(a, b, points[j])
        with np.errstate(divide="ignore"):
            total += np.log(chance)
    return total


def _conditional(low: Floats, high: Floats, spread: float) -> tuple[Floats, Floats]:
    """The interval in units of what is left to chance; all of the line, or none of it, where nothing is."""
    if spread:
        return low / spread, high / spread
    inside = (low <= EDGE) & (high >= -EDGE) & (low < high)
    return np.where(inside, -np.inf, np.inf), np.full_like(high, np.inf)


def _within(low: Floats, high: Floats, share: Floats) -> tuple[Floats, Floats]:
    """The chance of an interval, and the value that has ``share`` of that chance below it.

    Above 0 both are worked out in the mirror, where the distribution function keeps its digits.
    """
    mirrored = low > 0
    below = ndtr(np.where(mirrored, -high, low))
    chance = np.maximum(ndtr(np.where(mirrored, -low, high)) - below, 0.0)
    value = np.clip(ndtri(below + np.where(mirrored, 1.0 - share, share) * chance), -FAR, FAR)
    return chance, np.where(mirrored, -value, value)


def triangle(correlation: Floats) -> Floats:
    """(d, d) lower triangular root of a correlation; a zero on its diagonal where a variable is a sum of others."""
    d = len(correlation)
    root = np.zeros((d, d))
    for j in range(d):
        rest = correlation[j:, j] - root[j:, :j] @ root[j, :j]
        if rest[0] > SINGULAR:
            root[j:, j] = rest / np.sqrt(rest[0])
    return root


@lru_cache(maxsize=8)
def cube(dimensions: int) -> Floats:
    """(dimensions, POINTS) points of a Sobol sequence, moved by half their grain off the border."""
    from scipy.stats import qmc

    out: Floats = np.ascontiguousarray(qmc.Sobol(dimensions, scramble=False).random(POINTS).T) + 0.5 / POINTS
    out.flags.writeable = False
    return out
