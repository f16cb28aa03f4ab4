"""How long many releases and attacks take: the same plan among few people and among twice as many, carried on."""

from __future__ import annotations

import math

PILOT, PART, SMALLEST = 600, 12, 60
"""Rows of the population of the smaller trial (the other one has twice as many): at most so many, that part of the
whole where it is small, so that the trials cost less than the run, and never fewer than the last."""
TIMED = 3
"""Anonymisers that are timed, spread over all; attackers take most of the time, so they stand for the others."""
FEWEST = 20
"""Rows of a sample in a trial: trees and classes need some people."""


def trial_rows(whole: int) -> int:
    """Rows of the smaller trial of so many in all."""
    return min(max(min(PILOT, whole // PART), SMALLEST), whole)


def spread(anonymisers: tuple[str, ...]) -> tuple[str, ...]:
    """Some of them, from first to last."""
    return anonymisers[:: -(-len(anonymisers) // TIMED) or 1]


def shared(each: float, releases: int, workers: int) -> float:
    """Seconds of so many releases, worked on side by side."""
    return each * releases / min(max(workers, 1), max(releases, 1))


def carried_on(few: float, many: float, times: float) -> float:
    """Seconds at ``times`` the size of the larger trial; the smaller one has half of its size.

    Work grows at most as the square of the number of people, since every row may be compared with every other one.
    Where it grows slower than that number, most of it is the same for any number, and the rest is carried on straight.
    """
    power = math.log2(many / few) if few > 0 and many > few else 0.0
    if power >= 1:
        return float(many * times ** min(power, 2.0))
    return many + 2 * max(many - few, 0.0) * (times - 1)
