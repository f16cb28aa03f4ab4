"""How *this* release was made, as its steward says: unknown, or by one method with its settings.

A question about a method is about the release only where that very method, with those settings, made it. Elsewhere it
is a what-if: worth seeing, never part of the release's verdict.
"""

from __future__ import annotations

from dataclasses import dataclass

NOBODY_SAID = "unknown"
"""What is written where nobody said how the release was made."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """``method`` is a generator as the registry spells it (``bayesnet:degree=1``); empty where nobody said."""

    method: str = ""

    def __str__(self) -> str:
        return self.method or NOBODY_SAID

    @property
    def is_known(self) -> bool:
        """Whether somebody said how the release was made."""
        return bool(self.method)

    def covers(self, generator: str) -> bool:
        """Whether a question about that generator, spelled alike, is about this release."""
        return self.is_known and generator == self.method


UNKNOWN = Provenance()
