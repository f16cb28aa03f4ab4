"""Intervals for one share, the difference of two, and an AUC; and how many independent trials clustered ones are worth.

All stay honest at 0 and 1, where intervals of the form "value plus or minus standard errors" shrink to a point, and all
work element by element on arrays.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache, wraps

import numpy as np
import numpy.typing as npt
from scipy.special import betainc, betaincc, betainccinv, betaincinv

from riskkit.base import distributions as stats
from riskkit.core import Bools, Estimate, Floats
from riskkit.errors import ScoreError
from riskkit.stats.arms import Arm

Interval = tuple[Floats, Floats, Floats]
"""Value, low and high end, each (...,)."""

_HALVINGS = 60
_FEW = 64
"""So many intervals at once, at most, are remembered."""
NORMAL_ENOUGH = 30
"""From so many trainings on, what was estimated from them is taken for known."""
_LEAST_WORTH = 1e-3
"""A beta law is never worth fewer trials than that: it then lies at 0 and 1 alone."""


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
    if trainings is not None and trainings < NORMAL_ENOUGH:
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

    def held(far: Floats) -> Bools:
        within: Bools = (value - far) ** 2 <= reach**2 * newcombe_variance(far, n1, n0)
        return within

    return _last(held, value, 0.0), _last(held, value, 1.0)


def _last(held: Callable[[Floats], Bools], first: Floats, far: float) -> Floats:
    """The last value on the way from ``first`` to ``far`` that is held; all before it are, and none behind."""
    near, away = first, np.full_like(first, far)
    for _ in range(_HALVINGS):
        middle = (near + away) / 2
        is_held = held(middle)
        near, away = np.where(is_held, middle, near), np.where(is_held, away, middle)
    return away


def newcombe_variance(auc: npt.ArrayLike, n_in: npt.ArrayLike, n_out: npt.ArrayLike) -> Floats:
    """(...,) V(A) of :func:`newcombe5`: the variance of an observed AUC whose true value is ``auc``."""
    a, n1, n0 = (np.asarray(part, dtype=np.float64) for part in (auc, n_in, n_out))
    evened = (n1 + n0) / 2 - 1
    variance: Floats = a * (1 - a) * (1 + evened * ((1 - a) / (2 - a) + a / (1 + a))) / (n1 * n0)
    return variance


def _memoise(limits: Callable[..., tuple[Floats, Floats]]) -> Callable[..., tuple[Floats, Floats]]:
    """Give the limits of the same numbers again: a page and a report ask for them each time they are drawn."""

    @lru_cache(maxsize=4096)
    def computed(parts: tuple[tuple[bytes, tuple[int, ...]], ...], *rest: object) -> tuple[Floats, Floats]:
        return limits(*(np.frombuffer(content).reshape(shape) for content, shape in parts), *rest)

    @wraps(limits)
    def remembered(
        auc: npt.ArrayLike, n_in: npt.ArrayLike, n_out: npt.ArrayLike, level: float, trainings: int | None = None
    ) -> tuple[Floats, Floats]:
        parts = [np.asarray(part, dtype=np.float64) for part in (auc, n_in, n_out)]
        if max(part.size for part in parts) > _FEW:
            return limits(*parts, level, trainings)
        low, high = computed(tuple((part.tobytes(), part.shape) for part in parts), level, trainings)
        return low.copy(), high.copy()

    return remembered


@_memoise
def auc_limits(
    auc: npt.ArrayLike, n_in: npt.ArrayLike, n_out: npt.ArrayLike, level: float, trainings: int | None = None
) -> tuple[Floats, Floats]:
    """Interval of an AUC of which each end by itself is wrong as seldom as the level says.

    Newcombe's method 5 takes an observed AUC for normally distributed. Near 1 it is not: it falls far short of the
    true one more often than it exceeds it as far, so that the upper end is too low in 4 of 100 audits. Each end
    therefore is Newcombe's or that of the beta law of the same mean and variance, whichever lies further out: the last
    A under which an AUC so low (so high) has the chance of one tail.

    Parameters
    ----------
    auc, n_in, n_out : array_like
        Observed AUC and (effective) trials of each arm, which :func:`design_effect` and :func:`shape_effect` give.
    level : float in (0, 1)
        Coverage of the interval; each end is wrong with half of what it leaves.
    trainings : int, optional
        How many the design effect was estimated from (see :func:`critical`).
    """
    value, n1, n0 = np.broadcast_arrays(*(np.asarray(a, dtype=np.float64) for a in (auc, n_in, n_out)))
    tail, reach = (1 - level) / 2, critical(level, trainings)
    inflated = (reach / critical(level)) ** 2
    ends = []
    for end, far, side in zip(newcombe5(value, n1, n0, reach), (0.0, 1.0), (1, -1), strict=True):

        def beyond(a: Floats, value: Floats, n1: Floats, n0: Floats, side: int = side) -> Floats:
            return auc_tail(value, a, inflated * newcombe_variance(a, n1, n0), side) - tail

        from scipy.optimize.elementwise import find_root  # it takes long to load

        root = find_root(beyond, (end, np.full_like(end, far)), args=(value, n1, n0))
        ends.append(np.where(root.success, root.x, end))  # no root: the beta law ends before Newcombe's
    return ends[0], ends[1]


def auc_tail(observed: Floats, auc: npt.ArrayLike, variance: Floats, side: int) -> Floats:
    """(...,) the chance of an AUC at least (``side`` 1) or at most (-1) as high as the observed, by a beta law.

    ``auc`` and ``variance`` are the mean and the variance of the law; at 0 and 1 it is a point.
    """
    a = np.asarray(auc, dtype=np.float64)
    inner = (a > 0) & (a < 1) & (variance > 0)
    mean = np.where(inner, a, 0.5)
    worth = np.maximum(mean * (1 - mean) / np.where(inner, variance, 1.0) - 1, _LEAST_WORTH)
    chance = (betaincc if side > 0 else betainc)(mean * worth, (1 - mean) * worth, observed)
    certain = a >= observed if side > 0 else a <= observed
    return np.where(inner, chance, certain.astype(np.float64))


def square_and_add(
    first: Floats, first_interval: tuple[Floats, Floats], second: Floats, second_interval: tuple[Floats, Floats]
) -> tuple[Floats, Floats]:
    """Interval of ``first - second`` from an interval of each; all of one shape (...,), and so are both ends.

    References
    ----------
    .. [1] Newcombe 1998, Statistics in Medicine 17:873-890, method 10.
    """
    gap = first - second
    low = gap - np.hypot(first - first_interval[0], second_interval[1] - second)
    high = gap + np.hypot(first_interval[1] - first, second - second_interval[0])
    return low, high


def hoeffding(trials: int, level: float) -> float:
    """Half width of an interval of a rate that holds whatever the rate: sqrt(log(2 / (1 - level)) / (2 trials)).

    References
    ----------
    .. [1] Propositions 1 and 2 of Krčo and others, Lost in the averages; Hoeffding (1963).
    """
    return math.sqrt(math.log(2 / (1 - level)) / (2 * trials))


def clopper_pearson(hits: npt.ArrayLike, n: npt.ArrayLike, tail: float) -> tuple[Floats, Floats]:
    """Exact limits of a share seen ``hits`` times in ``n``, each wrong with chance ``tail`` at most.

    Both ends are of the shape (...,) that ``hits`` and ``n`` have together.

    A two-sided 95 % interval has ``tail`` .025. Neither number need be whole (see :func:`korn_graubard`).

    References
    ----------
    .. [1] Clopper and Pearson 1934, Biometrika 26:404-413.
    """
    return clopper_pearson_low(hits, n, tail), clopper_pearson_high(hits, n, tail)


def clopper_pearson_low(hits: npt.ArrayLike, n: npt.ArrayLike, tail: float) -> Floats:
    """(...,) the lower of :func:`clopper_pearson`'s limits."""
    k, of = np.broadcast_arrays(np.asarray(hits, dtype=np.float64), np.asarray(n, dtype=np.float64))
    none = k <= 0
    return np.where(none, 0.0, betaincinv(np.where(none, 1.0, k), of - k + 1, tail))


