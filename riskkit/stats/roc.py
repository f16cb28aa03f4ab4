"""How well scores tell "in" from "out", at every cut and over all cuts.

Oriented once: higher means "in". A score that points the wrong way has an AUC below one half and is shown so; neither
the larger of AUC and 1 - AUC nor the convex hull is ever taken, because both exceed one half without any leak.

The share named at a few false alarms (:func:`tpr_interval`) has the interval of both rates together.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from riskkit.base import distributions
from riskkit.core import Floats, Ints, Scores
from riskkit.stats.arms import Arm, effect_trainings, split
from riskkit.stats.intervals import (
    Interval,
    clopper_pearson_high,
    clopper_pearson_low,
    critical,
    design_effect,
    sum_variance,
)


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


TPR_METHOD = "Clopper-Pearson of both rates together, lots among ties, by training"
_PARTS = 4
"""Parts of a right angle in which the error is shared out between the two rates."""
_NONE = 1e-9
"""So few standard errors are none."""

Shares = Callable[[Ints], Floats]
"""From counts of trials (...,) to shares of them (...,): as seen, or a limit of them."""


def tpr_interval(inside: Arm, outside: Arm, fpr: float | Floats, level: float) -> Interval:
    """TPR at that FPR, one for all audits or one for each (...,), with its interval, each (...,).

    The value is right in the median: it is too high as often as too low, but where the curve has a corner just there.

    The interval is the reach of an ellipse: every point of the curve may lie at another FPR, by Clopper and Pearson's
    limits at so many standard errors, and its TPR may be another, at so many more that the squares add up. Where the
    curve is straight that is square-and-add of the two errors; where ties bend it, it holds as well.

    References
    ----------
    .. [1] Hyndman and Fan 1996, Sample quantiles in statistical packages, American Statistician 50:361-365, type 8.
    .. [2] Newcombe 1998, Statistics in Medicine 17:873-890, method 10, of which this is the form for a bent curve.
    """
    fprs = np.broadcast_to(fpr, outside.value.shape[:-1])
    steps = _RocSteps.sort(inside, outside)
    value = _value(steps, inside.n, outside.n, fprs)
    reach, from_ = critical(level), effect_trainings(inside, outside)
    grown = (critical(level, from_) / reach) ** 2
    effect_in, effect_out = (grown * _effect(arm, outside, fprs) for arm in (inside, outside))
    low, high = value, value
    for angle in np.linspace(0.0, np.pi / 2, _PARTS + 1):
        of_in = _limits(inside.n, effect_in, reach * float(np.cos(angle)))
        of_out = _limits(outside.n, effect_out, reach * float(np.sin(angle)))
        low = np.minimum(low, _lowest(steps, of_out[1], of_in[0], fprs))
        high = np.maximum(high, _highest(steps, of_out[0], of_in[1], fprs))
    return value, low, high


@dataclass(frozen=True, slots=True, eq=False)
class _RocSteps:
    """The ROC curve as seen, a step for each "out" trial, the highest first; each (..., n_out), or (...,) of one step.

    A group of c equal "out" trials is one straight piece of the curve, from the point where ``before`` "out" and
    ``above`` "in" trials have been accused to the one where ``after`` and ``at_least`` have been. The trials stand
    evenly from end to end, the k-th the part ``lot`` = (k - 1) / (c - 1) of the way along, a single one half of it.
    """

    before: Ints
    after: Ints
    above: Ints
    at_least: Ints
    lot: Floats

    @classmethod
    def sort(cls, inside: Arm, outside: Arm) -> _RocSteps:
        """The steps of two arms of one layout."""
        falling, rising = -np.sort(-outside.value, axis=-1), np.sort(inside.value, axis=-1)
        shape = falling.shape
        rows = zip(rising.reshape(-1, inside.n), falling.reshape(-1, outside.n), strict=True)
        before, after, above, at_least = np.array([_counts(*row) for row in rows]).swapaxes(0, 1).reshape(4, *shape)
        place, others = np.arange(shape[-1]) - before, after - before - 1
        return cls(before, after, above, at_least, np.where(others, place / np.maximum(others, 1), 0.5))

    def step(self, index: Ints) -> _RocSteps:
        """The step (...,) of that number (...,) in every audit."""
        chosen = np.clip(index, 0, self.lot.shape[-1] - 1)[..., None]
        parts = (self.before, self.after, self.above, self.at_least)
        before, after, above, at_least = (np.take_along_axis(part, chosen, axis=-1)[..., 0] for part in parts)
        return _RocSteps(before, after, above, at_least, np.take_along_axis(self.lot, chosen, axis=-1)[..., 0])

    def along(self, start: Floats | Ints, end: Floats | Ints) -> Floats:
        """What lies the part :attr:`lot` of the way between the two."""
        between: Floats = start + self.lot * (end - start)
        return between


def _counts(rising: Floats, falling: Floats) -> Ints:
    """(4, n_out) the counts of :class:`_RocSteps` of one curve, from the sorted scores of the two arms."""
    before, after = (np.searchsorted(-falling, -falling, side) for side in ("left", "right"))
    above, at_least = (len(rising) - np.searchsorted(rising, falling, side) for side in ("right", "left"))
    return np.stack([before, after, above, at_least]).astype(np.int64)


def _value(steps: _RocSteps, n_in: int, n_out: int, fpr: Floats) -> Floats:
    """(...,) the TPR as seen, at the FPR that a step has in the median.

    A score that ``u`` of n "out" trials exceed (itself one half) has ``(u + 1/6) / (n + 1/3)`` of all others above it,
    as often more as less. In a group of c equal ones the share is known c times better, and the correction as small.
    """

    def x(step: _RocSteps) -> Floats:
        alike = step.after - step.before
        share: Floats = (step.along(step.before, step.after) + 1 / (6 * alike)) / (n_out + 1 / (3 * alike))
        return share

    return _height(steps, x, lambda step: step.along(step.above, step.at_least) / n_in, 0.0, fpr)


def _lowest(steps: _RocSteps, of_out: Shares, of_in: Shares, fpr: Floats) -> Floats:
    """(...,) the TPR at that FPR where the "out" shares are their upper limits and the "in" shares their lower."""

    def x(step: _RocSteps) -> Floats:
        nobody = (step.before == 0) & (step.above == 0)
        start = np.where(nobody, 0.0, of_out(step.before))  # where some "in" trial lies above all "out", others may
        return step.along(start, of_out(step.after))

    return _height(steps, x, lambda step: step.along(of_in(step.above), of_in(step.at_least)), 0.0, fpr)


def _highest(steps: _RocSteps, of_out: Shares, of_in: Shares, fpr: Floats) -> Floats:
    """(...,) the TPR at that FPR where the "out" shares are their lower limits and the "in" shares their upper."""
    first = of_in(steps.above[..., 0])
    return _height(
        steps,
        lambda step: step.along(of_out(step.before), of_out(step.after)),
        lambda step: step.along(of_in(step.above), of_in(step.at_least)),
        first,
        fpr,
    )


def _height(
    steps: _RocSteps,
    x: Callable[[_RocSteps], Floats],
    y: Callable[[_RocSteps], Floats],
    first: Floats | float,
    fpr: Floats,
) -> Floats:
    """(...,) the height at ``fpr`` of the line from (0, ``first``) through (x, y) of all steps to (1, 1)."""
    n = steps.lot.shape[-1]
    left, right = np.zeros(steps.lot.shape[:-1], dtype=np.int64), np.full(steps.lot.shape[:-1], n)
    while (left < right).any():  # how many steps lie before it, by bisection
        middle = (left + right) // 2
        is_before = x(steps.step(middle)) < fpr
        left, right = np.where(is_before, middle + 1, left), np.where(is_before, right, middle)
    before, behind = steps.step(left - 1), steps.step(left)
    x0, y0 = np.where(left > 0, x(before), 0.0), np.where(left > 0, y(before), first)
    x1, y1 = np.where(left < n, x(behind), 1.0), np.where(left < n, y(behind), 1.0)
    height: Floats = y0 + (y1 - y0) * (fpr - x0) / (x1 - x0)
    return height


def _effect(arm: Arm, outside: Arm, fpr: Floats) -> Floats:
    """(...,) the design effect of the arm for the test that accuses just ``fpr`` of the others seen."""
    rank = np.clip(np.ceil(np.round(outside.n * fpr, 9)).astype(np.int64), 1, outside.n)[..., None]
    cut = -np.take_along_axis(np.sort(-outside.value, axis=-1), rank - 1, axis=-1)
    over, equal = (outside.value > cut).sum(axis=-1), (outside.value == cut).sum(axis=-1)
    lot = np.clip((outside.n * fpr - over) / equal, 0.0, 1.0)[..., None]
    accused = (arm.value > cut) + lot * (arm.value == cut)
    return design_effect(*sum_variance(arm, accused), arm.worst_design_effect)


def _limits(n: int, effect: Floats, errors: float) -> tuple[Shares, Shares]:
    """The lower and the upper limit of shares of n trials so many standard errors away; at none the shares as seen."""
    if errors < _NONE:
        return (lambda count: count / n,) * 2
    tail = float(distributions.norm.sf(errors))

    def limit(of: Callable[[Floats, Floats, float], Floats]) -> Shares:
        if effect.size <= n or np.ptp(effect) > 0:
            return lambda count: of(count / effect, n / effect, tail)
        alike = float(effect.flat[0])  # each count once, for many audits
        table = of(np.arange(n + 1) / alike, np.full(n + 1, n / alike), tail)
        return lambda count: table[count]

    return limit(clopper_pearson_low), limit(clopper_pearson_high)
