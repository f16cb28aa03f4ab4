"""Singling people out, as an audit asks it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from riskkit.language import say
from riskkit.questions import Question
from riskkit.questions.beside_forecast import forecaster
from riskkit.questions.singling_out import section, view
from riskkit.questions.singling_out.plan import SinglingOutPlan
from riskkit.questions.singling_out.play import run_singling_out
from riskkit.questions.singling_out.result import SinglingOutResult
from riskkit.questions.standard import Effort, Situation
from riskkit.table.load import Tables

MOST: Mapping[Effort, int] = {Effort.QUICK: 2_000, Effort.STANDARD: 10_000, Effort.THOROUGH: 50_000}
"""People asked about, at most, on a side."""


def play(tables: Tables, plan: SinglingOutPlan, **how: Any) -> dict[str, Any]:
    """The result of that plan, as it is kept."""
    return run_singling_out(tables, plan, **how).kept()


def standard(situation: Situation) -> SinglingOutPlan | None:
    """By the columns that an attacker would know, where there are people who were not in."""
    if not situation.can_measure:
        return None
    return SinglingOutPlan(columns=situation.answers.known, max_rows=MOST[situation.effort])


QUESTION = Question(
    title=say("Singling out"),
    meaning=say(
        "Are people who were in the data unique by a few known columns, and does the release show this more "
        "often than for others?"
    ),
    place=22,
    scale="excess",
    plan=SinglingOutPlan,
    play=play,
    main="size",
    run=run_singling_out,
    result=SinglingOutResult,
    forecast=forecaster(run_singling_out),
    standard=standard,
    read=section.read,
    view=view.view,
    private=frozenset({"records", "for_whom"}),
    measures={"singled_out": say("People singled out"), "residual": say("Singled out because they were in")},
    references={"residual": 0.0},
    asks=say("Can someone be picked out by a few columns?"),
    icon="fingerprint",
    reads=lambda plan: plan["columns"] or None,
)
