"""What a contest on households comes to: how surely whole families were told in or out, and the sentences."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from riskkit.core import Estimate
from riskkit.judging.measured import Measured
from riskkit.language import again, counted, joined, say
from riskkit.phrases import counted_phrase, phrase
from riskkit.questions.contest.measured import evasion, seen
from riskkit.show.estimates import estimate

CHANCE = 0.5
"""The score of guessing; 1 is always right and always sure."""


@dataclass(frozen=True, slots=True)
class Told:
    """One anonymiser: the score of each attacker, and that of the best with an interval that allows for all looks."""

    anonymiser: str
    scores: Mapping[str, Estimate]
    best: str
    worst: Estimate


@dataclass(frozen=True, slots=True)
class Households:
    """A contest on households read back from what was kept; ``planted`` are the scores on the sample itself."""

    rows: tuple[Told, ...]
    sentences: tuple[str, ...]
    planted: Mapping[str, tuple[Estimate, bool]]
    asked: int
    inside: int
    persons: int
    notes: tuple[str, ...]

    @property
    def attackers(self) -> tuple[str, ...]:
        """Everybody who attacked, in the order of the plan."""
        return tuple(dict.fromkeys(name for row in self.rows for name in row.scores))


def read(result: Mapping[str, Any]) -> Households:
    """What was kept of a contest on households."""
    scores = [estimate(kept) for kept in result["estimates"]]
    rows = tuple(
        Told(
            str(kept["anonymiser"]),
            {one.labels["attacker"]: one for one in scores if one.labels["anonymiser"] == kept["anonymiser"]},
            str(kept["best_attacker"]),
            estimate(kept["worst"]),
        )
        for kept in result["anonymisers"]
    )
    asked = result["households"]
    return Households(
        rows,
        tuple(map(again, result["sentences"])),
        {str(kept["attacker"]): (estimate(kept, "found"), bool(kept["found"])) for kept in result["controls"]},
        int(asked["asked"]),
        int(asked["inside"]),
        int(asked["rows"]),
        tuple(map(again, result["notes"])),
    )


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


def finding(found: Households) -> str:
    """The sentence over the table."""
    leaks = [row for row in found.rows if row.worst.low > CHANCE]
    if not leaks:
        return say("No attacker is shown to tell households better than guessing (0.50)")
    most = max(leaks, key=lambda row: row.worst.value)
    return say(
        "In {leaks} of {releases} the best attacker tells households better than "
        "guessing (0.50); most in {anonymiser}: {worst}",
        leaks=len(leaks),
        releases=counted(len(found.rows), "{n:,} release", "{n:,} releases"),
        anonymiser=most.anonymiser,
        worst=most.worst,
    )


def planted(found: Households) -> str:
    """What the attackers made of the sample itself, in a sentence."""
    told = joined(
        f"{name} {score}{'' if is_found else say(' (did not find it: its silence says nothing)')}"
        for name, (score, is_found) in found.planted.items()
    )
    return say("Planted control, the sample itself as a release: {told}. Guessing scores 0.50.", told=told)


def told(anonymiser: str, scores: Mapping[str, Estimate], wide: Mapping[str, Estimate]) -> Told:
    """The row of the table. ``wide`` are the same scores at the level that allows for all attackers."""
    best = max(scores, key=lambda name: (scores[name].value, name))
    return Told(anonymiser, scores, best, wide[best])


def sentence(row: Told, asked: int) -> str:
    """What was found of one anonymiser."""
    told = phrase(
        "{anonymiser}: {attacker} scores {score} on {asked:,} households (guessing 0.50)",
        anonymiser=row.anonymiser,
        attacker=row.best,
        score=str(row.worst),
        asked=asked,
    )
    if row.worst.low > CHANCE:
        said = phrase("{told}, more than guessing explains.", told=told)
    else:
        said = phrase(
            "{told}; that is not shown to be more than guessing. A stronger attacker may find more.", told=told
        )
    misled = evaded(row)
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


def evaded(row: Told) -> tuple[str, ...]:
    """Attackers that do worse than guessing explains: the release was made to mislead them."""
    return tuple(name for name, score in row.scores.items() if score.high < CHANCE)


def measured(
    row: Told, planted: Mapping[str, tuple[Estimate, bool]], asked: int, called: Callable[[str], str] = str
) -> Measured:
    """What the judge takes of one anonymiser. ``called`` names an attacker."""
    return Measured(
        scale="score",
        guess=CHANCE,
        strongest=row.worst,
        widest=row.worst,
        who=called(row.best),
        looks=len(row.scores),
        control=seen({name: is_found for name, (_, is_found) in planted.items()}, row.scores),
        unit="household",
        reasons=evasion(evaded(row), called),
        made=asked,
    )
