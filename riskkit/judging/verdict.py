"""The four words an audit can end with."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from riskkit.language import say


class Verdict(StrEnum):
    """What measurements say of a limit, or without one of guessing. None says that a release may be published."""

    ABOVE = "above the limit"
    """The interval of the strongest attack lies wholly above the limit."""
    LEAK = "leak shown"
    """No limit is set, and the interval of the strongest attack lies wholly above guessing."""
    UNDECIDED = "undecided"
    """Everything else."""
    WITHIN = "within the limit"
    """Every interval lies wholly below the limit, and every planted control was found."""

    @property
    def shows_leak(self) -> bool:
        """Whether a leak is shown that nobody declared tolerable."""
        return self in (Verdict.ABOVE, Verdict.LEAK)

    @property
    def gravity(self) -> int:
        """How grave it is beside the others; 0 is the gravest."""
        return list(Verdict).index(self)


TITLES: Mapping[Verdict, tuple[str, str]] = {
    Verdict.ABOVE: ("▲", say("Above the limit")),
    Verdict.LEAK: ("▲", say("Leak shown")),
    Verdict.UNDECIDED: ("◌", say("Undecided")),
    Verdict.WITHIN: ("●", say("Within the limit")),
}
"""Icon and word of every verdict; a page may add a colour, never leave these out."""


def title(verdict: Verdict) -> str:
    """Icon and word, as every surface shows a verdict: ``▲ Above the limit``."""
    icon, word = TITLES[verdict]
    return f"{icon} {word}"
