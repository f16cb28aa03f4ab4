"""Attribute inference, as an audit asks it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from riskkit.language import phrase
from riskkit.questions import Question
from riskkit.questions.attributes import findings, plan, present, words
from riskkit.questions.attributes.plan import ALL, OTHERS, AttributePlan
from riskkit.questions.attributes.play import forecast_attributes, run_attributes
from riskkit.questions.attributes.result import AttributesResult
from riskkit.questions.standard import Effort, Situation
from riskkit.show.model import example_sides

MOST: Mapping[Effort, int] = {Effort.QUICK: 2_000, Effort.STANDARD: 10_000, Effort.THOROUGH: 30_000}
"""Records asked about, at most, on a side."""
FEWER_TREES = "forest:trees=50"
"""The model of a quick audit: it shows what a hundred trees show of a leak, and grows in half the time."""


def standard(situation: Situation) -> AttributePlan | None:
    """Each sensitive column from what an attacker would know; every column where nobody said which are sensitive.

    Where people have a second table it is asked across both, each sensitive column of the second by one summary.
    """
    if not situation.can_measure:
        return None
    known = situation.answers.known or OTHERS
    how: dict[str, Any] = {"known": (known,), "max_rows": MOST[situation.effort]}
    if situation.effort is Effort.QUICK:
        how |= {"model": FEWER_TREES, "sweep_model": FEWER_TREES}
    if not situation.has_second_table:
        return AttributePlan(secrets=situation.secrets or (ALL,), **how)
    secrets = (*situation.secrets, *situation.second_secrets)
    return AttributePlan(secrets=secrets or situation.in_use, second_table=True, **how)


QUESTION = Question(
    title=phrase("Attributes"),
    meaning=phrase("What does the release let a stranger infer about a person?"),
    place=25,
    scale="residual",
    remedy=phrase("Make the sensitive column coarser, or drop it."),
    plan=AttributePlan,
    main="secrets",
    more=lambda result: {"readings": findings.readings(result)},
    files={"holdout": "table of people outside the data; needed to say who is easier to guess"},
    has_second_table=True,
    run=run_attributes,
    result=AttributesResult,
    forecast=forecast_attributes,
    read=present.read,
    view=present.view,
    standard=standard,
    measures=words.TITLES | words.CONTRASTS | words.MATCH_TITLES | words.RANDOMISED_TITLES,
    references={"delta": 0.0, "residual": 0.0, "difference": 0.0},
    pair=present.pair_runs,
    counts_people=True,
    reads=plan.columns_read,
    wants=phrase("a holdout, and columns that an attacker would know"),
    example=example_sides(
        phrase("Example: an attacker guesses the income of 81 % of members, and of 75 % of others."),
        phrase("share of people guessed rightly"),
        phrase("income"),
        (0.81, 0.78, 0.84),
        (0.75, 0.72, 0.78),
    ),
)
