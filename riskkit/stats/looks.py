"""People of two sides, each hit or not by many looks: a test and intervals that hold for all looks together.

A look is a rule that names people and never sees who was in. Where the release tells nothing and both sides were drawn
alike, every way of dealing the labels is as likely as the true one: of the people that a look names, those who were in
follow the hypergeometric law (Fisher's exact test). The smallest of the looks' p-values, over labels dealt anew, says
how small one must be to count although so many were looked at; looks that go together take less than Bonferroni's.

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

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln

from riskkit.base import stages
from riskkit.core import Bools, Estimate, Floats, Ints
from riskkit.errors import ScoreError
from riskkit.phrases import phrase
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


@dataclass(frozen=True, slots=True, eq=False)
class Looks:
    """What every look hits on either side.

    Parameters
    ----------
    inside, outside : (n_looks,)
        People it hits of those who were in, and of the others.
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

    inside: Ints
    outside: Ints
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
        """(n_looks,) share of members hit less that of the others, and the ends of the interval that hold together."""
        gap: Floats = self.inside / self.n_in - self.outside / self.n_out
        below, above = map(self._ends, self.tails)
        low, high = as_tested(gap, below[0], above[1], self.p, self.p_fewer, self.level)
        return gap, np.clip(low, -1.0, 1.0), np.clip(high, -1.0, 1.0)

    def _ends(self, tail: float) -> tuple[Floats, Floats]:
        """Ends that are exact whatever the two shares: each gives half of the error away."""
        inside = clopper_pearson(self.inside, self.n_in, tail / 2)
        outside = clopper_pearson(self.outside, self.n_out, tail / 2)
        return inside[0] - outside[1], inside[1] - outside[0]

    def estimates(self, look: int, name: str) -> tuple[Estimate, Estimate, Estimate]:
        """Share of members and of others that a look hits, and the one less the other; all allow for all looks."""
        method = f"for {len(self):,} looks together (minP)" if len(self) > 1 else ""
        tail, n = min(self.tails), self.n_in + self.n_out
        shares = []
        for side, hits, people in (("members", self.inside, self.n_in), ("holdout", self.outside, self.n_out)):
            low, high = (float(end) for end in clopper_pearson(hits[look], people, tail))
            value = float(hits[look]) / people
            methods = ", ".join(filter(None, ("Clopper-Pearson", method)))
            share = Estimate(name, value, min(low, value), max(high, value), self.level, methods, people)
            shares.append(share.labelled(tested_on=side))
        value, low, high = (float(part[look]) for part in self.residual)
        methods = ", ".join(filter(None, ("Clopper-Pearson of both, Fisher's exact test", method)))
        return shares[0], shares[1], Estimate("residual", value, low, high, self.level, methods, n)


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
    if not len(hits):
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
    half = (1 - level) / 2
    deals = min(max(DEALS, math.ceil(BEYOND / half) - 1), MOST_DEALS)
    inside = hits[:, is_in].sum(axis=1, dtype=np.int64)
    total = hits.sum(axis=1, dtype=np.int64)
    laws = {int(t): HypergeometricLaw.of(n, n_in, int(t)) for t in np.unique(total)}
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


def _smallest(
    hits: Hits, total: Ints, is_in: Bools, laws: dict[int, HypergeometricLaw], deals: int, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """(deals,) the smallest upper and the smallest lower tail over all looks, by labels dealt anew."""
    ever = np.flatnonzero(hits.any(axis=0))  # who is never hit counts in no look
    dealt = np.ascontiguousarray(dealt_anew(is_in, deals, rng)[:, ever], dtype=np.float32)
    out = np.ones((2, deals))
    for start in range(0, len(hits), BLOCK):
        stages.part(start, len(hits))
        block = hits[start : start + BLOCK, ever].astype(np.float32)
        counts = np.rint(dealt @ block.T).astype(np.int64)
        for row in range(len(block)):
            np.minimum(out, laws[int(total[start + row])].tails(counts[:, row]), out=out)
    return out[0], out[1]


def dealt_anew(is_in: Hits, deals: int, rng: np.random.Generator) -> Hits:
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
    def of(cls, population: int, members: int, named: int) -> HypergeometricLaw:
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
