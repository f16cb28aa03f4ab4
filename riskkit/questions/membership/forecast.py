"""What a membership game will cost, from a short timed pilot, and the smallest effect it can detect."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from riskkit.base.threads import one_thread
from riskkit.core import Table
from riskkit.errors import DesignError, ParameterError
from riskkit.questions.membership.pilot import loaded, timed
from riskkit.questions.membership.plan import Cell, MembershipPlan
from riskkit.stats.power import detectable_auc
from riskkit.table.people.persons import Persons


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
    with one_thread():
        for generator in plan.generators:
            game = plan.game(people, Cell(generator, plan.targets[0], 0), chosen)
            first += loaded(game, plan)
            seconds += timed(game, plan, workers)
        for cell, part in plan.planted():
            if (cell.target, cell.position) == (plan.targets[0], 0):
                with suppress(DesignError):  # it costs nothing where the attack cannot be played on it
                    seconds += timed(plan.game(people, cell, chosen), part, workers)
    shared, alone = (seconds * (len(plan.cells()) // len(plan.generators))).tolist()
    total = plan.total_trainings()
    in_all = first + shared / max(workers, 1) + alone
    try:
        least = detectable_auc(plan.trainings, level=plan.level, looks=plan.looks(), trials=plan.generations)
    except ParameterError:
        least = None
    return Forecast(in_all, total, (shared + alone) / total, least)
