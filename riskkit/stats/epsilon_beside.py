"""Other readings of the same counts, beside the lower bound of epsilon and never instead of it.

A Bayesian interval, which believes a prior; and a bound that holds only where the method is known to be Gaussian. Each
says in its method what it assumes.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from riskkit.base import distributions as stats
from riskkit.core import Estimate, Floats, Scores
from riskkit.errors import ParameterError
from riskkit.stats.arms import Arm, split
from riskkit.stats.intervals import clopper_pearson
from riskkit.stats.privacy import gaussian_epsilon

_NODES, _MOST = 4001, 60.0


def epsilon_bayesian(scores: Scores, *, delta: float = 0.0, level: float = 0.95) -> Estimate:
    """Where epsilon lies for someone who held all error rates for likely before (Jeffreys' prior), at the own cut.

    ``value`` is the median of the posterior. It says of this cut alone how private the method would have to be, and is
    no bound that holds in so many audits: it lies above :func:`riskkit.stats.epsilon.epsilon_lower`. One release of
    each training counts, the first. Raises what that raises.
    """
    inside, outside = split(scores)
    hits, alarms = _counted(inside), _counted(outside)
    counts = hits, inside.trainings, alarms, outside.trainings
    low, median, high = (joint_beta(*counts, share, delta=delta) for share in ((1 - level) / 2, 0.5, (1 + level) / 2))
    n = inside.trainings + outside.trainings
    method = "Bayesian: joint Beta posterior, Jeffreys prior, one release a training"
    return Estimate("epsilon_bayesian", median, low, high, level, method, n).labelled(delta=f"{delta:g}")


@lru_cache(maxsize=4096)
def joint_beta(hits: int, n_in: int, false_alarms: int, n_out: int, mass: float, *, delta: float = 0.0) -> float:
    """The epsilon whose privacy region holds that posterior mass of the two error rates; 0 where that of 0 does.

    Independent ``FNR ~ Beta(1/2 + misses, 1/2 + hits)``, ``FPR ~ Beta(1/2 + false alarms, 1/2 + right rejections)``.

    References
    ----------
    .. [1] Zanella-Béguelin and others 2023, Bayesian estimation of differential privacy, ICML.
    """
    if not (0 < mass < 1 and 0 <= delta < 1):
        raise ParameterError(f"The mass is {mass} and delta {delta}; the mass lies between 0 and 1, delta below 1.")
    nodes = (np.arange(_NODES) + 0.5) / _NODES
    fnr: Floats = stats.beta.ppf(nodes, 0.5 + n_in - hits, 0.5 + hits)
    fpr = stats.beta(0.5 + false_alarms, 0.5 + n_out - false_alarms)

    def held(epsilon: float) -> float:
        grown, shrunk = np.exp(epsilon), np.exp(-epsilon)
        low = np.maximum(1 - delta - grown * fnr, shrunk * (1 - delta - fnr))
        high = np.minimum(delta + grown * (1 - fnr), 1 + shrunk * (delta - fnr))
        return float(np.clip(fpr.cdf(high) - fpr.cdf(low), 0.0, 1.0).mean()) - mass

    if held(0.0) >= 0:
        return 0.0
    from scipy.optimize import brentq  # it takes long to load

    return float(brentq(held, 0.0, _MOST, xtol=1e-10)) if held(_MOST) > 0 else _MOST


def gaussian_bound(hits: int, n_in: int, false_alarms: int, n_out: int, *, level: float = 0.95) -> float:
    """How far apart two normal distributions must be at least that give such counts: ``mu``, 0 or more.

    References
    ----------
    .. [1] Nasr and others 2023, Tight auditing of differentially private machine learning, USENIX Security.
    """
    tail = (1 - level) / 2
    tpr_low = float(clopper_pearson(hits, n_in, tail)[0])
    fpr_high = float(clopper_pearson(false_alarms, n_out, tail)[1])
    return max(0.0, float(stats.norm.ppf(tpr_low) - stats.norm.ppf(fpr_high)))


def epsilon_gaussian(scores: Scores, *, delta: float = 1e-5, level: float = 0.95) -> Estimate:
    """The epsilon at ``delta`` that is exceeded **if the method's trade-off is Gaussian**; else it means nothing.

    A method with pure epsilon 1 would be said to have an epsilon of 5.6 by it. ``value`` and ``low`` are the bound,
    ``high`` the ceiling.
    """
    inside, outside = split(scores)
    n_in, n_out = inside.trainings, outside.trainings
    mu, most = (
        gaussian_bound(hits, n_in, alarms, n_out, level=level)
        for hits, alarms in ((_counted(inside), _counted(outside)), (n_in, 0))
    )
    bound, ceiling = gaussian_epsilon(mu, delta), gaussian_epsilon(most, delta)
    method = "Clopper-Pearson, assumes a Gaussian trade-off, one release a training; the high end is the ceiling"
    estimate = Estimate("epsilon_gaussian", bound, bound, ceiling, level, method, n_in + n_out)
    return estimate.labelled(delta=f"{delta:g}", mu=f"{mu:.4f}")


def _counted(arm: Arm) -> int:
    """How many trainings' first release was called "in"."""
    return int((arm.value[..., arm.starts] > 0).sum())
