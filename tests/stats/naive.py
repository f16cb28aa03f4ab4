"""The same numbers by the slowest road: loops, searches and lists, sharing nothing with riskkit.stats."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations

import numpy as np

from riskkit.core import Floats


def auc(inside: Sequence[float], outside: Sequence[float]) -> float:
    """Count every pair."""
    wins = sum(Fraction(1) if a > b else Fraction(1, 2) if a == b else Fraction(0) for a in inside for b in outside)
    return float(wins / (len(inside) * len(outside)))


def delong_variance(inside: Sequence[float], outside: Sequence[float]) -> float:
    """DeLong's variance of the AUC, as if all trials were independent."""
    over = [auc([a], outside) for a in inside]
    under = [auc(inside, [b]) for b in outside]
    return float(np.var(over, ddof=1) / len(over) + np.var(under, ddof=1) / len(under))


def cluster_variance(inside: Sequence[Sequence[float]], outside: Sequence[Sequence[float]]) -> float:
    """Obuchowski's variance of the AUC; one inner list a training."""
    flat_in, flat_out = [a for t in inside for a in t], [b for t in outside for b in t]
    mean, total = auc(flat_in, flat_out), 0.0
    over = [sum(auc([a], flat_out) - mean for a in t) for t in inside]
    under = [sum(auc(flat_in, [b]) - mean for b in t) for t in outside]
    for off, size in ((over, len(flat_in)), (under, len(flat_out))):
        total += len(off) / (len(off) - 1) * sum(gap**2 for gap in off) / size**2
    return total


def newcombe5(value: float, n_in: float, n_out: float, reach: float) -> tuple[float, float]:
    """The ends as roots of the polynomial that the interval's equation becomes."""
    poly = np.polynomial.Polynomial
    a, star = poly([0, 1]), (n_in + n_out) / 2 - 1
    over, under = 2 - a, 1 + a
    variance = a * (1 - a) * (over * under + star * ((1 - a) * under + a * over))
    roots = ((value - a) ** 2 * over * under * n_in * n_out - reach**2 * variance).roots()
    real = sorted(float(r.real) for r in roots if abs(r.imag) < 1e-7 and -1e-9 <= r.real <= 1 + 1e-9)
    return real[0], real[-1]


def _binomial_at_least(k: int, n: int, p: float) -> float:
    return math.fsum(math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k, n + 1))


def _search(is_left_of: Callable[[float], bool]) -> float:
    low, high = 0.0, 1.0
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if is_left_of(middle) else (low, middle)
    return (low + high) / 2


def clopper_pearson(k: int, n: int, tail: float) -> tuple[float, float]:
    """Search for the shares at which the count would be just too high, and just too low."""
    low = _search(lambda p: _binomial_at_least(k, n, p) < tail) if k else 0.0
    high = _search(lambda p: 1 - _binomial_at_least(k + 1, n, p) > tail) if k < n else 1.0
    return low, high


def epsilon(tpr_low: float, fpr_high: float, delta: float) -> float:
    """Search for the largest epsilon that both lines of the privacy region exclude."""
    if fpr_high + delta >= tpr_low and (1 - tpr_low) + delta >= 1 - fpr_high:
        return 0.0

    def is_excluded(scaled: float) -> bool:
        e = math.exp(20 * scaled)
        return tpr_low > e * fpr_high + delta or 1 - fpr_high > e * (1 - tpr_low) + delta

    return 20 * _search(is_excluded)


def rank_sum_tail(ranks: Floats, chosen: int) -> float:
    """Deal the ranks in every possible way: the chance that the first arm gets at least what it got."""
    sums = [sum(hand) for hand in combinations(ranks.tolist(), chosen)]
    mine = float(ranks[:chosen].sum())
    return sum(total >= mine - 1e-9 for total in sums) / len(sums)
