"""Several attacks on the same records: a test and intervals that hold for all of them together.

Attacks on one release hang together, so allowing for each as if it stood alone (Bonferroni) gives power away. The
largest of their studentised AUCs, over labels dealt anew, takes as much as they deserve and no more.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from riskkit.base import distributions as stats
from riskkit.core import Estimate, Floats, Scores
from riskkit.errors import ScoreError
from riskkit.stats import permuted, records

BEYOND = 50
"""Deals of the labels that are to lie beyond the critical value, so that its own error is small."""
MOST = 99_999
"""No more deals than that, however high the level."""


@dataclass(frozen=True, slots=True, eq=False)
class Joint:
    """What several attacks reach.

    ``aucs``: each attack's, in the order given. The lower ends of all of them hold together at the level asked for, and
    so do the upper ends; both at once hold at ``level`` of the estimates. ``p``: for each attack the chance that *any*
    of them points to "in" so clearly where the labels mean nothing; a lower end lies above one half just where it is no
    more than 1 less the level asked for. ``permutations``: how often the labels were dealt anew. ``reach``: how many
    standard errors the intervals reach down and up.
    """

    aucs: tuple[Estimate, ...]
    p: tuple[float, ...]
    permutations: int
    reach: tuple[float, float]


def joint_aucs(scores: Sequence[Scores], rng: np.random.Generator, *, level: float = 0.95) -> Joint:
    """The AUC of each of several attacks on the same records.

    Parameters
    ----------
    scores
        One for each attack; the same records in the same order, and scores that no attack made from the labels.
    level : float in (0, 1)
        The chance that no lower end lies above its AUC, and that no upper end lies below.

    Raises
    ------
    ScoreError
        None is given, they are not of the same records, or one has the same score throughout.
    TooFewTrainings
        A side has fewer than five records.

    Notes
    -----
    One-sided single-step maxT: each AUC's distance from one half in its standard deviation over the deals; the
    reach of the intervals is the quantile of the largest over all attacks, upwards for the lower ends and downwards for
    the upper ends. Exact for one half; elsewhere Newcombe's interval with that reach.

    References
    ----------
    .. [1] Westfall and Young 1993, Resampling-based multiple testing.
    """
    first = _same_records(scores)
    alpha = 1 - level
    times = min(max(permuted.PERMUTATIONS, math.ceil(BEYOND / alpha) - 1), MOST)
    values = np.column_stack([each.value for each in scores])
    true, dealt = permuted.aucs(values, first.is_in, first.training, times, rng)
    spread = np.vstack([true, dealt]).std(axis=0)
    scale = np.where(spread > 0, spread, np.inf)
    observed, null = (true - 0.5) / scale, (dealt - 0.5) / scale
    highest, lowest = np.sort(null.max(axis=1))[::-1], np.sort(-null.min(axis=1))[::-1]
    p = (np.searchsorted(-highest, -observed, side="right") + 1) / (times + 1)
    last = math.floor(alpha * (times + 1) + 1e-9) - 1
    above, below = (_reach(largest, last, alpha, len(scores)) for largest in (highest, lowest))
    shown = p <= alpha if last >= 0 else np.zeros(len(p), dtype=bool)
    aucs = [_auc(each, above, below, bool(is_shown)) for each, is_shown in zip(scores, shown, strict=True)]
    named = tuple(_named(auc, level, len(scores)) for auc in aucs)
    return Joint(named, tuple(map(float, p)), times, (above, below))


def ends_by_test(auc: Estimate, high: float, shown: bool) -> Estimate:
    """The AUC with its lower end on the side of one half where a test saw it, and with that upper end."""
    low = max(auc.low, math.nextafter(0.5, 1.0)) if shown else min(auc.low, 0.5)
    return replace(auc, low=low, high=max(high, low))


def _same_records(scores: Sequence[Scores]) -> Scores:
    if not scores:
        raise ScoreError("No attack has scores, so there is nothing to estimate.")
    first = scores[0]
    for other in scores[1:]:
        if not (np.array_equal(first.is_in, other.is_in) and np.array_equal(first.training, other.training)):
            raise ScoreError("Attacks are judged together on the same records, and these were asked about others.")
    return first


def _reach(largest: Floats, last: int, alpha: float, attacks: int) -> float:
    """Standard errors to that side: the quantile of the largest; Bonferroni's where so few deals do not show it."""
    reach = float(largest[last]) if last >= 0 else float(stats.norm.isf(alpha / attacks))
    return max(reach, 0.01)


def _auc(scores: Scores, above: float, below: float, shown: bool) -> Estimate:
    """The AUC with these reaches; its lower end lies above one half just where the test says so."""
    down, up = (records.auc(scores, level=math.erf(reach / math.sqrt(2))) for reach in (above, below))
    return ends_by_test(down, up.high, shown)


def _named(auc: Estimate, level: float, attacks: int) -> Estimate:
    """The estimate with its level, and the method named after what it holds for."""
    method = f"{auc.method}, each end at {100 * level:g} % for {attacks} attacks together (maxT)"
    return replace(auc, level=2 * level - 1, method=method)
