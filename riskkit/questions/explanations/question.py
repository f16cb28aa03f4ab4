"""What explanations give away, as an audit asks it."""

from __future__ import annotations

from riskkit.language import phrase
from riskkit.questions import Question, is_about_none
from riskkit.questions.explanations import present, words
from riskkit.questions.explanations.plan import ExplanationPlan
from riskkit.questions.explanations.play import forecast_explanations, run_explanations
from riskkit.questions.explanations.result import ExplanationsResult
from riskkit.show.model import example

QUESTION = Question(
    title=phrase("Explanations"),
    meaning=phrase(
        "A service publishes why its model decided as it did. Can an attacker recover a person's values from that?"
    ),
    place=50,
    scale="gain",
    remedy=phrase("Add noise to the explanations before they are published."),
    plan=ExplanationPlan,
    main="target",
    files={
        "synthetic": "table of the release, for a model that is trained on it",
        "holdout": "table of more people; only its values are used, to know their range",
    },
    run=run_explanations,
    result=ExplanationsResult,
    forecast=forecast_explanations,
    read=present.read,
    is_about=is_about_none,
    view=present.view,
    measures=words.MEASURES | words.GAINS,
    reads_files=False,
    reads=lambda plan: (),  # noqa: ARG005  explanations are looked at, no column of the release is
    wants=phrase("a column that a model predicts, and its published explanations"),
    example=example(
        phrase("Example: from its explanation an attacker guesses the age of a person, but not the sex."),
        phrase("gain over guessing without the explanation (0 is none)"),
        {phrase("age"): (0.62, 0.55, 0.69), phrase("sex"): (0.03, -0.05, 0.11)},
        guess=0.0,
    ),
)