def clopper_pearson_high(hits: npt.ArrayLike, n: npt.ArrayLike, tail: float) -> Floats:
    """(...,) the upper of :func:`clopper_pearson`'s limits."""
    k, of = np.broadcast_arrays(np.asarray(hits, dtype=np.float64), np.asarray(n, dtype=np.float64))
    all_ = k >= of
    return np.where(all_, 1.0, betainccinv(k + 1, np.where(all_, 1.0, of - k), tail))


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
    """Variance of the mean of values (..., n_trials), estimated twice: (...,) as if independent, (...,) by training.

    The second sums the deviations within each training first (Obuchowski 1997, Biometrics 53:567-578).
    """
    off = of_trials - of_trials.mean(axis=-1, keepdims=True)
    k = arm.trainings
    alone = (off**2).sum(axis=-1) / (arm.n * (arm.n - 1))
    clustered = k / (k - 1) * (arm.totals(off) ** 2).sum(axis=-1) / arm.n**2
    return alone, clustered


def design_effect(alone: Floats, clustered: Floats, worst: float) -> Floats:
    """(...,) how many trials are worth one independent trial: ``clustered / alone``, within 1 and ``worst``.

    Where nothing varies, nothing is known of the dependence, and the worst is assumed.
    """
    varies = alone > 0
    return np.where(varies, np.clip(clustered / np.where(varies, alone, 1.0), 1.0, worst), worst)


