"""Units of work, on one core or several, in order, with a clock and a way to stop."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

from riskkit.errors import Cancelled

CHUNKS, LARGEST = 32, 50
"""The units of a game are cut into that many pieces, or more where a piece would be larger: enough for a smooth
progress bar and a quick cancel, few enough to cost nothing."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is: what it is doing, units done of all, and seconds left (None before it is known)."""

    stage: str
    done: int
    total: int
    seconds_left: float | None = None


@cache
def _one_thread() -> None:
    """Hold this worker process to one thread for good."""
    threadpool_limits(1)


def _in_worker(work: Callable[..., list[Any]], *given: Any) -> list[Any]:
    _one_thread()
    return work(*given)


class Clock:
    """Counts units and tells the caller how long the rest will take at the pace so far."""

    def __init__(self, total: int, tell: Callable[[Progress], None]) -> None:
        self.total, self.done, self.tell = total, 0, tell
        self.started = time.monotonic()

    def tick(self, stage: str, units: int) -> None:
        """Note that ``units`` more are done and tell the caller."""
        self.done += units
        pace = (time.monotonic() - self.started) / self.done if self.done else None
        self.tell(Progress(stage, self.done, self.total, None if pace is None else pace * (self.total - self.done)))


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """Runs units in chunks, in this process or in several, and yields their results in order."""

    workers: int
    clock: Clock
    cancelled: Callable[[], bool]

    def map(
        self, stage: str, work: Callable[..., list[Any]], game: Any, units: Sequence[Any], *rest: Any
    ) -> Iterator[Any]:
        """The results of all units, in order; stops between two chunks when cancelled."""
        size = min(max(1, -(-len(units) // CHUNKS)), LARGEST)
        chunks = [units[start : start + size] for start in range(0, len(units), size)]
        self.clock.tick(stage, 0)
        done = self._results(work, game, chunks, rest)
        try:
            for chunk, results in zip(chunks, done, strict=True):
                self.clock.tick(stage, len(chunk))
                yield from results
                if self.cancelled():
                    raise Cancelled("The run was cancelled.")
        finally:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # joblib remarks that a cancelled run leaves units undone
                done.close()

    def _results(
        self, work: Callable[..., list[Any]], game: Any, chunks: Sequence[Sequence[Any]], rest: tuple[Any, ...]
    ) -> Generator[list[Any]]:
        if self.workers <= 1 or len(chunks) <= 1:
            return (work(game, chunk, *rest) for chunk in chunks)
        jobs = (delayed(_in_worker)(work, game, chunk, *rest) for chunk in chunks)
        results: Generator[list[Any]] = Parallel(n_jobs=self.workers, return_as="generator")(jobs)
        return results
