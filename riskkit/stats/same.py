"""Two releases of one real table, asked the same about the same people: by how much the second does better or worse.

Every difference is that of the second less the first. Where both were measured on the same people, what makes a person
easy or hard cancels; two intervals that overlap may well belong to a difference that is shown.

What was measured twice on the same trainings or records is compared pair by pair.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from riskkit.base import distributions as stats
from riskkit.core import Bools, Estimate, Floats, Ints, Scores
from riskkit.errors import ScoreError, TooFewTrainings
from riskkit.stats import summary
from riskkit.stats.arms import Arm, split
from riskkit.stats.campaign import CampaignAucs
from riskkit.stats.contrasts import difference_of_correlated, mean_of_levels, tango
from riskkit.stats.guesses import Clusters
from riskkit.stats.intervals import auc_limits, critical, shape_effect
from riskkit.stats.measures import effective
from riskkit.stats.multiplicity import benjamini_hochberg
from riskkit.stats.roc import placements
from riskkit.stats.summary import auc_interval

FEWEST = 5
"""Different people below which no difference is given."""


def hits_difference(
    before: npt.ArrayLike, after: npt.ArrayLike, people: npt.ArrayLike | None = None, *, level: float = 0.95
) -> Estimate:
    """The share of right guesses from the second release less that from the first, about the same people.

    Interval: Tango's score interval of a paired difference, on as many people as the rows are worth.

    Parameters
    ----------
    before, after : array_like (n,) of bool
        Whether each row was guessed rightly, in one order.
    people : array_like (n,), optional
        Whose row it is; equal rows are one. Without it no two are.

    Raises
    ------
    ScoreError
        They are not of the same rows.
    TooFewTrainings
        Fewer than five different people.
    """
    first, second = (np.asarray(side, dtype=np.bool_) for side in (before, after))
    if first.shape != second.shape:
        raise ScoreError("Two releases are compared about the same people, and these are different ones.")
    clusters = Clusters(people, len(first))
    if len(clusters) < FEWEST:
        raise TooFewTrainings.phrase(
            "{people} different people are too few for a difference; it takes {fewest}.",
            people=len(clusters),
            fewest=FEWEST,
        )
    ahead, behind = float((second & ~first).mean()), float((first & ~second).mean())
    worth = effective(clusters, second.astype(np.float64) - first)
    ends = tango(ahead, behind, worth, critical(level, clusters.estimated_from))
    return Estimate.around("hits_difference", ahead - behind, ends, level, "Tango, paired by person", len(clusters))


def aucs_difference(before: Scores, after: Scores, *, level: float = 0.95) -> Estimate:
    """The AUC of the second less that of the first: paired where both are of the same trials, else as independent.

    Raises
    ------
    ScoreError, TooFewTrainings
        As :func:`riskkit.stats.summary.auc`.
    """
    if np.array_equal(before.is_in, after.is_in) and np.array_equal(before.training, after.training):
        return auc_difference(after, before, level=level)
    first, second = (summary.auc(scores, level=level) for scores in (before, after))
    ends = difference_of_correlated(second.value, (second.low, second.high), first.value, (first.low, first.high), 0.0)
    low, high = max(ends[0], -1.0), min(ends[1], 1.0)
    method = "square-and-add of two independent AUCs"
    return Estimate("auc_difference", second.value - first.value, low, high, level, method, min(first.n, second.n))


def exposure_difference(before: CampaignAucs, after: CampaignAucs, *, level: float = 0.95) -> Estimate:
    """The mean AUC over the same records in the second game less that in the first.

    Trainings serve many records, and how their errors go together is not kept: the interval is as wide as if all of a
    game moved as one, so it holds whatever is true. Both are given in one order of records.

    Raises
    ------
    ScoreError
        They are not of the same records.
    TooFewTrainings
        No record has a number in both.
    """
    first, second = _alike(before, after)
    both = np.flatnonzero(first.decided & second.decided)
    if not len(both):
        raise TooFewTrainings.phrase("No record has a number in both games, so nothing can be said of the difference.")
    sides = [_mean(side.only(both), level) for side in (first, second)]
    (old, old_ends), (new, new_ends) = sides
    low, high = difference_of_correlated(new, new_ends, old, old_ends, 0.0)
    n = min(side.n_in + side.n_out for side in (first, second))
    method = "Newcombe 5 or beta a record, all moving as one; square-and-add"
    return Estimate("exposure_difference", new - old, max(low, -1.0), min(high, 1.0), level, method, n)


def _alike(before: CampaignAucs, after: CampaignAucs) -> tuple[CampaignAucs, CampaignAucs]:
    if len(before) != len(after):
        raise ScoreError("Two games are compared on the same records, and these are different ones.")
    return before, after


def _ends(achieved: CampaignAucs, level: float) -> tuple[Floats, Floats]:
    """(m,) interval of the AUC of each record."""
    effect = shape_effect(achieved.auc, achieved.variance, achieved.n_in, achieved.n_out)
    return auc_limits(achieved.auc, achieved.n_in / effect, achieved.n_out / effect, level)


def _mean(achieved: CampaignAucs, level: float) -> tuple[float, tuple[float, float]]:
    """The mean over records and its interval, as wide as if they moved as one."""
    low, high = _ends(achieved, level)
    return float(achieved.auc.mean()), mean_of_levels(achieved.auc, low, high, float(len(achieved)))


@dataclass(frozen=True, slots=True)
class Moved:
    """Where the same records stand against a limit in two games.

    Of ``records`` that have a number in both, ``above_before`` and ``above_after`` have an estimate above the limit.
    ``under`` came from above it to the limit or below, ``over`` the other way; ``under_shown`` and ``over_shown`` of
    them have a difference that is no chance: at most one in twenty of all that are called changed is expected to be.
    """

    records: int
    above_before: int
    above_after: int
    under: int
    over: int
    under_shown: int
    over_shown: int

    def turn(self) -> Moved:
        """The same from the second game to the first."""
        return Moved(
            self.records, self.above_after, self.above_before, self.over, self.under, self.over_shown, self.under_shown
        )


def count_moved(before: CampaignAucs, after: CampaignAucs, limit: float, *, level: float = 0.95) -> Moved:
    """How many of the same records moved over or under the limit; both are given in one order of records."""
    first, second = _alike(before, after)
    both = np.flatnonzero(first.decided & second.decided)
    old, new = first.only(both), second.only(both)
    was, now = old.auc > limit, new.auc > limit
    shown = changed_records(old, new, level=level)
    under, over = was & ~now, now & ~was
    sides = (under, over, under & shown, over & shown)
    return Moved(len(both), int(was.sum()), int(now.sum()), *(int(side.sum()) for side in sides))


def changed_records(before: CampaignAucs, after: CampaignAucs, *, level: float = 0.95) -> Bools:
    """(m,) the records whose AUC is another one, corrected for looking at all of them (Benjamini and Hochberg)."""
    return benjamini_hochberg(p_changed(before, after), 1 - level)


def p_changed(before: CampaignAucs, after: CampaignAucs) -> Floats:
    """(m,) the chance of AUCs so far apart, two-sided, were they the same: from their errors on the facing sides."""
    usual = 0.95
    reach = critical(usual)
    (low, high), (new_low, new_high) = _ends(before, usual), _ends(after, usual)
    rises = after.auc > before.auc
    own = np.where(rises, high - before.auc, before.auc - low) / reach
    other = np.where(rises, after.auc - new_low, new_high - after.auc) / reach
    error = np.sqrt(own**2 + other**2)
    gap = np.abs(after.auc - before.auc)
    p: Floats = 2 * stats.norm.sf(np.where(error > 0, gap / np.where(error > 0, error, 1.0), 0.0))
    return np.minimum(p, 1.0)


def places(before: npt.ArrayLike, after: npt.ArrayLike) -> tuple[Ints, Ints]:
    """Where the numbers that both lists have stand in either, in the order of the first; (k,) and (k,)."""
    _, left, right = np.intersect1d(np.asarray(before), np.asarray(after), return_indices=True)
    order = np.argsort(left)
    return left[order].astype(np.int64), right[order].astype(np.int64)


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
    value, *ends = difference_interval(*arms, level)
    n = arms[0][0].trainings + arms[0][1].trainings
    return Estimate.around("auc_difference", value, ends, level, "Newcombe 5 or beta, paired by training", n)


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
