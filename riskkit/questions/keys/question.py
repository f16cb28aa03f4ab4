"""Combinations of keys, as an audit asks about them."""

from __future__ import annotations

from functools import partial

from riskkit.judging.measurement import DESCRIPTION
from riskkit.language import phrase
from riskkit.questions import Question
from riskkit.questions.compared import forecast
from riskkit.questions.keys import present
from riskkit.questions.keys.plan import KeysPlan
from riskkit.questions.keys.play import run_keys
from riskkit.questions.keys.result import KeysResult
from riskkit.show.model import example

QUESTION = Question(
    title=phrase("Key combinations"),
    meaning=phrase(
        "How rare are combinations of columns that somebody may know of a person, in the table and in the population "
        "that it is a sample of? What statistics offices ask first: these figures describe, and judge nothing."
    ),
    place=40,
    scale=DESCRIPTION,
    plan=KeysPlan,
    main="keys",
    run=run_keys,
    forecast=partial(forecast, run_keys),
    result=KeysResult,
    read=present.read,
    view=present.view,
    measures=present.TITLES,
    asks=phrase("How rare are combinations of known columns?"),
    icon="grid_view",
    reads=lambda _: (),
    wants=phrase("columns that somebody may know of a person"),
    example=example(
        phrase("Example: 12 % of people are the only one with their age, ward and job."),
        phrase("share of people"),
        {phrase("age, ward, job"): (0.12, 0.12, 0.12), phrase("age, ward"): (0.03, 0.03, 0.03)},
        as_shares=True,
    ),
)
