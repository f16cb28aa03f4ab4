"""What differential privacy allows an attack to reach: the region in the ROC plane, and the figures that follow.

A method that is (epsilon, delta)-differentially private for the two worlds of a game keeps every attack on it within
``TPR <= e^epsilon FPR + delta`` and ``TNR <= e^epsilon FNR + delta``. A point above that line refutes the claim; points
below it prove nothing.

What an attacker may believe of a person once it has said "in" (:func:`posteriors`) is Bayes' rule on a share named and
a base rate.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import log_ndtr, ndtr

from riskkit.core import Estimate, Floats
from riskkit.errors import ParameterError

MOST = 30.0
"""No larger epsilon is told from an AUC: the rest to 1 is below its rounding."""


def trade_off(fpr: npt.ArrayLike, epsilon: float, delta: float = 0.0) -> Floats:
    """The fewest misses (FNR) that any attack can have at these false alarms.

    ``max(0, 1 - delta - e^epsilon fpr, e^-epsilon (1 - delta - fpr))``.

    Raises
    ------
    ParameterError
        Epsilon is negative, or delta not within 0 and 1.

    References
    ----------
    .. [1] Kairouz, Oh and Viswanath 2015, The composition theorem for differential privacy, ICML.
    """
    _check(epsilon, delta)
    rate = np.asarray(fpr, dtype=np.float64)
    fewest: Floats = np.maximum(
        np.maximum(1 - delta - np.exp(epsilon) * rate, np.exp(-epsilon) * (1 - delta - rate)), 0.0
    )
    return fewest


def tpr_cap(fpr: npt.ArrayLike, epsilon: float, delta: float = 0.0) -> Floats:
    """(...,) the largest share that any attack can name at these false alarms (...,)."""
    return 1 - trade_off(fpr, epsilon, delta)


def auc_cap(epsilon: float, delta: float = 0.0) -> float:
    """The largest AUC of any attack: the area under :func:`tpr_cap`; ``e^epsilon / (1 + e^epsilon)`` without delta."""
    _check(epsilon, delta)
    corner = float((1 - delta) / (1 + np.exp(epsilon)))  # where misses and false alarms are equal
    return corner * (delta + 1 - corner) / 2 + (1 - delta - corner) * (2 - corner) / 2 + delta


def epsilon_of_auc(auc: float, delta: float = 0.0) -> float:
    """The smallest epsilon that allows such an AUC: the other way round of :func:`auc_cap`; 0 where delta is enough.

    An AUC whose lower end is this high shows that epsilon is at least so large. Above 30 it is 30.
    """
    from scipy.optimize import brentq  # it takes long to load

    if auc <= auc_cap(0.0, delta):
        return 0.0
    if auc >= auc_cap(MOST, delta):
        return MOST
    return float(brentq(lambda epsilon: auc_cap(epsilon, delta) - auc, 0.0, MOST, xtol=1e-12))


def gaussian_delta(mu: float, epsilon: float) -> float:
    """The delta at that epsilon of a method whose trade-off is that of two normal distributions ``mu`` apart.

    References
    ----------
    .. [1] Dong, Roth and Su 2022, Gaussian differential privacy, corollary 2.13.
    """
    if not mu > 0:
        return 0.0
    return float(ndtr(mu / 2 - epsilon / mu) - np.exp(epsilon + log_ndtr(-mu / 2 - epsilon / mu)))


def gaussian_epsilon(mu: float, delta: float) -> float:
    """The epsilon at that delta of the same method; 0 where delta alone is enough.

    Raises
    ------
    ParameterError
        Delta is not between 0 and 1: at 0 no epsilon is large enough.
    """
    from scipy.optimize import brentq  # it takes long to load

    if not 0 < delta < 1:
        raise ParameterError(f"Delta is {delta}; the epsilon of a Gaussian method needs one between 0 and 1.")
    if gaussian_delta(mu, 0.0) <= delta:
        return 0.0
    high = 1.0
    while gaussian_delta(mu, high) > delta:
        high *= 2
    return float(brentq(lambda epsilon: gaussian_delta(mu, epsilon) - delta, 0.0, high, xtol=1e-12))


def _check(epsilon: float, delta: float) -> None:
    if not (epsilon >= 0 and 0 <= delta <= 1):
        raise ParameterError(f"Epsilon is {epsilon} and delta {delta}; epsilon is 0 or more, delta within 0 and 1.")


PRIORS = (0.5, 0.1, 0.01)
"""How likely the attacker held membership before it saw the release."""


def posteriors(tpr_at_fpr: Estimate) -> list[tuple[float, Estimate]]:
    """How likely a record is in when the attacker says so, for each of :data:`PRIORS` (the base rate).

    ``tpr_at_fpr`` is the share named at a fixed share of false alarms. Its interval carries over, because the answer
    only rises with it.
    """
    fpr = float(tpr_at_fpr.labels["fpr"])
    named = tpr_at_fpr
    answers = []
    for prior in PRIORS:
        value, low, high = (_posterior(prior, tpr, fpr) for tpr in (named.value, named.low, named.high))
        answers.append((prior, Estimate("posterior", value, low, high, named.level, named.method, named.n)))
    return answers


def _posterior(prior: float, tpr: float, fpr: float) -> float:
    rightly = prior * tpr
    return rightly / (rightly + (1 - prior) * fpr)
