"""The released file alone, as an audit asks it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from riskkit.language import phrase
from riskkit.questions import Question
from riskkit.questions.released import present
from riskkit.questions.released.plan import ReleasedPlan, forecast_released
from riskkit.questions.released.play import attacks_for, read_texts, run_released
from riskkit.questions.released.result import ReleasedResult
from riskkit.questions.standard import Effort, Situation
from riskkit.show.model import example
from riskkit.table.load import Tables

MOST: Mapping[Effort, int] = {Effort.QUICK: 2_000, Effort.STANDARD: 10_000, Effort.THOROUGH: 50_000}
"""Rows asked about, at most, on a side."""


def standard(situation: Situation) -> ReleasedPlan | None:
    """All attacks of the suite, where there are people who were not in: without them nothing is measured.

    Where nothing else can be asked either, it says what can be said without them, and how to come by such people.
    """
    if situation.tables.synthetic is None or not (situation.can_measure or not situation.made_by):
        return None
    return ReleasedPlan(attacks=attacks_for(situation.tables), max_rows=MOST[situation.effort])


def by_tables(tables: Tables) -> dict[str, Any]:
    """The attacks that also look at two tables, where a second one is loaded."""
    return {"attacks": attacks_for(tables)} if tables.children is not None else {}


QUESTION = Question(
    title=phrase("The released file"),
    meaning=phrase("Can people in the data be recognised from the file alone?"),
    place=15,
    scale="auc",
    remedy=phrase(
        "Make the release again by a method that copies less of single rows: with more noise, or with coarser columns."
    ),
    plan=ReleasedPlan,
    main="attacks",
    files={"holdout": "table of people outside the data; needed to measure membership"},
    has_second_table=True,
    by_tables=by_tables,
    run=run_released,
    result=ReleasedResult,
    forecast=forecast_released,
    read=present.read,
    standard=standard,
    view=present.view,
    references={"auc": 0.5},
    pair=present.pair_runs,
    counts_people=True,
    reads_texts=lambda plan: read_texts(plan["attacks"]),
    wants=phrase("a holdout: people like those in the real table who are not in it"),
    example=example(
        phrase("Example: in 75 % of pairs an attacker picks the person whose record made the file."),
        phrase("AUC (guessing 0.50)"),
        {phrase("distance to the nearest released row"): (0.75, 0.71, 0.79), phrase("density"): (0.52, 0.48, 0.56)},
        guess=0.5,
    ),
)
