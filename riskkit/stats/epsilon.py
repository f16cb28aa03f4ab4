"""What a game proves about epsilon: a lower bound and the most it could have proved, never a point.

A generator that is (epsilon, delta)-differentially private bounds every attack: TPR <= e^epsilon FPR + delta, and the
same for TNR and FNR. Turned round, an attack that succeeds shows that epsilon is at least so much. The ratio of the two
observed rates is no estimate of epsilon: it overstates it half the time, and is infinite whenever nothing went wrong.
"""

from __future__ import annotations

import math

import numpy as np

from riskkit.core import Bools, Estimate, Scores
from riskkit.errors import ParameterError
from riskkit.stats.arms import Arm, split
from riskkit.stats.intervals import clopper_pearson

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
        int(_first_answers(inside).sum()),
        inside.trainings,
        int(_first_answers(outside).sum()),
        outside.trainings,
        delta=delta,
        level=level,
    )
    ceiling = epsilon_ceiling(inside.trainings, outside.trainings, delta=delta, level=level)
    method = "Clopper-Pearson, one release a training; the high end is the ceiling"
    n = inside.trainings + outside.trainings
    return Estimate("epsilon_lower", bound, bound, ceiling, level, method, n).labelled(delta=f"{delta:g}")


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
    tail = (1 - level) / 2
    tpr_low = float(clopper_pearson(hits, n_in, tail)[0])
    fpr_high = float(clopper_pearson(false_alarms, n_out, tail)[1])
    return max(0.0, _log_ratio(tpr_low - delta, fpr_high), _log_ratio(1 - fpr_high - delta, 1 - tpr_low))


def _log_ratio(more: float, less: float) -> float:
    """The logarithm of their ratio; minus infinity where there is nothing above the line."""
    return math.log(more / less) if more > 0 else -math.inf


def _first_answers(arm: Arm) -> Bools:
    """(K,) whether the first release of each training was called "in"."""
    answers: Bools = np.asarray(arm.value[..., arm.starts] > 0)
    return answers
