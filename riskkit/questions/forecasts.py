"""What a run will take and what it could show, before it is played: the same of few rows and of twice as many."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, NamedTuple, Self, TypeVar

import numpy as np

from riskkit.base.threads import single_thread
from riskkit.core import Ints, Table
from riskkit.games.subsets import Subsets
from riskkit.questions import questions
from riskkit.seeds import stream
from riskkit.table.load import Tables

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SharedTrainings:
    """Trainings that a forecast counts and other questions of the audit may take too.

    Parameters
    ----------
    names
        What each is called, as whoever asks for it calls it.
    seconds
        What each of them takes, with its release.
    """

    names: frozenset[str]
    seconds: float

    @classmethod
    def count(cls, play: Subsets, trainings: int, seconds: float) -> Self:
        """The first so many of that design."""
        return cls(frozenset(map(play.name, range(trainings))), seconds)


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a plan will take, and what it could show.

    Parameters
    ----------
    seconds
        How long its question takes alone, with the workers that were given; infinitely long where that is not known.
    numbers
        What is worked through, and the smallest leak that would be seen, by their names in ``--forecast --json``; None
        where there is no such number.
    could_show
        What it could show, in a sentence.
    shared
        The trainings among them that other questions of the audit may take too.
    """

    seconds: float
    numbers: Mapping[str, Any] = field(default_factory=dict)
    could_show: str = ""
    shared: tuple[SharedTrainings, ...] = ()

    @property
    def is_timed(self) -> bool:
        """Whether it says how long."""
        return math.isfinite(self.seconds)

    def as_dict(self) -> dict[str, Any]:
        """It as plain values; the names of trainings are left out, which are for whoever adds up several questions."""
        seconds = {"seconds": self.seconds} if self.is_timed else {}
        return {**seconds, **self.numbers, **({"could_show": self.could_show} if self.could_show else {})}


def seconds_together(forecasts: Iterable[Forecast]) -> float:
    """Seconds of several questions of an audit: what is trained for one is not trained for others."""
    seconds, trained = 0.0, set[str]()
    for forecast in forecasts:
        seconds += forecast.seconds
        for shared in forecast.shared:
            seconds -= shared.seconds * len(shared.names & trained)
            trained |= shared.names
    return seconds


# What a run takes before its first unit: a new process that loads the engine.


LONGEST = 30.0
"""No more than that is foreseen: this process may have done other things before."""


@cache
def loading() -> float:
    """Seconds of work that this process needed until the engine was loaded: another one will need as many."""
    questions()  # loads all that a run needs
    return min(time.process_time(), LONGEST)


def start_seconds(workers: int) -> float:
    """Seconds until the first unit is at work: the run's own process, and those of several workers side by side."""
    return loading() * (2 if workers > 1 else 1)


# How long many rows take: the same of few of them and of twice as many, carried on.


PILOT, PART, SMALLEST = 600, 12, 60
"""Rows of the smaller trial (the other one has twice as many): at most so many, that part of the whole where it is
small, so that the trials cost less than the run, and never fewer than the last."""
TIMED = 3
"""Of many like pieces of work, those that are timed."""
FEWEST = 20
"""Rows of a sample in a trial: trees and classes need some people."""


class Pilot(NamedTuple):
    """Seconds to load what is loaded once, of few rows, and of all of them by what twice as many took."""

    loads: float
    few: float
    whole: float


def pilot(prepare: Callable[[int], Callable[[], object]], whole: int, least: int = 0) -> Pilot:
    """Time the work that is prepared for few rows and for twice as many, and carry its growth on to the whole.

    ``least`` rows are tried at least, where fewer would not show how it grows.
    """
    rows = max(trial_rows(whole), min(least, whole))
    first, few, many = (seconds_of(prepare(min(size, whole))) for size in (rows, rows, 2 * rows))
    return Pilot(max(first - few, 0.0), few, extrapolate(few, many, whole / (2 * rows)))


def trial_rows(whole: int) -> int:
    """Rows of the smaller trial of so many in all."""
    return min(max(min(PILOT, whole // PART), SMALLEST), whole)


def seconds_of(work: Callable[[], object]) -> float:
    """Seconds of that work, on one thread, as in a run."""
    with single_thread():
        start = time.perf_counter()
        work()
        return time.perf_counter() - start


def extrapolate(few: float, many: float, times: float) -> float:
    """Seconds at ``times`` the size of the larger trial, no less than it took; the smaller one has half of its size.

    Work grows at most as the square of the number of people, since every row may be compared with every other one.
    Where it grows slower than that number, most of it is the same for any number, and the rest is carried on straight.
    """
    power, times = math.log2(many / few) if few > 0 and many > few else 0.0, max(times, 1.0)
    if power >= 1:
        return float(many * times ** min(power, 2.0))
    return many + 2 * max(many - few, 0.0) * (times - 1)


def spread(work: Sequence[T]) -> tuple[T, ...]:
    """The pieces of work that are timed, from the first on; they stand for the others."""
    return tuple(work[:: -(-len(work) // TIMED) or 1])


def shared_seconds(each: float, pieces: int, workers: int) -> float:
    """Seconds of so many like pieces of work, worked on side by side."""
    return each * pieces / min(max(workers, 1), max(pieces, 1))


def cut(tables: Tables, most: int, seed: int) -> Tables:
    """The same with at most so many rows each, drawn at random, for a trial."""

    def place(rows: int) -> Ints:
        return np.arange(rows) if rows <= most else np.sort(stream(seed, "pilot").permutation(rows)[:most])

    def some(table: Table | None) -> Table | None:
        return table if table is None or len(table) <= most else table.rows(place(len(table)))

    real, people = some(tables.real), tables.persons
    assert real is not None
    return replace(
        tables,
        real=real,
        synthetic=some(tables.synthetic),
        holdout=some(tables.holdout),
        in_both=None,
        weights=None if tables.weights is None else tables.weights[place(len(tables.weights))],
        persons=None
        if people is None
        else people.rows(*(place(len(own)) for own in (people.real, people.holdout_persons))),
    )
