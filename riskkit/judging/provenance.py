"""How *this* release was made, as its steward says: unknown, or by one method with its settings.

A question about a method is about the release only where that very method, with those settings, made it. Elsewhere it
is a what-if: worth seeing, never part of the release's verdict.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

NOBODY_SAID = "unknown"
"""What is written where nobody said how the release was made."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """``method`` is a generator as the registry spells it (``bayesnet:degree=1``); empty where nobody said.

    The table was released so many times, each time from a fit of its own, or every time from ``one_fit``.
    """

    method: str = ""
    releases: int = 1
    one_fit: bool = False

    def __str__(self) -> str:
        text = self.method or NOBODY_SAID
        if self.releases == 1:
            return text
        return f"{text}, {self.releases} releases" + ", one fit" * self.one_fit

    @property
    def is_known(self) -> bool:
        """Whether somebody said how the release was made."""
        return bool(self.method)

    def covers(self, generator: str) -> bool:
        """Whether a question about that generator, spelled alike, is about this release."""
        return self.is_known and generator == self.method

    def is_as_often(self, plan: Mapping[str, Any]) -> bool:
        """Whether the attacker of that plan sees as many releases, from as many fits, as there are of the table."""
        return (int(plan.get("releases", 1)), bool(plan.get("one_fit"))) == (self.releases, self.one_fit) or (
            int(plan.get("releases", 1)) == self.releases == 1
        )

    @property
    def asked(self) -> Mapping[str, Any]:
        """The settings of a plan that speaks of all releases; none of one."""
        return {} if self.releases == 1 else {"releases": self.releases, "one_fit": self.one_fit}


UNKNOWN = Provenance()
