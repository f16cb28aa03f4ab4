"""Limits that people set: how much leak is tolerable for each question, who says so, and since when.

A limit is a decision of people; an audit can only say on which side of it the release lies. None is anybody's default.
Where nobody set one, a leak above guessing can still be shown, but never its absence.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from riskkit.judging.measurement import Limit
from riskkit.language import say
from riskkit.phrases import phrase


@dataclass(frozen=True, slots=True)
class Scale:
    """What a question's limit is a limit on. ``low`` is guessing, ``high`` the most there can be."""

    title: str
    low: float
    high: float
    plain: str
    digits: int = 2


DESCRIPTION = "description"
"""The scale of what describes a table and is never judged: no limit can be set on it."""
EPSILON = "epsilon"
"""The scale of lower bounds on epsilon, whose high ends are ceilings."""
SCALES: Mapping[str, Scale] = {
    "auc": Scale(say("AUC"), 0.5, 1.0, say("How often an attacker picks the right one of two; 0.50 is guessing.")),
    "residual": Scale(
        say("residual"),
        0.0,
        1.0,
        phrase(
            "Of the secrets that cannot be guessed for others, the share that is guessed because the person is in "
            "the data."
        ),
    ),
    "excess": Scale(
        say("excess share"),
        0.0,
        1.0,
        phrase("The share of people in the real table whom an attacker names rightly, less that of people outside it."),
    ),
    "gain": Scale(say("gain"), 0.0, 1.0, say("How much better an attacker is than one constant guess for everybody.")),
    "hits": Scale(say("hits"), 0.0, 1.0, say("Named rows of the sample, as a share of the rows named.")),
    EPSILON: Scale(
        say("ε"),
        0.0,
        10.0,
        say(
            "What the method is shown to exceed, as a lower bound of its ε; 0 is a method that says nothing of anybody."
        ),
    ),
    "score": Scale(
        say("score"),
        0.5,
        1.0,
        say("How correctly and how surely an attacker says which households are in the data; 0.50 is guessing."),
    ),
    DESCRIPTION: Scale(say("description"), 0.0, 1.0, say("Figures that describe a table. They are not judged.")),
}
"""The scales by the name that a question's measurement has."""


@dataclass(frozen=True, slots=True)
class LimitSource:
    """A limit that somebody published. ``note`` says what it was set for, which is seldom what is measured here."""

    key: str
    scale: str
    limit: Limit
    note: str


SOURCES: tuple[LimitSource, ...] = (
    LimitSource(
        "ema-0.09",
        "residual",
        Limit(
            0.09,
            say("European Medicines Agency, Policy 0070, and Health Canada, Public Release of Clinical Information"),
            "2016, 2019",
        ),
        say(
            "Set as the largest tolerable chance of re-identification of a patient in published clinical reports. "
            "Used for a residual it is an analogy that the reader has to accept."
        ),
    ),
    LimitSource(
        "published-control",
        "auc",
        Limit(0.6, say("The limit by which this program judged its published games"), "2026"),
        say(
            "Not a norm: it states what was tested, not what is tolerable. It takes about 260 trainings to tell "
            "an AUC of 0.60 from guessing in 8 of 10 audits; 60 trainings mostly miss it."
        ),
    ),
)
"""What is on the list. Everything on it is somebody's judgement for some purpose; none is a proof of anonymity."""


def own(value: float, who: str = "", date: str = "") -> Limit:
    """A limit the user sets; ``who`` decided it."""
    return Limit(value, who or say("set by the user of this report"), date)


def source(key: str) -> LimitSource | None:
    """The published limit of that key."""
    return next((published for published in SOURCES if published.key == key), None)


def limits_as_dict(limits: Mapping[str, Limit]) -> dict[str, dict[str, Any]]:
    """Limits as plain values, for the store and for JSON."""
    return {question: limit.as_dict() for question, limit in limits.items()}


def limits_from_dict(stored: Mapping[str, Any]) -> dict[str, Limit]:
    """The limits that :func:`limits_as_dict` wrote."""
    return {str(question): Limit.from_dict(limit) for question, limit in stored.items()}
