"""The result of a question about households, as it is kept, read and shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from riskkit.core import Estimate
from riskkit.plain import entry
from riskkit.questions.households.plan import HouseholdsPlan
from riskkit.questions.result import Typed

CHANCE = 0.5
"""The score of guessing; 1 is always right and always sure."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Rows of the real table, of the sample that releases are made from, and of a release."""

    rows: int
    sampled: int
    released: int


@dataclass(frozen=True, slots=True)
class HouseholdCounts:
    """How many were asked about, how many of them were in, and how many rows they have."""

    asked: int
    inside: int
    rows: int


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """One anonymiser: the score of its best attacker, with an interval that allows for all looks."""

    name: str = field(metadata=entry("anonymiser"))
    best: str = field(metadata=entry("best_attacker"))
    worst: Estimate
    looks: int

    @classmethod
    def measure(cls, anonymiser: str, scores: Mapping[str, Estimate], wide: Mapping[str, Estimate]) -> Standing:
        """That of so many attackers. ``wide`` are the same scores at the level that allows for all of them."""
        best = max(scores, key=lambda name: (scores[name].value, name))
        return cls(anonymiser, best, wide[best], len(scores))


@dataclass(frozen=True, slots=True, eq=False)
class Planted:
    """What one attacker scores on the sample itself, and whether that is better than guessing."""

    score: Estimate = field(metadata=entry(is_spread=True))
    is_found: bool = field(metadata=entry("found"))

    @property
    def attacker(self) -> str:
        """Who looked for it."""
        return self.score.labels["attacker"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class HouseholdsResult(Typed):
    """A finished plan; ``estimates`` are the scores of every attacker against every anonymiser."""

    GAME: ClassVar[Mapping[str, str]] = {"random": "which households are in, and every release"}

    plan: HouseholdsPlan
    estimates: tuple[Estimate, ...]
    counts: Counts = field(metadata=entry("settings"))
    households: HouseholdCounts
    standings: tuple[Standing, ...] = field(metadata=entry("anonymisers"))
    controls: tuple[Planted, ...]
    notes: tuple[str, ...]

    def scores(self, anonymiser: str) -> dict[str, Estimate]:
        """What each attacker scores on an anonymiser's release."""
        own = (each for each in self.estimates if each.labels.get("anonymiser") == anonymiser)
        return {each.labels["attacker"]: each for each in own}
