"""What an anonymiser declares of its release (Table 3 of the contest's paper)."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass

from riskkit.errors import DesignError
from riskkit.language import say
from riskkit.phrases import phrase

_NUMBERS = {"k": (1, 1e9), "pk": (1, 1e9), "presence": (0, 1), "epsilon": (0, 1e6), "delta": (0, 1)}
"""What can be declared, and its range."""
FORM = say("k=5,pk=5,presence=0.1:0.5,epsilon=0.8,delta=1e-6,methods=sampling and suppression")
"""How a declaration is written; ``methods`` comes last, and all can be left out."""
WHOLE = ("k", "pk")
"""What is a whole number."""
_PART = re.compile(r"\s*(\w+)\s*=\s*([^,]*?)\s*(?:,|$)")


@dataclass(frozen=True, slots=True)
class Declaration:
    """What is declared, None where nothing is: ``pk`` the k of Pk-anonymity, ``presence`` both ends of delta-presence.

    Pk-anonymity holds for a k if no record is linked to its person with a chance above 1/k. Declarations of before have
    that chance instead of k, below 1, and of delta-presence the upper end alone: they are read as what they mean.
    """

    methods: str = ""
    k: float | None = None
    pk: float | None = None
    presence: tuple[float, float] | None = None
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
        numbers: dict[str, float | tuple[float, float]] = {}
        rest = head.strip().rstrip(",")
        while rest:
            part = _PART.match(rest)
            if part is None or part[1] not in _NUMBERS or part[1] in numbers:
                raise DesignError(
                    phrase("A declaration is written like {form}; what cannot be declared is left out.", form=FORM)
                )
            numbers[part[1]] = _READ.get(part[1], _number)(part[1], part[2])
            rest = rest[part.end() :]
        if not numbers and not (mark and methods.strip()):
            raise DesignError(phrase("A declaration is written like {form}; this one declares nothing.", form=FORM))
        return cls(methods.strip(), **numbers)  # type: ignore[arg-type]  # each by the reader of its name


def _number(name: str, text: str) -> float:
    low, high = _NUMBERS[name]
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not low <= value <= high or (name in WHOLE and value != int(value)):
        raise DesignError(
            phrase("The declared {name} is no whole number from {low:g} to {high:g}.", name=name, low=low, high=high)
            if name in WHOLE
            else phrase("The declared {name} is no number from {low:g} to {high:g}.", name=name, low=low, high=high)
        )
    return value


def _pk(name: str, text: str) -> float:
    """The k; where a chance is given, below 1, the k that it belongs to."""
    try:
        chance = float(text)
    except ValueError:
        chance = math.nan
    return 1 / chance if 0 < chance < 1 else _number(name, text)


def _pair(name: str, text: str) -> tuple[float, float]:
    """Both ends; a number alone is the upper one."""
    first, mark, second = text.partition(":")
    low, high = _number(name, first if mark else "0"), _number(name, second if mark else first)
    if low > high:
        raise DesignError(phrase("The declared {name} goes from a higher number to a lower one.", name=name))
    return low, high


_READ: dict[str, Callable[[str, str], float | tuple[float, float]]] = {"pk": _pk, "presence": _pair}
"""How what is no plain number is read."""
