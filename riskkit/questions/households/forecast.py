"""What a question about households will take, from the same one among few of them and among twice as many."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace

import numpy as np

from riskkit.core import Ints, Table
from riskkit.errors import DesignError
from riskkit.language import counted, say
from riskkit.questions.households.homes import homes
from riskkit.questions.households.plan import HouseholdsPlan
from riskkit.questions.households.play import deal, play_table
from riskkit.questions.standard import FEWEST, extrapolate, shared_seconds, spread, trial_rows
from riskkit.table.load import Tables


@dataclass(frozen=True, slots=True)
class Forecast:
    """``seconds`` for so many ``releases`` shown to so many ``attackers``, and in words what they ``could_show``."""

    seconds: float
    releases: int
    attackers: int
    could_show: str


def forecast(tables: Tables, plan: HouseholdsPlan, *, workers: int = 1) -> Forecast | None:
    """Play it in two small parts of the table; None where a part holds too few households to be timed.

    Raises
    ------
    DesignError
        The plan cannot be played on these tables; the same sentence the run would end with.
    """
    table, household = homes(tables, plan.household)
    deal(table, household, plan)
    some = replace(plan, anonymisers=spread(plan.anonymisers), sample=plan.sample or len(table) // 2)
    releases, timed = len(plan.anonymisers) + plan.control, len(some.anonymisers) + plan.control
    rows = trial_rows(len(table))
    try:
        few, many = (_time_share(table, household, some, min(size / len(table), 1)) for size in (rows, 2 * rows))
    except DesignError:
        return None
    each = extrapolate(few, many, max(len(table) / (2 * rows), 1.0)) / max(timed, 1)
    return Forecast(shared_seconds(each, releases, workers), releases, len(plan.attackers), could_show(household, plan))


def could_show(household: Ints, plan: HouseholdsPlan) -> str:
    """How many households can be asked about, and what guessing scores."""
    start = say(
        "{households} of {least:,} people or more; {asked:,} are asked about, half of them in",
        households=counted(large(household, plan.least), "{n:,} household", "{n:,} households"),
        least=plan.least,
        asked=plan.asked,
    )
    return say("{told}. Guessing scores 0.50; always right and sure scores 1.", told=start)


def large(household: Ints, least: int) -> int:
    """How many households have so many rows or more."""
    return int((np.unique(household, return_counts=True)[1] >= least).sum())


def _time_share(table: Table, household: Ints, plan: HouseholdsPlan, share: float) -> float:
    """Seconds among that share of the households."""
    _, home = np.unique(household, return_inverse=True)
    part = np.flatnonzero(home < math.ceil(share * (home.max() + 1)))
    asked = max(min(round(share * plan.asked), large(household[part], plan.least)), 2)
    sample = max(round(share * plan.sample), FEWEST)
    small = replace(plan, asked=asked, sample=sample, release=round(share * plan.release))
    started = time.perf_counter()
    play_table(table.rows(part), household[part], small)
    return time.perf_counter() - started
