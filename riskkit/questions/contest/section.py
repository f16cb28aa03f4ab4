"""What a contest of release methods says, for the report of the audit."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from riskkit import wording
from riskkit.core import Estimate
from riskkit.judging.measured import Control, Measured
from riskkit.language import counted, joined, say
from riskkit.questions.contest import called, declared_words, view
from riskkit.questions.contest import measured as contest_measured
from riskkit.questions.contest import words as contest_words
from riskkit.questions.contest.points import UPLOADED
from riskkit.questions.contest.result import ContestResult, Standing
from riskkit.show import what_if
from riskkit.show.finding import finding
from riskkit.show.model import Bar, Chart, Given, Part, Played, RunFinding
from riskkit.show.names import Names

LIMITS = (
    say("Methods are compared by the attackers that took part. A stronger attacker may reverse the order."),
    say("Hits are counted among the rows each attacker is surest of; others may be exposed more or less."),
    say("Usefulness is measured by general agreement of tables; what your users need may be something else."),
)
"""What a contest does not show."""
PEOPLE = "people"
"""The population a release can take part in."""


def read(run: Played, names: Names, facts: Given) -> tuple[RunFinding, ...]:
    """The finding of a finished run: about this release where it took part, else about methods."""
    assert run.result is not None
    result = ContestResult.of(run.result)
    own = _released(run, result, facts)
    parts = tuple(
        _part(standing, result, names, of_release=place == own) for place, standing in enumerate(result.standings)
    )
    measured = (parts[_strongest(parts) if own is None else own].measured) if parts else _nothing()
    return (
        finding(
            run,
            names,
            sentence=_sentence(result, parts, own, names),
            game=_game(result, names),
            measured=measured,
            estimates=tuple(map(names.estimate, result.estimates)),
            limits=LIMITS,
            chart=_chart(result, parts),
            extra=(*_ranked(result, names), *_declared(result, names)),
            what_if="" if own is not None else what_if.if_made_by(_methods(result, names)),
            parts=parts,
        ),
    )


def is_about(run: Played, facts: Given) -> bool:
    """Whether this release takes part: among the people who were in and those who were not.

    What is handed in beside it is another release, and in a population that was made it is one of other people.
    """
    is_there = any(file.slot == "synthetic" for file in facts.files)
    return is_there and run.plan.get("source") == PEOPLE


def _released(run: Played, result: ContestResult, facts: Given) -> int | None:
    """Where this release stands among what took part; None where it did not."""
    names = [standing.name for standing in result.standings]
    return names.index(UPLOADED) if is_about(run, facts) and UPLOADED in names else None


def _part(standing: Standing, result: ContestResult, names: Names, *, of_release: bool) -> Part:
    """One anonymiser, judged by itself."""
    title = names.called(standing.name, "generators")
    measured = contest_measured.measured(standing, result, lambda name: names.called(name, "released"))
    worst = names.estimate(contest_measured.share(standing.worst, result.guessing.guesses))
    return Part(title, title, replace(measured, strongest=worst, widest=worst), of_release)


def _strongest(parts: Sequence[Part]) -> int:
    lows = [-math.inf if part.measured.strongest is None else part.measured.strongest.low for part in parts]
    return lows.index(max(lows)) if lows else 0


def _nothing() -> Measured:
    """Nothing could be played."""
    return Measured("hits", 0.0, None, None, "", 0, Control.none(""), unit="named row")


def _methods(result: ContestResult, names: Names) -> str:
    every = joined(names.called(standing.name, "generators") for standing in result.standings)
    return every or say("a method that could not be played")


def _sentence(result: ContestResult, parts: Sequence[Part], own: int | None, names: Names) -> str:
    if not parts:
        return say("No release could be played.")
    worst = [_hits(part) for part in parts]
    if own is None:
        least, standing = min(zip(worst, result.standings, strict=True), key=lambda pair: pair[0].value)
        return say(
            "Of {methods}, {who} let the best attacker find fewest members: {best} of the rows named.",
            methods=counted(len(worst), "{n:,} method", "{n:,} methods"),
            who=names.called(standing.name, "generators"),
            best=wording.share(least),
        )
    who = names.called(result.standings[own].best, "released")
    return say(
        "Of the rows that {who} names in your release, {worst} were in.", who=who, worst=wording.share(worst[own])
    )


def _hits(part: Part) -> Estimate:
    """Hits of the best attacker as a share of the rows named, at the level that allows for all attackers."""
    assert part.measured.strongest is not None
    return part.measured.strongest


def _game(result: ContestResult, names: Names) -> tuple[tuple[str, str], ...]:
    chance = result.guessing
    return (
        (say("The question"), say("Which way of making a release protects best at the same usefulness?")),
        (say("The worlds"), say("a sample of a population for each method; the attacker does not know who is in it")),
        (say("The attacker knows"), say("the whole population, and the release")),
        (
            say("The hypothesis"),
            say(
                "no attacker names more members than guessing does ({expected})", expected=wording.percent(chance.share)
            ),
        ),
        (say("Methods"), joined(names.called(standing.name, "generators") for standing in result.standings)),
        (say("Attackers"), joined(names.called(pay.attacker, "released") for pay in result.ranking.attackers)),
        (
            say("Counted are"),
            say(
                "{guesses:,} named rows of {population:,}, of whom {members:,} were in",
                guesses=chance.guesses,
                population=chance.population,
                members=chance.members,
            ),
        ),
    )


def _ranked(result: ContestResult, names: Names) -> Iterator[str]:
    """Who may not take part and why, and the points of both rounds and of attackers."""
    order, who = result.ranking, view.who(result, names)
    for standing in result.standings:
        if standing.misses:
            why = contest_words.reason(result, standing)
            yield called.as_sentence(say("{who} may not take part: {why}.", who=who(standing.name), why=why))
    if order.has_preliminary:
        points = "; ".join(
            say(
                "{who} {preliminary:.0f} and {main:.0f}, together {points:.0f}",
                who=who(place.name),
                preliminary=place.preliminary,
                main=place.main,
                points=place.points,
            )
            for place in order.places
            if place.preliminary is not None
        )
        yield say("Points of the preliminary and the main round, 1 : 9: {told}.", told=points)
    if order.places:
        points = "; ".join(
            say(
                "{who} {winner:.0f} and {top:.0f}",
                who=called.attacker(pay.attacker, names),
                winner=pay.winner,
                top=pay.top,
            )
            for pay in order.attackers
        )
        yield say("Points of attackers, against the winner and against the best three: {told}.", told=points)


def _declared(result: ContestResult, names: Names) -> Iterator[str]:
    """What is declared of each release and counted; counts of single people are for the restricted report alone."""
    if names.tells:
        yield from map(called.as_sentence, declared_words.lines(result, view.who(result, names)))


def _chart(result: ContestResult, parts: Sequence[Part]) -> Chart | None:
    if not parts:
        return None
    return Chart(
        say("Members found by the best attacker on each method"),
        say("share of named rows that were in"),
        tuple(Bar(part.title, _hits(part)) for part in parts),
        result.guessing.share,
    )
