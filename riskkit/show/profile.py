"""Profiles: how the findings of an audit are laid out for one reader, section by section as that reader's source asks.

A profile makes no number. It says which findings answer which section, what a figure means there, and why a section
stays empty.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Protocol

ROOM = "profiles"
"""The folder of plug-ins that they are."""
PLAIN = "plain"
"""The profile of a report for which nobody chose one."""


class Fact(StrEnum):
    """What a section can be answered with beside the questions of the audit."""

    VERDICT = "verdict"
    """The verdict on the release, and what would decide it."""
    RELEASE = "release"
    """The files, and how the release was made."""
    COLUMNS = "columns"
    """The columns with their kinds and roles."""
    PREPARATION = "preparation"
    """What was noticed and repaired when the files were read."""
    GIVE_AWAYS = "give-aways"
    """What the file says of people by itself."""
    LIMITS = "limits"
    """The limits, and who set them."""
    ATTACKERS = "attackers"
    """What the attacker of each question knows."""
    STRONGEST = "strongest"
    """The verdict, value, guessing and limit of every question on a line."""
    USEFULNESS = "usefulness"
    """What the release keeps of the real table."""
    UNSEEN = "unseen"
    """What the findings do not show."""
    PROVENANCE = "provenance"
    """Versions, runs and seeds."""
    REPORTS = "reports"
    """How many shareable reports there are about the real table."""
    SIGNATURE = "signature"
    """Where page one is signed, and what it can be checked against."""


@dataclass(frozen=True, slots=True)
class Source:
    """The document that a profile follows: title, who published it, when, and where it is found."""

    title: str
    publisher: str
    date: str
    address: str


@dataclass(frozen=True, slots=True)
class Section:
    """One section of the source, in its place.

    Parameters
    ----------
    number, title
        As the source counts and calls it.
    asks
        What the source asks for there, in a sentence.
    questions
        Names of the questions whose findings answer it.
    facts
        What else of the audit answers it.
    means
        What the figures of this section mean there, and what they must not be taken for.
    empty
        What of the section riskkit does not answer, and why. A section without questions and facts has it.
    """

    number: str
    title: str
    asks: str
    questions: tuple[str, ...] = ()
    facts: tuple[Fact, ...] = ()
    means: str = ""
    empty: str = ""


class Profile(Protocol):
    """What a file of ``riskkit/profiles`` holds. Without sections the questions stand in riskkit's own order."""

    name: ClassVar[str]
    title: ClassVar[str]
    card: ClassVar[str]

    def source(self) -> Source:
        """What it follows."""

    def figure(self) -> str:
        """What a figure of an audit means to its reader, and what it must not be taken for."""

    def sections(self) -> tuple[Section, ...]:
        """Its sections in the order of the source."""
