"""Whom the file names, of the people who were in: a list with few there by luck, kept for those who may see rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from riskkit.core import Ints, Scores
from riskkit.errors import DesignError
from riskkit.language import kept, say
from riskkit.seeds import stream
from riskkit.show.estimates import estimate
from riskkit.show.model import AtRisk
from riskkit.show.names import Names
from riskkit.stats.listed import listed
from riskkit.wording import percent

RATE = 0.05
"""The share of the list that is there by luck, at most, on average."""
WHY = {
    "sides_differ": kept(
        "Nobody is listed by the file alone: the real table and the holdout can be told apart without the release, so "
        "who scores high may only be of the other table."
    ),
    "too_few": kept("Nobody is listed by the file alone: there are too few people on a side."),
}
"""Why there is no list."""
PRIVATE = frozenset({"scores", "records"})
"""What is kept for those who may see rows, and is no part of a result that is passed on."""


@dataclass(frozen=True, slots=True)
class People:
    """How many are listed of how many, and ``each``: row, attack and p-value. ``why`` says why there is no list.

    A list of fewer than ``fewest`` cannot be: so many must stand out, since p-values are no smaller than one in as many
    as were not in.
    """

    asked: int
    fewest: int
    each: tuple[Mapping[str, Any], ...]
    why: str = ""

    def as_dict(self) -> dict[str, Any]:
        """How many, as plain values; nobody is named."""
        return {"asked": self.asked, "listed": len(self.each), "fewest": self.fewest, "rate": RATE, "why": self.why}


def people(scores: Sequence[Scores], row: Ints, seed: int, *, apart: bool) -> People:
    """The list; none where the sides differ without the release, since nobody is then as good as drawn from the other.

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
        return People(0, 0, (), "sides_differ")
    try:
        lists = listed(scores, stream(seed, "released", "people"), q=RATE)
    except DesignError:
        return People(0, 0, (), "too_few")
    each = tuple(
        {"row": int(row[at]), "attack": scores[attack].attack, "p": float(p)}
        for at, p, attack in zip(lists.at, lists.p, lists.attack, strict=True)
    )
    return People(lists.asked, lists.fewest, each)


def lines(result: Mapping[str, Any], count: Callable[[float], str]) -> tuple[str, ...]:
    """How many people the file names, in a sentence or two; ``count`` is how a number of people is told."""
    named = result.get("named") or {}
    if not named:
        return ()
    if not named["asked"]:
        return (say(WHY[named["why"]]),) if named["why"] in WHY else ()
    if not named["listed"]:
        return (
            say(
                "No member can be listed by the file alone: at least {fewest:,} of them would have to score higher "
                "than all people who were not in. Where the method that made the release can be rerun, Records says "
                "more.",
                fewest=named["fewest"],
            ),
        )
    return (
        say(
            "Of {asked:,} members {count} can be listed by the file alone: they score higher than nearly all people "
            "who were not in. Of such a list {rate} is there by luck, at most, on average.",
            asked=named["asked"],
            count=count(named["listed"]),
            rate=percent(named["rate"]),
        ),
    )


def at_risk(result: Mapping[str, Any], names: Names, called: Callable[[str], str]) -> tuple[AtRisk, ...]:
    """Those who are listed, by row and attack, the surest first, for those who may see rows."""
    if not names.tells:
        return ()
    aucs = {str(each["attack"]): names.estimate(estimate(each["auc"])) for each in result["together"]["each"]}
    every = sorted(result.get("records", ()), key=lambda person: (person["p"], person["row"]))
    return tuple(
        AtRisk(say("record {row}", row=person["row"]), called(person["attack"]), aucs[person["attack"]])
        for person in every
        if person["attack"] in aucs
    )
