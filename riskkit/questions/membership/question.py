"""The membership game, as an audit asks it."""

from __future__ import annotations

from typing import Any

from riskkit.language import say
from riskkit.questions import Question
from riskkit.questions.membership import paired, section
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.membership.play import run_membership
from riskkit.table.load import Tables


def play(tables: Tables, plan: MembershipPlan, **how: Any) -> dict[str, Any]:
    """The result of that plan, as it is kept."""
    return run_membership(tables.real, plan, tables.holdout, **how).kept()


QUESTION = Question(
    title=say("Membership"),
    meaning=say("Was this record in the data? The method is trained again and again."),
    place=10,
    scale="auc",
    plan=MembershipPlan,
    play=play,
    read=section.read,
    is_about=section.is_about,
    references={"accuracy": 0.5, "auc": 0.5, "advantage": 0.0, "epsilon_lower": 0.0},
    pair=paired.paired,
)
