"""What a question about households comes to: how surely whole families were told in or out, and the sentences."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from riskkit.core import Estimate
from riskkit.judging.measured import Measured
from riskkit.language import counted, joined, say
from riskkit.questions.households.result import CHANCE, HouseholdsResult, Standing
from riskkit.questions.opponents import evasion, seen

ABOUT = say(
    "The score is (1 + TPR - FPR) / 2, where surer answers weigh more: 1 is always right and sure, 0.50 is guessing. "
    "The best is the attacker with the highest score; its interval allows for having looked at all attackers."
)
LIMITS = (
    say("The result is about the attackers that took part. A stronger attacker may find more."),
    say("The result is about households as large as those asked about; smaller households are harder to tell."),
    say("The result is about this release; another release of the same method may tell more or less."),
    say(
        "How sure an attacker is follows from the rank of a household's mean score; half of all households are taken "
        "to be in."
    ),
)
"""What such a result does not show."""


def finding(result: HouseholdsResult, called: Callable[[str], str] = str) -> str:
    """What was found in all, in a few words. ``called`` names an anonymiser."""
    leaks = [standing for standing in result.standings if standing.worst.low > CHANCE]
    if not leaks:
        return say("No attacker is shown to tell households better than guessing (0.50)")
    most = max(leaks, key=lambda standing: standing.worst.value)
    return say(
        "In {leaks} of {releases} the best attacker tells households better than "
        "guessing (0.50); most in {anonymiser}: {worst}",
        leaks=len(leaks),
        releases=counted(len(result.standings), "{n:,} release", "{n:,} releases"),
        anonymiser=called(most.name),
        worst=most.worst,
    )


def planted(result: HouseholdsResult, called: Callable[[str], str] = str) -> str:
    """What the attackers made of the sample itself, in a sentence. ``called`` names an attacker."""
    hits = joined(
        f"{called(look.attacker)} {look.score}"
        f"{'' if look.is_found else say(' (did not find it: its silence says nothing)')}"
        for look in result.controls
    )
    return say("Planted control, the sample itself as a release: {told}. Guessing scores 0.50.", told=hits)


def sentence(
    standing: Standing, result: HouseholdsResult, called: Callable[[str, str], str] = lambda _, name: name
) -> str:
    """What was found of one anonymiser. ``called`` names a plug-in of a room."""
    hits = say(
        "{anonymiser}: {attacker} scores {score} on {asked:,} households (guessing 0.50)",
        anonymiser=called("generators", standing.name),
        attacker=called("released", standing.best),
        score=str(standing.worst),
        asked=result.households.asked,
    )
    if standing.worst.low > CHANCE:
        verdict = say("{told}, more than guessing explains.", told=hits)
    else:
        verdict = say(
            "{told}; that is not shown to be more than guessing. A stronger attacker may find more.", told=hits
        )
    misled = evaded(result.scores(standing.name))
    if not misled:
        return verdict
    evasive = counted(
        len(misled),
        "{attackers} does worse than guessing: the release keeps away from what such an attacker looks for, which is "
        "evasion and no protection.",
        "{attackers} do worse than guessing: the release keeps away from what such an attacker looks for, which is "
        "evasion and no protection.",
        attackers=joined(called("released", name) for name in misled),
    )
    return say("{said} {evasion}", said=verdict, evasion=evasive)


def evaded(scores: Mapping[str, Estimate]) -> tuple[str, ...]:
    """Attackers that do worse than guessing explains: the release was made to mislead them."""
    return tuple(name for name, score in scores.items() if score.high < CHANCE)


def measured(standing: Standing, result: HouseholdsResult, called: Callable[[str], str] = str) -> Measured:
    """What the judge takes of one anonymiser. ``called`` names an attacker."""
    scores = result.scores(standing.name)
    return Measured(
        scale="score",
        guess=CHANCE,
        strongest=standing.worst,
        widest=standing.worst,
        who=called(standing.best),
        looks=standing.looks,
        control=seen({look.attacker: look.is_found for look in result.controls}, scores),
        unit="household",
        reasons=evasion(evaded(scores), called),
        made=result.households.asked,
    )
