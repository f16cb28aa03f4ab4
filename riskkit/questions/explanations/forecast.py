"""What an explanation audit will cost, from a short timed pilot, and what it can show."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from riskkit.base.threads import single_thread
from riskkit.games.explanation_deal import ExplanationDeal
from riskkit.questions.explanations.plan import NONE, ExplanationPlan, Unit
from riskkit.questions.explanations.units import play_units
from riskkit.stats.power import detectable_gain
from riskkit.stats.records import level_of_each
from riskkit.table.load import Tables

WARM, PILOT = 20, 60
"""Rows that the attacker of a pilot holds: first to load what is loaded once, then to time; then twice as many."""


@dataclass(frozen=True, slots=True)
class ExplanationsForecast:
    """What a plan will cost and what it can show.

    ``models`` are trained and attacked. ``detectable_gain`` over the constant guess shows itself in 8 of 10 audits in
    one input, allowing for all looks and counting ``victims`` alone, where one of the two is right on half of them.
    """

    seconds: float
    models: int
    victims: int
    rows: int
    looks: int
    detectable_gain: float


def forecast_explanations(tables: Tables, plan: ExplanationPlan, *, workers: int = 1) -> ExplanationsForecast:
    """Attack one model of every offer with few rows, and one with twice as many, and carry the growth on.

    Raises
    ------
    DesignError
        The plan cannot be played on these tables; the same sentence the run would end with.
    """
    dealt = plan.deal(tables)
    units = plan.units(plan.target_of(tables.schema))
    most = plan.sizes(dealt)[-1]
    first = _seconds(dealt, _small(plan, most, WARM), NONE)  # loads what is loaded once
    few, many = (_seconds(dealt, _small(plan, most, rows), NONE) for rows in (PILOT, 2 * PILOT))
    small, large = (min(rows, most) for rows in (PILOT, 2 * PILOT))
    by_row = max(many - few, 0.0) / max(large - small, 1)
    growth = (many + by_row * (most - large)) / max(few, 1e-9)
    total = 0.0
    for offer in dict.fromkeys(unit.offer for unit in units):
        seconds_each = few if offer == NONE else _seconds(dealt, _small(plan, most, PILOT), offer)
        total += seconds_each * growth * sum(unit.offer == offer for unit in units)
    looks = len(plan.attackers) * len(tables.schema.modelled)
    alpha = (1 - level_of_each(plan.level, looks)) / 2
    victims = len(dealt.victims)
    seconds = first + total / min(max(workers, 1), len(units))
    return ExplanationsForecast(seconds, len(units), victims, most, looks, detectable_gain(victims, alpha=alpha))


def _small(plan: ExplanationPlan, most: int, rows: int) -> ExplanationPlan:
    """The plan with as many sizes, the largest of ``rows``."""
    sizes = plan.auxiliary or (most,)
    return replace(plan, auxiliary=tuple(max(size * min(rows, most) // most, 1) for size in sizes))


def _seconds(dealt: ExplanationDeal, plan: ExplanationPlan, offer: str) -> float:
    with single_thread():
        start = time.perf_counter()
        play_units(dealt, [Unit(offer, 0)], plan, plan.offers(plan.target_of(dealt.train.schema)))
        return time.perf_counter() - start
