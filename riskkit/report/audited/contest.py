"""What a contest of release methods says, for the report of the audit."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from riskkit.core import Estimate
from riskkit.language import counted, say
from riskkit.report import words
from riskkit.report.audited.model import (
    Bar,
    Chart,
    Control,
    Frontier,
    Given,
    Measured,
    Played,
    RunFinding,
    Spot,
)
from riskkit.report.audited.names import Names

NO_ABSENCE = say(
    "A contest can show that members are found, never that nobody could find them: a stronger attacker may come. No "
    "limit is set for it."
)
LIMITS = (
    say("It compares methods by the attackers that took part. A stronger attacker may reverse the order."),
    say("Hits are counted among the rows each attacker is surest of; others may be exposed more or less."),
    say("Usefulness is measured by general agreement of tables; what your users need may be something else."),
)
"""What a contest does not show."""
MEASURE = "pairs"


def read(run: Played, names: Names, given: Given) -> RunFinding:  # noqa: ARG001  every reader is called alike
    """The finding of a finished run."""
    assert run.result is not None
    result = run.result
    chance = result.get("chance") or {"guesses": 1, "expected": 0.0, "members": 0, "population": 0}
    worst = [_worst(one, float(chance["guesses"]), names) for one in result["anonymisers"]]
    at = next((i for i, one in enumerate(result["anonymisers"]) if one["uploaded"]), None)
    return RunFinding(
        id=run.id,
        question=run.question,
        sentence=_sentence(result, worst, at, names),
        game=_game(result, chance, names),
        measured=_measured(result, worst, at, chance, names),
        estimates=tuple(names.estimate(_estimate(one)) for one in result["estimates"]),
        limits=LIMITS,
        settings=names.settings(run.plan),
        command=names.told(run.command),
        seconds=float(result.get("seconds", 0.0)),
        workers=run.workers,
        notes=tuple(filter(None, (names.told(str(note)) for note in result.get("notes", ())))),
        chart=_chart(result, worst, chance, names),
        frontier=_frontier(result, chance, names),
    )


def _estimate(given: Mapping[str, Any]) -> Estimate:
    own = ("name", "value", "low", "high", "level", "method", "n")
    labels = {name: str(text) for name, text in given.items() if name not in own}
    return Estimate(**{name: given[name] for name in own}, labels=labels)


def _worst(given: Mapping[str, Any], guesses: float, names: Names) -> Estimate:
    """Hits of the best attacker as a share of the rows named, at the level that allows for all attackers."""
    return _share(names.estimate(_estimate(given["worst"])), guesses)


def _share(hits: Estimate, guesses: float) -> Estimate:
    return replace(hits, value=hits.value / guesses, low=hits.low / guesses, high=hits.high / guesses)


def is_about_the_release(finding: RunFinding) -> bool:
    """Whether the uploaded release took part: else the contest compares methods and judges nothing."""
    return finding.measured.strongest is not None


def _measured(
    result: Mapping[str, Any], worst: list[Estimate], at: int | None, chance: Mapping[str, Any], names: Names
) -> Measured:
    own = None if at is None else worst[at]
    who = "" if at is None else names.called(str(result["anonymisers"][at]["best_attacker"]), "released")
    return Measured(
        scale="hits",
        guess=float(chance["expected"]) / float(chance["guesses"]),
        strongest=own,
        widest=own,
        who=who,
        looks=0 if at is None else int(result["anonymisers"][at]["looks"]),
        control=Control(False, -math.inf, say("No leak is planted in a contest.")),
        unit="named row",
        no_absence=NO_ABSENCE,
    )


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
            best=words.share(best),
        )
    beside = result["anonymisers"][at]
    who = names.called(str(beside["best_attacker"]), "released")
    return say("Of the rows that {who} names in your release, {worst} were in.", who=who, worst=words.share(worst[at]))


def _game(result: Mapping[str, Any], chance: Mapping[str, Any], names: Names) -> tuple[tuple[str, str], ...]:
    attackers = dict.fromkeys(str(one["attacker"]) for one in result.get("attackers", ()))
    expected = float(chance["expected"]) / float(chance["guesses"])
    return (
        (say("The question"), say("Which way of making a release protects best at the same usefulness?")),
        (say("The worlds"), say("a sample of a population for each method; the attacker does not know who is in it")),
        (say("The attacker knows"), say("the whole population, and the release")),
        (
            say("The hypothesis"),
            say("no attacker names more members than guessing does ({expected})", expected=words.percent(expected)),
        ),
        (
            say("Methods"),
            ", ".join(names.called(str(one["anonymiser"]), "generators") for one in result["anonymisers"]),
        ),
        (say("Attackers"), ", ".join(names.called(name, "released") for name in attackers)),
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
            _share(names.estimate(_estimate(one["worst"])), guesses),
            bool(one["uploaded"]),
            bool(one["dominated_by"]),
        )
        for one in placed
    )
    beaten = sum(spot.is_beaten for spot in spots)
    told = say(
        "{unbeaten} of {methods} not beaten by another on both counts",
        unbeaten=len(spots) - beaten,
        methods=counted(len(spots), "{n:,} method", "{n:,} methods"),
    )
    return Frontier(told, spots, float(chance["expected"]) / guesses)
