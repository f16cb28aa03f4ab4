"""Who wins a contest: the order of anonymisers, who may not take part and why, and what each attacker is paid."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

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
        return tuple(one.name for one in self.places if one.place == 1)

    @property
    def rivals(self) -> tuple[str, ...]:
        """Those whose interval of points reaches the first's: chance may have settled who of them won."""
        return tuple(one.name for one in self.places[1:] if one.high >= self.places[0].low)

    @property
    def has_preliminary(self) -> bool:
        """Whether a preliminary round counts for anybody."""
        return any(one.preliminary is not None for one in self.places)

    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "places": [asdict(one) for one in self.places],
            "out": {name: list(misses) for name, misses in self.out.items()},
            "attackers": [asdict(one) for one in self.attackers],
        }


def ranking(entries: Sequence[Entry], guesses: int) -> Ranking:
    """The order of those that miss nothing, by points; by name where these are equal."""
    places: list[Place] = []
    part = [one for one in entries if not one.misses]
    for one in sorted(part, key=lambda entry: (-_points(entry, entry.worst.value, guesses), entry.name)):
        points = _points(one, one.worst.value, guesses)
        tied = bool(places) and places[-1].points == points
        places.append(
            Place(
                one.name,
                places[-1].place if tied else len(places) + 1,
                points,
                _points(one, one.worst.high, guesses),
                _points(one, one.worst.low, guesses),
                anonymiser_points(one.worst.value / guesses),
                None if one.preliminary is None else anonymiser_points(one.preliminary),
            )
        )
    order = {one.name: 1 - one.points / 1000 for one in places}
    winners = {one.name: order[one.name] for one in places if one.place == 1}
    paid = []
    for attacker in dict.fromkeys(name for one in entries for name in one.hits):
        rates = {one.name: one.hits[attacker] / guesses for one in part if attacker in one.hits}
        paid.append(Pay(attacker, attacker_points(rates, winners, len(winners)), attacker_points(rates, order, TOP)))
    out = {one.name: one.misses for one in entries if one.misses}
    return Ranking(tuple(places), out, tuple(sorted(paid, key=lambda pay: (-pay.top, pay.attacker))))


def _points(one: Entry, found: float, guesses: int) -> float:
    return round(anonymiser_points(found / guesses, one.preliminary), ROUNDED)


def read(kept: Mapping[str, Any]) -> Ranking:
    """A ranking as :meth:`Ranking.as_dict` wrote it."""
    return Ranking(
        tuple(Place(**one) for one in kept["places"]),
        {str(name): tuple(misses) for name, misses in kept["out"].items()},
        tuple(Pay(**one) for one in kept["attackers"]),
    )


def sentence(found: Ranking, called: Callable[[str], str] = str) -> str:
    """Who wins, and whether the order may be chance. ``called`` names an anonymiser."""
    if not found.places:
        return say("Nobody wins: no release is useful enough to take part.")
    first = found.places[0]
    told = say(
        "Winner: {winners}, {points:.0f} points [{low:.0f}, {high:.0f}].",
        winners=joined(map(called, found.winners)),
        points=first.points,
        low=first.low,
        high=first.high,
    )
    if len(found.places) == 1:
        return say("{told} No other release may take part.", told=told)
    if found.rivals:
        rivals = joined(map(called, found.rivals))
        return say(
            "{told} The intervals of others reach it ({rivals}): with other samples one of them may win.",
            told=told,
            rivals=rivals,
        )
    return say("{told} The intervals of all others lie below.", told=told)


def reason(
    misses: Sequence[str], usefulness: Mapping[str, float], titled: Callable[[str], str], asked: Callable[[str], str]
) -> str:
    """Why a release may not take part: each measure that it misses, with its number and what is asked.

    ``titled`` and ``asked`` say what a measure is called and what the rules ask of it.
    """
    return "; ".join(
        say(
            "{measure} {value:.3f}, {threshold} is required",
            measure=titled(name),
            value=usefulness[name],
            threshold=asked(name),
        )
        for name in misses
    )
