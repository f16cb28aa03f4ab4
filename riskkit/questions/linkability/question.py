"""Linking halves of records, as an audit asks it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from riskkit.language import say
from riskkit.questions import Question
from riskkit.questions.compared import forecast
from riskkit.questions.linkability import present
from riskkit.questions.linkability.plan import LinkabilityPlan
from riskkit.questions.linkability.play import LinkabilityResult, run_linkability
from riskkit.questions.standard import Effort, Situation
from riskkit.show.model import example_sides

MOST: Mapping[Effort, int] = {Effort.QUICK: 1_000, Effort.STANDARD: 2_000, Effort.THOROUGH: 10_000}
"""People asked about, at most, on a side."""


def standard(situation: Situation) -> LinkabilityPlan | None:
    """By all columns, where there are people who were not in."""
    if not situation.can_measure:
        return None
    return LinkabilityPlan(max_rows=MOST[situation.effort])


QUESTION = Question(
    title=say("Linkability"),
    meaning=say(
        "Two files hold different columns of the same people. Does the release help to link them, and more often "
        "for people in the data?"
    ),
    place=24,
    scale="excess",
    remedy=say("Make columns coarser that both files would hold, or drop some of them."),
    plan=LinkabilityPlan,
    main="half",
    run=run_linkability,
    result=LinkabilityResult,
    forecast=partial(forecast, run_linkability),
    standard=standard,
    read=present.read,
    view=present.view,
    private=frozenset({"records", "for_whom"}),
    measures={"linked": say("People linked rightly"), "residual": say("Linked because they are in the data")},
    references={"residual": 0.0},
    asks=say("Does the release tell which records are one person's?"),
    icon="link",
    reads=lambda plan: plan["columns"] or None,
    wants=say("a holdout: people like those in the real table who are not in it"),
    example=example_sides(
        say("Example: the two halves of 30 % of members are linked, and of 4 % of others."),
        say("share of people"),
        "",
        (0.3, 0.25, 0.35),
        (0.04, 0.02, 0.07),
        0.5,
    ),
)
