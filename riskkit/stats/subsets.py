"""Many people from a few trainings, each of a random part of them: what is exact, and what holds for any attack.

Who is in which training is dealt for each person alone: so many of each block of trainings, all choices alike, whatever
the others were dealt. If a release does not depend on a person, that person's deal is as good as drawn after all scores
were there. So the rank sum of the person's trainings, among those of the same block, has its exact law
(:func:`by_luck`), with ties, for any attack, however other people leak, and however few trainings there are. Ranks
within blocks of 64 tell nearly as much as ranks among all: of 256 trainings the variance is 1.2 % larger.

Nor does one deal say anything of another. So of people on whom the release does not depend the p-values are
independent, given all scores, however these go together: a list by Benjamini and Hochberg and the test of Simes hold at
their level, which is proved for independent p-values. For the same reason the law of the highest person over all deals
(maxT [3]_) is a product of single laws. It is Bonferroni's, but for a fortieth of the error: there is no dependence to
gain from, and Simes shows as much where one person leaks and more where several do. With weights that are learnt from
other people's deals (:func:`riskkit.games.subsets.combine`) this is proved for the people of each half, and measured
for both together. Numbers over all people do share releases: nothing of it holds for them.

Above guessing no law is known, since scores may have any shape. An AUC is the mean of comparisons of one training with
the person and one without, and can be split into rounds in which every training stands in one comparison at most; so
it lies no further from its truth, in the sense of every convex function, than a share of ``n`` independent coins, where
the smaller side has ``n`` trainings [1]_. The least that a convex function says of the tail is :func:`beyond` [2]_. It
holds for every shape of scores; a shape that reaches it is a method that copies the person outright into some releases.

References
----------
.. [1] Hoeffding 1963, Probability inequalities for sums of bounded random variables, JASA 58:13-30, sections 5 and 6.
.. [2] Bentkus 2004, On Hoeffding's inequalities, Annals of Probability 32:1650-1673.
.. [3] Westfall and Young 1993, Resampling-based multiple testing, Wiley.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy import special

from riskkit.base import distributions as stats
from riskkit.core import Bools, Estimate, Floats
from riskkit.stats.intervals import critical
from riskkit.stats.multiplicity import rank_sums_p

NO_MORE = 1e-4
"""How far an AUC may be from one half and still be guessing."""
METHOD = "ends that hold for any law of scores (Hoeffding, Bentkus), by training"


Blocks = Sequence[tuple[int, int]]
"""How many trainings each block has, and in how many of them each person is."""


def by_luck(inside: Floats, outside: Floats, blocks: Blocks = ()) -> Floats:
    """(m,) the chance of rank sums so high, had the release not depended on the person.

    Parameters
    ----------
    inside, outside : (m, n_in), (m, n_out)
        The scores of each person in the trainings with them and in those without, block after block.
    blocks
        The blocks that trainings were dealt in; ranks are those among the trainings of a block. None: all are one.
    """
    blocks = blocks or ((inside.shape[1] + outside.shape[1], inside.shape[1]),)
    ends_in = np.cumsum([inside for _, inside in blocks])[:-1]
    ends_out = np.cumsum([trainings - inside for trainings, inside in blocks])[:-1]
    parts = zip(np.split(inside, ends_in, axis=1), np.split(outside, ends_out, axis=1), strict=True)
    every = [np.concatenate(part, axis=1) for part in parts]
    chosen = [inside for _, inside in blocks]
    return np.array([rank_sums_p([block[person] for block in every], chosen) for person in range(len(inside))])


def beyond(auc: npt.ArrayLike, limit: npt.ArrayLike, n: int) -> Floats:
    """(m,) no less than the chance of AUCs so high, were the true one at the limit or below; for any law of scores.

    Parameters
    ----------
    auc : array_like (m,)
        AUCs, each of independent trainings.
    limit : array_like (m,) or float
        The limit of each.
    n : int
        Trainings of the smaller side.
    """
    wins, truth = np.broadcast_arrays(n * np.atleast_1d(np.asarray(auc, dtype=np.float64)), np.asarray(limit))
    heads, truth = np.arange(n + 1), truth[:, None]
    logs = special.gammaln(n + 1) - special.gammaln(heads + 1) - special.gammaln(n - heads + 1)
    chance = np.exp(logs + special.xlogy(heads, truth) + special.xlog1py(n - heads, -truth))
    as_many = np.cumsum(chance[:, ::-1], axis=1)[:, ::-1]
    more = np.cumsum(as_many[:, ::-1], axis=1)[:, ::-1] - as_many  # by how many heads there are more than k, on average
    room = wins[:, None] - heads
    bound: Floats = np.where(room > 0, more / np.where(room > 0, room, 1.0), 1.0).min(axis=1)
    return np.minimum(bound, 1.0)


def tail(auc: Floats, luck: Floats, limit: float, n: int, side: int) -> Floats:
    """(m,) the chance of AUCs so far above the limit (``side`` 1) or below it (-1), were it the true one.

    At one half it is that of no leak, ``luck``, which is never below the chance at a higher limit, nor above that at a
    lower one. What is so near to one half as :data:`NO_MORE` is taken for it: so whoever is listed has an end above
    guessing, and an AUC so near to one half moves no chance of fewer than 10,000 trainings.
    """
    if side < 0:
        return beyond(1 - auc, 1 - limit, n)
    if abs(limit - 0.5) <= NO_MORE:
        return luck
    return (np.minimum if limit < 0.5 else np.maximum)(luck, beyond(auc, limit, n))


def ends(auc: Floats, n: int, level: float) -> tuple[Floats, Floats]:
    """(m,), (m,) the ends of the interval of each AUC that holds for any law of scores, half of the error to each."""
    error = (1 - level) / 2
    return _lowest(auc, n, error), 1 - _lowest(1 - auc, n, error)


HALVINGS = 40
"""How often the place of an end is halved."""


def _lowest(auc: Floats, n: int, error: float) -> Floats:
    """(m,) the lowest true AUC of which one so high is no rarer than the error."""
    values, place = np.unique(auc, return_inverse=True)
    low, high = np.zeros(len(values)), values.copy()
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        is_rare = beyond(values, middle, n) <= error
        low, high = np.where(is_rare, middle, low), np.where(is_rare, high, middle)
    return low[place]


PARTS = 16
"""Parts that trainings are left out in, one after the other, for the errors of numbers over all people."""
FPRS = (0.01, 0.001)
"""Shares of people wrongly named at which an attack on everybody is shown."""
CURVE = tuple(times * 10.0**power for power in (-4, -3, -2, -1) for times in (1, 2, 5))
"""The same of a ROC curve on logarithmic axes."""
LEAST_NAMED = 10
"""People wrongly named, at least, without whom such a share says nothing: of 3 intervals hold it 88 % of the time."""


def pool(scores: Floats, is_in: Bools, level: float, fprs: Sequence[float] = FPRS) -> list[Estimate]:
    """What one attack reaches on everybody: mean AUC of a person, and the share named with one cut for all.

    Intervals count trainings, never people in them: trainings left out in :data:`PARTS` parts, Student's t. They are
    those of numbers over all people; of the highest of several attacks they say too much. A small share varies more the
    larger it is. So its ends are the outer ones of two intervals: of the share, and of the angle whose squared sine it
    is, which varies alike at any size.

    Parameters
    ----------
    scores, is_in : (people, trainings)
        Scores that are to be compared over people, and who was in which training.
    level
        How often the intervals hold the truth.
    fprs
        The shares wrongly named; one at which fewer than :data:`LEAST_NAMED` are is left out.
    """
    trainings = scores.shape[1]
    part = np.arange(trainings) % min(PARTS, trainings)
    whole = _pool(scores, is_in, fprs)
    without = np.array([_pool(scores[:, part != number], is_in[:, part != number], fprs) for number in np.unique(part)])
    reach, angles = critical(level, len(without)), np.arcsin(np.sqrt(whole))
    far, turned = reach * _jackknife_error(without), reach * _jackknife_error(np.arcsin(np.sqrt(without)))
    low = np.minimum(whole - far, np.sin(np.maximum(angles - turned, 0.0)) ** 2).clip(min=0.0)
    high = np.maximum(whole + far, np.sin(np.minimum(angles + turned, np.pi / 2)) ** 2).clip(max=1.0)
    low[0], high[0] = max(whole[0] - far[0], 0.0), min(whole[0] + far[0], 1.0)  # a mean of AUCs is no share
    names = [("mean_auc", {}), *(("tpr_at_fpr", {"fpr": f"{fpr:g}"}) for fpr in fprs)]
    method = f"jackknife over {len(without)} parts of the trainings"
    rows = zip(names, whole.tolist(), low.tolist(), high.tolist(), strict=True)
    return [
        Estimate(name, value, below, above, level, method, trainings, labels)
        for (name, labels), value, below, above in rows
        if np.isfinite(below + above)
    ]


def _jackknife_error(without: Floats) -> Floats:
    """(numbers,) the error of each number, from what it is without each part in turn, (parts, numbers)."""
    groups = len(without)
    return np.asarray(np.sqrt((groups - 1) / groups * ((without - without.mean(axis=0)) ** 2).sum(axis=0)))


def _pool(scores: Floats, is_in: Bools, fprs: Sequence[float]) -> Floats:
    """The mean AUC, and the share named at each of these; missing where too few would be wrongly named.

    The cut lies where others like those who were out score higher in ``fpr`` of the cases in the median: between two of
    them, ``fpr (n + 1/3) + 1/3`` from above. Equal scores stand in any order (see :mod:`riskkit.stats.roc`).
    """
    inside, outside = is_in.sum(axis=1), (~is_in).sum(axis=1)
    wins = np.where(is_in, stats.rankdata(scores, axis=1), 0.0).sum(axis=1) - inside * (inside + 1) / 2
    out, others, own = [float((wins / (inside * outside)).mean())], np.sort(-scores[~is_in]), np.sort(-scores[is_in])
    for fpr in fprs:
        place = fpr * (len(others) + 1 / 3) + 1 / 3
        orders = np.clip([int(place), int(place) + 1], 1, len(others))
        cuts = others[orders - 1]
        (before, own_before), (after, own_after) = (
            (np.searchsorted(others, cuts, side), np.searchsorted(own, cuts, side)) for side in ("left", "right")
        )
        lot = (orders - before - 0.5) / (after - before)
        first, second = (own_before + lot * (own_after - own_before)) / len(own)
        is_seen = fpr * len(others) > LEAST_NAMED - 1e-9
        out.append(float(first + (place - int(place)) * (second - first)) if is_seen else np.nan)
    return np.array(out)
