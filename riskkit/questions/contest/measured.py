"""What the judge takes of a contest: the hits on one anonymiser, and the planted control."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from riskkit.core import Estimate
from riskkit.judging.measured import Measured
from riskkit.questions.contest.result import ContestResult, Standing
from riskkit.questions.opponents import evasion, seen


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


def share(hits: Estimate, guesses: int) -> Estimate:
    """Hits as a share of the rows named."""
    return replace(hits, value=hits.value / guesses, low=hits.low / guesses, high=hits.high / guesses)
