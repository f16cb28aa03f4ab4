"""The result of a contest, as it is kept, read and shown: the matrix of hits, the ranking, the frontier."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from riskkit.core import Bools, Estimate, Ints, Table
from riskkit.games.anonymity import Anonymity
from riskkit.games.contest import ContestPopulation
from riskkit.language import again
from riskkit.plain import entry
from riskkit.questions.contest.plan import ContestPlan
from riskkit.questions.contest.points import About, Ranking, Spot, anonymiser_points
from riskkit.questions.result import Typed

# One release of a contest as it was played: who was in, the rows named, how useful it is.


@dataclass(frozen=True, slots=True)
class Useful:
    """How useful a release is, by measure: against its ``sample``, and ``elsewhere`` against people of no release.

    ``tested`` of those people were asked about by trees and models.
    """

    sample: Mapping[str, float]
    elsewhere: Mapping[str, float]
    tested: int


@dataclass(frozen=True, slots=True, eq=False)
class PlayedRelease:
    """One release. ``hits`` and ``named`` (rows of the population, surest first) by attacker.

    ``asked`` rows were asked about, ``inside`` of which were in; both are 0 where it could not be played. ``rows`` are
    those asked about, and ``release`` is what they were asked of, where these are kept for the bundle.
    """

    anonymiser: str
    number: int
    is_in: Bools
    hits: Mapping[str, int]
    named: Mapping[str, Ints]
    useful: Useful
    asked: int
    inside: int
    notes: tuple[str, ...]
    release: Table | None = None
    rows: Ints | None = None
    anonymity: Anonymity | None = None

    @property
    def usefulness(self) -> Mapping[str, float]:
        """Every measure against the sample; empty where it could not be measured."""
        return self.useful.sample


@dataclass(frozen=True, slots=True, eq=False)
class Bundle:
    """What a bundle is written of: everybody who could have been in, and every release with the rows named."""

    population: ContestPopulation
    played: tuple[PlayedRelease, ...]


@dataclass(frozen=True, slots=True)
class Counts:
    """What the plan came to on these tables."""

    rows_in_population: int


@dataclass(frozen=True, slots=True)
class Guessing:
    """Who could be named, and what guessing finds of them: one attacker ``expected`` on average.

    Of ``best_of`` attackers the best finds ``best_mean`` on average and seldom over ``best_seldom_over``.
    """

    population: int
    members: int
    guesses: int
    expected: float
    best_of: int
    best_mean: float
    best_seldom_over: int

    @property
    def share(self) -> float:
        """The share of the rows named that guessing finds."""
        return self.expected / max(self.guesses, 1)


UNPLAYED = Guessing(0, 0, 0, 0.0, 0, 0.0, 0)
"""Where nothing could be played."""


@dataclass(frozen=True, slots=True)
class Safety:
    """100 less the hits of the best attacker in per cent of the rows named, with its interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """One anonymiser: the hits of its best attacker, allowing for all looks, its points, and what it misses.

    ``chance`` bounds the probability that the best of as many guessing attackers finds as many. ``usefulness`` is
    against the sample, ``elsewhere`` against people whom no release was made from.
    """

    name: str = field(metadata=entry("anonymiser"))
    is_uploaded: bool = field(metadata=entry("uploaded"))
    best: str = field(metadata=entry("best_attacker"))
    worst: Estimate
    looks: int
    chance: float = field(metadata=entry("chance_of_guessing"))
    safety: Safety
    preliminary: float | None
    anonymity: Anonymity | None
    points: float
    evaded: tuple[str, ...]
    usefulness: Mapping[str, float]
    elsewhere: Mapping[str, float]
    takes_part: bool
    misses: tuple[str, ...]

    @property
    def score(self) -> Estimate:
        """The points with their interval."""
        value, low, high = (
            anonymiser_points(1 - end / 100, self.preliminary)
            for end in (self.safety.value, self.safety.low, self.safety.high)
        )
        return Estimate("points", value, low, high, self.worst.level, self.worst.method, self.worst.n)


@dataclass(frozen=True, slots=True, eq=False)
class Planted:
    """What one attacker finds of the planted control, and whether that is more than guessing."""

    hits: Estimate = field(metadata=entry(is_spread=True))
    is_found: bool = field(metadata=entry("found"))

    @property
    def attacker(self) -> str:
        """Who looked for it."""
        return self.hits.labels["attacker"]


@dataclass(frozen=True, slots=True)
class Order:
    """Names of measures and of frontiers as they are shown; kept as JSON, the keys of the two are by the alphabet."""

    measures: tuple[str, ...]
    frontiers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Others:
    """What the real rows reach against so many people whom no release was made from; empty without a control."""

    rows: int
    sample: Mapping[str, float]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ContestResult(Typed):
    """A finished plan.

    ``estimates`` are the hits of every attacker against every anonymiser, then usefulness where it has an interval.
    ``sentences`` speak of the standings one by one, ``uploads`` of where releases that were handed in sit; ``lesson``
    is that of 2020 where this contest teaches it again. A bundle is written of ``bundle``, where one was asked for.
    """

    GAME: ClassVar[Mapping[str, str]] = {
        "random": "who of the population was in the sample, and the anonymiser's seed",
        "unit": "named row of one release; round where several were played",
    }

    plan: ContestPlan
    estimates: tuple[Estimate, ...]
    counts: Counts = field(metadata=entry("settings"))
    chance: Guessing | None
    standings: tuple[Standing, ...] = field(metadata=entry("anonymisers"))
    ranking: Ranking
    controls: tuple[Planted, ...]
    frontiers: Mapping[str, tuple[Spot, ...]]
    sentences: tuple[str, ...]
    uploads: tuple[str, ...]
    lesson: str
    measures: Mapping[str, About]
    order: Order
    others: Others = field(metadata=entry("other_people"))
    trees: tuple[str, ...]
    notes: tuple[str, ...]
    bundle: Bundle | None = field(default=None, metadata=entry(is_kept=False))

    @property
    def guessing(self) -> Guessing:
        """What guessing finds; nothing where nothing could be played."""
        return self.chance or UNPLAYED

    @property
    def attackers(self) -> tuple[str, ...]:
        """Everybody who attacked, in the order of the plan."""
        return tuple(dict.fromkeys(each.labels["attacker"] for each in self.estimates if each.name == "hits"))

    def hits(self, anonymiser: str) -> dict[str, Estimate]:
        """What each attacker finds of an anonymiser's release."""
        return {each.labels["attacker"]: each for each in self._estimates(anonymiser) if each.name == "hits"}

    def useful(self, anonymiser: str) -> dict[str, Estimate]:
        """Usefulness of an anonymiser's release by measure, as far as it has an interval."""
        return {each.name: each for each in self._estimates(anonymiser) if each.name != "hits"}

    def _estimates(self, anonymiser: str) -> list[Estimate]:
        return [each for each in self.estimates if each.labels.get("anonymiser") == anonymiser]

    @property
    def pictures(self) -> dict[str, tuple[Spot, ...]]:
        """The frontiers that can be drawn, by measure, in their order."""
        return {name: self.frontiers[name] for name in self.order.frontiers if self.frontiers[name]}

    @property
    def about(self) -> dict[str, About]:
        """What each measure is called and means, in the order they are shown and in the reader's language."""
        every = {name: self.measures[name] for name in self.order.measures}
        return {name: About(again(measure.title), again(measure.plain)) for name, measure in every.items()}
