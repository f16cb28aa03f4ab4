"""What an anonymiser declares of its release (Table 3 of the contest's paper), and what is counted beside it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from riskkit.errors import DesignError
from riskkit.language import joined, say
from riskkit.phrases import phrase
from riskkit.stats.sampled_anonymity import delta_of

_NUMBERS = {"k": (1, 1e9), "pk": (0, 1), "presence": (0, 1), "epsilon": (0, 1e6), "delta": (0, 1)}
"""What can be declared, and its range."""
FORM = say("k=5,pk=0.2,presence=0.5,epsilon=0.8,delta=1e-6,methods=sampling and suppression")
"""How a declaration is written; ``methods`` comes last, and all can be left out."""
_PART = re.compile(r"\s*(\w+)\s*=\s*([^,]*?)\s*(?:,|$)")


@dataclass(frozen=True, slots=True)
class Declaration:
    """What is declared, None where nothing is: ``pk`` of Pk-anonymity, ``presence`` the upper end of delta-presence."""

    methods: str = ""
    k: float | None = None
    pk: float | None = None
    presence: float | None = None
    epsilon: float | None = None
    delta: float | None = None

    @classmethod
    def of(cls, text: str) -> Declaration:
        """Read it as :data:`FORM` is written.

        Raises
        ------
        DesignError
            It is not written so, or a number is out of range.
        """
        head, mark, methods = text.partition("methods=")
        found: dict[str, float] = {}
        rest = head.strip().rstrip(",")
        while rest:
            part = _PART.match(rest)
            if part is None or part[1] not in _NUMBERS or part[1] in found:
                raise DesignError(
                    phrase("A declaration is written like {form}; what cannot be declared is left out.", form=FORM)
                )
            low, high = _NUMBERS[part[1]]
            found[part[1]] = _number(part[1], part[2], low, high)
            rest = rest[part.end() :]
        if not found and not (mark and methods.strip()):
            raise DesignError(phrase("A declaration is written like {form}; this one declares nothing.", form=FORM))
        return cls(methods.strip(), **found)


def _number(name: str, text: str, low: float, high: float) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not low <= value <= high or (name == "k" and value != int(value)):
        raise DesignError(
            phrase("The declared {name} is no whole number from {low:g} to {high:g}.", name=name, low=low, high=high)
            if name == "k"
            else phrase("The declared {name} is no number from {low:g} to {high:g}.", name=name, low=low, high=high)
        )
    return value


def lines(result: Mapping[str, Any], called: Callable[[str], str] = str) -> tuple[str, ...]:
    """Of each anonymiser what it declares, what is counted, and whether its delta follows from its k.

    ``called`` names an anonymiser. Its own words are among them: not for who may not see names.
    """
    declared = {str(name): Declaration.of(str(text)) for name, text in result["settings"].get("declared", ())}
    chance = result["chance"]
    out = []
    for one in result["anonymisers"]:
        name, counted = str(one["anonymiser"]), one.get("anonymity")
        if counted is None:
            continue
        told = [_counted(called(name), counted)]
        if name in declared:
            told.append(_declared(declared[name]))
            told.append(_follows(declared[name], chance["members"] / chance["population"]))
        out.append(" ".join(filter(None, told)))
    return tuple(out)


def _counted(who: str, found: Mapping[str, Any]) -> str:
    return say(
        "{who}: the k counted is {k} over all columns and {categories} over the categories. People of the population "
        "who have an equal row in it: {held:,}, of whom {inside:,} were in. Of the people who share a released "
        "combination of categories, {low:.0%} to {high:.0%} were in (empirical δ-presence).",
        who=who, k=found["k"], categories=found["k_categories"], held=found["held"], inside=found["held_in"],
        low=found["low"], high=found["high"],
    )  # fmt: skip


def _declared(one: Declaration) -> str:
    values = {
        "k": one.k, "Pk": one.pk, "δ-presence": one.presence, "ε": one.epsilon, "δ": one.delta,
    }  # fmt: skip
    told = [f"{name} = {value:g}" for name, value in values.items() if value is not None]
    if one.methods:
        told.insert(0, one.methods)
    return say("It declares: {told}.", told=joined(told))


def _follows(one: Declaration, rate: float) -> str:
    """What k, sampling and epsilon prove of delta, beside what is declared."""
    if one.k is None or not one.epsilon or not 0 < rate < 1:
        return ""
    bound = delta_of(int(one.k), rate, one.epsilon)
    told = say(
        "By Li and others k = {k:g}, a sample of {rate:.3g} of the population and ε = {epsilon:g} prove "
        "δ = {bound:.2g}, where the groups were made without looking at the rows",
        k=one.k, rate=rate, epsilon=one.epsilon, bound=bound,
    )  # fmt: skip
    if one.delta is None:
        return say("{told}.", told=told)
    if one.delta < bound:
        return say("{told}: the declared δ = {delta:g} does not follow.", told=told, delta=one.delta)
    return say("{told}: the declared δ = {delta:g} follows.", told=told, delta=one.delta)
