"""How long each step of an audit of a released file goes on before it hears a signal to stop, in processor seconds.

``python benchmarks/stops.py [attack ...]``: every attack of the default suite, and the look without the release, on
10,000 people a side of Adult. A clock of this process's own processor time rings every fiftieth of a second; Python
answers as soon as it is between two of its own instructions. The longest time between two answers is how long Ctrl-C
may wait on a processor of its own. What other programs take does not count. Needs the shared data folder.
"""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from threadpoolctl import threadpool_limits

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.sizes import halves
from riskkit.games.released import ReleasedGame
from riskkit.questions.released.grades import BLIND, units, work
from riskkit.questions.released.plan import ReleasedPlan
from riskkit.table.load import read_tables
from tests.tables import adult_frame

EACH = 0.02


@dataclass(slots=True)
class Answers:
    """When Python came round to answer the clock."""

    last: float = field(default_factory=time.process_time)
    longest: float = 0.0

    def __call__(self, *_: Any) -> None:
        """The clock rang."""
        now = time.process_time()
        self.longest, self.last = max(self.longest, now - self.last), now


def longest(step: Callable[[], Any]) -> tuple[float, float]:
    """The longest processor time without an answer within that step, and all that it took."""
    answers, start = Answers(), time.process_time()
    before = signal.signal(signal.SIGPROF, answers)
    signal.setitimer(signal.ITIMER_PROF, EACH, EACH)
    try:
        step()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
    answers()
    return answers.longest, time.process_time() - start


def game(each: int = 22_600) -> ReleasedGame:
    """Adult in two halves, and a release of the first."""
    with TemporaryDirectory() as scratch:
        folder = Path(scratch)
        halves(folder, adult_frame(), each, 1)
        real, synthetic, holdout = (folder / f"{name}.csv" for name in ("real", "synthetic", "holdout"))
        tables = read_tables(real, synthetic, holdout)
    return ReleasedPlan().game(tables)


def main(names: Sequence[str]) -> None:
    """Print the table."""
    attacks = tuple(names) or ReleasedPlan().attacks
    whole_game = game()
    games: dict[str, ReleasedGame | str] = {"attack": whole_game, "control": "not asked"}
    few = {**games, "attack": whole_game.sample(200, whole_game.rng("warm"))}
    every = units(games, attacks)
    print(f"| {'step':24} | {'longest, cpu s':>14} | {'whole, cpu s':>12} |\n|{'-' * 26}|{'-' * 16}|{'-' * 14}|")
    with threadpool_limits(1):
        for unit in [BLIND, *every]:
            if unit != BLIND:
                work(few, [unit], 0.95)  # compiled and read from disk, which is not asked about here
            at_most, whole = longest(partial(work, games, [unit], 0.95))
            name = unit[0] or "without the release"
            print(f"| {name:24} | {at_most:>14.2f} | {whole:>12.2f} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
