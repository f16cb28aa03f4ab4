"""One finished run as a finding: what every question fills in alike, so that each says only what is its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from riskkit.core import Estimate
from riskkit.judging.measurement import Measured
from riskkit.judging.reasons import Reason
from riskkit.language import counted, counting, phrase, say
from riskkit.show.model import Played, RunFinding
from riskkit.show.names import Names
from riskkit.wording import percent

if TYPE_CHECKING:
    from riskkit.show.model import Findings

NOTHING_MORE: Mapping[str, str] = {}


def game_in_words(
    question: str,
    *,
    compared: str = "",
    knows: str,
    hypothesis: str,
    counts: str,
    releases: tuple[tuple[str, str], ...] = (),
    more: Mapping[str, str] = NOTHING_MORE,
) -> tuple[tuple[str, str], ...]:
    """What was asked, a term and its text a line: the question, what is compared, who attacks, what is counted.

    ``compared`` is empty where the release itself is attacked. ``releases`` stand behind what the attacker knows,
    ``more`` terms (methods, attacks) before what is counted.
    """
    as_it_is = say("one release, as it is; members compared with people outside the data (the holdout)")
    return (
        (say("The question"), question),
        (say("What is compared"), compared or as_it_is),
        (say("The attacker knows"), knows),
        *releases,
        (say("The hypothesis"), hypothesis),
        *more.items(),
        (say("Counted are"), counts),
    )


# How many releases of one table an attacker sees, in words.


def releases(plan: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """The line of a game that says so, from the settings of its plan; none of one release."""
    count = int(plan.get("releases", 1))
    if count == 1:
        return ()
    if plan.get("yearly"):
        grown = say("{count:,} releases of this table as it grew, each from a fit of its own", count=count)
        return ((say("The attacker sees"), grown),)
    view = (
        say("{count:,} releases of this table, all sampled from one fit", count=count)
        if plan.get("one_fit")
        else say("{count:,} releases of this table, each from a fit of its own", count=count)
    )
    return ((say("The attacker sees"), view),)


# The labels of what-ifs: questions about something that is not known to have made this release.


def if_made_by(method: str) -> str:
    """The label of a what-if: ``If it had been made by Bayesian network``."""
    return say("If it had been made by {method}", method=method)


def if_worst(method: str) -> str:
    """The label of a game on rows that were made to expose the target."""
    return say("If {method} had been trained on rows made to expose the target", method=method)


def if_released(releases: int) -> str:
    """The label of a game with another number of releases of the table than there are, or from other fits."""
    return counted(
        releases,
        "If this table had been released once",
        "If this table had been released {n:,} times, from fits as in this game",
    )


IF_OTHERS = phrase("If other people had been in the table")
"""The label of a game with the method of the release on tables that are drawn."""


def if_explained(model: str) -> str:
    """The label of a what-if on explanations, which no release holds."""
    return say("If a service published explanations of {model}", model=model)


# What a kept result counts: records, or people or households with all of their rows.

P = ParamSpec("P")
R = TypeVar("R")

PERSON = "person"
"""The unit of a result that counts people; where every person has one row, a record is a person already."""
HOUSEHOLD = "household"
"""The unit of a result that counts households by the same reckoning."""
GROUP = "group"
"""The unit of a result about a group of rows that was named, in or out as one."""


def counts_people(result: Mapping[str, Any] | None) -> bool:
    """Whether a kept result counts people, or households, and not their rows."""
    return result is not None and unit(result) in (PERSON, HOUSEHOLD)


def unit(result: Mapping[str, Any]) -> str:
    """What a kept result counts: ``record``, ``person`` or ``household``."""
    return str(result.get("settings", {}).get("unit", "record"))


def named_by(columns: Iterable[tuple[str, str, str]]) -> str:
    """What a column names whose rows are counted as one, of (name, kind, role): the role, or empty where none does."""
    return next((role for _, _, role in columns if role in (PERSON, HOUSEHOLD)), "")


def in_its_unit(write: Callable[Concatenate[Findings, P], R]) -> Callable[Concatenate[Findings, P], R]:
    """The same output, in whose words households are spoken of where the findings count them."""

    @wraps(write)
    def written(findings: Findings, /, *arguments: P.args, **how: P.kwargs) -> R:
        with counting(named_by(findings.schema)):
            return write(findings, *arguments, **how)

    return written


# What is no question's own: a silence, and reasons.


def silence(attacks: int, auc: Estimate) -> dict[str, str]:
    """What so many attacks come to that found no leak, in one breath; ``brief`` where the number stands beside it."""
    shares = {"share": percent(auc.value), "guess": percent(0.5)}
    return {
        "plain": counted(
            attacks,
            "The attack picks the right one in {share} of pairs (guessing: {guess}).",
            "The strongest of {n:,} attacks picks the right one in {share} of pairs (guessing: {guess}).",
            **shares,
        ),
        "brief": say("Right: {share} of pairs.", share=shares["share"]),
    }


def with_reasons(measured: Measured, reasons: Iterable[Reason]) -> Measured:
    """With these reasons behind those of its question."""
    return replace(measured, reasons=(*measured.reasons, *reasons))


def sizes(played: int, released: int) -> tuple[Reason, ...]:
    """What stands in the way of a verdict where releases in the game have other numbers of rows than the real one."""
    if not (played and released) or played == released:
        return ()
    return (Reason("fewer_rows" if played < released else "more_rows", {"played": played, "released": released}),)


def finding(
    run: Played,
    names: Names,
    *,
    sentence: str,
    measured: Measured,
    estimates: Iterable[Estimate],
    limits: tuple[str, ...] = (),
    game: tuple[tuple[str, str], ...] = (),
    **own: Any,
) -> RunFinding:
    """What a run found, with its settings, command, time and notes as that reader may see them.

    Parameters
    ----------
    limits
        What the result does not show.
    game
        What was asked, a term and its text a line.
    own
        Other fields of :class:`~riskkit.show.model.RunFinding`: charts, parts, a what-if.
    """
    result = run.result or {}
    return RunFinding(
        id=run.id,
        question=run.question,
        sentence=sentence,
        game=game,
        measured=measured,
        estimates=tuple(estimates),
        limits=limits,
        settings=names.settings(run.plan),
        command=names.told(run.command),
        notes=tuple(filter(None, (names.note(note) for note in result.get("notes", ())))),
        **own,
    )
