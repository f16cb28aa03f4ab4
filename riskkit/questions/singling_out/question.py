"""Singling people out, as an audit asks it."""

from __future__ import annotations

from typing import Any

from riskkit.language import say
from riskkit.questions import Question
from riskkit.questions.beside import PRIVATE
from riskkit.questions.singling_out import section
from riskkit.questions.singling_out.plan import SinglingOutPlan
from riskkit.questions.singling_out.play import run_singling_out
from riskkit.table.load import Tables


def play(tables: Tables, plan: SinglingOutPlan, **how: Any) -> dict[str, Any]:
    """The result of that plan, as it is kept."""
    return run_singling_out(tables, plan, **how).kept()


QUESTION = Question(
    title=say("Singling out"),
    meaning=say(
        "Are people who were in alone by a few known columns, and does the release say so more often than of others?"
    ),
    place=22,
    scale="excess",
    plan=SinglingOutPlan,
    play=play,
    read=section.read,
    private=PRIVATE,
    measures={"singled_out": say("People singled out"), "residual": say("Singled out because they were in")},
    references={"residual": 0.0},
)
