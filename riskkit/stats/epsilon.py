"""What a game proves about epsilon: a lower bound and the most it could have proved, never a point.

A generator that is (epsilon, delta)-differentially private bounds every attack: TPR <= e^epsilon FPR + delta, and the
same for TNR and FNR. Turned round, an attack that succeeds shows that epsilon is at least so much. The ratio of the two
observed rates is no estimate of epsilon: it overstates it half the time, and is infinite whenever nothing went wrong.

The cut is the attack's own (:func:`epsilon_lower`). A better one may exist; taking the best of many as if it had been
the only one overstates epsilon, so a cut that is looked for is paid for by a correction (:func:`epsilon_any_cut`) or by
trainings (:func:`epsilon_split`). Beside these and never instead of them stand a Bayesian interval, which believes a
prior, and a bound that holds only where the method is known to be Gaussian.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from riskkit.base import distributions as stats
from riskkit.core import Estimate, Floats, Scores
from riskkit.errors import ParameterError, TooFewTrainings
from riskkit.stats.arms import FEWEST_TRAININGS, Arm, split
from riskkit.stats.intervals import clopper_pearson
from riskkit.stats.privacy import gaussian_epsilon

ONE_RUN = ("epsilon_one_run", "epsilon_one_run_gaussian")
"""Of these, those from one single training, whose n counts audit rows."""
BOUNDS = ("epsilon_lower", "epsilon_any_cut", "epsilon_split", "epsilon_gaussian", *ONE_RUN)
"""Estimates whose value is a lower bound and whose high end is a ceiling, no upper bound."""


def epsilon_lower(scores: Scores, *, delta: float = 0.0, level: float = 0.95) -> Estimate:
    """The epsilon that this game shows the generator to exceed, with confidence ``level``; 0 shows nothing.

    ``value`` and ``low`` are the bound. ``high`` is **not** an upper bound on epsilon but the ceiling: what would
    have been shown had every answer been right. One release of each training counts, the first, because trials of
    one training are not independent; the cut is the attack's own, fixed before the game (above 0 means "in").

    Parameters
    ----------
    scores : Scores
        One score a trial; higher means "in".
    delta : float in [0, 1)
        The delta of the claim that is tested.
    level : float in (0, 1)
        Confidence of the bound; its error is halved between the two rates, and both directions hold together.

    Raises
    ------
    ParameterError
        ``delta`` or ``level`` is outside its range.
    ScoreError
        All trials have the same truth.
    TooFewTrainings
        An arm has fewer than five independent trainings.

    References
    ----------
    .. [1] Jagielski, Ullman, Oprea 2020, https://arxiv.org/abs/2006.07709
    """
    inside, outside = split(scores)
    bound = epsilon_bound(
        _count_in(inside),
        inside.trainings,
        _count_in(outside),
        outside.trainings,
        delta=delta,
        level=level,
    )
    ceiling = epsilon_ceiling(inside.trainings, outside.trainings, delta=delta, level=level)
    method = "Clopper-Pearson, one release a training; the high end is the ceiling"
    n = inside.trainings + outside.trainings
    return Estimate("epsilon_lower", bound, bound, ceiling, level, method, n).label(delta=f"{delta:g}")


def epsilon_ceiling(n_in: int, n_out: int, *, delta: float = 0.0, level: float = 0.95) -> float:
    """The largest epsilon that so many trainings can show, were every answer right."""
    return epsilon_bound(n_in, n_in, 0, n_out, delta=delta, level=level)


def epsilon_bound(
    hits: int, n_in: int, false_alarms: int, n_out: int, *, delta: float = 0.0, level: float = 0.95
) -> float:
    """The lower bound from counts: ``hits`` of ``n_in`` and ``false_alarms`` of ``n_out`` were called "in".

    The larger of ``ln((TPR_lo - delta) / FPR_hi)`` and ``ln((TNR_lo - delta) / FNR_hi)``, and at least 0.
    """
    if not (0 <= delta < 1 and 0 < level < 1):
        raise ParameterError(f"Delta is {delta} and the level {level}; delta must be in [0, 1), the level in (0, 1).")
    tpr_low, fpr_high = _worst(hits, n_in, false_alarms, n_out, level)
    return max(0.0, _log_ratio(tpr_low - delta, fpr_high), _log_ratio(1 - fpr_high - delta, 1 - tpr_low))


def _worst(hits: int, n_in: int, false_alarms: int, n_out: int, level: float) -> tuple[float, float]:
    """The lower limit of the share named and the upper one of false alarms, each wrong with half of the error."""
    tail = (1 - level) / 2
    return float(clopper_pearson(hits, n_in, tail)[0]), float(clopper_pearson(false_alarms, n_out, tail)[1])


def _log_ratio(more: float, less: float) -> float:
    """The logarithm of their ratio; minus infinity where there is nothing above the line."""
    return math.log(more / less) if more > 0 else -math.inf


SHARES = (0.0, 0.02, 0.05, 0.1, 0.2)
"""The shares of wrong answers at which cuts are tried by rank, settled before any score is seen."""

_Counts = tuple[int, int, int, int]
"""Rightly told and trainings of one side, wrongly told and trainings of the other."""


def epsilon_any_cut(scores: Scores, *, delta: float = 0.0, level: float = 0.95) -> Estimate:
    """The epsilon that is exceeded, from several cuts in both directions, each at a level that allows for all.

    Scores of few values are cut between every two of them: no other cut tells them apart, and the fewer there are the
    less the correction takes. Scores of more values than there would be cuts by rank are cut by rank. Such a cut lets
    so many of the "out" trainings through (:data:`SHARES` of them) and is judged by the "in" ones; in the other
    direction it loses so many "in" trainings and is judged by the "out" ones. A rate at a cut set by rank has Clopper
    and Pearson's limits exactly, as a rate at a fixed cut has. One release of each training counts, the first.

    ``value`` and ``low`` are the bound, ``high`` the ceiling; see :func:`riskkit.stats.epsilon.epsilon_lower`, which
    also says what is raised.
    """
    inside, outside = (_first(arm) for arm in split(scores))
    values = np.unique(np.concatenate([inside, outside]))
    by_rank = len(_wrong(len(outside))) + len(_wrong(len(inside)))
    counts = _between(values, inside, outside) if len(values) - 1 <= by_rank else _by_rank(inside, outside)
    each = 1 - (1 - level) / max(len(counts), 1)
    bound = max((epsilon_bound(*count, delta=delta, level=each) for count in counts), default=0.0)
    ceiling = epsilon_ceiling(len(inside), len(outside), delta=delta, level=each)
    cuts = "1 cut" if len(counts) == 1 else f"{len(counts)} cuts with Bonferroni"
    method = f"Clopper-Pearson, best of {cuts}, one release a training; high is the ceiling"
    return _bound_estimate("epsilon_any_cut", bound, ceiling, level, method, len(inside) + len(outside), delta)


def _between(values: Floats, inside: Floats, outside: Floats) -> list[_Counts]:
    """The counts at every cut between two neighbouring values."""
    cuts = values[:-1, None]
    hits, alarms = ((arm > cuts).sum(axis=1).tolist() for arm in (inside, outside))
    return [(hit, len(inside), alarm, len(outside)) for hit, alarm in zip(hits, alarms, strict=True)]


def _by_rank(inside: Floats, outside: Floats) -> list[_Counts]:
    """The counts at cuts that so many trainings of one side are on the wrong side of; then those of the other side."""
    falling, rising = np.sort(outside)[::-1], np.sort(inside)
    accused = [
        (int((inside > falling[wrong]).sum()), len(inside), wrong, len(outside)) for wrong in _wrong(len(outside))
    ]
    cleared = [
        (int((outside < rising[wrong]).sum()), len(outside), wrong, len(inside)) for wrong in _wrong(len(inside))
    ]
    return accused + cleared


def epsilon_split(scores: Scores, *, delta: float = 0.0, level: float = 0.95) -> Estimate:
    """The epsilon that is exceeded, at the cut that did best on half of the trainings, counted on the other half.

    Every second training of either arm chooses. ``value`` and ``low`` are the bound, ``high`` the ceiling.

    Raises
    ------
    TooFewTrainings
        Fewer than ten trainings an arm, so that a half has fewer than five.
    """
    inside, outside = (_first(arm) for arm in split(scores))
    if min(len(inside), len(outside)) < 2 * FEWEST_TRAININGS:
        raise TooFewTrainings.phrase(
            "There are {inside} trainings with the target and {outside} without it; choosing a cut on half "
            "of them needs at least {fewest} of each. Ask for more trainings.",
            inside=len(inside),
            outside=len(outside),
            fewest=2 * FEWEST_TRAININGS,
        )
    cut = _best_cut(inside[::2], outside[::2], delta, level)
    counted_in, counted_out = inside[1::2], outside[1::2]
    hits, alarms = int((counted_in > cut).sum()), int((counted_out > cut).sum())
    bound = epsilon_bound(hits, len(counted_in), alarms, len(counted_out), delta=delta, level=level)
    ceiling = epsilon_ceiling(len(counted_in), len(counted_out), delta=delta, level=level)
    method = "Clopper-Pearson, cut chosen on the other half, one release a training; high is the ceiling"
    return _bound_estimate("epsilon_split", bound, ceiling, level, method, len(counted_in) + len(counted_out), delta)


def _best_cut(inside: Floats, outside: Floats, delta: float, level: float) -> float:
    """The cut with the largest bound on these trainings, of equal bounds the one with the largest advantage."""
    values = np.unique(np.concatenate([inside, outside]))
    cuts = (values[1:] + values[:-1]) / 2 if len(values) > 1 else values

    hits, alarms = ((arm > cuts[:, None]).sum(axis=1) for arm in (inside, outside))
    low, high = (
        clopper_pearson(hits, len(inside), (1 - level) / 2)[0],
        clopper_pearson(alarms, len(outside), (1 - level) / 2)[1],
    )
    ratios = np.maximum([low - delta, 1 - high - delta], np.finfo(float).tiny) / [high, 1 - low]
    advantage = np.abs(hits / len(inside) - alarms / len(outside))
    best = np.lexsort([advantage, np.maximum(ratios.max(axis=0), 1.0)])[-1]
    return float(cuts[best])


def _wrong(trainings: int) -> list[int]:
    """How many trainings may be wrong at each cut, without repeats."""
    return list(dict.fromkeys(int(np.ceil(round(share * trainings, 9))) for share in SHARES))


def _count_in(arm: Arm) -> int:
    """How many trainings' first release was called "in"."""
    return int((_first(arm) > 0).sum())


