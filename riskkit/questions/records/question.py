"""The exposure of every single record, as an audit asks it."""

from __future__ import annotations

from typing import Any

from riskkit.language import say
from riskkit.questions import Question
from riskkit.questions.records import section
from riskkit.questions.records.forecast import forecast
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
    main="generator",
    run=run_records,
    forecast=forecast,
    read=section.read,
    is_about=section.is_about,
)
