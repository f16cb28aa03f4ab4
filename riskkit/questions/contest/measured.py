"""What the judge takes of a contest: the hits on one anonymiser, and the planted control."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from riskkit.core import Estimate
from riskkit.judging.measured import Control, Measured
from riskkit.judging.reasons import Reason
from riskkit.language import counted, joined, say
from riskkit.questions.contest.result import ContestResult, Standing


def measured(standing: Standing, result: ContestResult, called: Callable[[str], str] = str) -> Measured:
    """What the judge takes of one anonymiser: hits as a share of the rows named. ``called`` names an attacker."""
    worst = share(standing.worst, result.guessing.guesses)
    return Measured(
        scale="hits",
        guess=result.guessing.share,
        strongest=worst,
        widest=worst,
        who=called(standing.best),
        looks=standing.looks,
        control=seen({look.attacker: look.is_found for look in result.controls}, result.hits(standing.name)),
        unit="named row",
        reasons=evasion(standing.evaded, called),
    )


def evasion(misled: Sequence[str], called: Callable[[str], str]) -> tuple[Reason, ...]:
    """The reason that these attackers find less than guessing would; none where there are none."""
    return (Reason("evaded", {"attackers": joined(map(called, misled))}),) if misled else ()


def seen(found: Mapping[str, bool], took_part: Iterable[str]) -> Control:
    """The planted control, the sample itself: ``found`` says of each attacker whether it found it.

    One that took part and found it is enough: the strongest is judged, whoever it is.
    """
    if not found:
        return Control.none(say("No control was planted: the sample itself was not released once more."))
    seeing = [name for name in took_part if found.get(name, False)]
    told = say(
        "{seeing} of {attackers} found the sample itself when it was released as it is.",
        seeing=len(seeing),
        attackers=counted(len(found), "{n:,} attacker", "{n:,} attackers"),
    )
    return Control(True, math.inf if seeing else -math.inf, told)


def share(hits: Estimate, guesses: int) -> Estimate:
    """Hits as a share of the rows named."""
    return replace(hits, value=hits.value / guesses, low=hits.low / guesses, high=hits.high / guesses)
