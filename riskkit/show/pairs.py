"""What two runs of one question say of the same people, as every surface shows it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from riskkit.core import Estimate
from riskkit.show.model import Bar, Played
from riskkit.show.names import Names
from riskkit.stats.same import Moved

LOWER, HIGHER, NOT_SHOWN, SOME_HIGHER = "lower", "higher", "not shown", "some higher"
"""What a difference comes to: the second release shows less, more, or the interval holds 0; or less or the same on the
whole, and yet somebody came to lie above the limit by more than chance."""


@dataclass(frozen=True, slots=True)
class Same:
    """What is the same in both runs.

    ``row`` has for each row number of the first real table that of the second, None where the row is not in it.
    ``person`` has the number of its record for each row of the first: equal rows are one. ``limit`` is the limit that
    people are counted by, None without one. ``methods`` made the two releases, as the registry spells them; empty where
    nobody said.
    """

    row: Callable[[int], int | None]
    person: Sequence[int]
    limit: float | None = None
    methods: tuple[str, str] = ("", "")


@dataclass(frozen=True, slots=True)
class Paired:
    """One difference, of the second run less the first. ``who`` is what was measured, ``of`` what it is a number of.

    ``is_paired`` where both were measured on the same people or releases; ``looks`` is how many differences the
    interval allows for. ``moved`` says who moved over the limit, where single people have a number.
    """

    who: str
    of: str
    estimate: Estimate
    looks: int
    is_paired: bool = True
    moved: Moved | None = None

    @property
    def change(self) -> str:
        """:data:`LOWER`, :data:`HIGHER`, :data:`NOT_SHOWN` where the interval holds 0, or :data:`SOME_HIGHER`."""
        if self.estimate.low > 0:
            return HIGHER
        if self.moved is not None and self.moved.over_shown:
            return SOME_HIGHER
        return LOWER if self.estimate.high < 0 else NOT_SHOWN

    @property
    def is_of_hits(self) -> bool:
        """Whether it counts people who are guessed right, which no verdict stands on by itself."""
        return self.estimate.name == "hits_difference"

    def turned(self) -> Paired:
        """The same of the first run less the second."""
        estimate = self.estimate
        back = replace(estimate, value=-estimate.value, low=-estimate.high, high=-estimate.low)
        return replace(self, estimate=back, moved=None if self.moved is None else self.moved.turn())


Pairing = Callable[[Played, Played, Names, Same], tuple[Paired, ...]]
"""What a question makes of two finished runs about the same people; the one that decides most stands first."""


def twins(about: str, names: Sequence[str], both: Sequence[Estimate | None], limit: float | None = None) -> list[Bar]:
    """The number of the first and of the second of two things of these names; what has no number has no line."""
    kinds = zip(names, both, ("before", "after"), strict=True)
    return [Bar(name, known, kind, about=about, limit=limit) for name, known, kind in kinds if known is not None]
