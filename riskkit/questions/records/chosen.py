"""How a plan says who is asked about, how a table grew, and how often something is played."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from riskkit.errors import DesignError
from riskkit.phrases import phrase
from riskkit.stats.arms import FEWEST_TRAININGS

ALL, TOP, RANDOM, IDS = "all", "top", "random", "ids"
MOST_YEARS = 100
"""Releases of a table that grew, at most."""
_CHOSEN = re.compile(r"(all|top:\d+|random:\d+|ids:\d+(,\d+)*|top:\d+\+random:\d+)")


def who_in_words(records: str) -> str:
    """Who is asked about, in words."""
    if records == ALL:
        return phrase("everybody")
    if records.startswith(IDS):
        return phrase("rows {rows}", rows=tuple(records.partition(":")[2].split(",")))
    named = [
        phrase("{n:,} who stand out most", n=int(n)) if kind == TOP else phrase("{n:,} at random", n=int(n))
        for kind, _, n in (part.partition(":") for part in records.split("+"))
    ]
    return named[0] if len(named) == 1 else phrase("{top} and {others}", top=named[0], others=named[1])


def choosable(records: str | int | Sequence[int]) -> str:
    """Who is asked about, as it is kept; row numbers may stand without words."""
    rows = (records,) if isinstance(records, int) else records
    text = rows.replace(" ", "") if isinstance(rows, str) else f"{IDS}:{','.join(map(str, rows))}"
    if not _CHOSEN.fullmatch(text):
        raise DesignError(
            phrase(
                "Records {text!r} cannot be chosen so; say all, top:100, random:100, top:100+random:200 or "
                "ids:3,17 with row numbers counted from 0.",
                text=text,
            )
        )
    return text


def grown_rows(rows: str | Sequence[int]) -> str:
    """How many rows the table had at each release, as it is kept; numbers may stand without words."""
    text = rows.replace(" ", "") if isinstance(rows, str) else ",".join(map(str, rows))
    if not text:
        return ""
    sizes = [int(size) for size in text.split(",")] if re.fullmatch(r"\d+(,\d+)+", text) else []
    if not 2 <= len(sizes) <= MOST_YEARS or sizes[0] < 2 or sizes != sorted(sizes):
        raise DesignError(
            phrase(
                "{text!r} says no table that grew: name the rows that it had at each release, from the first to the "
                "last, as in 1000,1200,1400. There are 2 to {most} releases, and no release has fewer rows than the "
                "one before.",
                text=text,
                most=MOST_YEARS,
            )
        )
    return ",".join(map(str, sizes))


def some_or_none(what: str) -> Callable[[int], int]:
    """Refuses trainings that are too few for a number, but not none at all."""

    def checked(trainings: int) -> int:
        if trainings and trainings < FEWEST_TRAININGS:
            raise DesignError(
                phrase(
                    "{trainings} trainings a side for the {what} give no number; ask for 0, or for at least {least}.",
                    trainings=trainings,
                    what=what,
                    least=FEWEST_TRAININGS,
                )
            )
        return trainings

    return checked
