"""Many records asked about on the same releases: who is above a limit, how many are, and how two games differ.

Errors of different records are not independent, because all were shown the same releases of one side. The list of
:func:`riskkit.stats.multiplicity.benjamini_hochberg` holds for records that move together; the count of records above
a limit takes its interval from trainings drawn again, each with all that they say of every record.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from riskkit.base import distributions as stats
from riskkit.core import Bools, Estimate, Floats, Ints
from riskkit.stats import subsets
from riskkit.stats.arms import Arm
from riskkit.stats.intervals import auc_tail, clopper_pearson, critical, newcombe_variance, shape_effect
from riskkit.stats.roc import Placements, auc_value, placements

STEP = 0.005
GRID: Floats = np.arange(0.0, 1.0 + STEP / 2, STEP)
"""The risks among which those of the records are looked for."""
LEAST_ERROR = 0.004
"""The standard error of an AUC is not taken to be smaller, or the grid would be too coarse for it."""
ROUNDS = 100
PARTS = 10
"""Parts that trainings are left out in, one after the other, for the error of a difference between games."""


@dataclass(frozen=True, slots=True, eq=False)
class Many:
    """The scores of many records: ``inside`` (m, n_in) and ``outside`` (m, n_out), one trial a training."""

    inside: Floats
    outside: Floats

    @property
    def arms(self) -> tuple[Arm, Arm]:
        """The two sides as every statistic takes them."""
        of_in, of_out = (np.ones(side.shape[1], dtype=np.int64) for side in (self.inside, self.outside))
        return Arm(self.inside, of_in), Arm(self.outside, of_out)

    @property
    def trainings(self) -> int:
        """Trainings of both sides."""
        return int(self.inside.shape[1] + self.outside.shape[1])

    def only(self, chosen: Ints) -> Many:
        """Those records alone; ``chosen`` (k,) are their places."""
        return Many(self.inside[chosen], self.outside[chosen])

    def part(self, keep: Callable[[int], Ints]) -> Many:
        """All records on some trainings; ``keep`` is told how many a side has and says which, (k,) places."""
        return Many(self.inside[:, keep(self.inside.shape[1])], self.outside[:, keep(self.outside.shape[1])])

    def is_decided(self) -> Bools:
        """(m,) whether the scores of a record differ at all; where they do not, nothing can be said of it."""
        both = np.concatenate([self.inside, self.outside], axis=1)
        varied: Bools = np.ptp(both, axis=1) > 0
        return varied


@dataclass(frozen=True, slots=True, eq=False)
class CampaignAucs:
    """What was achieved on each of m records, as far as limits need it: so they can be judged by any limit later.

    ``auc`` (m,) and ``variance`` (m,) its own variance as the trials show it (DeLong), from ``n_in`` and ``n_out``
    trainings a side; ``decided`` (m,) whether the scores of a record differ at all. ``by_luck`` (m,) is the exact
    chance of so high an AUC without a leak, where who was in which training was dealt; None where worlds were made one
    by one.
    """

    auc: Floats
    variance: Floats
    n_in: int
    n_out: int
    decided: Bools
    by_luck: Floats | None = None

    @classmethod
    def measure(cls, many: Many) -> CampaignAucs:
        """Of these scores."""
        placed = placements(*many.arms)
        sizes = many.inside.shape[1], many.outside.shape[1]
        return cls(placed.auc, own_variance(placed), *sizes, many.is_decided())

    def only(self, chosen: Ints) -> CampaignAucs:
        """Those records alone; ``chosen`` (k,) are their places."""
        by_luck = None if self.by_luck is None else self.by_luck[chosen]
        return CampaignAucs(
            self.auc[chosen], self.variance[chosen], self.n_in, self.n_out, self.decided[chosen], by_luck
        )

    @property
    def fewest(self) -> int:
        """Trainings of the smaller side."""
        return min(self.n_in, self.n_out)

    def __len__(self) -> int:
        return len(self.auc)


def curves(many: Many, fpr: Floats) -> Floats:
    """(m, points) the share of releases with the record that are named where ``fpr`` (points,) of the others are."""
    falling = -np.sort(-many.outside, axis=1)
    n = many.outside.shape[1]
    accused = np.floor(fpr * n + 1e-9).astype(np.int64)
    cuts = np.column_stack([falling, np.full(len(falling), -np.inf)])[:, accused]
    rising = np.sort(many.inside, axis=1)
    below = [np.searchsorted(own, cut, "right") for own, cut in zip(rising, cuts, strict=True)]
    share: Floats = 1.0 - np.array(below, dtype=np.float64).reshape(len(rising), len(fpr)) / rising.shape[1]
    return share


def p_above(achieved: CampaignAucs | Many, limit: float) -> Floats:
    """(m,) the chance of an AUC at least so high, were the true one no higher than the limit; one-sided.

    What the interval of the AUC is the inverse of: by Newcombe's variance at the limit, larger by the effect of the
    shape, and by a normal or a beta law, whichever gives the larger chance. At one half and without ties that is the
    rank-sum test. A record whose scores never differ has 1.
    """
    return _tail(achieved if isinstance(achieved, CampaignAucs) else CampaignAucs.measure(achieved), limit, 1)


def _tail(achieved: CampaignAucs, limit: float, side: int) -> Floats:
    """(m,) the chance of an AUC so far above the limit (``side`` 1) or below it (-1), were it the true one."""
    if achieved.by_luck is not None:
        return np.where(
            achieved.decided, subsets.tail(achieved.auc, achieved.by_luck, limit, achieved.fewest, side), 1.0
        )
    effect = shape_effect(achieved.auc, achieved.variance, achieved.n_in, achieved.n_out)
    variance = newcombe_variance(limit, achieved.n_in / effect, achieved.n_out / effect)
    with np.errstate(divide="ignore", invalid="ignore"):  # at a limit of 1 there is no variance
        normal = np.nan_to_num(stats.norm.sf(side * (achieved.auc - limit) / np.sqrt(variance)), nan=1.0)
    beyond = np.maximum(normal, auc_tail(achieved.auc, limit, variance, side))
    p: Floats = np.where(achieved.decided, beyond, 1.0)
    return p


def own_variance(placed: Placements) -> Floats:
    """(m,) the variance of each AUC as its own trials show it (DeLong)."""
    sides = (placed.inside, placed.outside)
    variance: Floats = sum((side.var(axis=-1, ddof=1) / side.shape[-1] for side in sides), np.zeros(len(sides[0])))
    return variance


def above(achieved: CampaignAucs | Many, limits: Floats, level: float) -> list[Estimate]:
    """How many of these records have a true AUC above each limit.

    Counting estimates above the limit would count luck: of a thousand records at .55 many look like .6. So the value
    comes from the distribution of true AUCs that makes the estimates likeliest, given the error of each. The interval
    rests on nothing of the kind: its low end are so many records as must be above the limit for the smallest p-values
    to be as small as they are, its high end leaves out those that must be below it (closed testing of Simes, half of
    the error to each end), and it holds where errors of records go together.

    References
    ----------
    .. [1] Goeman, Meijer, Krebs, Solari 2019, Simultaneous control of all false discovery proportions in large-scale
       multiple hypothesis testing, Biometrika 106:841-856, https://doi.org/10.1093/biomet/asz041
    """
    if isinstance(achieved, Many):
        achieved = CampaignAucs.measure(achieved)
    m, n_in, n_out = len(achieved), achieved.n_in, achieved.n_out
    values = _expected_above(achieved.auc, _kernel(n_in, n_out), limits)
    tail = (1 - level) / 2
    out = []
    for limit, value in zip(limits.tolist(), values.tolist(), strict=True):
        low = m - _most_true(_tail(achieved, limit, 1), tail)
        high = _most_true(_tail(achieved, limit, -1), tail)
        held = min(max(value, low), high)
        method = "closed testing of Simes, value deconvolved"
        out.append(Estimate("records_above", held, low, high, level, method, n_in + n_out, {"limit": f"{limit:g}"}))
    return out


def _most_true(p: Floats, alpha: float) -> int:
    """How many of these hypotheses may all be true together: the largest set that the test of Simes does not reject.

    Of a set that is not rejected, the largest are not rejected either; so the number is found by halving.
    """
    rising = np.sort(p)

    def is_held(size: int) -> bool:
        return bool((size * rising[len(p) - size :] > alpha * np.arange(1, size + 1)).all())

    return bisect_left(range(1, len(p) + 1), True, key=lambda size: not is_held(size))


def _kernel(n_in: int, n_out: int) -> Floats:
    """(estimates, truths) the density of an estimate on the grid, given each true AUC on it."""
    sd = np.maximum(np.sqrt(newcombe_variance(np.clip(GRID, 0.01, 0.99), n_in, n_out)), LEAST_ERROR)
    density = np.exp(-(((GRID[:, None] - GRID) / sd) ** 2) / 2)
    kernel: Floats = density / density.sum(axis=0)
    return kernel


def _expected_above(auc: Floats, kernel: Floats, limits: Floats) -> Floats:
    """(limits,) the expected number of true AUCs above each limit, of (m,) estimates.

    The distribution of true AUCs is the one on the grid that makes the estimates likeliest.
    """
    place = np.rint(np.clip(auc, 0, 1) / STEP).astype(np.int64)
    seen = np.bincount(place, minlength=len(GRID)).astype(np.float64)
    weight = np.full(len(GRID), 1 / len(GRID))
    for _ in range(ROUNDS):
        weight *= kernel.T @ (seen / np.maximum(kernel @ weight, 1e-300)) / len(auc)
    over = (GRID[:, None] > limits + STEP / 10).astype(np.float64)
    expected: Floats = len(auc) * (weight @ over)
    return expected


def share_of_drawn(estimate: Estimate, drawn: int, of: int, level: float) -> Estimate:
    """What so many of ``drawn`` records say of the ``of`` they were drawn from: the count there.

    To the error of the count comes that of the draw (Clopper and Pearson), put together by square-and-add.
    """
    share = estimate.value / drawn
    ends = clopper_pearson(np.array(estimate.value), np.array(float(drawn)), (1 - level) / 2)
    low = share - np.hypot(share - float(ends[0]), (estimate.value - estimate.low) / drawn)
    high = share + np.hypot(float(ends[1]) - share, (estimate.high - estimate.value) / drawn)
    method = f"{estimate.method}; {drawn} drawn of {of}, Clopper-Pearson, square-and-add"
    bounds = max(float(low), 0.0) * of, min(float(high), 1.0) * of
    return Estimate("records_above", share * of, *bounds, level, method, estimate.n, estimate.labels)


def records_above(achieved: CampaignAucs, limits: Floats, level: float, *, drawn: int, total: int) -> list[Estimate]:
    """How many of ``total`` records lie above each limit, from those that were played.

    The last ``drawn`` of them were drawn at random and speak for all that were not chosen; 0 where all were chosen.
    """
    m = len(achieved)
    chosen = above(achieved.only(np.arange(m - drawn)), limits, level) if drawn < m else []
    if not drawn:
        return chosen
    rest = above(achieved.only(np.arange(m - drawn, m)), limits, level)
    rest = [share_of_drawn(estimate, drawn, total - (m - drawn), level) for estimate in rest]
    return [_add(*pair) for pair in zip(chosen, rest, strict=True)] if chosen else rest


def _add(first: Estimate, second: Estimate) -> Estimate:
    """The sum of two counts, their errors put together by square-and-add."""
    value = first.value + second.value
    low = value - float(np.hypot(first.value - first.low, second.value - second.low))
    high = value + float(np.hypot(first.high - first.value, second.high - second.value))
    method = f"those that stand out: {first.method}; the others: {second.method}"
    return Estimate("records_above", value, max(low, 0.0), high, first.level, method, first.n, first.labels)


def compare_risks(fixed: Many, others: Many, limits: Floats, level: float) -> list[Estimate]:
    """How far the model-seeded and the traditional risk of the same records lie apart.

    ``miss_rate`` is the share of records above the limit in the model-seeded game that the traditional one puts at or
    below it; ``miss_rate_halves`` the same with half of the trainings of each, and ``miss_rate_null`` that of one half
    of the model-seeded trainings against the other, where the true risk is the same: what luck alone gives. ``rmsd`` is
    the root mean square difference, ``rmsd_corrected`` without what the errors of both add to it, ``rmsd_halves`` and
    ``rmsd_null`` as above. Intervals: trainings left out in :data:`PARTS` parts, Student's t; of a share of records at
    least that of so many records drawn.
    """
    limits = np.asarray(limits)

    def figures(keep: Callable[[int], Ints]) -> Floats:
        return _figures(fixed.part(keep), others.part(keep), limits)

    names = [("rmsd", ""), ("rmsd_corrected", ""), ("rmsd_halves", ""), ("rmsd_null", "")]
    names += [(f"miss_rate{kind}", f"{limit:g}") for limit in limits for kind in ("", "_halves", "_null")]
    whole = figures(np.arange)
    parts = np.array([figures(partial(_but, part)) for part in range(PARTS)])
    sd = np.sqrt((PARTS - 1) / PARTS * ((parts - parts.mean(axis=0)) ** 2).sum(axis=0))
    reach, n = critical(level, PARTS), fixed.trainings + others.trainings
    risky = dict(zip(limits.tolist(), (auc_value(*fixed.arms)[:, None] > limits).sum(axis=0).tolist(), strict=True))
    out = []
    for (name, limit), measured, error in zip(names, whole.tolist(), (reach * sd).tolist(), strict=True):
        if not (np.isfinite(measured) and np.isfinite(error)):
            continue
        value, low, high = measured, measured - error, measured + error
        method = f"jackknife over {PARTS} parts of the trainings"
        if name == "rmsd_corrected":  # a square: at 0 its root would not move, and look certain
            value, low, high = (float(np.sqrt(max(end, 0.0))) for end in (measured, low, max(measured, 0.0) + error))
        if limit:  # a share of few records may look certain where no training that is left out changes it
            of = max(risky[float(limit)], 1)
            few, many = (float(end) for end in clopper_pearson(value * of, float(of), (1 - level) / 2))
            low, high = min(low, few), max(high, many)
            method += f", or Clopper-Pearson over {of} records where that is wider"
        labels = {"limit": limit} if limit else {}
        out.append(Estimate(name, value, max(low, 0.0), min(high, 1.0), level, method, n, labels))
    return out


def _figures(fixed: Many, others: Many, limits: Floats) -> Floats:
    """The figures of :func:`compare_risks`, in its order, the corrected one squared; NaN for a share of nobody."""
    placed = placements(*fixed.arms), placements(*others.arms)
    first, second = placed[0].auc, placed[1].auc
    noise = float(np.mean(own_variance(placed[0]) + own_variance(placed[1])))
    square = float(np.mean((first - second) ** 2))
    early, late, traditional = (
        auc_value(*many.part(keep).arms) for many, keep in ((fixed, _early), (fixed, _late), (others, _early))
    )
    apart = [float(np.sqrt(np.mean((a - b) ** 2))) for a, b in ((early, traditional), (early, late))]
    out = [np.sqrt(square), square - noise, *apart]
    for limit in limits:
        out += [_missed_share(a, b, float(limit)) for a, b in ((first, second), (early, traditional), (early, late))]
    return np.array(out)


def _but(part: int, n: int) -> Ints:
    """All of ``n`` but every :data:`PARTS`-th, from that one on."""
    return np.flatnonzero(np.arange(n) % PARTS != part)


def _early(n: int) -> Ints:
    return np.arange(n // 2)


def _late(n: int) -> Ints:
    return np.arange(n // 2, 2 * (n // 2))


def _missed_share(first: Floats, second: Floats, limit: float) -> float:
    """The share of those above the limit in the first whom the second puts at or below it."""
    high = first > limit
    return float((second[high] <= limit).mean()) if high.any() else np.nan
