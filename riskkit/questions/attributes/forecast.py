"""What an attribute audit will cost, from a short timed pilot, and what it can show."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from riskkit.base.threads import single_thread
from riskkit.core import Ints, Table
from riskkit.games.attribute import CONTROL, FOLDS, RELEASE
from riskkit.games.attribute_deal import AttributeDeal
from riskkit.questions.attributes.plan import BEST, SWEEP_MODEL, AttributePlan, Unit
from riskkit.questions.attributes.redraw import game_of, trainings
from riskkit.questions.attributes.units import Finding, findings
from riskkit.seeds import stream
from riskkit.stats.inference import detectable_residual
from riskkit.stats.records import level_of_each
from riskkit.table.features import beside
from riskkit.table.load import Tables

PILOT, PART, FEWEST = 1000, 10, 50
"""Rows of each table a unit is timed on, then twice as many, to see how it grows: at most so many, that part of the
tables where they are shorter, so that the trial costs less than the run, and never fewer than the last."""
TIMED = 3
"""Units of each sort that are timed, spread over all."""


@dataclass(frozen=True, slots=True)
class AttributesForecast:
    """What a plan will cost and what it can show.

    ``units`` secrets with known sets are asked, ``detailed`` of them in detail, with ``trainings`` of the generator.
    ``detectable_residual`` is the smallest residual shown with 80 % power, allowing for all units, at the share that
    the pilot guessed rightly; None without a holdout, since nothing can be said of members then.
    """

    seconds: float
    units: int
    detailed: int
    trainings: int
    n_members: int
    n_control: int
    n_release: int
    detectable_residual: float | None


def forecast_attributes(tables: Tables, plan: AttributePlan, *, workers: int = 1) -> AttributesForecast:
    """Time a few units on a few rows and on twice as many, and carry their growth on to the whole.

    Raises
    ------
    DesignError
        The plan cannot be played on these tables; the same sentence the run would end with.
    """
    tables = plan.summarise(tables)
    units = plan.units(tables.schema)
    few = plan.deal(_cut(tables, FEWEST, plan.seed))  # refuses what the run would refuse
    with single_thread():
        findings(few, [replace(units[-1], detailed=False)], plan, 1)  # loads what is loaded once
    release = tables.synthetic
    assert release is not None
    asked = [min(len(table), plan.max_rows) for table in (tables.real, tables.holdout) if table is not None]
    people = _people(tables, asked)
    size = (sum(asked) + len(release)) / (len(asked) + 1)
    pilot = max(min(PILOT, int(size) // PART), FEWEST)
    seconds, last = 0.0, None
    for in_detail in (True, False):
        sort = [unit for unit in units if unit.detailed is in_detail]
        timed = [_time_unit(tables, plan, unit, size, pilot) for unit in _spread(sort)]
        if timed:
            seconds += float(np.mean([timing[0] for timing in timed])) * len(sort) / min(max(workers, 1), len(sort))
            last = last or timed[0][1]
    seconds += _again(tables, plan, units, workers)
    detailed = sum(unit.detailed for unit in units)
    return AttributesForecast(
        seconds,
        len(units),
        detailed,
        trainings(plan, detailed),
        people[0],
        people[1] if len(people) > 1 else 0,
        len(release),
        _detectable(people, last, plan, len(units)),
    )


def _people(tables: Tables, rows: Sequence[int]) -> list[int]:
    """About how many people have so many rows of either side; as many where each row is a person."""
    if tables.persons is None:
        return list(rows)
    sides = (tables.persons.real, tables.persons.holdout_persons)
    return [round(most * len(np.unique(own)) / max(len(own), 1)) for most, own in zip(rows, sides, strict=False)]


def _spread(units: Sequence[Unit]) -> list[Unit]:
    """A few of them, from the first to the last."""
    if not units:
        return []
    places = np.unique(np.linspace(0, len(units) - 1, min(TIMED, len(units))).round().astype(int))
    return [units[place] for place in places]


def _time_unit(tables: Tables, plan: AttributePlan, unit: Unit, size: float, pilot: int) -> tuple[float, Finding]:
    """Seconds the unit will take on tables of that size, and what it found on the pilot.

    How it grows with the rows is seen on a cell of the sweep, which trains one model where a unit in detail trains
    many. A pilot of few rows may have no equal ones where the whole table has.
    """
    cell = replace(unit, detailed=False)
    rows = [min(float(most), size) for most in (pilot, 2 * pilot)]
    deals = [plan.deal(_cut(tables, most, plan.seed)) for most in (pilot, 2 * pilot)]
    (few, timed), (many, _) = (_seconds(deal, cell, plan) for deal in deals)
    whole = _extrapolate(rows, (few, many), size)
    if not unit.detailed:
        return whole, timed
    seconds, timed = _seconds(deals[0], unit, plan)
    return seconds * whole / few * fits(tables.real) / fits(deals[0].members.table), timed


def fits(members: Table) -> int:
    """How many models a unit in detail trains: of the release, of one with a planted leak, of the members, and of other
    members for each fold; for as many folds again where members are equal in all columns.
    """
    has_equal = len(np.unique(members.keys())) < len(members)
    return 3 + FOLDS * (2 if has_equal else 1)


def _seconds(deal: AttributeDeal, unit: Unit, plan: AttributePlan) -> tuple[float, Finding]:
    """How long one unit takes, and what it found."""
    with single_thread():
        start = time.perf_counter()
        (finding,) = findings(deal, [unit], plan, 1)
        return time.perf_counter() - start, finding


def _again(tables: Tables, plan: AttributePlan, units: Sequence[Unit], workers: int) -> float:
    """Seconds that the trainings with secrets drawn anew will take, by one of them on the whole table."""
    asked = [unit for unit in units if unit.detailed]
    if not plan.generator:
        return 0.0
    unit = asked[0]
    known = unit.columns or beside(tables.schema, unit.secret)
    model = SWEEP_MODEL if unit.model == BEST else unit.model
    game = game_of(tables, plan, unit.secret, known, model)
    start = time.perf_counter()
    game.trial(0)
    return (time.perf_counter() - start) * trainings(plan, len(asked)) / min(max(workers, 1), plan.randomised)


def _extrapolate(rows: Sequence[float], seconds: Sequence[float], size: float) -> float:
    """A fixed part and a part by row (trees: times the logarithm of the rows) where it grows no faster than the rows,
    else the power it grows with."""
    (few, many), (small, large) = rows, seconds
    if size <= many:
        return large if size > few else small
    if large > small * many / few:
        power = min(math.log(large / small) / math.log(many / few), 2.0)
        return large * math.exp(power * math.log(size / many))
    by_row = max(large - small, 0.0) / (many - few)
    return large + by_row * (size - many) * math.log(size) / math.log(many)


def _detectable(asked: Sequence[int], finding: Finding | None, plan: AttributePlan, looks: int) -> float | None:
    if len(asked) < 2:
        return None
    right = None
    if finding is not None and finding.kind:
        right = finding.estimate(finding.share, trained_on=RELEASE, tested_on=CONTROL)
    alpha = (1 - level_of_each(plan.level, looks)) / 2
    return detectable_residual(asked[0], asked[1], 0.5 if right is None else right.value, alpha=alpha)


def _cut(tables: Tables, most: int, seed: int) -> Tables:
    """The same with at most so many rows each, drawn at random."""

    def some(table: Table | None) -> Table | None:
        return table if table is None or len(table) <= most else table.rows(_few(len(table), most, seed))

    real = some(tables.real)
    assert real is not None
    people = tables.persons
    if people is not None:
        people = people.rows(*(_few(len(own), most, seed) for own in (people.real, people.holdout_persons)))
    return replace(tables, real=real, synthetic=some(tables.synthetic), holdout=some(tables.holdout), persons=people)


def _few(rows: int, most: int, seed: int) -> Ints:
    """At most so many of the rows, drawn at random."""
    if rows <= most:
        return np.arange(rows)
    return np.sort(stream(seed, "attributes", "pilot").permutation(rows)[:most])
