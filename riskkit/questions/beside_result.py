"""The result of a question that sets members beside people who were not in, as it is kept, read and shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from riskkit.core import Estimate, Ints
from riskkit.plain import entry
from riskkit.questions.blind import BlindGuess
from riskkit.questions.result import Typed
from riskkit.show.for_whom import ForWhom


@dataclass(frozen=True, slots=True)
class Counts:
    """Who was asked about, rows of the release, and looks; ``deals`` of the labels, None where nothing was tested."""

    n_members: int
    n_holdout: int
    n_release: int
    looks: int
    deals: int | None = field(default=None, metadata=entry(is_left_out=True))


@dataclass(frozen=True, slots=True)
class ShownLook:
    """A look that is shown: its columns and the code of its method, people named on either side, and its p-value."""

    known: str
    columns: tuple[str, ...]
    how: str
    members: int
    holdout: int
    p: float


@dataclass(frozen=True, slots=True)
class Judged:
    """A look that the judge takes: the share of members less that of others; a person counts at most ``span``."""

    residual: Estimate = field(metadata=entry(is_spread=True))
    columns: tuple[str, ...]
    how: str
    span: float

    @property
    def known(self) -> str:
        """What is known, in words."""
        return self.residual.labels["known"]


@dataclass(frozen=True, slots=True)
class Planted:
    """The strongest residual of the planted leak: ``copies`` of ``people`` among ``rows``; ``why`` there is none."""

    residual: Estimate | None
    copies: int
    why: str
    rows: int | None = field(default=None, metadata=entry(is_left_out=True))
    people: int | None = field(default=None, metadata=entry(is_left_out=True))


@dataclass(frozen=True, slots=True, eq=False)
class NamedRows:
    """The rows of members whom a look names (n,)."""

    known: str
    row: Ints


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class BesideResult(Typed):
    """A finished plan.

    Of ``shown``, the strongest look of each group, ``estimates`` has three each, in order: share of members, of others,
    and the one less the other. ``judged`` are the looks with the highest lower end (``strongest``), the highest upper
    (``widest``) and the lowest lower end (``lowest``) of all; empty where nothing could be tested. By the strongest
    ``for_whom`` compares groups of people.
    """

    GAME: ClassVar[Mapping[str, str]] = {
        "random": "which people of the population were in; the release is fixed",
        "unit": "record",
    }

    plan: Any
    counts: Counts = field(metadata=entry("settings"))
    blind: BlindGuess
    control: Planted
    notes: tuple[str, ...]
    estimates: tuple[Estimate, ...] = ()
    shown: tuple[ShownLook, ...] = ()
    judged: Mapping[str, Judged] = field(default_factory=dict)
    for_whom: ForWhom | None = field(default=None, metadata=entry(is_left_out=True))
    records: tuple[NamedRows, ...] = field(default=(), metadata=entry(of_people=True))
