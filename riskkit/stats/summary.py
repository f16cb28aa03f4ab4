"""What an attack achieved, as estimates.

Every interval counts **trainings**: trials of one training are worth as many independent ones as their scatter over
trainings shows (the design effect), never more. With fewer than five trainings an arm there is no interval, so no
number.

The mean AUC over several people (:func:`mean_auc`) counts the trainings that they share.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from riskkit.base import distributions
from riskkit.core import Estimate, Floats, Scores
from riskkit.errors import ParameterError, ScoreError, TooFewTrainings
from riskkit.stats.arms import Arm, effect_trainings, split
from riskkit.stats.intervals import (
    NORMAL_ENOUGH,
    Interval,
    auc_limits,
    design_effect,
    korn_graubard,
    newcombe_variance,
    shape_effect,
    square_and_add,
    sum_variance,
)
from riskkit.stats.roc import TPR_METHOD, Band, placements, tpr_interval

AUC_METHOD = "Newcombe 5 or beta, by training"
_SHARES = "Korn-Graubard, square-and-add, by training"


def auc(scores: Scores, *, level: float = 0.95) -> Estimate:
    """The chance that the attack scores a release made with the target above one made without it.

    .5 is guessing. Interval: Newcombe's method 5 or the limits of a beta law, on the effective number of trials.

    Raises
    ------
    ScoreError
        All trials have the same truth, or all the same score: they decide nothing.
    TooFewTrainings
        An arm has fewer than five independent trainings.
    """
    arms = _varying_arms(scores)
    return _estimate("auc", auc_interval(*arms, level), level, AUC_METHOD, arms)


def advantage(scores: Scores, *, level: float = 0.95) -> Estimate:
    """How much more often the attack says "in" of releases made with the target than of those made without.

    TPR - FPR at the attack's own cut: 0 is guessing, 1 is always right. A score of exactly 0 counts one half.
    Interval: Korn and Graubard's for the share of each arm, put together by square-and-add.

    Raises
    ------
    ScoreError
        All trials have the same truth.
    TooFewTrainings
        An arm has fewer than five independent trainings.
    """
    arms = split(scores)
    interval = advantage_interval(*arms, level)
    return _estimate("advantage", interval, level, _SHARES, arms)


def accuracy(scores: Scores, *, level: float = 0.95) -> Estimate:
    """How often the attack's answer is right when a fair coin decides whether the target is in.

    ``(1 + advantage) / 2``, whatever the number of trials of either side; .5 is guessing, and also what a constant
    answer gives (see :func:`is_degenerate`). Raises what :func:`advantage` raises.
    """
    arms = split(scores)
    value, low, high = ((1 + part) / 2 for part in advantage_interval(*arms, level))
    return _estimate("accuracy", (value, low, high), level, _SHARES, arms)


def tpr_at_fpr(scores: Scores, fpr: float = 0.1, *, level: float = 0.95) -> Estimate:
    """The share of releases made with the target that the attack names while it accuses ``fpr`` of the others.

    The cut is the highest ``fpr`` share of the "out" scores, so it is itself uncertain, and the interval says so. Where
    scores tie at the cut, lots are drawn among them (see :mod:`riskkit.stats.roc`).

    Parameters
    ----------
    scores : Scores
        One score a trial; higher means "in".
    fpr : float in (0, 1)
        At least ``3 / trainings without the target``, else there is nothing to measure.
    level : float
        Coverage of the interval.

    Raises
    ------
    ParameterError
        ``fpr`` is not between 0 and 1.
    ScoreError
        All trials have the same truth, or all the same score.
    TooFewTrainings
        Fewer than five trainings an arm, or fewer than ``3 / fpr`` without the target.
    """
    if not 0 < fpr < 1:
        raise ParameterError(f"The false positive rate is {fpr}; it must lie between 0 and 1.")
    arms = _varying_arms(scores)
    fewest = int(np.ceil(round(3 / fpr, 9)))
    if arms[1].trainings < fewest:
        raise TooFewTrainings.phrase(
            "The share found at a false positive rate of {fpr:g} needs at least {fewest} trainings without "
            "the target; there are {there}. Ask for more trainings or a higher rate.",
            fpr=fpr,
            fewest=fewest,
            there=arms[1].trainings,
        )
    interval = tpr_interval(*arms, fpr, level)
    return _estimate("tpr_at_fpr", interval, level, TPR_METHOD, arms).label(fpr=f"{fpr:g}")


def tpr_band(scores: Scores, *, level: float = 0.95, points: int = 40) -> Band:
    """The interval of :func:`tpr_at_fpr` at many shares of false alarms, from the smallest there is one for up to 1.

    Each point holds the truth at that level by itself; the whole curve leaves the band somewhere more often than that.

    Raises
    ------
    ScoreError, TooFewTrainings
        All trials have the same truth or the same score, or an arm has fewer than five trainings.
    """
    arms = _varying_arms(scores)
    fpr = np.geomspace(3 / arms[1].trainings, 1.0, points + 1)[:-1]
    inside, outside = (Arm(np.broadcast_to(arm.value, (points, arm.n)), arm.sizes) for arm in arms)
    return Band(fpr, *tpr_interval(inside, outside, fpr, level)[1:])


def is_degenerate(scores: Scores) -> bool:
    """Whether the attack gave one and the same answer at its own cut in every trial.

    Its accuracy is then .5 by balance of the game, not by failure to find a leak; a report must say so.
    """
    return len(np.unique(np.sign(scores.value))) <= 1


def auc_interval(inside: Arm, outside: Arm, level: float) -> Interval:
    """AUC with the limits of :func:`auc_limits`, on trials divided by the effects of clustering and of the shape."""
    placed, from_ = placements(inside, outside), effect_trainings(inside, outside)
    alone, effect = _clustering(inside, outside, placed.inside, placed.outside)
    if from_ is not None and from_ < NORMAL_ENOUGH:
        effect = np.maximum(effect, _clustering(inside, outside, *_ranks(inside, outside))[1])
    effect = effect * shape_effect(placed.auc, alone, inside.n, outside.n)
    low, high = auc_limits(placed.auc, inside.n / effect, outside.n / effect, level, from_)
    return placed.auc, low, high


def _clustering(inside: Arm, outside: Arm, of_in: Floats, of_out: Floats) -> tuple[Floats, Floats]:
    """The variance of the sum of two means as if trials were independent, and the design effect."""
    (alone_in, clustered_in), (alone_out, clustered_out) = sum_variance(inside, of_in), sum_variance(outside, of_out)
    worst, alone = max(inside.worst_design_effect, outside.worst_design_effect), alone_in + alone_out
    return alone, design_effect(alone, clustered_in + clustered_out, worst)


def _ranks(inside: Arm, outside: Arm) -> tuple[Floats, Floats]:
    """The ranks of the trials of either arm among all. They tell that releases of a training are alike also where
    nearly all trials are placed at the very end, and the few trainings that are not show nothing."""
    ranks = distributions.rankdata(np.concatenate([inside.value, outside.value], axis=-1), axis=-1)
    return ranks[..., : inside.n], ranks[..., inside.n :]


def advantage_interval(inside: Arm, outside: Arm, level: float) -> Interval:
    """TPR - FPR at the attack's own cut, with its interval."""
    from_ = effect_trainings(inside, outside)
    first = _share_interval(inside, _in_calls(inside), level, from_)
    second = _share_interval(outside, _in_calls(outside), level, from_)
    low, high = square_and_add(first[0], first[1:], second[0], second[1:])
    return first[0] - second[0], low, high


