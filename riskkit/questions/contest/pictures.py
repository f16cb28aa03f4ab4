"""The pictures of a contest: who finds how many in which release, and usefulness against protection."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from riskkit import wording
from riskkit.language import counted, joined, say
from riskkit.questions.contest import called, words
from riskkit.questions.contest.called import as_sentence, release
from riskkit.questions.contest.points import Spot as Placed
from riskkit.questions.contest.result import ContestResult, Standing
from riskkit.questions.contest.usefulness import About
from riskkit.show.blocks import CountMatrix, CountRow, Frontier, Spot
from riskkit.show.names import Names

NAME = 40
"""Letters of a name in a sentence over a picture."""


def matrix(result: ContestResult, names: Names) -> CountMatrix:
    """Hits of every attacker (across) against every release (down), with the most of each row behind it."""
    attackers = result.attackers
    caption = say(
        "{guessing} ▲: more than guessing explains; ▽: fewer, which is evasion and no protection. {best}",
        guessing=words.guessing(result),
        best=words.GLOSSARY["best"],
    )
    return CountMatrix(
        "matrix",
        _most_found(result, names),
        say("Rows named rightly"),
        say("Attacker"),
        tuple(called.attacker(name, names) for name in attackers),
        tuple(_row(result, standing, attackers, names) for standing in result.standings),
        result.guessing.expected,
        result.guessing.guesses,
        caption,
    )


def _row(result: ContestResult, standing: Standing, attackers: Sequence[str], names: Names) -> CountRow:
    hits = result.hits(standing.name)
    return CountRow(
        release(standing, names),
        tuple(hits.get(name) for name in attackers),
        standing.worst,
        called.attacker(standing.best, names),
        standing.is_uploaded,
    )


def _most_found(result: ContestResult, names: Names) -> str:
    chance = result.guessing
    leaks = [standing for standing in result.standings if standing.worst.low > chance.expected]
    if not leaks:
        return say(
            "No attacker is shown to find more than guessing ({expected:.1f} of {guesses:,})",
            expected=chance.expected,
            guesses=chance.guesses,
        )
    most = max(leaks, key=lambda standing: standing.worst.value)
    return say(
        "In {leaks} of {releases} the best attacker finds more than "
        "guessing ({expected:.1f}); most in {release}: {count}",
        leaks=len(leaks),
        releases=counted(len(result.standings), "{n:,} release", "{n:,} releases"),
        expected=chance.expected,
        release=wording.both_ends(release(most, names), NAME),
        count=wording.count(most.worst),
    )


def frontier(result: ContestResult, measure: str, about: About, names: Names) -> Frontier:
    """Every release by that measure of usefulness and the hits of its best attacker."""
    spots = result.pictures[measure]
    uploaded = {spot.name for spot in spots if spot.is_uploaded}

    def who(name: str) -> str:
        return called.named(name, names, is_uploaded=name in uploaded)

    guesses = result.guessing.guesses
    return Frontier(
        f"frontier {called.measure(measure, names)}",
        _sits(spots, who),
        about.title,
        say("Usefulness: {title} (1: as useful as the real rows)", title=about.title),
        say("Hits of the best attacker, of {guesses:,} (higher up: fewer)", guesses=guesses),
        tuple(
            Spot(
                who(spot.name),
                spot.usefulness,
                spot.useful,
                spot.worst,
                tuple(map(who, spot.beaten)),
                spot.is_uploaded,
            )
            for spot in spots
        ),
        result.guessing.expected,
        guesses,
        f"{about.plain} {_unbeaten(spots)} {words.GLOSSARY['frontier']}",
    )


def _unbeaten(spots: Sequence[Placed]) -> str:
    return say(
        "{unbeaten} of {methods} not beaten by another in both protection and usefulness.",
        unbeaten=sum(not spot.beaten for spot in spots),
        methods=counted(len(spots), "{n:,} method", "{n:,} methods"),
    )


def _sits(spots: Sequence[Placed], who: Callable[[str], str]) -> str:
    """Where the releases that were handed in sit; without any, how many of the others are beaten."""
    own = [spot for spot in spots if spot.is_uploaded]
    if own:
        return ". ".join(_sits_here(spot, who) for spot in own)
    return say(
        "{beaten} of {releases} are beaten by another that is no less useful",
        beaten=sum(bool(spot.beaten) for spot in spots),
        releases=counted(len(spots), "{n:,} release", "{n:,} releases"),
    )


def _sits_here(own: Placed, who: Callable[[str], str]) -> str:
    """Where a release sits, and what protects better."""
    sits = say("{release} sits here", release=as_sentence(wording.both_ends(who(own.name), NAME)))
    if not own.beaten:
        return say("{sits}; no setting that was played protects better at the same usefulness", sits=sits)
    others = own.shown or own.beaten
    names = joined(wording.both_ends(who(name), NAME) for name in others[:2])
    more = say(" and {more} more", more=len(others) - 2) if len(others) > 2 else ""
    if own.shown:
        return say(
            "{sits}; these settings protect better at the same usefulness: {names}{more}",
            sits=sits,
            names=names,
            more=more,
        )
    return say(
        "{sits}; in these releases attackers find fewer at the same usefulness, which may be chance: {names}{more}",
        sits=sits,
        names=names,
        more=more,
    )
