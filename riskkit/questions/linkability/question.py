"""Linking halves of records, as an audit asks it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from riskkit.language import say
from riskkit.questions import Question
from riskkit.questions.beside_forecast import forecaster
from riskkit.questions.linkability import section, view
from riskkit.questions.linkability.plan import LinkabilityPlan
from riskkit.questions.linkability.play import run_linkability
from riskkit.questions.linkability.result import LinkabilityResult
from riskkit.questions.standard import Effort, Situation
from riskkit.table.load import Tables

MOST: Mapping[Effort, int] = {Effort.QUICK: 1_000, Effort.STANDARD: 2_000, Effort.THOROUGH: 10_000}
"""People asked about, at most, on a side."""


def play(tables: Tables, plan: LinkabilityPlan, **how: Any) -> dict[str, Any]:
    """The result of that plan, as it is kept."""
    return run_linkability(tables, plan, **how).kept()


def standard(situation: Situation) -> LinkabilityPlan | None:
    """By all columns, where there are people who were not in."""
    if not situation.can_measure:
        return None
    return LinkabilityPlan(max_rows=MOST[situation.effort])


QUESTION = Question(
    title=say("Linkability"),
    meaning=say(
        "Two files hold different columns of the same people. Does the release help to link them, and more often "
        "for people who were in the data?"
    ),
    place=24,
    scale="excess",
    plan=LinkabilityPlan,
    play=play,
    main="half",
    run=run_linkability,
    result=LinkabilityResult,
    forecast=forecaster(run_linkability),
    standard=standard,
    read=section.read,
    view=view.view,
    private=frozenset({"records", "for_whom"}),
    measures={"linked": say("People linked rightly"), "residual": say("Linked because they were in")},
    references={"residual": 0.0},
    asks=say("Does the release tell which records are one person's?"),
    icon="link",
    reads=lambda plan: plan["columns"] or None,
)
