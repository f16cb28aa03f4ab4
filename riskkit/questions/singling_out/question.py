"""Singling people out, as an audit asks it."""

from __future__ import annotations

from riskkit.language import say
from riskkit.questions import Question
from riskkit.questions.singling_out import section
from riskkit.questions.singling_out.plan import SinglingOutPlan
from riskkit.questions.singling_out.play import run_singling_out

QUESTION = Question(
    title=say("Singling out"),
    meaning=say(
        "Are people who were in alone by a few known columns, and does the release say so more often than of others?"
    ),
    place=22,
    scale="excess",
    plan=SinglingOutPlan,
    play=run_singling_out,
    read=section.read,
    private=frozenset({"records"}),
    measures={"singled_out": say("People singled out"), "residual": say("Singled out because they were in")},
    references={"residual": 0.0},
)
