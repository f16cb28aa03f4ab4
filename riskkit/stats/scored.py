"""People of two sides, each with a score by several looks: a test and intervals that hold for all looks together.

What :mod:`riskkit.stats.looks` is for people who are named or not, this is for scores that count some people more than
others: each lies between 0 and the ``most`` that this person can score. A side has the *share* of what its people can
score, so no side has more than all of it, however rare the values of its people. The largest studentised difference,
over labels dealt anew, says how large one must be to count although so many were looked at. A score never sees who was
in, so where the release tells nothing every way to deal the labels is as likely as the true one, and the test is exact.

References
----------
.. [1] Westfall and Young 1993, Resampling-based multiple testing (maxT).
.. [2] Korn and Graubard 1998, Survey Methodology 24:193-201: of each side an interval of a share of as large a
   variance. The ends of the difference are those of both sides, each at half of the error.
.. [3] Cochran 1977, Sampling Techniques, chapter 6: the variance of a ratio of two means.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from riskkit.base import distributions as stats
from riskkit.core import Bools, Estimate, Floats
from riskkit.errors import ScoreError
from riskkit.phrases import phrase
from riskkit.stats.intervals import clopper_pearson
from riskkit.stats.looks import BEYOND, DEALS, FEWEST, MOST_DEALS, as_tested, dealt_anew

_LEAST = 1e-15


@dataclass(frozen=True, slots=True, eq=False)
class ScoredLooks:
    """What every look gives to either side.

    Parameters
    ----------
    inside, outside : (n_looks,)
        What those who were in score, and the others, each as a share of the most they can.
    worth_in, worth_out : (n_looks,)
        People of either side; fewer where scores scatter more, as far as an interval is concerned.
    n_in, n_out
        People of either side.
    p, p_fewer : (n_looks,)
        The chance that *any* look points so clearly to those who were in (who were not), where labels mean nothing.
    tails
        The errors that the lower and the upper ends of each look are given.
    deals
        How often the labels were dealt anew.
    """

    inside: Floats
    outside: Floats
    worth_in: Floats
    worth_out: Floats
    n_in: int
    n_out: int
    p: Floats
    p_fewer: Floats
    tails: tuple[float, float]
    level: float
    deals: int

    def __len__(self) -> int:
        return len(self.inside)

    @property
    def residual(self) -> tuple[Floats, Floats, Floats]:
        """(n_looks,) share of members less that of the others, and the ends of the interval that hold together."""
        gap: Floats = self.inside - self.outside
        below, above = map(self._ends, self.tails)
        return gap, *as_tested(gap, below[0], above[1], self.p, self.p_fewer, self.level)

    def _ends(self, tail: float) -> tuple[Floats, Floats]:
        inside = _limits(self.inside, self.worth_in, tail / 2)
        outside = _limits(self.outside, self.worth_out, tail / 2)
        return inside[0] - outside[1], inside[1] - outside[0]

    def estimates(self, look: int, name: str) -> tuple[Estimate, Estimate, Estimate]:
        """Share of members and of others by a look, and the one less the other; all allow for all looks."""
        many = f"for {len(self):,} looks together (maxT)" if len(self) > 1 else ""
        tail, chosen = min(self.tails), slice(look, look + 1)
        shares = []
        for side, mean, worth, people in (
            ("members", self.inside, self.worth_in, self.n_in),
            ("holdout", self.outside, self.worth_out, self.n_out),
        ):
            low, high = (float(end[0]) for end in _limits(mean[chosen], worth[chosen], tail))
            method = ", ".join(filter(None, ("Korn-Graubard of a ratio", many)))
            share = Estimate(name, float(mean[look]), low, high, self.level, method, people)
            shares.append(share.labelled(tested_on=side))
        value, low, high = (float(part[look]) for part in self.residual)
        method = ", ".join(filter(None, ("Korn-Graubard of both, permutation test", many)))
        return shares[0], shares[1], Estimate("residual", value, low, high, self.level, method, self.n_in + self.n_out)


def score_together(
    scores: Floats, most: Floats, is_in: Bools, rng: np.random.Generator, *, level: float = 0.95
) -> ScoredLooks:
    """Members beside others by each of several looks.

    Parameters
    ----------
    scores : (n_looks, n_people)
        Between 0 and ``most``; by rules that never see ``is_in``.
    most : (n_looks, n_people)
        The score of each person where all is right, above 0; it never sees ``is_in`` either.
    is_in : (n_people,)
        The truth.
    level : float in (0, 1)
        The chance that all intervals hold.

    Raises
    ------
    ScoreError
        There is no look, a score is out of its range, or a side has fewer than
        :data:`riskkit.stats.looks.FEWEST` people.
    """
    n, n_in = len(is_in), int(is_in.sum())
    if not len(scores):
        raise ScoreError("Nothing was looked at, so there is nothing to estimate.")
    if min(n_in, n - n_in) < FEWEST:
        raise ScoreError(
            phrase(
                "{n_in:,} people who were in and {n_out:,} who were not are too few for an interval; at least "
                "{fewest} a side are needed.",
                n_in=n_in,
                n_out=n - n_in,
                fewest=FEWEST,
            )
        )
    if not ((scores >= 0) & (scores <= most * (1 + 1e-9)) & (most > 0)).all():
        raise ScoreError("A score lies below 0 or above the largest there can be.")
    half = (1 - level) / 2
    deals = min(max(DEALS, math.ceil(BEYOND / half) - 1), MOST_DEALS)
    beyond = scores - _share(scores, most)[:, None] * most  # so that who can score more is not ahead for that alone
    true = _studentised(beyond, is_in[None])[:, 0]
    dealt = _studentised(beyond, dealt_anew(is_in, deals, rng))
    largest, smallest = np.sort(dealt.max(axis=0)), np.sort(dealt.min(axis=0))
    # those as large count, but for rounding: sums of the same scores in another order
    more = deals - np.searchsorted(largest, true - 1e-9, side="left")
    fewer = np.searchsorted(smallest, true + 1e-9, side="right")
    last = math.floor(half * (deals + 1) + 1e-9) - 1
    if last >= 0:
        reaches = largest[deals - 1 - last], -smallest[last]
        tails = [max(min(float(stats.norm.sf(reach)), half), _LEAST) for reach in reaches]
    else:  # too few deals for so high a level
        tails = [half / len(scores)] * 2
    sides = [
        (_share(scores[:, side], most[:, side]), _worth(scores[:, side], most[:, side])) for side in (is_in, ~is_in)
    ]
    return ScoredLooks(
        inside=sides[0][0],
        outside=sides[1][0],
        worth_in=sides[0][1],
        worth_out=sides[1][1],
        n_in=n_in,
        n_out=n - n_in,
        p=(more + 1) / (deals + 1),
        p_fewer=(fewer + 1) / (deals + 1),
        tails=(tails[0], tails[1]),
        level=level,
        deals=deals,
    )


def _studentised(scores: Floats, labels: Bools) -> Floats:
    """(n_looks, n_deals) the mean of those labelled less that of the others, in its deviations over all labels."""
    n, n_in = labels.shape[1], int(labels[0].sum())
    off = scores - scores.mean(axis=1, keepdims=True)
    spread = np.sqrt((off**2).sum(axis=1) / (n - 1) * (1 / n_in + 1 / (n - n_in)))
    gap = (off @ labels.T.astype(np.float64)) * (1 / n_in + 1 / (n - n_in))  # deviations of both sides sum to nothing
    varies = spread > 1e-12
    out: Floats = np.where(varies[:, None], gap / np.where(varies, spread, 1.0)[:, None], 0.0)
    return out


def _share(scores: Floats, most: Floats) -> Floats:
    """(n_looks,) what people score of the most they can."""
    share: Floats = np.minimum(scores.sum(axis=1) / most.sum(axis=1), 1.0)
    return share


def _worth(scores: Floats, most: Floats) -> Floats:
    """(n_looks,) trials of a share with as large a variance as what people (n_looks, n_people) score of their most.

    Where that does not vary, the person who counts most may be the one of whom nothing was seen.
    """
    n, share, middle = scores.shape[1], _share(scores, most), most.mean(axis=1)
    pulls = (scores - share[:, None] * most) / middle[:, None]
    variance = pulls.var(axis=1, ddof=1) / n
    varies = variance > 1e-24
    equal = n * middle / most.max(axis=1)
    out: Floats = np.where(varies, share * (1 - share) / np.where(varies, variance, 1.0), equal)
    return np.maximum(out, 1.0)


def _limits(share: Floats, worth: Floats, tail: float) -> tuple[Floats, Floats]:
    """Limits of a share of so many trials, each wrong with that chance."""
    low, high = clopper_pearson(share * worth, worth, tail)
    return np.minimum(low, share), np.maximum(high, share)
