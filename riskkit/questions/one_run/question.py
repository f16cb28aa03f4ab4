"""One training, as an audit asks about it."""

from __future__ import annotations

from riskkit.judging.limits import EPSILON
from riskkit.language import say
from riskkit.questions import Question
from riskkit.questions.one_run import present
from riskkit.questions.one_run.forecast import forecast
from riskkit.questions.one_run.plan import OneRunPlan
from riskkit.questions.one_run.play import run_one_run
from riskkit.questions.one_run.result import OneRunResult

QUESTION = Question(
    title=say("One run"),
    meaning=say(
        "What does one single training show? Audit rows are put in or left out by coins, the method is trained once, "
        "and from its release it is guessed which rows were in. For methods that take too long to train again and "
        "again."
    ),
    asks=say("What does one single training show?"),
    icon="casino",
    place=15,
    scale=EPSILON,
    plan=OneRunPlan,
    main="generator",
    run=run_one_run,
    result=OneRunResult,
    forecast=forecast,
    read=present.read,
    is_about=present.is_about,
    private=frozenset({"scores", "for_whom"}),
    measures={
        "epsilon_one_run": say("ε, lower bound from one training"),
        "epsilon_one_run_gaussian": say("the same, if the noise is normal"),
    },
    references={"epsilon_one_run": 0.0, "epsilon_one_run_gaussian": 0.0},
    reads_files=False,
)
