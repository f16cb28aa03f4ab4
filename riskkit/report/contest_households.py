"""What a contest on households comes to: how surely whole families were told in or out, and the sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from riskkit.core import Estimate
from riskkit.stats.verdict import Verdict

CHANCE = 0.5
"""The score of guessing; 1 is always right and always sure."""


@dataclass(frozen=True, slots=True)
class Told:
    """One anonymiser: the score of each attacker, and that of the best with an interval that allows for all looks."""

    anonymiser: str
    scores: Mapping[str, Estimate]
    best: str
    worst: Estimate


def told(anonymiser: str, scores: Mapping[str, Estimate], wide: Mapping[str, Estimate]) -> Told:
    """The row of the table. ``wide`` are the same scores at the level that allows for all attackers."""
    best = max(scores, key=lambda name: (scores[name].value, name))
    return Told(anonymiser, scores, best, wide[best])


def ruled_out(share: float) -> float:
    """The score at that share of the way from guessing to always right."""
    return CHANCE + share * (1 - CHANCE)


def verdict(found: Told, most: float, seeing: Sequence[str] | None) -> Verdict:
    """A leak where the best score lies above guessing; none above ``most`` where it lies below that and is believed.

    It is believed where an attacker that took part had found the planted control (is among ``seeing``) and none does
    worse than guessing, for who is wrong that often knows something.
    """
    if found.worst.low > CHANCE:
        return Verdict.LEAK
    believed = any(name in (seeing or ()) for name in found.scores)
    misled = any(score.high < CHANCE for score in found.scores.values())
    return Verdict.NO_LEAK if found.worst.high < most and believed and not misled else Verdict.UNDECIDED


def sentence(found: Told, asked: int, most: float, seeing: Sequence[str] | None) -> str:
    """What was found of one anonymiser."""
    said = f"{found.anonymiser}: {found.best} scores {found.worst} on {asked:,} households (guessing 0.50)"
    shown = verdict(found, most, seeing)
    if shown is Verdict.LEAK:
        said += ", more than guessing explains."
    elif shown is Verdict.NO_LEAK:
        said += f"; no score above {most:.2f} is shown, which the attackers reach on the sample itself."
    else:
        said += "; that is not shown to be more than guessing. A stronger attacker may find more."
    misled = [name for name, score in found.scores.items() if score.high < CHANCE]
    if misled:
        said += (
            f" {', '.join(misled)} {'do' if len(misled) > 1 else 'does'} worse than guessing: the release keeps away "
            "from what such an attacker looks for, which is evasion and no protection."
        )
    return said
