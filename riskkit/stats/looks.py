"""People of two sides, each hit or not by many looks: a test and intervals that hold for all looks together.

A look is a rule that names people and never sees who was in. Where the release tells nothing and both sides were drawn
alike, every way of dealing the labels is as likely as the true one: of the people that a look names, those who were in
follow the hypergeometric law (Fisher's exact test). The smallest of the looks' p-values, over labels dealt anew, says
how small one must be to count although so many were looked at; looks that go together take less than Bonferroni's.

What that is for people who are named or not, :func:`score_together` is for scores that count some people more than
others: a studentised difference of means in the place of Fisher's test.

References
----------
.. [1] Fisher 1935, The logic of inductive inference. Westfall and Young 1993, Resampling-based multiple testing (minP).
.. [2] Clopper and Pearson 1934, Biometrika 26:404-413.

Notes
-----
The ends of a difference are those of its two shares, each at half of the error. Newcombe's square-and-add of the same
ends is narrower and not exact: of 40 and 20 people with shares of .01 and .99, a lower end that may be wrong once in
20,000 is wrong 400 times as often.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln

from riskkit.base import distributions as stats
from riskkit.base import stages
from riskkit.core import Bools, Estimate, Floats, Ints
from riskkit.errors import ScoreError
from riskkit.stats.intervals import clopper_pearson

DEALS = 1_999
"""Times the labels are dealt anew at least."""
BEYOND = 50
"""Deals that are to lie beyond the critical value, so that its own error is small."""
MOST_DEALS = 19_999
"""No more deals than that, however high the level."""
FEWEST = 5
"""People a side without whom there is no interval."""
BLOCK = 256
"""Looks that labels are dealt to at once."""
DEALT_AT_ONCE = 100
"""Deals between two words of how many are made."""
_REACH = 12.0
"""Standard deviations from the mean within which tails are told apart; those beyond count as that small."""
_LEAST = 1e-15

Hits = npt.NDArray[np.bool_]
Limits = tuple[Floats, Floats]
"""(n_looks,) lower and upper limits of shares."""


@dataclass(frozen=True, slots=True, eq=False)
class SeveralLooks:
    """What every look gives to either side, and the chances of it where labels mean nothing.

    Parameters
    ----------
    inside, outside : (n_looks,)
        Of those who were in, and of the others.
    n_in, n_out
        People of either side.
    p : (n_looks,)
        The chance that *any* look points so clearly to those who were in, where the labels mean nothing.
    p_fewer : (n_looks,)
        The same for those who were not.
    tails
        The errors that the lower and the upper ends of each look are given, so that those of all looks together are
        wrong with half of what the level leaves.
    deals
        How often the labels were dealt anew.
    """

    inside: Ints | Floats
    outside: Ints | Floats
    n_in: int
    n_out: int
    p: Floats
    p_fewer: Floats
    tails: tuple[float, float]
    level: float
    deals: int
    share_method: ClassVar[str]
    gap_method: ClassVar[str]
    test: ClassVar[str]

    def __len__(self) -> int:
        return len(self.inside)

    @property
    def shares(self) -> tuple[Floats, Floats]:
        """(n_looks,) of either side the share that is hit, or scored."""
        raise NotImplementedError

    def _limits(self, looks: slice, tail: float) -> tuple[Limits, Limits]:
        """Of either side the limits of its share by these looks, each wrong with that chance."""
        raise NotImplementedError

    @property
    def residual(self) -> tuple[Floats, Floats, Floats]:
        """(n_looks,) share of members less that of the others, and the ends of the interval that hold together."""
        inside, outside = self.shares
        below, above = map(self._ends, self.tails)
        gap: Floats = inside - outside
        return gap, *as_tested(gap, below[0], above[1], self.p, self.p_fewer, self.level)

    def _ends(self, tail: float) -> tuple[Floats, Floats]:
        """Ends that hold whatever the two shares: each gives half of the error away."""
        inside, outside = self._limits(slice(None), tail / 2)
        return inside[0] - outside[1], inside[1] - outside[0]

    def estimates(self, look: int, name: str) -> tuple[Estimate, Estimate, Estimate]:
        """Share of members and of others by a look, and the one less the other; all allow for all looks."""
        many = f", for {len(self):,} looks together ({self.test})" if len(self) > 1 else ""
        sides = zip(
            ("members", "holdout"), self.shares, self._limits(slice(look, look + 1), min(self.tails)), strict=True
        )
        shares = []
        for (side, share_of, ends), people in zip(sides, (self.n_in, self.n_out), strict=True):
            method, own = f"{self.share_method}{many}", (end[0] for end in ends)
            shares.append(Estimate.around(name, share_of[look], own, self.level, method, people).label(tested_on=side))
        gap, low, high = (float(part[look]) for part in self.residual)
        n, method = self.n_in + self.n_out, f"{self.gap_method}{many}"
        return shares[0], shares[1], Estimate("residual", gap, low, high, self.level, method, n)


@dataclass(frozen=True, slots=True, eq=False)
class Looks(SeveralLooks):
    """People that every look hits on either side."""

    share_method = "Clopper-Pearson"
    gap_method = "Clopper-Pearson of both, Fisher's exact test"
    test = "minP"

    @property
    def shares(self) -> tuple[Floats, Floats]:
        """(n_looks,) of either side the share that is hit."""
        return self.inside / self.n_in, self.outside / self.n_out

    def _limits(self, looks: slice, tail: float) -> tuple[Limits, Limits]:
        return (
            clopper_pearson(self.inside[looks], self.n_in, tail),
            clopper_pearson(self.outside[looks], self.n_out, tail),
        )


def as_tested(
    gap: Floats, low: Floats, high: Floats, p: Floats, p_fewer: Floats, level: float
) -> tuple[Floats, Floats]:
    """The ends of differences, so that an interval leaves out 0 exactly where its test says that there is one.

    Parameters
    ----------
    gap, low, high : (n_looks,)
        The differences and their own ends.
    p, p_fewer : (n_looks,)
        The errors of saying that members are ahead, and that they are behind.
    level : float in (0, 1)
        The chance that all intervals hold; each side has half of what it leaves.
    """
    half, tiny = (1 - level) / 2, np.nextafter(0.0, 1.0)
    low = np.where(p <= half, np.maximum(low, tiny), np.minimum(low, 0.0))
    high = np.where(p_fewer <= half, np.minimum(high, -tiny), np.maximum(high, 0.0))
    return np.minimum(low, gap), np.maximum(high, gap)


def look_together(hits: Hits, is_in: Bools, rng: np.random.Generator, *, level: float = 0.95) -> Looks:
    """Members beside others by each of several looks.

    Parameters
    ----------
    hits : (n_looks, n_people)
        Whether a look names a person; by rules that never see ``is_in``.
    is_in : (n_people,)
        The truth.
    level : float in (0, 1)
        The chance that all intervals hold.

    Raises
    ------
    ScoreError
        There is no look, or a side has fewer than :data:`FEWEST` people.
    """
    n, n_in = len(is_in), int(is_in.sum())
    _check(len(hits), n_in, n - n_in)
    half = (1 - level) / 2
    deals = min(max(DEALS, math.ceil(BEYOND / half) - 1), MOST_DEALS)
    inside = hits[:, is_in].sum(axis=1, dtype=np.int64)
    total = hits.sum(axis=1, dtype=np.int64)
    laws = {int(t): HypergeometricLaw.tabulate(n, n_in, int(t)) for t in np.unique(total)}
    true = np.array([laws[int(t)].tails(np.array([x])) for t, x in zip(total, inside, strict=True)])[:, :, 0]
    smallest = _smallest(hits, total, is_in, laws, deals, rng)
    p, tails = [], []
    last = math.floor(half * (deals + 1) + 1e-9) - 1
    for side in (0, 1):
        rising = np.sort(smallest[side])
        p.append((np.searchsorted(rising, true[:, side], side="right") + 1) / (deals + 1))
        tails.append(min(float(rising[last]) if last >= 0 else half / len(hits), half))
    ends = max(tails[0], _LEAST), max(tails[1], _LEAST)
    return Looks(inside, total - inside, n_in, n - n_in, p[0], p[1], ends, level, deals)


def _check(looks: int, n_in: int, n_out: int) -> None:
    """Refuse where there is no look, or a side has too few people."""
    if not looks:
        raise ScoreError("Nothing was looked at, so there is nothing to estimate.")
    if min(n_in, n_out) < FEWEST:
        raise ScoreError.phrase(
            "{n_in:,} members and {n_out:,} others are too few for an interval; at least {fewest} a side are needed.",
            n_in=n_in,
            n_out=n_out,
            fewest=FEWEST,
        )


def _smallest(
    hits: Hits, total: Ints, is_in: Bools, laws: dict[int, HypergeometricLaw], deals: int, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """(deals,) the smallest upper and the smallest lower tail over all looks, by labels dealt anew."""
    ever = np.flatnonzero(hits.any(axis=0))  # who is never hit counts in no look
    dealt = np.ascontiguousarray(permute_labels(is_in, deals, rng)[:, ever], dtype=np.float32)
    out = np.ones((2, deals))
    for start in range(0, len(hits), BLOCK):
        stages.part(start, len(hits))
        block = hits[start : start + BLOCK, ever].astype(np.float32)
        counts = np.rint(dealt @ block.T).astype(np.int64)
        for row in range(len(block)):
            np.minimum(out, laws[int(total[start + row])].tails(counts[:, row]), out=out)
    return out[0], out[1]


def permute_labels(is_in: Hits, deals: int, rng: np.random.Generator) -> Hits:
    """(deals, n_people) the labels of everybody, dealt anew so often."""
    labels = np.empty((deals, len(is_in)), dtype=np.bool_)
    labels[:] = is_in
    for start in range(0, deals, DEALT_AT_ONCE):
        some = labels[start : start + DEALT_AT_ONCE]
        rng.permuted(some, axis=1, out=some)
    return labels


@dataclass(frozen=True, slots=True, eq=False)
class HypergeometricLaw:
    """The hypergeometric law of members among so many people named; ``above`` and ``below`` are its tails.

    ``first`` is the count that the first entry of both is about.
    """

    first: int
    above: Floats
    below: Floats

    @classmethod
    def tabulate(cls, population: int, members: int, named: int) -> HypergeometricLaw:
        """Tails of every count that is not absurd: P(X >= x) and P(X <= x)."""
        share = members / population
        mean = named * share
        spread = math.sqrt(mean * (1 - share) * (population - named) / max(population - 1, 1))
        fewest, most = max(0, named - (population - members)), min(named, members)
        first = max(fewest, math.floor(mean - _REACH * spread - _REACH))
        last = min(most, math.ceil(mean + _REACH * spread + _REACH))
        x = np.arange(first, last + 1)
        others = population - members
        logs = -(gammaln(x + 1) + gammaln(members - x + 1) + gammaln(named - x + 1) + gammaln(others - named + x + 1))
        mass = np.exp(logs - logs.max())
        mass /= mass.sum()
        above, below = np.cumsum(mass[::-1])[::-1], np.cumsum(mass)
        return cls(first, np.minimum(above, 1.0), np.minimum(below, 1.0))

    def tails(self, count: Ints) -> Floats:
        """(2, n) the chance of as many members or more, and of as many or fewer."""
        place = np.clip(count - self.first, 0, len(self.above) - 1)
        return np.stack([self.above[place], self.below[place]])


@dataclass(frozen=True, slots=True, eq=False)
class ScoredLooks(SeveralLooks):
    """What people of either side score by every look, as a share of the most they can.

    Parameters
    ----------
    worth_in, worth_out : (n_looks,)
        People of either side; fewer where scores scatter more, as far as an interval is concerned.
    """

    inside: Floats
    outside: Floats
    worth_in: Floats
    worth_out: Floats
    share_method = "Korn-Graubard of a ratio"
    gap_method = "Korn-Graubard of both, permutation test"
    test = "maxT"

    @property
    def shares(self) -> tuple[Floats, Floats]:
        """(n_looks,) of either side what it scores of the most it can."""
        return self.inside, self.outside

    def _limits(self, looks: slice, tail: float) -> tuple[Limits, Limits]:
        return (
            _limits(self.inside[looks], self.worth_in[looks], tail),
            _limits(self.outside[looks], self.worth_out[looks], tail),
        )


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
    _check(len(scores), n_in, n - n_in)
    if not ((scores >= 0) & (scores <= most * (1 + 1e-9)) & (most > 0)).all():
        raise ScoreError("A score lies below 0 or above the largest there can be.")
    half = (1 - level) / 2
    deals = min(max(DEALS, math.ceil(BEYOND / half) - 1), MOST_DEALS)
    beyond = scores - _share(scores, most)[:, None] * most  # so that who can score more is not ahead for that alone
    true = _studentise(beyond, is_in[None])[:, 0]
    dealt = _studentise(beyond, permute_labels(is_in, deals, rng))
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


def _studentise(scores: Floats, labels: Bools) -> Floats:
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
