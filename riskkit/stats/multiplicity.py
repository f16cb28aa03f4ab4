"""Looking at many records, or asking many questions, without taking the luckiest for the leakiest.

Who, not only how much, says :func:`list_members`: a member's p-value is the share of people who were not in that score
as high (a conformal p-value); where the release does not follow this very person, it is as good as drawn from theirs.
Benjamini and Hochberg's list then holds at most a share ``q`` by luck, on average; such p-values hang together in the
way under which that is proved. Of several attacks one is chosen by how many people it would list in the other half of
them all, and its list is kept in this half; then the other way round. Each half gives away half of the error, so the
two lists together hold the whole.

References
----------
.. [1] Bates, Candes, Lei, Romano and Sesia 2023, Testing for outliers with conformal p-values, Annals of Statistics
   51:149-178.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from riskkit.base import distributions as stats
from riskkit.base.distributions import ranks
from riskkit.core import Bools, Estimate, Floats, Ints, Scores
from riskkit.errors import ParameterError, ScoreError
from riskkit.stats.arms import Arm, split
from riskkit.stats.looks import FEWEST

_EXACT_UP_TO = 100


def benjamini_hochberg(p: npt.ArrayLike, q: float = 0.05) -> Bools:
    """Which records may be listed so that at most a share ``q`` of the list is there by chance, on average.

    Parameters
    ----------
    p : array_like (n,)
        One p-value a record, from :func:`p_value`; of a record that several attacks looked at :func:`corrected_p`.
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


def corrected_p(p: Iterable[float]) -> float:
    """The p-value of one record that several attacks looked at: the smallest times their number, at most 1.

    Bonferroni's, which holds however the attacks hang together; they saw the same releases.
    """
    values = tuple(p)
    return min(1.0, len(values) * min(values))


def holm(p: npt.ArrayLike) -> Floats:
    """(n,) p-values that hold for all of them together, however they hang together.

    Whoever says of each that is no more than alpha that there is something is wrong about any of them with a chance of
    alpha at most.

    References
    ----------
    .. [1] Holm 1979, Scandinavian Journal of Statistics 6:65-70.
    """
    values = np.asarray(p, dtype=np.float64)
    order = np.argsort(values, kind="stable")
    out = np.empty(len(values))
    out[order] = np.minimum(np.maximum.accumulate(np.arange(len(values), 0, -1) * values[order]), 1.0)
    return out


def simes(p: npt.ArrayLike) -> float:
    """The chance, were nothing the matter with any record, that a list by Benjamini and Hochberg has anybody on it.

    Such a list at a false discovery rate is empty unless that rate is at least this.

    References
    ----------
    .. [1] Simes 1986, Biometrika 73:751-754.
    """
    ordered = np.sort(np.asarray(p, dtype=np.float64))
    return float(np.min(ordered * len(ordered) / np.arange(1, len(ordered) + 1), initial=1.0))


def p_of_interval(estimate: Estimate, bar: float, looks: int = 1, ends: tuple[float, float] = (0.0, 1.0)) -> float:
    """The chance of so high an estimate, were the truth ``bar``, as far as its interval tells; 1 where it is no higher.

    A lower end that lies on the bar comes to the error of that end, a bar below it to the tail of a normal law of the
    log odds between the ``ends`` of the scale, whose lower one may be without bound. Beside exact chances it is right
    or too large, but for AUCs of nearly 1 and shares of nearly nothing of few, where it may be a quarter too small
    (``tests/stats/test_multiplicity.py``).

    Parameters
    ----------
    looks
        Those among which the error was divided: any of them may have been the highest.
    """
    if estimate.value <= bar:
        return 1.0
    if estimate.value <= estimate.low:
        return 0.0  # worked out, not measured
    nearest = min(0.5 / max(estimate.n, 1), (ends[1] - estimate.low) / 2)
    value, low, at_bar = (_log_odds(end, ends, nearest) for end in (estimate.value, estimate.low, bar))
    if value <= low:
        return 1.0
    deviations = stats.norm.isf((1 - estimate.level) / 2) * (value - at_bar) / (value - low)
    return min(1.0, looks * float(stats.norm.sf(deviations)))


def _log_odds(value: float, ends: tuple[float, float], nearest: float) -> float:
    """The log odds of a value between these ends, to which it comes no nearer than that."""
    below, above = ends
    rest = math.log(max(above - value, nearest))
    return -rest if math.isinf(below) else math.log(max(value - below, nearest)) - rest


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
    return rank_sum_p(np.round(_mean_ranks(inside, outside), 9), inside.trainings)


