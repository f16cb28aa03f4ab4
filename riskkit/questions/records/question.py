"""The exposure of every single record, as an audit asks it."""

from __future__ import annotations

from typing import Any

from riskkit.language import say
from riskkit.questions import Question
from riskkit.questions.records import paired, section
from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.records.play import run_records
from riskkit.table.load import Tables


def play(tables: Tables, plan: RecordsPlan, **how: Any) -> dict[str, Any]:
    """The result of that plan, as it is kept."""
    return run_records(tables, plan, **how).kept()


QUESTION = Question(
    title=say("Records"),
    meaning=say("How exposed is each single record?"),
    place=30,
    scale="auc",
    plan=RecordsPlan,
    play=play,
    read=section.read,
    is_about=section.is_about,
    pair=paired.paired,
)
