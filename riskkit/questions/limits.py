"""Limits of questions: which scale each has, and what a person may set."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from riskkit.errors import DesignError, nearest
from riskkit.jobs.files import AuditFiles
from riskkit.judging.measurement import SCALES, SOURCES, Limit, own, source
from riskkit.language import say
from riskkit.questions import questions

_TABLE = ("value", "source", "date")
"""What a limit is made of that is given as a table."""


def scales() -> Mapping[str, str]:
    """The scale on which a limit of each question is set, in the order of a report; none of one that describes."""
    return {name: question.scale for name, question in questions().items() if question.is_judged}


def check(limits: Mapping[str, Limit]) -> list[str]:
    """What is wrong with limits that a user set: one sentence each; empty where nothing is."""
    there = ", ".join(scales())
    wrong = []
    for question, limit in limits.items():
        if question not in scales():
            wrong.append(
                say(
                    "No limit can be set for {question!r}{near}; limits can be set for {on}.",
                    question=question,
                    near=nearest(question, scales()),
                    on=there,
                )
            )
            continue
        scale = SCALES[scales()[question]]
        if not (math.isfinite(limit.value) and scale.low < limit.value < scale.high):
            wrong.append(
                say(
                    "The limit of {question} is {value:g}; it must lie between {low:g} (guessing) and {high:g}.",
                    question=question,
                    value=limit.value,
                    low=scale.low,
                    high=scale.high,
                )
            )
    return wrong


def keep(audit: AuditFiles, limits: Mapping[str, Limit]) -> None:
    """Keep these limits with an audit, in place of the old ones.

    Raises
    ------
    DesignError
        One is out of range, or for a question that has no limit.
    """
    wrong = check(limits)
    if wrong:
        raise DesignError(" ".join(wrong))
    audit.limit_to(limits)


def read(question: str, value: Any, by: str = "") -> Limit:
    """The limit of a question from a number, the key of a published one, or a table of value, source and date.

    Parameters
    ----------
    by
        Who set it, where the value does not say.

    Raises
    ------
    DesignError
        It cannot be read, is out of range, or was published for another scale.
    """
    if isinstance(value, Mapping):
        if unknown := [name for name in value if name not in _TABLE]:
            raise DesignError.phrase(
                "A limit has no {name!r}{near}; it has {names}.",
                name=str(unknown[0]),
                near=nearest(unknown[0], _TABLE),
                names=_TABLE,
            )
        limit = own(
            _number(question, value.get("value")), str(value.get("source", "")) or by, str(value.get("date", ""))
        )
    elif (published := source(str(value))) is not None:
        if scales().get(question) != published.scale:
            raise DesignError.phrase(
                "The limit {value} is one for a {scale}, not for {question}.",
                value=repr(value),
                scale=published.scale,
                question=question,
            )
        limit = published.limit
    else:
        limit = own(_number(question, value), by)
    wrong = check({question: limit})
    if wrong:
        raise DesignError(" ".join(wrong))
    return limit


def _number(question: str, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError) as error:
        keys = tuple(published.key for published in SOURCES)
        raise DesignError.phrase(
            "The limit of {question} is {value}{near}; it must be a number or one of {keys}.",
            question=question,
            value=repr(value),
            near=nearest(value, keys),
            keys=keys,
        ) from error
