"""What a membership game will cost, from a short timed pilot, and the smallest effect it can detect."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from riskkit.base.threads import single_thread
from riskkit.core import Fitted, Knowledge, Table
from riskkit.errors import DesignError, ParameterError, RiskkitError
from riskkit.games.membership import Game, view_for
from riskkit.questions.membership.plan import Cell, MembershipPlan
from riskkit.stats.power import detectable_auc
from riskkit.table.people.persons import Persons

# A short timed part of a membership game: what it loads, and what its trainings, releases and looks take.

FEW = 50
"""Rows of the first training, which is not timed but for what it loads."""


def load_seconds(game: Game, plan: MembershipPlan) -> float:
    """Seconds of a training, a release and a look of every attack on few rows: what is loaded and compiled once."""
    rng, start = game.rng("first"), time.perf_counter()
    world = game.worlds.draw(True, rng)
    fitted = game.generator.fit(world.rows(np.arange(min(FEW, len(world)))), rng)
    release = fitted.sample(min(FEW * plan.releases, game.design.n_syn), rng)
    most, size = plan.shadows() + plan.shadows(Knowledge.AUXILIARY), len(release)
    shadows = {side: [release.rows(rng.integers(size, size=size)) for _ in range(most)] for side in (True, False)}
    with suppress(RiskkitError):  # so few rows may be too few; the run itself would say what is wrong
        for attack in plan.made_attacks():
            fit = attack.fit(game.brief(plan.knowledge_of(attack), shadows, attack.shadows), rng)
            fit.score(view_for(fit, fitted, release))
    return time.perf_counter() - start


def game_seconds(game: Game, plan: MembershipPlan, workers: int) -> tuple[float, float]:
    """Seconds one game of that generator will take, from one training, one release and one look.

    First what workers share, then what one of them does while the others wait: fitting the attacks. They are fitted to
    as many own releases as in the game, made of rows of the one release; from releases that are all alike an attack
    that learns would learn nothing, in no time.
    """
    rng = game.rng("pilot")
    world = game.worlds.draw(True, rng)
    start = time.perf_counter()
    fitted = game.generator.fit(world, rng)
    fit_seconds = time.perf_counter() - start
    release, sample_seconds = release_beside(game, fitted, rng, workers)
    made = plan.made_attacks()
    most = plan.shadows() + plan.shadows(Knowledge.AUXILIARY)
    size = len(release)
    shadows = {side: [release.rows(rng.integers(size, size=size)) for _ in range(most)] for side in (True, False)}
    start = time.perf_counter()
    attacks = [a.fit(game.brief(plan.knowledge_of(a), shadows, a.shadows), rng) for a in made]
    attack_seconds = time.perf_counter() - start
    start = time.perf_counter()
    for attack in attacks:
        attack.score(view_for(attack, fitted, release))
    look_seconds = time.perf_counter() - start
    counted = plan.trainings * (fit_seconds + plan.generations * (sample_seconds + look_seconds))
    return counted + 2 * most * (fit_seconds + sample_seconds), attack_seconds


def release_beside(game: Game, fitted: Fitted, rng: np.random.Generator, workers: int) -> tuple[Table, float]:
    """A release, and the seconds it takes while the other workers make theirs.

    A program of the steward's starts anew for every release, and may use several cores: beside others like it, it
    takes longer than alone. So as many are run at once as there will be, where the generator ``runs_anew``.
    """
    most = min(workers, os.cpu_count() or 1) if getattr(game.generator, "runs_anew", False) else 1
    n, others = game.design.n_syn, max(most, 1) - 1
    start = time.perf_counter()
    with ThreadPoolExecutor(max(others, 1)) as beside:
        running = [beside.submit(fitted.sample, n, game.rng("pilot", number)) for number in range(others)]
        release = fitted.sample(n, rng)
        seconds = time.perf_counter() - start
        for sampling in running:
            sampling.result()
    return release, (seconds + time.perf_counter() - start) / 2 if others else seconds


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a plan will cost, from a short timed pilot, and the smallest effect it can detect.

    ``seconds`` is for the workers that were given. ``detectable_auc`` is the true AUC that the verdict finds with 80 %
    power, allowing for all its findings and counting trainings only; None where so few trainings find nothing.
    """

    seconds: float
    trainings: int
    seconds_per_training: float
    detectable_auc: float | None


def forecast(
    table: Table,
    plan: MembershipPlan,
    holdout: Table | None = None,
    persons: Persons | None = None,
    *,
    workers: int = 1,
) -> Forecast:
    """Time one training of each generator and one look of every attack, and multiply.

    Raises
    ------
    DesignError
        The plan cannot be played on this table; the same sentence the run would end with.
    """
    chosen = plan.choose(table, plan.targets[0], persons)
    people = plan.people(table, holdout, persons)
    seconds, first = np.zeros(2), 0.0
    with single_thread():
        for generator in plan.generators:
            game = plan.game(people, Cell(generator, plan.targets[0], 0), chosen)
            first += load_seconds(game, plan)
            seconds += game_seconds(game, plan, workers)
        for cell, part in plan.planted_games():
            if (cell.target, cell.position) == (plan.targets[0], 0):
                with suppress(DesignError):  # it costs nothing where the attack cannot be played on it
                    seconds += game_seconds(plan.game(people, cell, chosen), part, workers)
    shared, alone = (seconds * (len(plan.cells()) // len(plan.generators))).tolist()
    total = plan.total_trainings()
    in_all = first + shared / max(workers, 1) + alone
    try:
        least = detectable_auc(plan.trainings, level=plan.level, looks=plan.looks(), trials=plan.generations)
    except ParameterError:
        least = None
    return Forecast(in_all, total, (shared + alone) / total, least)
