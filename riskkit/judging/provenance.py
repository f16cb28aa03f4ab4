"""What the steward says: how *this* release was made, what its rows stand for, and how much is to be played.

A question about a method is about the release only where that very method, with those settings, made it. Elsewhere it
is a what-if: worth seeing, never part of the release's verdict.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any

from riskkit.core import Schema
from riskkit.errors import DesignError, nearest

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
    def settings(self) -> Mapping[str, Any]:
        """The settings of a plan that speaks of all releases; none of one."""
        return {} if self.releases == 1 else {"releases": self.releases, "one_fit": self.one_fit}


UNKNOWN = Provenance()


class Effort(StrEnum):
    """How much is played: more trainings and more people give narrower intervals and take longer."""

    QUICK = "quick"
    """Shows large leaks, in a minute or so."""
    STANDARD = "standard"
    """What a release is decided on, in ten minutes or so."""
    THOROUGH = "thorough"
    """Everybody, and intervals that settle small limits, in an hour or so."""


PERSON, SEVERAL = "person", "several"
"""What a row of the real table stands for: one person, or one of several rows of a person."""


@dataclass(frozen=True, slots=True)
class Cover:
    """What page one says in the steward's own words; whatever is empty nobody has said.

    ``by`` answers for the report, ``organisation`` releases the ``data_set`` for a ``use``, to its ``recipients``:
    ``setting`` says whether that is everybody, partners under a contract, or one team.
    """

    title: str = ""
    by: str = ""
    organisation: str = ""
    data_set: str = ""
    use: str = ""
    recipients: str = ""
    setting: str = ""

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Cover:
        """Of plain values, as the store, a configuration or options hold them; others are left alone."""
        return cls(**{each.name: str(stored.get(each.name) or "").strip() for each in fields(cls)})


@dataclass(frozen=True, slots=True)
class StewardAnswers:
    """What the steward said of the tables; whatever is empty nobody has said.

    ``row`` is :data:`PERSON` or :data:`SEVERAL`. ``secrets`` are the columns that an attacker would want, ``known``
    those that an attacker would have.

    Raises
    ------
    DesignError
        A row stands for something else.
    """

    row: str = ""
    secrets: tuple[str, ...] = ()
    known: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.row not in ("", PERSON, SEVERAL):
            raise DesignError.phrase(
                "A row cannot stand for {row}{near}; say {person} or {several}, or nothing.",
                row=repr(self.row),
                near=nearest(self.row, (PERSON, SEVERAL)),
                person=PERSON,
                several=SEVERAL,
            )

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {"row": self.row, "secrets": list(self.secrets), "known": list(self.known)}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> StewardAnswers:
        """What :meth:`as_dict` wrote."""
        return cls(str(stored.get("row", "")), tuple(stored.get("secrets", ())), tuple(stored.get("known", ())))

    def within(self, schema: Schema) -> StewardAnswers:
        """The same without columns that are no longer in use."""
        in_use = {column.name for column in schema.modelled}
        secrets, known = (tuple(name for name in names if name in in_use) for names in (self.secrets, self.known))
        return StewardAnswers(self.row, secrets, known)
