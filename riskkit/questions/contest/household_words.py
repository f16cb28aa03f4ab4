"""What a contest on households comes to: how surely whole families were told in or out, and the sentences."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from riskkit.core import Estimate
from riskkit.judging.measured import Measured
from riskkit.language import counted, joined, say
from riskkit.phrases import counted_phrase, phrase
from riskkit.questions.contest.household_result import CHANCE, HouseholdsResult, Standing
from riskkit.questions.contest.measured import evasion, seen

ABOUT = say(
    "The score is (1 + TPR - FPR) / 2, where surer answers weigh more: 1 is always right and sure, 0.50 is guessing. "
    "▲: better than guessing explains; ▽: worse than guessing, which is evasion and no protection. The best is the "
    "attacker with the highest score; its interval allows for having looked at all attackers."
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
"""What a contest on households does not show."""


def finding(result: HouseholdsResult) -> str:
    """The sentence over the table."""
    leaks = [standing for standing in result.standings if standing.worst.low > CHANCE]
    if not leaks:
        return say("No attacker is shown to tell households better than guessing (0.50)")
    most = max(leaks, key=lambda standing: standing.worst.value)
    return say(
        "In {leaks} of {releases} the best attacker tells households better than "
        "guessing (0.50); most in {anonymiser}: {worst}",
        leaks=len(leaks),
        releases=counted(len(result.standings), "{n:,} release", "{n:,} releases"),
        anonymiser=most.name,
        worst=most.worst,
    )


def planted(result: HouseholdsResult) -> str:
    """What the attackers made of the sample itself, in a sentence."""
    told = joined(
        f"{look.attacker} {look.score}{'' if look.is_found else say(' (did not find it: its silence says nothing)')}"
        for look in result.controls
    )
    return say("Planted control, the sample itself as a release: {told}. Guessing scores 0.50.", told=told)


def sentence(standing: Standing, scores: Mapping[str, Estimate], asked: int) -> str:
    """What was found of one anonymiser, of which each attacker has one of ``scores``."""
    told = phrase(
        "{anonymiser}: {attacker} scores {score} on {asked:,} households (guessing 0.50)",
        anonymiser=standing.name,
        attacker=standing.best,
        score=str(standing.worst),
        asked=asked,
    )
    if standing.worst.low > CHANCE:
        said = phrase("{told}, more than guessing explains.", told=told)
    else:
        said = phrase(
            "{told}; that is not shown to be more than guessing. A stronger attacker may find more.", told=told
        )
    misled = evaded(scores)
    if not misled:
        return said
    evasion = counted_phrase(
        len(misled),
        "{attackers} does worse than guessing: the release keeps away from what such an attacker looks for, which is "
        "evasion and no protection.",
        "{attackers} do worse than guessing: the release keeps away from what such an attacker looks for, which is "
        "evasion and no protection.",
        attackers=misled,
    )
    return phrase("{said} {evasion}", said=said, evasion=evasion)


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
