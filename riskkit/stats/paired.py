"""Two attacks that saw the same releases: by how much the one does better.

What one training makes easy or hard is so for both, and cancels in the difference; two separate intervals that overlap
may well belong to two attacks of which one is clearly better.
"""

from __future__ import annotations

import numpy as np

from riskkit.core import Estimate, Floats, Scores
from riskkit.errors import ScoreError
from riskkit.stats.arms import Arm, split
from riskkit.stats.roc import placements
from riskkit.stats.summary import auc_interval


def auc_difference(first: Scores, second: Scores, *, level: float = 0.95) -> Estimate:
    """The AUC of the first attack less that of the second, on the same releases.

    Interval: the ends of the two AUCs' own intervals put together with the correlation that the
    trainings show (Zou's square-and-add), none where it would be negative or cannot be seen.

    Raises
    ------
    ScoreError
        They are not of the same trials, or one of them has the same truth throughout.
    TooFewTrainings
        An arm has fewer than five independent trainings.

    References
    ----------
    .. [1] Zou 2007, Toward using confidence intervals to compare correlations, Psychological Methods 12:399-413.
    """
    if not (np.array_equal(first.is_in, second.is_in) and np.array_equal(first.training, second.training)):
        raise ScoreError("Two attacks are compared on the same releases, and these two saw different ones.")
    arms = split(first), split(second)
    value, low, high = difference_interval(*arms, level)
    n = arms[0][0].trainings + arms[0][1].trainings
    ends = float(min(low, value)), float(max(high, value))
    return Estimate("auc_difference", float(value), *ends, level, "Newcombe 5 or beta, paired by training", n)


def difference_interval(first: tuple[Arm, Arm], second: tuple[Arm, Arm], level: float) -> tuple[Floats, Floats, Floats]:
    """Value, low and high end of the difference, each (...,), for arms of one layout."""
    (auc, low, high), (other, other_low, other_high) = (auc_interval(*arms, level) for arms in (first, second))
    shared = correlation(first, second)
    below, above = _reach(auc - low, other_high - other, shared), _reach(high - auc, other - other_low, shared)
    return auc - other, np.maximum(auc - other - below, -1.0), np.minimum(auc - other + above, 1.0)


def _reach(own: Floats, other: Floats, shared: Floats) -> Floats:
    """How far the difference reaches to that side."""
    return np.sqrt(np.maximum(own**2 + other**2 - 2 * shared * own * other, 0.0))


def correlation(first: tuple[Arm, Arm], second: tuple[Arm, Arm]) -> Floats:
    """(...,) how the errors of the two AUCs go together, by training, within 0 and 1; 0 where nothing varies."""
    pulls = [_pulls(*arms) for arms in (first, second)]
    both, of_first, of_second = (
        sum((a * b).sum(axis=-1) for a, b in zip(pulls[i], pulls[j], strict=True)) for i, j in ((0, 1), (0, 0), (1, 1))
    )
    scale = np.sqrt(of_first * of_second)
    return np.clip(np.where(scale > 0, both / np.where(scale > 0, scale, 1.0), 0.0), 0.0, 1.0)


def _pulls(inside: Arm, outside: Arm) -> tuple[Floats, Floats]:
    """How far each training of either arm pulls the AUC, in standard units of its arm."""
    placed = placements(inside, outside)
    middle = placed.auc[..., None]
    return inside.totals(placed.inside - middle) / inside.n, outside.totals(placed.outside - middle) / outside.n
