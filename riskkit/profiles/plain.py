"""Plain: page one, then the questions in riskkit's own order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from riskkit.language import say
from riskkit.show.profile import Section, Source


@dataclass(frozen=True)
class Plain:
    """The questions of the audit as they stand, a page at most each."""

    name: ClassVar[str] = "plain"
    title: ClassVar[str] = "Plain"
    card: ClassVar[str] = (
        "Page one decides, then a page at most for each question. Follows no template. For a reader who has none to "
        "fill in."
    )

    def source(self) -> Source:
        """The documentation of the report."""
        return Source(say("The verdict and the report"), "riskkit", "2026", "docs/report.md")

    def figure(self) -> str:
        """As each question says."""
        return say("Every figure means what its question says: value and interval, beside guessing and the limit.")

    def sections(self) -> tuple[Section, ...]:
        """None: the questions stand in their own order."""
        return ()


PLUGIN = Plain
