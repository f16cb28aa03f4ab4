"""The mean of the AUCs of several people, each from a game of their own, as one number with an interval."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from riskkit.core import Estimate, Scores
from riskkit.errors import ScoreError
from riskkit.phrases import phrase
from riskkit.stats.arms import Arm, estimated_from, split
from riskkit.stats.intervals import auc_limits, design_effect, newcombe_variance, sum_variance
from riskkit.stats.roc import placements

METHOD = "mean over people, Newcombe 5 or beta, by training"


def mean_auc(games: Sequence[Scores], *, level: float = 0.95) -> Estimate:
    """The mean AUC of an attack over people who were played one by one; .5 is guessing.

    Each game has trainings of its own, so the errors of the AUCs are independent: the variance of their mean is the sum
    of theirs over the square of their number. The interval is that of one AUC with as many trainings as all games have
    together, divided by how much more the mean scatters than such an AUC would. Where people differ the true scatter is
    smaller (the variance of an AUC is concave in it), so the interval is then too wide, never too narrow.

    Parameters
    ----------
    games : sequence of Scores
        One attack on one person each, equal numbers of trainings in all.

    Returns
    -------
    Estimate
        ``n`` counts the trainings of all games.

    Raises
    ------
    ScoreError
        No game, a game whose trials all have the same truth, or scores that nowhere differ.
    TooFewTrainings
        An arm of a game has fewer than five trainings.

    References
    ----------
    .. [1] Newcombe 2006, Statistics in Medicine 25:559-573. Obuchowski 1997, Biometrics 53:567-578.
    """
    if not any(np.ptp(scores.value) > 0 for scores in games):
        raise ScoreError(phrase("The attack gave every release the same score, so it decides nothing."))
    arms = [split(scores) for scores in games]
    each, alone, clustered = np.transpose([_auc_and_variances(*pair) for pair in arms])
    value, many = float(each.mean()), len(games)
    n_in, n_out = (sum(pair[side].n for pair in arms) for side in (0, 1))
    held = float(np.clip(value, 1e-9, 1 - 1e-9))
    expected = float(newcombe_variance(held, n_in / many, n_out / many)) / many
    largest = held * (1 - held) / min(n_in, n_out)
    scattered = max(min(float(alone.sum()) / many**2, largest), expected)
    worst = max(arm.worst_design_effect for pair in arms for arm in pair)
    effect = scattered / float(newcombe_variance(held, n_in, n_out))
    effect *= float(design_effect(alone.sum(), clustered.sum(), worst))
    known = estimated_from(*arms[0])
    low, high = auc_limits(value, n_in / effect, n_out / effect, level, None if known is None else known * many)
    n = sum(arm.trainings for pair in arms for arm in pair)
    return Estimate("auc", value, min(float(low), value), max(float(high), value), level, METHOD, n)


def _auc_and_variances(inside: Arm, outside: Arm) -> tuple[float, float, float]:
    """The AUC of one game and its variance, as if trials were independent and by training; 0 where nothing varies."""
    placed = placements(inside, outside)
    parts = sum_variance(inside, placed.inside), sum_variance(outside, placed.outside)
    alone, clustered = (sum(float(part[index]) for part in parts) for index in (0, 1))
    return float(placed.auc), alone, clustered
