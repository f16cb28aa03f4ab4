"""What explanations give away, as an audit asks it."""

from __future__ import annotations

from riskkit.language import say
from riskkit.questions import Question
from riskkit.questions.explanations import present, words
from riskkit.questions.explanations.forecast import forecast_explanations
from riskkit.questions.explanations.plan import ExplanationPlan
from riskkit.questions.explanations.play import run_explanations
from riskkit.questions.explanations.result import ExplanationsResult

QUESTION = Question(
    title=say("Explanations"),
    meaning=say("What do a model's published explanations give away?"),
    place=50,
    scale="gain",
    plan=ExplanationPlan,
    main="target",
    run=run_explanations,
    result=ExplanationsResult,
    forecast=forecast_explanations,
    read=present.read,
    is_about=present.is_about,
    view=present.view,
    measures={**words.MEASURES, **words.GAINS},
    reads_files=False,
    reads=lambda plan: (),  # noqa: ARG005  explanations are looked at, no column of the release is
)
