"""The released file alone, as an audit asks it."""

from __future__ import annotations

from typing import Any

from riskkit.language import say
from riskkit.questions import Question
from riskkit.questions.released import paired, section
from riskkit.questions.released.plan import ReleasedPlan
from riskkit.questions.released.play import run_released
from riskkit.table.load import Tables


def play(tables: Tables, plan: ReleasedPlan, **how: Any) -> dict[str, Any]:
    """The result of that plan, as it is kept."""
    return run_released(tables, plan, **how).kept()


QUESTION = Question(
    title=say("The released file"),
    meaning=say("Can people who were in be told from others by the file alone?"),
    place=20,
    scale="auc",
    plan=ReleasedPlan,
    play=play,
    read=section.read,
    references={"auc": 0.5},
    pair=paired.paired,
)
