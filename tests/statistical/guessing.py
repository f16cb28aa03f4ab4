"""Attribute guesses of a known truth: who is right is drawn, the truth itself is level 0 throughout."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from riskkit.core import Bools, Estimate, Floats
from riskkit.seeds import stream
from riskkit.stats.guesses import CategoryGuesses

Interval = tuple[Floats, Floats]
"""Low and high end, each (times,)."""


def guesses(right: Bools, copies: int = 1, is_told: bool = True) -> CategoryGuesses:
    """Guesses that are right where asked; each record is there ``copies`` times, and said to be where ``is_told``."""
    repeated = np.repeat(right, copies)
    which = np.repeat(np.arange(len(right)), copies) if is_told else None
    return CategoryGuesses(np.zeros(len(repeated)), ~repeated, cluster=which)


@dataclass(frozen=True)
class Pairs:
    """Records of which a share ``both`` is guessed by model and baseline, and shares by one of them alone."""

    n: int
    both: float
    model_alone: float
    baseline_alone: float

    @property
    def delta(self) -> float:
        """The true difference."""
        return self.model_alone - self.baseline_alone

    @property
    def shares(self) -> tuple[float, float, float, float]:
        """How often both, only the model, only the baseline and neither is right."""
        neither = 1 - self.both - self.model_alone - self.baseline_alone
        return self.both, self.model_alone, self.baseline_alone, max(neither, 0.0)

    def draw(self, times: int) -> Iterator[tuple[Bools, Bools]]:
        """Who is right, by the model and by the baseline, that many times."""
        rng = stream(8, "pairs", repr(self))
        for _ in range(times):
            kind = rng.choice(4, size=self.n, p=self.shares)
            yield kind <= 1, (kind == 0) | (kind == 2)

    def counts(self, times: int) -> Floats:
        """(4, times) how many records of each kind there are, that many times."""
        rng = stream(8, "pairs", "counts", repr(self))
        return rng.multinomial(self.n, self.shares, size=times).T.astype(np.float64)


@dataclass(frozen=True)
class Sides:
    """Members and control, guessed rightly with those chances."""

    n_members: int
    n_control: int
    members: float
    control: float

    @property
    def residual(self) -> float:
        """The true share of what the control leaves unguessed that membership gives away."""
        return (self.members - self.control) / (1 - self.control)

    @property
    def attributable(self) -> float:
        """The true share of right guesses on members owed to having been in."""
        return (self.members - self.control) / self.members

    @property
    def scarcest(self) -> float:
        """How many records of a side are right, or wrong, at the fewest: with hardly any, shares have few values."""
        sides = ((self.n_members, self.members), (self.n_control, self.control))
        return min(n * min(share, 1 - share) for n, share in sides)

    def draw(self, times: int) -> Iterator[tuple[Bools, Bools]]:
        """Who is right on either side, that many times."""
        rng = stream(8, "sides", repr(self))
        for _ in range(times):
            yield rng.random(self.n_members) < self.members, rng.random(self.n_control) < self.control

    def right(self, times: int) -> tuple[Floats, Floats]:
        """(times,) the share of right guesses on either side."""
        rng = stream(8, "sides", "shares", repr(self))
        members = rng.binomial(self.n_members, self.members, times) / self.n_members
        return members, rng.binomial(self.n_control, self.control, times) / self.n_control


def share_held(estimates: Iterable[Estimate], truth: float) -> float:
    """How often the interval holds the truth."""
    return float(np.mean([estimate.low <= truth <= estimate.high for estimate in estimates]))


def share_of_held(ends: Interval, truth: float) -> float:
    """How often the interval holds the truth; an end that is the truth but for rounding holds it."""
    return float(((ends[0] <= truth + 1e-12) & (truth - 1e-12 <= ends[1])).mean())
