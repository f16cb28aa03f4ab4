"""How long a release takes while others are made beside it: for a forecast."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from riskkit.core import Fitted, Table
from riskkit.games.membership import Game


def release_beside(game: Game, fitted: Fitted, rng: np.random.Generator, workers: int) -> tuple[Table, float]:
    """A release, and the seconds it takes while the other workers make theirs.

    A program of the steward's starts anew for every release, and may use several cores: beside others like it, it
    takes longer than alone. So as many are run at once as there will be, where the generator ``runs_anew``.
    """
    most = min(workers, os.cpu_count() or 1) if getattr(game.generator, "runs_anew", False) else 1
    n, others = game.design.n_syn, max(most, 1) - 1
    start = time.perf_counter()
    with ThreadPoolExecutor(max(others, 1)) as beside:
        running = [beside.submit(fitted.sample, n, game.rng("pilot", at)) for at in range(others)]
        release = fitted.sample(n, rng)
        seconds = time.perf_counter() - start
        for one in running:
            one.result()
    return release, (seconds + time.perf_counter() - start) / 2 if others else seconds
