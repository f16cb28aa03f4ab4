"""Linking halves of records, as an audit asks it."""

from __future__ import annotations

from typing import Any

from riskkit.language import say
from riskkit.questions import Question
from riskkit.questions.beside import PRIVATE
from riskkit.questions.linkability import section
from riskkit.questions.linkability.plan import LinkabilityPlan
from riskkit.questions.linkability.play import run_linkability
from riskkit.table.load import Tables


def play(tables: Tables, plan: LinkabilityPlan, **how: Any) -> dict[str, Any]:
    """The result of that plan, as it is kept."""
    return run_linkability(tables, plan, **how).kept()


QUESTION = Question(
    title=say("Linkability"),
    meaning=say(
        "Two files hold different columns of the same people: does the release tell whose belong together, of people "
        "who were in more often than of others?"
    ),
    place=24,
    scale="excess",
    plan=LinkabilityPlan,
    play=play,
    read=section.read,
    private=PRIVATE,
    measures={"linked": say("People linked rightly"), "residual": say("Linked because they were in")},
    references={"residual": 0.0},
)
