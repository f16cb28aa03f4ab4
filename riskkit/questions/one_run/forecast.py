"""What one training would take, and the most it could show."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from riskkit import registry
from riskkit.questions.one_run.plan import MODEL, OneRunPlan
from riskkit.questions.one_run.play import deal_game, numbers
from riskkit.questions.promises import claim
from riskkit.seeds import stream
from riskkit.stats.one_run import Guesses, one_run
from riskkit.table.load import Tables

PILOT = 200
"""Rows of the first of two short trainings; the second has twice as many."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """``seconds`` for the training and its release; ``audited`` rows; ``ceiling``, the most that ε could be shown."""

    seconds: float
    audited: int
    ceiling: float


def forecast(tables: Tables, plan: OneRunPlan, *, workers: int = 1) -> Forecast:  # noqa: ARG001  it is one training
    """Train on few rows, on twice as many, and carry on in a straight line.

    Raises
    ------
    DesignError, ParameterError
        The plan cannot be played on these tables.
    """
    generator = registry.parse("generators", plan.generator)
    registry.check_ready(generator)
    game = deal_game(tables, plan)
    m, delta = len(game.audited), plan.delta or claim(plan.generator).delta
    every = [Guesses(called_in, other, called_in + other) for called_in, other in numbers(plan, m)]
    ceiling = one_run(m, every, delta=delta, level=plan.level).high
    rng = stream(plan.seed, "one-run", "pilot")
    order = rng.permutation(len(game.world))
    took = []
    for rows in (PILOT // 2, PILOT, 2 * PILOT):  # the first loads what is needed
        world = game.world.rows(np.sort(order[:rows]))
        start = time.perf_counter()
        fitted = generator.fit(world, rng)
        if plan.sees != MODEL:
            fitted.sample(max(len(world), game.n_syn * len(world) // len(game.table)), rng)
        took.append(time.perf_counter() - start)
    each = max(took[2] - took[1], 0.0) / PILOT
    return Forecast(took[2] + each * max(len(game.world) - 2 * PILOT, 0), m, ceiling)
