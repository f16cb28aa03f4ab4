"""How well scores tell "in" from "out", at every cut and over all cuts.

Oriented once: higher means "in". A score that points the wrong way has an AUC below one half and is shown so; neither
the larger of AUC and 1 - AUC nor the convex hull is ever taken, because both exceed one half without any leak.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from riskkit.base import distributions
from riskkit.core import Floats, Scores
from riskkit.stats.arms import Arm, split


@dataclass(frozen=True, slots=True, eq=False)
class Roc:
    """The share of "in" and of "out" trials called "in", as the cut comes down.

    ``fpr``, ``tpr`` and ``cuts`` are (points,); a trial is called "in" when its score is at least the cut. The first
    point is (0, 0) at an infinite cut; tied scores make one point.
    """

    fpr: Floats
    tpr: Floats
    cuts: Floats


def roc(scores: Scores) -> Roc:
    """The ROC curve of these trials. It is a picture; its area with an interval is :func:`riskkit.stats.auc`.

    Raises
    ------
    ScoreError
        All trials have the same truth.
    TooFewTrainings
        An arm has fewer than five independent trainings.
    """
    inside, outside = split(scores)
    cuts = np.unique(scores.value)[::-1]
    tpr, fpr = (_share_at_least(arm.value, cuts) for arm in (inside, outside))
    return Roc(np.append(0.0, fpr), np.append(0.0, tpr), np.append(np.inf, cuts))


@dataclass(frozen=True, slots=True, eq=False)
class Band:
    """Between which ends the true share named lies, at each share of false alarms by itself; all (points,)."""

    fpr: Floats
    low: Floats
    high: Floats


def _share_at_least(value: Floats, cuts: Floats) -> Floats:
    """(points,) the share of values at or above each cut."""
    share: Floats = 1.0 - np.searchsorted(np.sort(value), cuts) / len(value)
    return share


@dataclass(frozen=True, slots=True, eq=False)
class Placements:
    """Where each trial lies among those of the other arm, and the AUC that follows.

    ``auc`` (...,); ``inside`` (..., n_in) the share of "out" trials below each "in" trial; ``outside`` (..., n_out)
    the share of "in" trials above each "out" trial. Ties count one half.
    """

    auc: Floats
    inside: Floats
    outside: Floats


def placements(inside: Arm, outside: Arm) -> Placements:
    """Place the trials of the two arms among each other by ranks (DeLong et al. 1988)."""
    together = distributions.rankdata(np.concatenate([inside.value, outside.value], axis=-1), axis=-1)
    below = together[..., : inside.n] - distributions.rankdata(inside.value, axis=-1)
    above = inside.n - (together[..., inside.n :] - distributions.rankdata(outside.value, axis=-1))
    return Placements(_share(below.sum(axis=-1), inside.n * outside.n), below / outside.n, above / inside.n)


def _share(wins: Floats, pairs: int) -> Floats:
    """``wins / pairs``, rounded so that exchanging the labels gives one minus it to the last bit."""
    return np.where(2 * wins >= pairs, wins / pairs, 1.0 - (pairs - wins) / pairs)


def auc_value(inside: Arm, outside: Arm) -> Floats:
    """(...,) the chance that a trial "in" scores above a trial "out", ties one half."""
    return placements(inside, outside).auc
