"""The result of one training, as it is kept, read and shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Self

from riskkit.core import Estimate
from riskkit.plain import entry
from riskkit.questions.one_run.plan import OneRunPlan
from riskkit.questions.result import Typed
from riskkit.show.for_whom import ForWhom
from riskkit.stats.one_run import Guesses


@dataclass(frozen=True, slots=True)
class Counts:
    """Audit rows, rows of the training, rows of the release, and the delta at which epsilon is bounded."""

    audited: int
    trained: int
    released: int
    delta_used: float


@dataclass(frozen=True, slots=True)
class Guessed:
    """How many audit rows were guessed in and out, and how many of these guesses were right."""

    called_in: int = field(metadata=entry("in"))
    called_out: int = field(metadata=entry("out"))
    right: int

    @classmethod
    def list_all(cls, guesses: Sequence[Guesses]) -> tuple[Self, ...]:
        """The same of every number of guesses that was tried."""
        return tuple(cls(guess.called_in, guess.called_out, guess.right) for guess in guesses)

    @property
    def n_guesses(self) -> int:
        """Guesses in all; nothing was said of the other rows."""
        return self.called_in + self.called_out

    @property
    def guesses(self) -> Guesses:
        """The same for statistics."""
        return Guesses(self.called_in, self.called_out, self.right)


@dataclass(frozen=True, slots=True, eq=False)
class Planted:
    """What the same auditor shows of a method that is known to leak."""

    generator: str
    bound: Estimate
    guesses: tuple[Guessed, ...]


@dataclass(frozen=True, slots=True)
class AuditRow:
    """The score of an audit row and its coin. ``row`` is its place in the real table, -1 where it was made up."""

    row: int
    value: float
    is_in: bool


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class OneRunResult(Typed):
    """A finished plan.

    ``estimates`` are the lower bound of epsilon and, of a method whose noise is normal, the one that follows from that.
    ``p`` is the chance of as many right guesses or more where nothing leaks; it allows for all numbers that were tried.
    ``for_whom`` compares groups of people.
    """

    GAME: ClassVar[Mapping[str, str]] = {"random": "which audit rows are in, and the one training"}

    plan: OneRunPlan
    estimates: tuple[Estimate, ...]
    counts: Counts = field(metadata=entry("settings"))
    guesses: tuple[Guessed, ...]
    p: float
    control: Planted
    notes: tuple[str, ...]
    scores: tuple[AuditRow, ...] = field(default=(), metadata=entry(of_people=True))
    for_whom: ForWhom | None = field(default=None, metadata=entry(is_left_out=True))
