"""The contest of anonymisers and attackers, as an audit asks it."""

from __future__ import annotations

from riskkit.language import phrase
from riskkit.questions import Question
from riskkit.questions.contest import present
from riskkit.questions.contest.plan import ContestPlan
from riskkit.questions.contest.present import view
from riskkit.questions.contest.result import ContestResult
from riskkit.questions.contest.run import forecast_contest, run
from riskkit.show.model import example

QUESTION = Question(
    title=phrase("Contest"),
    meaning=phrase(
        "Several methods each make a release, and attackers name who they think is in it. Which method protects best "
        "and stays useful?"
    ),
    place=60,
    scale="hits",
    remedy=phrase("Release by a method that the contest shows to protect better, or add methods to it."),
    plan=ContestPlan,
    main="anonymisers",
    files={
        "base": "table that the population is made from",
        "synthetic": "table of your release of the base, with --source people",
        "holdout": "table of other people, to test what is learnt on",
    },
    run=run,
    result=ContestResult,
    forecast=forecast_contest,
    read=present.read,
    is_about=present.is_about,
    needs_audit=True,
    view=view,
    measures={"hits": phrase("Rows named rightly")},
    wants=phrase("nothing more; with a holdout your release takes part"),
    example=example(
        phrase("Example: of 100 people named, 82 are members if method A makes the release, and 55 if method B does."),
        phrase("share of people named that are members (guessing 50 %)"),
        {phrase("method A"): (0.82, 0.73, 0.89), phrase("method B"): (0.55, 0.45, 0.65)},
        guess=0.5,
        as_shares=True,
    ),
)
