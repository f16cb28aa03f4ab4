"""Whole households, as an audit asks about them."""

from __future__ import annotations

from riskkit.language import say
from riskkit.questions import Question, is_about_none
from riskkit.questions.households import present
from riskkit.questions.households.plan import HouseholdsPlan
from riskkit.questions.households.play import forecast, run_households
from riskkit.questions.households.result import HouseholdsResult
from riskkit.show.model import example

QUESTION = Question(
    title=say("Whole households"),
    meaning=say(
        "How surely can an attacker say of a whole household whether its people are in the data, as in the SNAKE "
        "challenge of 2023, where surer answers weigh more?"
    ),
    asks=say("Can whole households be recognised?"),
    icon="home",
    place=65,
    scale="score",
    remedy=say("Make the release again without these households, or by a method that adds noise."),
    plan=HouseholdsPlan,
    main="anonymisers",
    run=run_households,
    result=HouseholdsResult,
    forecast=forecast,
    read=present.read,
    is_about=is_about_none,
    private=frozenset(),
    measures={"snake": say("Households recognised rightly and surely")},
    references={"snake": 0.5},
    counts_people=True,
    reads_files=False,
    wants=say("a column that names the household of each row"),
    example=example(
        say("Example: an attacker recognises whole households in release A, and only guesses in release B."),
        say("score (0.50 is guessing, 1 always right and sure)"),
        {say("release A"): (0.81, 0.74, 0.87), say("release B"): (0.52, 0.44, 0.6)},
        guess=0.5,
    ),
)
