"""One training, as an audit asks about it."""

from __future__ import annotations

from riskkit.judging.measurement import EPSILON
from riskkit.language import say
from riskkit.questions import Question
from riskkit.questions.one_run import present
from riskkit.questions.one_run.plan import OneRunPlan
from riskkit.questions.one_run.play import forecast, run_one_run
from riskkit.questions.one_run.result import OneRunResult
from riskkit.show.model import example

QUESTION = Question(
    title=say("One run"),
    meaning=say(
        "Some canaries (audit rows) are included at random, the method is trained once, and an attacker guesses which: "
        "for methods that take too long to train again and again."
    ),
    asks=say("What does one single training show?"),
    icon="casino",
    place=15,
    scale=EPSILON,
    remedy=say("Make the release again by a method that adds more noise."),
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
    wants=say("a method that can be trained once more"),
    example=example(
        say("Example: the guesses show that the ε of this method is at least 1.2."),
        say("lower bound of ε (0 shows nothing)"),
        {say("this method"): (1.2, 1.2, 3.4)},
        guess=0.0,
        ends=(0.0, 4.0),
    ),
)
