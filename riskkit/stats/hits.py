"""Hits of an attacker who names people: guessing at random follows the hypergeometric law, all of it exactly known.

Of ``population`` rows ``members`` were in. An attacker names ``guesses`` rows, and ``hits`` of them were in. One who
guesses draws blindly without replacement. One who knows something draws members with other odds than the rest:
Fisher's noncentral hypergeometric law, in which odds of 1 are guessing. Limits of the odds, and with them of the hits
to be expected, come from its exact tails, so the interval leaves out the hits of guessing exactly where the
hypergeometric test rejects it.

References
----------
.. [1] Fisher 1935, The logic of inductive inference, Journal of the Royal Statistical Society 98:39-82.
.. [2] Cornfield 1956, A statistical problem arising from retrospective studies, Third Berkeley Symposium 4:135-148.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import gammaln

from riskkit.base import distributions as stats
from riskkit.core import Estimate, Floats, Ints
from riskkit.errors import ScoreError

METHOD = "exact, Fisher's noncentral hypergeometric"
_HALVINGS = 50
_WIDEST = 60.0
"""Natural logarithm of the largest odds looked at; e^60 finds every member there is."""


@dataclass(frozen=True)
class Draw:
    """What was asked of an attacker: to name ``guesses`` of ``population`` rows, of which ``members`` were in.

    Raises
    ------
    ScoreError
        The numbers cannot be: more guesses or members than rows, or none.
    """

    population: int
    members: int
    guesses: int

    def __post_init__(self) -> None:
        if not 0 < self.members <= self.population or not 0 < self.guesses <= self.population:
            raise ScoreError(
                f"{self.guesses:,} guesses of {self.members:,} members among {self.population:,} rows cannot be; "
                "guesses and members must be at least 1 and no more than there are rows."
            )

    @property
    def expectation(self) -> float:
        """The hits that guessing finds on average."""
        return self.guesses * self.members / self.population

    @cached_property
    def possible(self) -> Ints:
        """(n_possible,) every number of hits there can be, rising."""
        fewest = max(0, self.guesses - (self.population - self.members))
        return np.arange(fewest, min(self.guesses, self.members) + 1)

    @cached_property
    def _weights(self) -> Floats:
        """The logarithm of how many ways each number of hits can come about, but for a constant."""
        x, others = self.possible, self.population - self.members
        logs = -gammaln(x + 1) - gammaln(self.members - x + 1) - gammaln(self.guesses - x + 1)
        return np.asarray(logs - gammaln(others - self.guesses + x + 1))

    def law(self, log_odds: float = 0.0) -> Floats:
        """(n_possible,) how probable each of the :attr:`possible` hits is where a member is drawn with these odds."""
        logs = self._weights + self.possible * log_odds
        chances = np.exp(logs - logs.max())
        return np.asarray(chances / chances.sum())

    def mean(self, log_odds: float) -> float:
        """The hits to be expected at these odds."""
        return float(self.possible @ self.law(log_odds))

    def upper_tail(self, hits: int, log_odds: float = 0.0) -> float:
        """The probability of as many hits or more."""
        return float(min(self.law(log_odds)[self.possible >= hits].sum(), 1.0))

    def lower_tail(self, hits: int, log_odds: float = 0.0) -> float:
        """The probability of as many hits or fewer."""
        return float(min(self.law(log_odds)[self.possible <= hits].sum(), 1.0))


def hits(right: int, draw: Draw, *, level: float = 0.95) -> Estimate:
    """The hits of one attacker with the exact interval of the hits to be expected from one with those odds.

    ``n`` counts guesses. It speaks of this release: what another training of the same method would give away is only
    told by playing more rounds (:func:`over_rounds`).

    Raises
    ------
    ScoreError
        So many hits cannot be.
    """
    return Estimate.around("hits", right, _limits(right, draw, (1 - level) / 2), level, METHOD, draw.guesses)


def _limits(right: int, draw: Draw, tail: float) -> tuple[float, float]:
    if right not in draw.possible:
        raise ScoreError(f"{right:,} hits of {draw.guesses:,} guesses cannot be.")
    least, most = float(draw.possible[0]), float(draw.possible[-1])
    low = least if right == least else draw.mean(_where(lambda odds: draw.upper_tail(right, odds) < tail))
    high = most if right == most else draw.mean(_where(lambda odds: draw.lower_tail(right, odds) >= tail))
    return low, high


def _where(holds: Callable[[float], bool]) -> float:
    """The largest log-odds at which a condition that holds for small ones does."""
    low, high = -_WIDEST, _WIDEST
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def over_rounds(right: Ints, draw: Draw, *, level: float = 0.95) -> Estimate:
    """The mean hits over independent rounds: Student's interval, or the exact one of all guesses where that is wider.

    The second keeps an interval from shrinking to a point where every round found all or none. ``n`` counts rounds.

    Raises
    ------
    ScoreError
        There are fewer than two rounds.
    """
    rounds = len(right)
    if rounds < 2:
        raise ScoreError("One round has no spread; its interval is that of its guesses.")
    mean = float(np.mean(right))
    reach = float(stats.t.ppf((1 + level) / 2, rounds - 1) * np.std(right, ddof=1) / np.sqrt(rounds))
    pooled = Draw(draw.population * rounds, draw.members * rounds, draw.guesses * rounds)
    low, high = (end / rounds for end in _limits(int(np.sum(right)), pooled, (1 - level) / 2))
    least, most = float(draw.possible[0]), float(draw.possible[-1])
    low, high = max(least, min(low, mean - reach)), min(most, max(high, mean + reach))
    return Estimate("hits", mean, low, high, level, "Student over rounds, or exact where wider", rounds)


def best_of_guessing(right: int, draw: Draw, attackers: int) -> float:
    """A bound on the chance that the best of so many attackers who guess has as many hits.

    It holds however their guesses hang together: they all looked at one release.
    """
    return min(attackers * draw.upper_tail(right), 1.0)


def best_of_random_law(draw: Draw, attackers: int) -> tuple[float, int]:
    """Of the best of so many random attackers: the mean hits, and the hits that at most 5 % of such bests exceed."""
    total = np.cumsum(draw.law()) ** attackers
    mean = float(draw.possible[-1] - total[:-1].sum())
    return mean, int(draw.possible[np.searchsorted(total, 0.95)])
