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
from riskkit.show.model import example_sides

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
    meaning=say("How much of several secret columns at once can an attacker rebuild, of members and of others?"),
    asks=say("Can several secrets of a person be rebuilt?"),
    icon="extension",
    place=26,
    scale="excess",
    remedy=say("Make the sensitive columns coarser, or drop some of them."),
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
    measures={"reconstructed": say("Secrets rebuilt"), "residual": say("Rebuilt because they are in the data")},
    references={"residual": 0.0},
    reads=lambda plan: [*plan["known"], *plan["secrets"]] if plan["known"] else None,
    wants=say("a holdout, and two sensitive columns or more"),
    example=example_sides(
        say("Example: an attacker rebuilds 42 % of the secrets of members, and 20 % of those of others."),
        say("share of secrets"),
        say("diagnosis, ward"),
        (0.42, 0.38, 0.46),
        (0.2, 0.17, 0.24),
    ),
)
