"""Putting several secrets together, as an audit asks it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from riskkit.language import say
from riskkit.questions import Question
from riskkit.questions.compared import forecast
from riskkit.questions.reconstruction import present
from riskkit.questions.reconstruction.plan import FEWEST_SECRETS, ReconstructionPlan
from riskkit.questions.reconstruction.play import ReconstructionResult, run_reconstruction
from riskkit.questions.standard import Effort, Situation

MOST: Mapping[Effort, int] = {Effort.QUICK: 1_000, Effort.STANDARD: 2_000, Effort.THOROUGH: 10_000}
"""People asked about, at most, on a side."""


def standard(situation: Situation) -> ReconstructionPlan | None:
    """All that is secret together, where that is several columns and there are people who were not in."""
    known = situation.answers.known
    secrets = tuple(name for name in situation.secrets if name not in known)
    in_use = len(situation.tables.schema.modelled)
    if not situation.can_measure or not FEWEST_SECRETS <= len(secrets) < in_use:
        return None
    return ReconstructionPlan(secrets=secrets, known=known, max_rows=MOST[situation.effort])


QUESTION = Question(
    title=say("Reconstruction"),
    meaning=say(
        "How much of several secret columns of a person can be put together at once from the release, of people who "
        "were in more than of others?"
    ),
    asks=say("Can several secrets of a person be put together?"),
    icon="extension",
    place=26,
    scale="excess",
    plan=ReconstructionPlan,
    main="secrets",
    run=run_reconstruction,
    result=ReconstructionResult,
    forecast=partial(forecast, run_reconstruction),
    standard=standard,
    read=present.read,
    is_about=present.is_about,
    view=present.view,
    private=frozenset({"records", "for_whom"}),
    measures={"reconstructed": say("Secrets put together"), "residual": say("Put together because they were in")},
    references={"residual": 0.0},
    reads=lambda plan: [*plan["known"], *plan["secrets"]] if plan["known"] else None,
)
