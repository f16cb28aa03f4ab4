"""Singling people out, as an audit asks it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from riskkit.language import say
from riskkit.questions import Question
from riskkit.questions.compared import forecast
from riskkit.questions.singling_out import present
from riskkit.questions.singling_out.plan import SinglingOutPlan
from riskkit.questions.singling_out.play import SinglingOutResult, run_singling_out
from riskkit.questions.standard import Effort, Situation
from riskkit.show.model import example_sides

MOST: Mapping[Effort, int] = {Effort.QUICK: 2_000, Effort.STANDARD: 10_000, Effort.THOROUGH: 50_000}
"""People asked about, at most, on a side."""


def standard(situation: Situation) -> SinglingOutPlan | None:
    """By the columns that an attacker would know, where there are people who were not in."""
    if not situation.can_measure:
        return None
    return SinglingOutPlan(columns=situation.answers.known, max_rows=MOST[situation.effort])


QUESTION = Question(
    title=say("Singling out"),
    meaning=say(
        "Are people in the data unique by a few known columns, and does the release show this more often than for "
        "others?"
    ),
    place=22,
    scale="excess",
    remedy=say("Make these columns coarser, or drop one of them."),
    plan=SinglingOutPlan,
    main="size",
    run=run_singling_out,
    result=SinglingOutResult,
    forecast=partial(forecast, run_singling_out),
    standard=standard,
    read=present.read,
    view=present.view,
    private=frozenset({"records", "for_whom"}),
    measures={"singled_out": say("People singled out"), "residual": say("Singled out because they are in the data")},
    references={"residual": 0.0},
    asks=say("Can someone be picked out by a few columns?"),
    icon="fingerprint",
    reads=lambda plan: plan["columns"] or None,
    wants=say("a holdout: people like those in the real table who are not in it"),
    example=example_sides(
        say("Example: 17 % of members are singled out by age and ward, and 2 % of others."),
        say("share of people"),
        say("age, ward"),
        (0.17, 0.14, 0.21),
        (0.02, 0.01, 0.04),
        0.5,
    ),
)
