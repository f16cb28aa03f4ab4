"""What an anonymiser declares of its release (Table 3 of the contest's paper)."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from riskkit.errors import DesignError
from riskkit.language import say
from riskkit.phrases import phrase

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
        numbers: dict[str, float] = {}
        rest = head.strip().rstrip(",")
        while rest:
            part = _PART.match(rest)
            if part is None or part[1] not in _NUMBERS or part[1] in numbers:
                raise DesignError(
                    phrase("A declaration is written like {form}; what cannot be declared is left out.", form=FORM)
                )
            low, high = _NUMBERS[part[1]]
            numbers[part[1]] = _number(part[1], part[2], low, high)
            rest = rest[part.end() :]
        if not numbers and not (mark and methods.strip()):
            raise DesignError(phrase("A declaration is written like {form}; this one declares nothing.", form=FORM))
        return cls(methods.strip(), **numbers)


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
