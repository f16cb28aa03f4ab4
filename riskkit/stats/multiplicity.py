"""Looking at many records at once without taking the luckiest for the leakiest."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from riskkit import distributions as stats
from riskkit.core import Bools, Floats, Scores
from riskkit.errors import ParameterError
from riskkit.stats.arms import Arm, split

_EXACT_UP_TO = 100


def benjamini_hochberg(p: npt.ArrayLike, q: float = 0.05) -> Bools:
    """Which records may be listed so that at most a share ``q`` of the list is there by chance, on average.

    Parameters
    ----------
    p : array_like (n,)
        One p-value a record, from :func:`p_value`; of a record that several attacks looked at :func:`corrected`.
    q : float in (0, 1)
        False discovery rate.

    Raises
    ------
    ParameterError
        A p-value is not within 0 and 1, or ``q`` is not between them.

    References
    ----------
    .. [1] Benjamini and Hochberg 1995, Journal of the Royal Statistical Society B 57:289-300.
    """
    values = np.asarray(p, dtype=np.float64)
    if not 0 < q < 1 or not ((values >= 0) & (values <= 1)).all():
        raise ParameterError("P-values must lie within 0 and 1, and the false discovery rate between them.")
    ordered = np.sort(values)
    passing = ordered[ordered <= q * np.arange(1, len(values) + 1) / len(values)]
    listed: Bools = values <= passing[-1] if passing.size else np.zeros(len(values), dtype=bool)
    return listed


def corrected(p: Iterable[float]) -> float:
    """The p-value of one record that several attacks looked at: the smallest times their number, at most 1.

    Bonferroni's, which holds however the attacks hang together; they saw the same releases.
    """
    values = tuple(p)
    return min(1.0, len(values) * min(values))


def p_value(scores: Scores) -> float:
    """The chance of scores that point to "in" at least so clearly, had the target made no difference.

    One-sided. Trainings are exchanged, not trials: the mean rank of each training enters a Mann-Whitney test, exact
    with its ties up to 100 trainings and normal above. It is never below the true chance where exact.

    Raises
    ------
    ScoreError
        All trials have the same truth.
    TooFewTrainings
        An arm has fewer than five independent trainings.
    """
    inside, outside = split(scores)
    means = _mean_ranks(inside, outside)
    doubled = np.rint(2 * stats.rankdata(np.round(means, 9))).astype(np.int64)
    observed = int(doubled[: inside.trainings].sum())
    if len(doubled) > _EXACT_UP_TO:
        return _normal_tail(doubled, inside.trainings, observed)
    return float(_tail(tuple(np.sort(doubled).tolist()), inside.trainings)[observed])


def _mean_ranks(inside: Arm, outside: Arm) -> Floats:
    """(K,) the mean rank of each training's trials among all trials, the "in" trainings first."""
    ranks = stats.rankdata(np.concatenate([inside.value, outside.value]))
    together = Arm(ranks, np.concatenate([inside.sizes, outside.sizes]))
    means: Floats = together.totals(together.value) / together.sizes
    return means


@lru_cache(maxsize=64)
def _tail(doubled_ranks: tuple[int, ...], chosen: int) -> Floats:
    """(total + 1,) the chance that ``chosen`` of these ranks, drawn at random, sum to at least each number."""
    total = sum(doubled_ranks)
    ways = np.zeros((chosen + 1, total + 1))
    ways[0, 0] = 1.0
    for seen, rank in enumerate(doubled_ranks):
        # The chance that the next one drawn is among the chosen keeps every number below 1, whatever their count.
        for taken in range(min(seen, chosen - 1), -1, -1):
            ways[taken + 1, rank:] += ways[taken, : total + 1 - rank]
        ways *= 0.5
    reached = ways[chosen] / ways[chosen].sum()
    tail: Floats = np.minimum(np.cumsum(reached[::-1])[::-1], 1.0)
    return tail


def _normal_tail(doubled_ranks: npt.NDArray[np.int64], chosen: int, observed: int) -> float:
    """The tail of a rank sum by its exact mean and variance, with a continuity correction.

    It is half of the step in which the sum grows: half a rank without ties, and of two scores alone half of the ranks
    that lie between them.
    """
    n = len(doubled_ranks)
    mean = chosen * doubled_ranks.mean()
    variance = chosen * (n - chosen) / (n - 1) * doubled_ranks.var()
    if not variance > 0:
        return 1.0
    step = max(int(np.gcd.reduce(np.diff(np.unique(doubled_ranks)))), 2)
    return float(stats.norm.sf((observed - step / 2 - mean) / np.sqrt(variance)))
