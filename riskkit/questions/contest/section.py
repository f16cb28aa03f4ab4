"""What a contest of release methods says, for the report of the audit."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from riskkit import wording
from riskkit.core import Estimate
from riskkit.judging.measured import Control, Measured
from riskkit.language import counted, joined, say
from riskkit.questions.contest import declared as contest_declared
from riskkit.questions.contest import household_words as contest_households
from riskkit.questions.contest import measured as contest_measured
from riskkit.questions.contest import ranking as contest_ranking
from riskkit.questions.contest import words as contest_words
from riskkit.questions.contest.points import UPLOADED
from riskkit.questions.contest.words import Contest, Standing
from riskkit.show import what_if
from riskkit.show.estimates import estimate
from riskkit.show.finding import finding
from riskkit.show.model import Bar, Chart, Frontier, Given, Part, Played, RunFinding, Spot
from riskkit.show.names import Names
from riskkit.show.reasons import apart

LIMITS = (
    say("Methods are compared by the attackers that took part. A stronger attacker may reverse the order."),
    say("Hits are counted among the rows each attacker is surest of; others may be exposed more or less."),
    say("Usefulness is measured by general agreement of tables; what your users need may be something else."),
)
"""What a contest does not show."""
MEASURE = "pairs"
PEOPLE, HOUSEHOLDS = "people", "snake"
"""The population a release can take part in, and the contest that deals samples of the real table instead."""


def read(run: Played, names: Names, given: Given) -> tuple[RunFinding, ...]:
    """The finding of a finished run: about this release where it took part, else about methods."""
    assert run.result is not None
    result = run.result
    if "households" in result:
        return (_households(run, names),)
    chance = result.get("chance") or {"guesses": 1, "expected": 0.0, "members": 0, "population": 0}
    worst = [_worst(one, float(chance["guesses"]), names) for one in result["anonymisers"]]
    at = _released(run, given)
    found = contest_words.read(result)
    parts = tuple(_part(standing, found, names) for standing in found.standings)
    measured = parts[at if at is not None else _strongest(parts)].measured if parts else _nothing()
    return (
        finding(
            run,
            names,
            sentence=_sentence(result, worst, at, names),
            game=_game(result, chance, names),
            measured=measured if at is None else apart(measured, given, names),
            estimates=tuple(names.estimate(estimate(one)) for one in result["estimates"]),
            limits=LIMITS,
            chart=_chart(result, worst, chance, names),
            frontier=_frontier(result, chance, names),
            extra=(*_ranked(found, names), *_declared(result, names)),
            what_if="" if at is not None else what_if.if_made_by(_methods(result, names)),
            parts=parts,
        ),
    )


def is_about(run: Played, given: Given) -> bool:
    """Whether this release takes part: among the people who were in and those who were not.

    What is handed in beside it is another release, and in a population that was made it is one of other people.
    """
    is_there = any(file.slot == "synthetic" for file in given.files)
    return is_there and run.plan.get("source") == PEOPLE and run.plan.get("mode") != HOUSEHOLDS


def _released(run: Played, given: Given) -> int | None:
    """Where this release stands among what took part; None where it did not."""
    assert run.result is not None
    names = [str(one["anonymiser"]) for one in run.result["anonymisers"]]
    return names.index(UPLOADED) if is_about(run, given) and UPLOADED in names else None


def _part(standing: Standing, found: Contest, names: Names) -> Part:
    """One anonymiser, judged by itself."""
    title = names.called(standing.name, "generators")
    measured = contest_measured.measured(standing, found, lambda name: names.called(name, "released"))
    strongest = measured.strongest and names.estimate(measured.strongest)
    return Part(title, title, replace(measured, strongest=strongest, widest=strongest))


def _strongest(parts: Sequence[Part]) -> int:
    lows = [-math.inf if one.measured.strongest is None else one.measured.strongest.low for one in parts]
    return lows.index(max(lows)) if lows else 0


def _nothing() -> Measured:
    """Nothing could be played."""
    return Measured("hits", 0.0, None, None, "", 0, Control.none(""), unit="named row")


def _methods(result: Mapping[str, Any], names: Names) -> str:
    every = joined(names.called(str(one["anonymiser"]), "generators") for one in result["anonymisers"])
    return every or say("a method that could not be played")


def _households(run: Played, names: Names) -> RunFinding:
    """A contest on households: about methods, for the sample is drawn from the real table."""
    assert run.result is not None
    found = contest_households.read(run.result)
    parts = []
    for row in found.rows:
        measured = contest_households.measured(
            row, found.planted, found.asked, lambda name: names.called(name, "released")
        )
        worst, title = names.estimate(row.worst), names.called(row.anonymiser, "generators")
        parts.append(Part(title, title, replace(measured, strongest=worst, widest=worst)))
    return finding(
        run,
        names,
        sentence=say("{told}.", told=contest_households.finding(found))
        if names.tells
        else say("Households were asked about."),
        measured=parts[_strongest(parts)].measured if parts else _nothing(),
        estimates=tuple(names.estimate(estimate(one)) for one in run.result["estimates"]),
        limits=contest_households.LIMITS,
        what_if=what_if.if_made_by(_methods(run.result, names)),
        parts=tuple(parts),
    )


def _worst(given: Mapping[str, Any], guesses: float, names: Names) -> Estimate:
    """Hits of the best attacker as a share of the rows named, at the level that allows for all attackers."""
    return _share(names.estimate(estimate(given["worst"])), guesses)


def _share(hits: Estimate, guesses: float) -> Estimate:
    return replace(hits, value=hits.value / guesses, low=hits.low / guesses, high=hits.high / guesses)


def _sentence(result: Mapping[str, Any], worst: list[Estimate], at: int | None, names: Names) -> str:
    if not worst:
        return say("No release could be played.")
    if at is None:
        order = sorted(zip(worst, result["anonymisers"], strict=True), key=lambda pair: pair[0].value)
        best, one = order[0]
        who = names.called(str(one["anonymiser"]), "generators")
        return say(
            "Of {methods}, {who} let the best attacker find fewest members: {best} of the rows named.",
            methods=counted(len(worst), "{n:,} method", "{n:,} methods"),
            who=who,
            best=wording.share(best),
        )
    beside = result["anonymisers"][at]
    who = names.called(str(beside["best_attacker"]), "released")
    return say(
        "Of the rows that {who} names in your release, {worst} were in.", who=who, worst=wording.share(worst[at])
    )


def _game(result: Mapping[str, Any], chance: Mapping[str, Any], names: Names) -> tuple[tuple[str, str], ...]:
    attackers = (str(one["attacker"]) for one in result["ranking"]["attackers"])
    expected = float(chance["expected"]) / float(chance["guesses"])
    return (
        (say("The question"), say("Which way of making a release protects best at the same usefulness?")),
        (say("The worlds"), say("a sample of a population for each method; the attacker does not know who is in it")),
        (say("The attacker knows"), say("the whole population, and the release")),
        (
            say("The hypothesis"),
            say("no attacker names more members than guessing does ({expected})", expected=wording.percent(expected)),
        ),
        (
            say("Methods"),
            joined(names.called(str(one["anonymiser"]), "generators") for one in result["anonymisers"]),
        ),
        (say("Attackers"), joined(names.called(name, "released") for name in attackers)),
        (
            say("Counted are"),
            say(
                "{guesses:,} named rows of {population:,}, of whom {members:,} were in",
                guesses=int(chance["guesses"]),
                population=int(chance["population"]),
                members=int(chance["members"]),
            ),
        ),
    )


def _ranked(found: Contest, names: Names) -> tuple[str, ...]:
    """Who wins, who may not take part and why, what attackers are paid."""
    order = found.ranking
    lines = [contest_ranking.sentence(order, lambda name: names.called(name, "generators"))]
    for standing in found.standings:
        if standing.misses:
            who, why = names.called(standing.name, "generators"), contest_words.reason(found, standing)
            lines.append(say("{who} may not take part: {why}.", who=who, why=why))
    if order.has_preliminary:
        told = "; ".join(
            say(
                "{who} {preliminary:.0f} and {main:.0f}, together {points:.0f}",
                who=names.called(one.name, "generators"),
                preliminary=one.preliminary,
                main=one.main,
                points=one.points,
            )
            for one in order.places
            if one.preliminary is not None
        )
        lines.append(say("Points of the preliminary and the main round, 1 : 9: {told}.", told=told))
    if order.places:
        told = "; ".join(
            say(
                "{who} {winner:.0f} and {top:.0f}", who=names.called(p.attacker, "released"), winner=p.winner, top=p.top
            )
            for p in order.attackers
        )
        lines.append(say("Points of attackers, against the winner and against the best three: {told}.", told=told))
    return tuple(lines)


def _declared(result: Mapping[str, Any], names: Names) -> tuple[str, ...]:
    """What is declared of each release and counted; counts of single people are for the restricted report alone."""
    if not names.tells:
        return ()
    return contest_declared.lines(result, lambda name: names.called(name, "generators"))


def _chart(result: Mapping[str, Any], worst: list[Estimate], chance: Mapping[str, Any], names: Names) -> Chart | None:
    if not worst:
        return None
    bars = tuple(
        Bar(names.called(str(one["anonymiser"]), "generators"), hits)
        for one, hits in zip(result["anonymisers"], worst, strict=True)
    )
    guess = float(chance["expected"]) / float(chance["guesses"])
    return Chart(
        say("Members found by the best attacker on each method"), say("share of named rows that were in"), bars, guess
    )


def _frontier(result: Mapping[str, Any], chance: Mapping[str, Any], names: Names) -> Frontier | None:
    placed = result.get("frontiers", {}).get(MEASURE, [])
    if not placed:
        return None
    guesses = float(chance["guesses"])
    spots = tuple(
        Spot(
            names.called(str(one["name"]), "generators"),
            float(one["usefulness"]),
            _share(names.estimate(estimate(one["worst"])), guesses),
            bool(one["uploaded"]),
            bool(one["dominated_by"]),
        )
        for one in placed
    )
    beaten = sum(spot.is_beaten for spot in spots)
    told = say(
        "{unbeaten} of {methods} not beaten by another in both protection and usefulness",
        unbeaten=len(spots) - beaten,
        methods=counted(len(spots), "{n:,} method", "{n:,} methods"),
    )
    return Frontier(told, spots, float(chance["expected"]) / guesses)
