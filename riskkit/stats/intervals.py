"""Intervals for one share, the difference of two, and an AUC; and how many independent trials clustered ones are worth.

All stay honest at 0 and 1, where intervals of the form "value plus or minus standard errors" shrink to a point, and all
work element by element on arrays.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy import stats

from riskkit.core import Floats
from riskkit.stats.arms import Arm

_HALVINGS = 60
_NORMAL_ENOUGH = 30


@lru_cache(maxsize=4096)
def critical(level: float, trainings: int | None = None) -> float:
    """How many standard errors a two-sided interval reaches to either side.

    Parameters
    ----------
    level : float in (0, 1)
        Coverage of the interval.
    trainings : int, optional
        Set when the variance was estimated from that many trainings: Student's t with one degree of freedom less
        where there are fewer than 30 of them.
    """
    tail = (1 + level) / 2
    if trainings is not None and trainings < _NORMAL_ENOUGH:
        return float(stats.t.ppf(tail, trainings - 1))
    return float(stats.norm.ppf(tail))


def newcombe5(auc: npt.ArrayLike, n_in: npt.ArrayLike, n_out: npt.ArrayLike, reach: float) -> tuple[Floats, Floats]:
    """Interval of an AUC: every A with (auc - A)^2 <= reach^2 V(A).

    ``V(A) = A (1 - A) (1 + N* ((1 - A) / (2 - A) + A / (1 + A))) / (n_in n_out)`` with
    ``N* = (n_in + n_out) / 2 - 1``, Hanley and McNeil's variance with the two sample sizes evened out.

    Parameters
    ----------
    auc, n_in, n_out : array_like
        Observed AUC and (effective) trials of each arm; they are broadcast.
    reach : float
        Standard errors to either side, from :func:`critical`.

    References
    ----------
    .. [1] Newcombe 2006, Statistics in Medicine 25:559-573, method 5.
    """
    value, n1, n0 = np.broadcast_arrays(*(np.asarray(a, dtype=np.float64) for a in (auc, n_in, n_out)))
    ends = []
    for far in (0.0, 1.0):
        near, away = value, np.full_like(value, far)
        for _ in range(_HALVINGS):
            middle = (near + away) / 2
            held = (value - middle) ** 2 <= reach**2 * _newcombe_variance(middle, n1, n0)
            near, away = np.where(held, middle, near), np.where(held, away, middle)
        ends.append(away)
    return ends[0], ends[1]


def _newcombe_variance(auc: Floats, n_in: Floats, n_out: Floats) -> Floats:
    """V(A) of :func:`newcombe5`."""
    evened = (n_in + n_out) / 2 - 1
    return auc * (1 - auc) * (1 + evened * ((1 - auc) / (2 - auc) + auc / (1 + auc))) / (n_in * n_out)


def square_and_add(
    first: Floats, first_interval: tuple[Floats, Floats], second: Floats, second_interval: tuple[Floats, Floats]
) -> tuple[Floats, Floats]:
    """Interval of ``first - second`` from an interval of each.

    References
    ----------
    .. [1] Newcombe 1998, Statistics in Medicine 17:873-890, method 10.
    """
    gap = first - second
    low = gap - np.hypot(first - first_interval[0], second_interval[1] - second)
    high = gap + np.hypot(first_interval[1] - first, second - second_interval[0])
    return low, high


def clopper_pearson(hits: npt.ArrayLike, n: npt.ArrayLike, tail: float) -> tuple[Floats, Floats]:
    """Exact limits of a share seen ``hits`` times in ``n``, each wrong with chance ``tail`` at most.

    A two-sided 95 % interval has ``tail`` .025. Neither number need be whole (see :func:`korn_graubard`).

    References
    ----------
    .. [1] Clopper and Pearson 1934, Biometrika 26:404-413.
    """
    k, of = np.broadcast_arrays(np.asarray(hits, dtype=np.float64), np.asarray(n, dtype=np.float64))
    none, all_ = k <= 0, k >= of
    low = np.where(none, 0.0, stats.beta.ppf(tail, np.where(none, 1.0, k), of - k + 1))
    high = np.where(all_, 1.0, stats.beta.isf(tail, k + 1, np.where(all_, 1.0, of - k)))
    return low, high


def korn_graubard(share: npt.ArrayLike, n: npt.ArrayLike, level: float, trainings: int | None) -> tuple[Floats, Floats]:
    """Interval of a share of clustered trials: Clopper and Pearson's on the effective number of trials.

    Parameters
    ----------
    share, n : array_like
        Observed share and effective trials (trials divided by the design effect).
    level : float in (0, 1)
        Coverage of the interval.
    trainings : int or None
        How many the design effect was estimated from (see :func:`critical`); None where each was one trial.

    References
    ----------
    .. [1] Korn and Graubard 1998, Survey Methodology 24:193-201.
    """
    value = np.asarray(share, dtype=np.float64)
    worth = np.asarray(n, dtype=np.float64) * (critical(level) / critical(level, trainings)) ** 2
    low, high = clopper_pearson(value * worth, worth, (1 - level) / 2)
    return np.minimum(low, value), np.maximum(high, value)


def sum_variance(arm: Arm, of_trials: Floats) -> tuple[Floats, Floats]:
    """Two estimates of the variance of the mean over trials: (as if independent, by training).

    The second sums the deviations within each training first (Obuchowski 1997, Biometrics 53:567-578).
    """
    off = of_trials - of_trials.mean(axis=-1, keepdims=True)
    k = arm.trainings
    alone = (off**2).sum(axis=-1) / (arm.n * (arm.n - 1))
    clustered = k / (k - 1) * (arm.totals(off) ** 2).sum(axis=-1) / arm.n**2
    return alone, clustered


def design_effect(alone: Floats, clustered: Floats, worst: float) -> Floats:
    """How many trials are worth one independent trial: ``clustered / alone``, within 1 and ``worst``.

    Where nothing varies, nothing is known of the dependence, and the worst is assumed.
    """
    varies = alone > 0
    return np.where(varies, np.clip(clustered / np.where(varies, alone, 1.0), 1.0, worst), worst)
