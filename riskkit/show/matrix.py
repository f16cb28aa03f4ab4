"""Counts of everybody against everything, beside what guessing counts: a block of a view."""

from __future__ import annotations

from dataclasses import dataclass

from riskkit.core import Estimate
from riskkit.language import say

MORE, FEWER = "▲", "▽"
"""The signs of a count that lies wholly above guessing, and wholly below."""


@dataclass(frozen=True, slots=True)
class CountRow:
    """The counts in one row, one for each column, None where nothing was counted.

    ``best`` is the highest of them with the interval that allows for having looked at all, and ``by`` whose it is.
    ``is_own`` where the row is about what the reader brought.
    """

    who: str
    counts: tuple[Estimate | None, ...]
    best: Estimate
    by: str
    is_own: bool = False


@dataclass(frozen=True, slots=True)
class CountMatrix:
    """A table of counts, each of ``most`` at the most, beside the ``guess``: what guessing counts on average.

    ``title`` says what is counted, ``across`` what the columns are. The highest count of each row stands behind it.
    """

    key: str
    sentence: str
    title: str
    across: str
    columns: tuple[str, ...]
    rows: tuple[CountRow, ...]
    guess: float
    most: int
    caption: str = ""

    @property
    def heads(self) -> tuple[str, ...]:
        """What stands over the columns, that of the highest count of each row too."""
        return (*self.columns, say("the best"))

    def sign(self, count: Estimate) -> str:
        """Whether guessing explains no such count: :data:`MORE`, :data:`FEWER`, or empty."""
        if count.low > self.guess:
            return MORE
        return FEWER if count.high < self.guess else ""
