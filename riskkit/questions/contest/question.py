"""The contest of anonymisers and attackers, as an audit asks it."""

from __future__ import annotations

from riskkit.language import say
from riskkit.questions import Question
from riskkit.questions.contest import present
from riskkit.questions.contest.forecast import forecast_contest
from riskkit.questions.contest.plan import ContestPlan
from riskkit.questions.contest.present import view
from riskkit.questions.contest.result import ContestResult
from riskkit.questions.contest.run import play, run

QUESTION = Question(
    title=say("Contest"),
    meaning=say("Which way of making a release protects best at the same usefulness?"),
    place=60,
    scale="hits",
    plan=ContestPlan,
    play=play,
    main="anonymisers",
    run=run,
    result=ContestResult,
    forecast=forecast_contest,
    read=present.read,
    is_about=present.is_about,
    needs_audit=True,
    view=view,
    measures={"hits": say("Rows named rightly")},
)