def _first(arm: Arm) -> Floats:
    """(K,) the score of the first release of each training."""
    value: Floats = arm.value[..., arm.starts]
    return value


def _bound_estimate(
    name: str, bound: float, ceiling: float, level: float, method: str, n: int, delta: float
) -> Estimate:
    if not 0 < level < 1:
        raise ParameterError(f"The level is {level}; it must lie between 0 and 1.")
    return Estimate(name, bound, bound, max(bound, ceiling), level, method, n).label(delta=f"{delta:g}")


_NODES, _MOST = 4001, 60.0


def epsilon_bayesian(scores: Scores, *, delta: float = 0.0, level: float = 0.95) -> Estimate:
    """Where epsilon lies for someone who held all error rates for likely before (Jeffreys' prior), at the own cut.

    ``value`` is the median of the posterior. It says of this cut alone how private the method would have to be, and is
    no bound that holds in so many audits: it lies above :func:`riskkit.stats.epsilon.epsilon_lower`. One release of
    each training counts, the first. Raises what that raises.
    """
    inside, outside = split(scores)
    hits, alarms = _count_in(inside), _count_in(outside)
    counts = hits, inside.trainings, alarms, outside.trainings
    low, median, high = (joint_beta(*counts, share, delta=delta) for share in ((1 - level) / 2, 0.5, (1 + level) / 2))
    n = inside.trainings + outside.trainings
    method = "Bayesian: joint Beta posterior, Jeffreys prior, one release a training"
    return Estimate("epsilon_bayesian", median, low, high, level, method, n).label(delta=f"{delta:g}")


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
    fpr = 0.5 + false_alarms, 0.5 + n_out - false_alarms

    def held(epsilon: float) -> float:
        grown, shrunk = np.exp(epsilon), np.exp(-epsilon)
        low = np.maximum(1 - delta - grown * fnr, shrunk * (1 - delta - fnr))
        high = np.minimum(delta + grown * (1 - fnr), 1 + shrunk * (delta - fnr))
        return float(np.clip(stats.beta.cdf(high, *fpr) - stats.beta.cdf(low, *fpr), 0.0, 1.0).mean()) - mass

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
    tpr_low, fpr_high = _worst(hits, n_in, false_alarms, n_out, level)
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
        for hits, alarms in ((_count_in(inside), _count_in(outside)), (n_in, 0))
    )
    bound, ceiling = gaussian_epsilon(mu, delta), gaussian_epsilon(most, delta)
    method = "Clopper-Pearson, assumes a Gaussian trade-off, one release a training; the high end is the ceiling"
    estimate = Estimate("epsilon_gaussian", bound, bound, ceiling, level, method, n_in + n_out)
    return estimate.label(delta=f"{delta:g}", mu=f"{mu:.4f}")
