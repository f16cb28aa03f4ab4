"""The one rule for counts of people in what is passed on: few people are never counted out.

A count from 1 to 9 is withheld wherever it stands: in a sentence, a table, a chart, CSV and JSON. So is everything from
which it could be had again: a share of a known number, the list of those it counts, their numbers one by one. A rate at
which an attack is right is no count: it stands with its interval and its N, and the verdict stands on it.
"""

from __future__ import annotations

from riskkit.language import say

FEWEST = 10
"""Fewer people than that are not counted out in a shareable report."""
FEW = say("fewer than {people}", people=FEWEST)
COUNTS = ("exposed", "exposed_by_chance", "records_above")
"""Estimates that count people."""
DIFFERENCES = {"exposed_beyond_chance": ("exposed", "exposed_by_chance")}
"""Estimates that are the difference of two counts: with the one, either tells the other."""


def is_few(value: float) -> bool:
    """Whether so many people are too few to be counted out."""
    return 0 < value < FEWEST


def written(value: float) -> str:
    """How many people, as whoever may not see rows is told it."""
    return FEW if is_few(value) else exactly(value)


def exactly(value: float) -> str:
    """How many people, to the last one."""
    return f"{value:,.0f}"
