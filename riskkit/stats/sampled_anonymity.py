"""What sampling adds to k-anonymity: the delta of differential privacy that Li and others prove for both together.

A table whose rows were drawn from a population, each with probability ``rate``, and then k-anonymised in a way that
does not look at the rows is ``(epsilon, delta)``-differentially private. A way that looks at the rows
is not covered.

References
----------
.. [1] Li, Qardaji and Su, On sampling, anonymization, and differential privacy: or, k-anonymization meets differential
       privacy (ASIACCS 2012), theorem 5.
"""

from __future__ import annotations

import math

import numpy as np

from riskkit.base import distributions
from riskkit.errors import ScoreError

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
