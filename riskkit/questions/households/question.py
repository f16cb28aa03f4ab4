"""Whole households, as an audit asks about them."""

from __future__ import annotations

from riskkit.language import say
from riskkit.questions import Question
from riskkit.questions.households import present
from riskkit.questions.households.forecast import forecast
from riskkit.questions.households.plan import HouseholdsPlan
from riskkit.questions.households.play import run_households
from riskkit.questions.households.result import HouseholdsResult

QUESTION = Question(
    title=say("Whole households"),
    meaning=say(
        "How surely can whole households be told in or out? As in the SNAKE challenge of 2023: a sample of the real "
        "table holds all people of a household or none of them, every method makes a release of it, and surer answers "
        "weigh more."
    ),
    asks=say("Can whole households be told in or out?"),
    icon="home",
    place=65,
    scale="score",
    plan=HouseholdsPlan,
    main="anonymisers",
    run=run_households,
    result=HouseholdsResult,
    forecast=forecast,
    read=present.read,
    is_about=present.is_about,
    private=frozenset(),
    measures={"snake": say("Households told rightly and surely")},
    references={"snake": 0.5},
    counts_people=True,
    reads_files=False,
)