def rank_sum_p(values: Floats, chosen: int) -> float:
    """The chance that so many of these (K,) values, drawn at random, have ranks at least as high as the first have.

    Exact with its ties up to 100 values and normal above.
    """
    doubled = np.rint(2 * stats.rankdata(values)).astype(np.int64)
    observed = int(doubled[:chosen].sum())
    if len(doubled) > _EXACT_UP_TO:
        return _normal_tail(doubled, chosen, observed)
    return float(_tail(tuple(np.sort(doubled).tolist()), chosen)[observed])


def rank_sums_p(blocks: Sequence[Floats], chosen: Sequence[int]) -> float:
    """The same of several blocks together: ranks are those within a block, of which so many values are drawn at random.

    Exact with its ties, where no block has more than 100 values.
    """
    if len(blocks) == 1:
        return rank_sum_p(blocks[0], chosen[0])
    doubled = [np.rint(2 * stats.rankdata(block)).astype(np.int64) for block in blocks]
    observed = sum(int(own[:drawn].sum()) for own, drawn in zip(doubled, chosen, strict=True))
    return float(_tail_of_all(tuple(tuple(np.sort(own).tolist()) for own in doubled), tuple(chosen))[observed])


@lru_cache(maxsize=64)
def _tail_of_all(doubled_ranks: tuple[tuple[int, ...], ...], chosen: tuple[int, ...]) -> Floats:
    """(total + 1,) the chance that the ranks drawn of all blocks sum to at least each number."""
    law = np.ones(1)
    for block, drawn in zip(doubled_ranks, chosen, strict=True):
        law = np.convolve(law, -np.diff(_tail(block, drawn), append=0.0))
    tail: Floats = np.minimum(np.cumsum(law[::-1])[::-1], 1.0)
    return tail


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


@dataclass(frozen=True, slots=True, eq=False)
class ListedMembers:
    """Members that are listed.

    Parameters
    ----------
    at : (k,)
        Their places among the scores, in the order of these.
    p : (k,)
        The p-value of each.
    attack : (k,)
        Which attack lists each, by its place.
    asked
        Members that could have been listed; of those of equal rows one.
    fewest
        How many must stand out from everybody who was not in, in both halves together, before any is listed.
    q
        The share of the list that is there by luck, at most, on average.
    """

    at: Ints
    p: Floats
    attack: Ints
    asked: int
    fewest: int
    q: float

    def __len__(self) -> int:
        return len(self.at)


def list_members(scores: Sequence[Scores], rng: np.random.Generator, *, q: float = 0.05) -> ListedMembers:
    """The members that may be listed by one of these attacks on the same people.

    Parameters
    ----------
    scores
        One for each attack; the same records in the same order. ``training`` is the record of each row.
    q : float in (0, 1)
        False discovery rate.

    Raises
    ------
    ScoreError
        No attack is given, or there are too few people on a side.
    """
    if not scores:
        raise ScoreError.phrase("No attack gave a score, so nobody can be listed.")
    first = np.unique(scores[0].training, return_index=True)[1]  # of equal rows one
    is_in = scores[0].is_in[first]
    if min(is_in.sum(), (~is_in).sum()) < 2 * FEWEST:
        raise ScoreError.phrase("There are too few people on a side to list some of them.")
    values = np.array([score.value[first] for score in scores])
    half = np.zeros(len(first), dtype=np.bool_)
    for side in (True, False):
        people = rng.permutation(np.flatnonzero(is_in == side))
        half[people[: len(people) // 2]] = True
    rows, p, attack, fewest = [], [], [], 0
    for here in (half, ~half):
        best = max(range(len(values)), key=lambda look: _finds(values[look, ~here], is_in[~here], q / 2))
        own = conformal_p(values[best, here & is_in], values[best, here & ~is_in])
        kept = benjamini_hochberg(own, q / 2)
        fewest += math.ceil(round(len(own) / (int((here & ~is_in).sum()) + 1) / (q / 2), 9))
        rows.append(first[np.flatnonzero(here & is_in)[kept]])
        p.append(own[kept])
        attack.append(np.full(int(kept.sum()), best))
    joined = np.concatenate(rows)
    order = np.argsort(joined, kind="stable")
    return ListedMembers(
        joined[order], np.concatenate(p)[order], np.concatenate(attack)[order], int(is_in.sum()), fewest, q
    )


def conformal_p(inside: Floats, outside: Floats) -> Floats:
    """(n_in,) for each score of a member the chance that one who was not in scores as high, themselves counted in."""
    rising = np.sort(outside)
    as_high = len(rising) - np.searchsorted(rising, inside, side="left")
    p: Floats = (as_high + 1) / (len(rising) + 1)
    return p


def _finds(values: Floats, is_in: Bools, q: float) -> tuple[int, float]:
    """How many members an attack lists, and how well it tells the sides apart."""
    kept = benjamini_hochberg(conformal_p(values[is_in], values[~is_in]), q)
    return int(kept.sum()), float(ranks(values)[is_in].mean())
