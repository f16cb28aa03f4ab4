"""Who wins a contest: the order of anonymisers, who may not take part and why, and what each attacker is paid."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from riskkit.core import Estimate
from riskkit.language import joined, say
from riskkit.questions.contest.points import anonymiser_points, attacker_points

TOP = 3
"""The best anonymisers that an attacker is paid for."""
ROUNDED = 6
"""Decimals of points beyond which two are equal: what lies there is left of adding up."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One anonymiser: hits of each attacker, those of the best with the interval that allows for all, what it misses.

    ``preliminary`` is the share of named rows that the best attacker found in the preliminary round; None without one.
    """

    name: str
    hits: Mapping[str, float]
    worst: Estimate
    misses: tuple[str, ...]
    preliminary: float | None


@dataclass(frozen=True, slots=True)
class Place:
    """An anonymiser that takes part. ``place`` counts from 1, and equal points share it.

    ``points`` are of both rounds, 1 : 9, ``main`` of the main round alone, ``preliminary`` of the other (None without
    one). ``low`` and ``high`` are those of ``points``, by the interval of hits in the main round.
    """

    name: str
    place: int
    points: float
    low: float
    high: float
    main: float
    preliminary: float | None


@dataclass(frozen=True, slots=True)
class Pay:
    """An attacker's points: against the winner alone, and against the best three (all, where there are fewer)."""

    attacker: str
    winner: float
    top: float


@dataclass(frozen=True, slots=True)
class Ranking:
    """``places`` from the winner on; ``out`` says of who may not take part which measures it misses."""

    places: tuple[Place, ...]
    out: Mapping[str, tuple[str, ...]]
    attackers: tuple[Pay, ...]

    @property
    def winners(self) -> tuple[str, ...]:
        """Who has most points; several where these are equal, nobody where nobody may take part."""
        return tuple(place.name for place in self.places if place.place == 1)

    @property
    def rivals(self) -> tuple[str, ...]:
        """Those whose interval of points reaches the first's: chance may have settled who of them won."""
        return tuple(place.name for place in self.places[1:] if place.high >= self.places[0].low)

    @property
    def has_preliminary(self) -> bool:
        """Whether a preliminary round counts for anybody."""
        return any(place.preliminary is not None for place in self.places)


def ranking(entries: Sequence[Entry], guesses: int) -> Ranking:
    """The order of those that miss nothing, by points; by name where these are equal."""
    places: list[Place] = []
    part = [entry for entry in entries if not entry.misses]
    for entry in sorted(part, key=lambda entry: (-_points(entry, entry.worst.value, guesses), entry.name)):
        points = _points(entry, entry.worst.value, guesses)
        tied = bool(places) and places[-1].points == points
        places.append(
            Place(
                entry.name,
                places[-1].place if tied else len(places) + 1,
                points,
                _points(entry, entry.worst.high, guesses),
                _points(entry, entry.worst.low, guesses),
                anonymiser_points(entry.worst.value / guesses),
                None if entry.preliminary is None else anonymiser_points(entry.preliminary),
            )
        )
    order = {place.name: 1 - place.points / 1000 for place in places}
    winners = {place.name: order[place.name] for place in places if place.place == 1}
    paid = []
    for attacker in dict.fromkeys(name for entry in entries for name in entry.hits):
        rates = {entry.name: entry.hits[attacker] / guesses for entry in part if attacker in entry.hits}
        paid.append(Pay(attacker, attacker_points(rates, winners, len(winners)), attacker_points(rates, order, TOP)))
    out = {entry.name: entry.misses for entry in entries if entry.misses}
    return Ranking(tuple(places), out, tuple(sorted(paid, key=lambda pay: (-pay.top, pay.attacker))))


def _points(entry: Entry, hits: float, guesses: int) -> float:
    return round(anonymiser_points(hits / guesses, entry.preliminary), ROUNDED)


def sentence(order: Ranking, called: Callable[[str], str] = str) -> str:
    """Who wins, and whether the order may be chance. ``called`` names an anonymiser."""
    if not order.places:
        return say("Nobody wins: no release is useful enough to take part.")
    first = order.places[0]
    winner = say(
        "Winner: {winners}, {points:.0f} points [{low:.0f}, {high:.0f}].",
        winners=joined(map(called, order.winners)),
        points=first.points,
        low=first.low,
        high=first.high,
    )
    if len(order.places) == 1:
        return say("{told} No other release may take part.", told=winner)
    if order.rivals:
        rivals = joined(map(called, order.rivals))
        return say(
            "{told} The intervals of others reach it ({rivals}): with other samples one of them may win.",
            told=winner,
            rivals=rivals,
        )
    return say("{told} The intervals of all others lie below.", told=winner)
