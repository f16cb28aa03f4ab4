"""A short timed part of a membership game: what it loads, and what its trainings, releases and looks take."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np

from riskkit.core import Knowledge
from riskkit.errors import RiskkitError
from riskkit.games.membership import Game

if TYPE_CHECKING:
    from riskkit.questions.membership.plan import MembershipPlan

FEW = 50
"""Rows of the first training, which is not timed but for what it loads."""


def loaded(game: Game, plan: MembershipPlan) -> float:
    """Seconds of a training, a release and a look of every attack on few rows: what is loaded and compiled once."""
    rng, start = game.rng("first"), time.perf_counter()
    world = game.worlds.draw(True, rng)
    fitted = game.generator.fit(world.rows(np.arange(min(FEW, len(world)))), rng)
    release = fitted.sample(min(FEW, game.design.n_syn), rng)
    most, size = plan.shadows() + plan.shadows(Knowledge.AUXILIARY), len(release)
    shadows = {side: [release.rows(rng.integers(size, size=size)) for _ in range(most)] for side in (True, False)}
    with suppress(RiskkitError):  # so few rows may be too few; the run itself would say what is wrong
        for attack in plan.made_attacks():
            attack.fit(game.brief(plan.known_to(attack), shadows, attack.shadows), rng).score(release)
    return time.perf_counter() - start


def timed(game: Game, plan: MembershipPlan) -> tuple[float, float]:
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
    start = time.perf_counter()
    release = fitted.sample(game.design.n_syn, rng)
    sample_seconds = time.perf_counter() - start
    made = plan.made_attacks()
    most = plan.shadows() + plan.shadows(Knowledge.AUXILIARY)
    size = len(release)
    shadows = {side: [release.rows(rng.integers(size, size=size)) for _ in range(most)] for side in (True, False)}
    start = time.perf_counter()
    attacks = [a.fit(game.brief(plan.known_to(a), shadows, a.shadows), rng) for a in made]
    attack_seconds = time.perf_counter() - start
    start = time.perf_counter()
    for attack in attacks:
        attack.score(release)
    look_seconds = time.perf_counter() - start
    counted = plan.trainings * (fit_seconds + plan.generations * (sample_seconds + look_seconds))
    return counted + 2 * most * (fit_seconds + sample_seconds), attack_seconds
