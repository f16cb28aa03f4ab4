"""Whom the file names, of the people who were in: a list with few there by luck, kept for those who may see rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from riskkit.core import Estimate, Ints, Scores
from riskkit.errors import DesignError
from riskkit.language import kept, say
from riskkit.seeds import stream
from riskkit.show.model import AtRisk
from riskkit.show.names import Names
from riskkit.stats.multiplicity import list_members
from riskkit.wording import percent

RATE = 0.05
"""The share of the list that is there by luck, at most, on average."""
WHY = {
    "sides_differ": kept(
        "Nobody is listed by the file alone: the real table and the holdout can be distinguished without the "
        "release, so who scores high may only be of the other table."
    ),
    "too_few": kept("Nobody is listed by the file alone: there are too few people on a side."),
}
"""Why there is no list."""


@dataclass(frozen=True, slots=True)
class ListedPerson:
    """A person who is listed: row, attack and p-value."""

    row: int
    attack: str
    p: float


@dataclass(frozen=True, slots=True)
class People:
    """How many are ``listed`` of how many. ``why`` says why there is no list.

    A list of fewer than ``fewest`` cannot be: so many must stand out, since p-values are no smaller than one in as many
    as were not in. At most a share of ``rate`` is there by luck, on average.
    """

    asked: int = 0
    listed: int = 0
    fewest: int = 0
    rate: float = RATE
    why: str = ""


def people(scores: Sequence[Scores], row: Ints, seed: int, *, apart: bool) -> tuple[People, tuple[ListedPerson, ...]]:
    """The list, and how many there are on it; nobody where the sides differ without the release.

    Nobody is then as good as drawn from the other side.

    Parameters
    ----------
    scores
        Those of every attack that gave any, on the same people.
    row : (n,)
        The row of each in its own table.
    apart
        Whether the sides are told apart without the release.
    """
    if apart:
        return People(why="sides_differ"), ()
    try:
        lists = list_members(scores, stream(seed, "released", "people"), q=RATE)
    except DesignError:
        return People(why="too_few"), ()
    each = tuple(
        ListedPerson(int(row[place]), scores[attack].attack, float(p))
        for place, p, attack in zip(lists.at, lists.p, lists.attack, strict=True)
    )
    return People(lists.asked, len(each), lists.fewest), each


def lines(named: People, count: Callable[[float], str]) -> tuple[str, ...]:
    """How many people the file names, in a sentence or two; ``count`` is how a number of people is told."""
    if not named.asked:
        return (say(WHY[named.why]),) if named.why in WHY else ()
    if not named.listed:
        return (
            say(
                "No member can be listed by the file alone: at least {fewest:,} of them would have to score "
                "higher than all people outside the data. Where the method that made the release can be rerun, "
                "Records says more.",
                fewest=named.fewest,
            ),
        )
    return (
        say(
            "Of {asked:,} members {count} can be listed by the file alone: they score higher than nearly all "
            "people outside the data. Of such a list {rate} is there by luck, at most, on average.",
            asked=named.asked,
            count=count(named.listed),
            rate=percent(named.rate),
        ),
    )


def list_people(
    every: Sequence[ListedPerson], aucs: Mapping[str, Estimate], names: Names, called: Callable[[str], str]
) -> tuple[AtRisk, ...]:
    """Those who are listed, by row and attack with its AUC, the surest first, for those who may see rows."""
    if not names.tells:
        return ()
    return tuple(
        AtRisk(say("record {row}", row=person.row), called(person.attack), names.estimate(aucs[person.attack]))
        for person in surest(every)
        if person.attack in aucs
    )


def surest(every: Sequence[ListedPerson]) -> list[ListedPerson]:
    """The people who are listed, the surest first."""
    return sorted(every, key=lambda person: (person.p, person.row))
