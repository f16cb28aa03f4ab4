"""How surely households were told in or out, for the report of the audit and for its page."""

from __future__ import annotations

import math
from dataclasses import replace

from riskkit.judging.measured import Control, Measured
from riskkit.language import counted, joined, say
from riskkit.questions.households import words
from riskkit.questions.households.result import CHANCE, HouseholdsResult, Standing
from riskkit.show import what_if
from riskkit.show.finding import finding
from riskkit.show.model import Bar, Chart, Given, Part, Played, RunFinding
from riskkit.show.names import Names


def read(run: Played, names: Names, facts: Given) -> tuple[RunFinding, ...]:  # noqa: ARG001  asked of every question
    """The finding of a finished run: about methods, for their releases are made of a sample of the real table."""
    assert run.result is not None
    result = HouseholdsResult.of(run.result)
    parts = tuple(_part(standing, result, names) for standing in result.standings)
    return (
        finding(
            run,
            names,
            sentence=_sentence(result, names),
            game=_game(result, names),
            measured=_strongest(parts),
            estimates=tuple(map(names.estimate, result.estimates)),
            limits=words.LIMITS,
            chart=_chart(result, parts, names),
            extra=_lines(result, names),
            what_if=what_if.if_made_by(_methods(result, names)),
            parts=parts,
        ),
    )


def is_about(run: Played, facts: Given) -> bool:  # noqa: ARG001  asked of every question alike
    """Never: no release that exists takes part."""
    return False


def _method(names: Names, name: str) -> str:
    return names.called(name, "generators")


def _attacker(names: Names, name: str) -> str:
    return names.called(name, "released")


def _part(standing: Standing, result: HouseholdsResult, names: Names) -> Part:
    """One anonymiser, judged by itself."""
    title, worst = _method(names, standing.name), names.estimate(standing.worst)
    measured = words.measured(standing, result, lambda name: _attacker(names, name))
    return Part(title, title, replace(measured, strongest=worst, widest=worst))


def _strongest(parts: tuple[Part, ...]) -> Measured:
    if not parts:
        return Measured("score", CHANCE, None, None, "", 0, Control.none(""), unit="household")
    lows = [-math.inf if part.measured.strongest is None else part.measured.strongest.low for part in parts]
    return parts[lows.index(max(lows))].measured


def _methods(result: HouseholdsResult, names: Names) -> str:
    every = joined(_method(names, standing.name) for standing in result.standings)
    return every or say("a method that could not be played")


def _sentence(result: HouseholdsResult, names: Names) -> str:
    if not result.standings:
        return say("No release could be played.")
    return say("{told}.", told=words.finding(result, lambda name: _method(names, name)))


def _lines(result: HouseholdsResult, names: Names) -> tuple[str, ...]:
    """A sentence on each anonymiser, the one that gives away most first; the planted control; what a score is."""
    every = sorted(result.standings, key=lambda standing: -standing.worst.value)
    lines = [words.sentence(standing, result, lambda room, name: names.called(name, room)) for standing in every]
    if result.controls:
        lines.append(words.planted(result, lambda name: _attacker(names, name)))
    return (*lines, words.ABOUT) if lines else ()


def _game(result: HouseholdsResult, names: Names) -> tuple[tuple[str, str], ...]:
    asked = result.households
    return (
        (say("The question"), say("How surely can whole households be told in or out?")),
        (
            say("The worlds"),
            say("one sample of the real table, with whole households in or out; every method makes its release of it"),
        ),
        (say("The attacker knows"), say("the release, and all people of the households asked about")),
        (say("The hypothesis"), say("no attacker tells households better than guessing does (0.50)")),
        (say("Methods"), _methods(result, names)),
        (say("Attackers"), joined(_attacker(names, name) for name in result.plan.attackers)),
        (
            say("Counted are"),
            say(
                "{households} of {people}, of which {inside:,} were in",
                households=counted(asked.asked, "{n:,} household", "{n:,} households"),
                people=counted(asked.rows, "{n:,} person", "{n:,} people"),
                inside=asked.inside,
            ),
        ),
    )


def _chart(result: HouseholdsResult, parts: tuple[Part, ...], names: Names) -> Chart | None:
    """The best attacker on each method."""
    if not parts:
        return None
    bars = [
        Bar(
            say("{method}: {attacker}", method=part.title, attacker=_attacker(names, standing.best)),
            names.estimate(standing.worst),
        )
        for part, standing in zip(parts, result.standings, strict=True)
    ]
    return Chart(
        say("Households told in or out by the best attacker on each method"),
        say("score (0.50 is guessing, 1 always right and sure)"),
        tuple(bars),
        CHANCE,
    )
