"""Lower bounds of epsilon at a cut that is looked for, paid for by a correction or by trainings.

The cut of :func:`riskkit.stats.epsilon.epsilon_lower` is the attack's own. A better one may exist; taking the best of
many as if it had been the only one overstates epsilon. Here it is looked for honestly, in two ways.
"""

from __future__ import annotations

import numpy as np

from riskkit.core import Estimate, Floats, Scores
from riskkit.errors import ParameterError, TooFewTrainings
from riskkit.phrases import phrase
from riskkit.stats.arms import FEWEST_TRAININGS, Arm, split
from riskkit.stats.epsilon import epsilon_bound, epsilon_ceiling
from riskkit.stats.intervals import clopper_pearson

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
    return _bound("epsilon_any_cut", bound, ceiling, level, method, len(inside) + len(outside), delta)


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
        raise TooFewTrainings(
            phrase(
                "There are {inside} trainings with the target and {outside} without it; choosing a cut on half "
                "of them needs at least {fewest} of each. Ask for more trainings.",
                inside=len(inside),
                outside=len(outside),
                fewest=2 * FEWEST_TRAININGS,
            )
        )
    cut = _best_cut(inside[::2], outside[::2], delta, level)
    counted_in, counted_out = inside[1::2], outside[1::2]
    hits, alarms = int((counted_in > cut).sum()), int((counted_out > cut).sum())
    bound = epsilon_bound(hits, len(counted_in), alarms, len(counted_out), delta=delta, level=level)
    ceiling = epsilon_ceiling(len(counted_in), len(counted_out), delta=delta, level=level)
    method = "Clopper-Pearson, cut chosen on the other half, one release a training; high is the ceiling"
    return _bound("epsilon_split", bound, ceiling, level, method, len(counted_in) + len(counted_out), delta)


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


def _first(arm: Arm) -> Floats:
    """(K,) the score of the first release of each training."""
    value: Floats = arm.value[..., arm.starts]
    return value


def _bound(name: str, bound: float, ceiling: float, level: float, method: str, n: int, delta: float) -> Estimate:
    if not 0 < level < 1:
        raise ParameterError(f"The level is {level}; it must lie between 0 and 1.")
    return Estimate(name, bound, bound, max(bound, ceiling), level, method, n).labelled(delta=f"{delta:g}")
