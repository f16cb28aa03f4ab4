"""The membership game, as an audit asks it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from riskkit.language import say
from riskkit.questions import Question
from riskkit.questions.membership import present, view
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.membership.play import Forecast, run_membership
from riskkit.questions.membership.play import forecast as foretold
from riskkit.questions.membership.result import MembershipResult
from riskkit.questions.standard import Effort, Situation
from riskkit.show.model import example
from riskkit.table.load import Tables

TRAININGS: Mapping[Effort, int] = {Effort.QUICK: 20, Effort.STANDARD: 60, Effort.THOROUGH: 260}
"""Counted trainings of each game; 260 tell an AUC of 0.60 from guessing in 8 of 10 audits."""


def run(tables: Tables, plan: MembershipPlan, **how: Any) -> MembershipResult:
    """The result of that plan; a release is no part of the game."""
    tables = plan.summarise(tables)
    return run_membership(tables.real, plan, tables.holdout, tables.persons, **how)


def forecast(tables: Tables, plan: MembershipPlan, *, workers: int = 1) -> Forecast:
    """What that plan will take and what it can show."""
    tables = plan.summarise(tables)
    return foretold(tables.real, plan, tables.holdout, tables.persons, workers=workers)


def standard(situation: Situation) -> MembershipPlan | None:
    """The game for one who stands out most and one at random, where the method is known; of another it says nothing."""
    if not situation.made_by:
        return None
    return MembershipPlan(
        generators=(situation.made_by,),
        targets=("selective", "random"),
        trainings=TRAININGS[situation.effort],
        n_syn=situation.rows,
        second_table=situation.trains_both,
        **situation.released,
    )


QUESTION = Question(
    title=say("Membership"),
    meaning=say("Was this record in the data? The method is trained again and again."),
    place=10,
    scale="auc",
    remedy=say("Make the release again without these people, or by a method that adds noise."),
    plan=MembershipPlan,
    main="generators",
    more=lambda result: {"privacy": present.privacy(result)},
    files={
        "synthetic": "table of the release; only its columns and domain are used",
        "holdout": "table of people outside the data; auxiliary rows of an attacker",
    },
    has_second_table=True,
    run=run,
    result=MembershipResult,
    forecast=forecast,
    read=present.read,
    view=view.view,
    is_about=present.is_about,
    standard=standard,
    references={"accuracy": 0.5, "auc": 0.5, "advantage": 0.0, "epsilon_lower": 0.0},
    pair=present.pair_runs,
    counts_people=True,
    reads_files=False,
    wants=say("the method that made the release, to train it again"),
    example=example(
        say("Example: in 80 % of cases an attacker picks the release that was made with this person."),
        say("AUC (guessing 0.50)"),
        {say("nearest neighbours"): (0.8, 0.73, 0.86), say("summary figures"): (0.55, 0.47, 0.63)},
        guess=0.5,
    ),
)
