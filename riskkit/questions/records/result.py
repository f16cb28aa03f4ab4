"""The result of an audit of every record, as it is kept, read and shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from riskkit.core import Estimate
from riskkit.plain import entry, plain
from riskkit.questions.compared import Several
from riskkit.questions.records.person import Person
from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.result import Typed
from riskkit.show.for_whom import ForWhom


@dataclass(frozen=True, slots=True)
class Counts:
    """What the plan came to on these tables: the unit where people have several rows."""

    several: Several | None = field(metadata=entry(is_spread=True))


@dataclass(frozen=True, slots=True, repr=False)
class RecordsResult(Typed):
    """A finished plan.

    ``overall`` are how many records lie above each of several limits, and how far the two games lie apart; ``total``
    rows, or people, stand in the real table. ``sides`` are the trainings with and without the record, by stage. Curves
    of ``records`` are at ``fpr_grid``, those of the best attack at ``certificate_grid``. ``for_whom`` compares
    certificates between groups. ``each`` is every estimate of each record, until the result is read back.
    """

    GAME: ClassVar[Mapping[str, str]] = {
        "worlds": "fixed",
        "neighbours": "with or without the record, all other rows alike",
        "random": "membership and the generator's seed",
        "attack": "queries, one line in the counts of all sets of columns",
    }

    plan: RecordsPlan
    overall: tuple[Estimate, ...] = field(metadata=entry("estimates"))
    counts: Counts = field(metadata=entry("settings"))
    notes: tuple[str, ...]
    total: int
    sides: Mapping[str, tuple[int, int]]
    fpr_grid: tuple[float, ...]
    certificate_grid: tuple[float, ...]
    records: tuple[Person, ...]
    for_whom: ForWhom | None = field(default=None, metadata=entry(is_left_out=True))
    each: tuple[Estimate, ...] = field(default=(), metadata=entry(is_kept=False))

    SUBSETS: ClassVar[Mapping[str, str]] = {
        "worlds": "random parts of the people, each person in so many of the trainings",
        "neighbours": "with or without the person, all others dealt by themselves",
        "random": "who is in which training, and the generator's seed",
        "attack": "combination of the attacks on a released file, learnt from other people and other trainings",
    }
    """What is said of the game on parts of the people."""

    @property
    def game(self) -> Mapping[str, str]:
        """See :attr:`riskkit.questions.result.Typed.game`."""
        return self.SUBSETS if self.plan.is_by_subsets else self.GAME

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """Every estimate with its labels; ``record`` is the row number."""
        return (*self.overall, *self.each)

    @property
    def counted(self) -> int:
        """Of how many records :attr:`overall` counts: all of the table where a drawn part speaks for the rest."""
        return self.total if self.plan.drawn else len(self.records)

    @property
    def counts_people(self) -> bool:
        """Whether people are counted, who may have several rows, or a group of rows is the one that is asked about."""
        return self.counts.several is not None

    @property
    def group(self) -> int:
        """How many rows the group has that was asked about; 0 where none was."""
        return self.counts.several.most_rows if self.plan.together and self.counts.several is not None else 0

    def as_dict(self) -> dict[str, Any]:
        """All estimates, settings, notes and records as plain values; what curves are drawn at is left to pages."""
        values = {
            name: value for name, value in super(RecordsResult, self).as_dict().items() if not name.endswith("_grid")
        }
        return {**values, "estimates": plain(self.estimates)}
