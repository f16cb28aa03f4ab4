"""Attribute inference, as an audit asks it."""

from __future__ import annotations

from typing import Any

from riskkit.language import say
from riskkit.questions import Question
from riskkit.questions.attributes import match_words, paired, randomised_words, section, words
from riskkit.questions.attributes.plan import AttributePlan
from riskkit.questions.attributes.play import run_attributes
from riskkit.table.load import Tables


def play(tables: Tables, plan: AttributePlan, **how: Any) -> dict[str, Any]:
    """The result of that plan, as it is kept."""
    return run_attributes(tables, plan, **how).kept()


QUESTION = Question(
    title=say("Attributes"),
    meaning=say("What does the release let a stranger infer of a person?"),
    place=40,
    scale="residual",
    plan=AttributePlan,
    play=play,
    read=section.read,
    measures={**words.TITLES, **words.CONTRASTS, **match_words.TITLES, **randomised_words.TITLES},
    references={"delta": 0.0, "residual": 0.0, "difference": 0.0},
    pair=paired.paired,
)