def shape_effect(auc: npt.ArrayLike, alone: npt.ArrayLike, n_in: npt.ArrayLike, n_out: npt.ArrayLike) -> Floats:
    """How much more an AUC scatters than Newcombe's variance says, by the shape of the scores: at least 1.

    The variance that the trials show (``alone``, DeLong's) over Newcombe's, which is that of evenly spread scores;
    never beyond ``A (1 - A) / min(n_in, n_out)``, the largest there can be (Birnbaum and Klose). Where nothing varies
    nothing is known of the shape, and it is 1.

    References
    ----------
    .. [1] DeLong, DeLong, Clarke-Pearson 1988, Biometrics 44:837-845. Birnbaum and Klose 1957, Annals of Mathematical
       Statistics 28:933-945.
    """
    value, own, n1, n0 = np.broadcast_arrays(*(np.asarray(a, dtype=np.float64) for a in (auc, alone, n_in, n_out)))
    varies = (value > 0) & (value < 1)
    a = np.where(varies, value, 0.5)
    largest = a * (1 - a) / np.minimum(n1, n0)
    return np.where(varies, np.maximum(np.minimum(own, largest) / newcombe_variance(a, n1, n0), 1.0), 1.0)


def snake(sureness: Floats, is_in: Bools, *, level: float = 0.95) -> Estimate:
    """``(1 + TPR - FPR) / 2`` of guesses that weigh ``2 |1/2 - p|`` each; .5 is guessing and 1 always right.

    ``p`` above one half says "in". Either rate is a weighted share, and its interval Clopper and Pearson's on as many
    answers as the weights are worth (Kish); the two are put together as independent ones. ``n`` counts answers.

    Parameters
    ----------
    sureness
        (n,) how sure the attacker is of "in", in [0, 1].
    is_in
        (n,) the truth.

    Raises
    ------
    ScoreError
        Something is no chance, or all weights of a side are 0: then a rate would be nought over nought.

    References
    ----------
    .. [1] Allard et al., SNAKE challenge (CIKM 2023). Kish 1965, Survey Sampling; Newcombe 1998, method 10.
    """
    p = np.asarray(sureness, dtype=np.float64)
    if p.shape != is_in.shape or not ((p >= 0) & (p <= 1)).all():
        raise ScoreError("Every answer must be a chance between 0 and 1, one for each that was asked about.")
    weight = 2 * np.abs(0.5 - p)
    shares, ends = [], []
    for side in (True, False):
        own = weight[is_in == side]
        if not own.sum() > 0:
            raise ScoreError.phrase(
                "All answers about one side are one half, which weighs nothing; no score can be given."
            )
        share = np.minimum(own @ (p[is_in == side] > 0.5) / own.sum(), 1.0)
        worth = own.sum() ** 2 / (own**2).sum()
        shares.append(share)
        ends.append(korn_graubard(share, worth, level, None))
    low, high = square_and_add(shares[0], ends[0], shares[1], ends[1])
    value, least, most = (float((1 + end) / 2) for end in (shares[0] - shares[1], low, high))
    return Estimate(
        "snake",
        value,
        max(min(least, value), 0.0),
        min(max(most, value), 1.0),
        level,
        "Newcombe's square-and-add on weighted shares",
        len(p),
    )