def _in_calls(arm: Arm) -> Floats:
    """(..., n) 1 where the attack's own answer is "in", one half where its score is exactly 0."""
    return (np.sign(arm.value) + 1) / 2


def _share_interval(arm: Arm, called: Floats, level: float, estimated_from: int | None) -> Interval:
    """The share of trials called "in", with its interval."""
    share = called.mean(axis=-1)
    return share, *korn_graubard(share, _effective(arm, called), level, estimated_from)


def _effective(arm: Arm, called: Floats) -> Floats:
    """(...,) how many independent trials the arm is worth."""
    return arm.n / design_effect(*sum_variance(arm, called), arm.worst_design_effect)


def _varying_arms(scores: Scores) -> tuple[Arm, Arm]:
    """The two arms of scores that are not all the same number."""
    arms = split(scores)
    if np.ptp(scores.value) == 0:
        raise ScoreError.phrase(
            "Attack {attack!r} gave every release the same score, so it decides nothing: neither a leak nor "
            "its absence. Choose another attack or another setting of it.",
            attack=scores.attack,
        )
    return arms


def _estimate(name: str, interval: Interval, level: float, method: str, arms: tuple[Arm, Arm]) -> Estimate:
    """The estimate, with the trainings of both arms as its N."""
    return Estimate.around(name, interval[0], interval[1:], level, method, arms[0].trainings + arms[1].trainings)


MEAN_METHOD = "mean over people, Newcombe 5 or beta, by training"


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
        raise ScoreError.phrase("The attack gave every release the same score, so it decides nothing.")
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
    known = effect_trainings(*arms[0])
    ends = auc_limits(value, n_in / effect, n_out / effect, level, None if known is None else known * many)
    return Estimate.around("auc", value, ends, level, MEAN_METHOD, sum(arm.trainings for pair in arms for arm in pair))


def _auc_and_variances(inside: Arm, outside: Arm) -> tuple[float, float, float]:
    """The AUC of one game and its variance, as if trials were independent and by training; 0 where nothing varies."""
    placed = placements(inside, outside)
    parts = sum_variance(inside, placed.inside), sum_variance(outside, placed.outside)
    alone, clustered = (sum(float(part[index]) for part in parts) for index in (0, 1))
    return float(placed.auc), alone, clustered


def is_found(auc: Estimate) -> bool:
    """Whether its whole interval lies above chance."""
    return auc.low > 0.5
