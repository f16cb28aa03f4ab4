"""The CAP family of one secret and known set: what the released rows that agree in all known columns give away."""

from __future__ import annotations

from collections.abc import Callable

from riskkit import registry
from riskkit.core import Estimate
from riskkit.errors import ScoreError, message_of
from riskkit.games.attribute import CONTROL, DRAW, MEMBERS, RELEASE, AttributeArms, AttributeQuestion, play
from riskkit.games.attribute_deal import AttributeDeal
from riskkit.phrases import phrase
from riskkit.questions.attributes import words
from riskkit.questions.attributes.plan import AttributePlan
from riskkit.seeds import stream
from riskkit.stats import matches as stats
from riskkit.stats.guesses import CategoryGuesses
from riskkit.stats.matches import Matches

ALONE = (stats.matched_share, stats.cap, stats.dcap, stats.agreed_share, stats.tcap)
"""What is said of one side."""


def matches(deal: AttributeDeal, question: AttributeQuestion, plan: AttributePlan) -> tuple[list[Estimate], list[str]]:
    """CAP, DCAP and TCAP for a category, with the share of records they stand on; and what must be said beside them.

    Members and people who were not in are looked up alike, so that a DCAP of both is seen to be true of everybody.
    """
    model = registry.make("inference", "cap", no_match=plan.no_match)
    rng = stream(plan.seed, "attributes", "matches", question.secret, *question.known)
    asked = AttributeQuestion(question.secret, question.known, model)
    answers = play(deal.release, deal.members, deal.control, asked, rng, ceiling=False, whose=deal.whose)
    sides = {
        side: _side_matches(answers, side) for side in (CONTROL, MEMBERS) if side == MEMBERS or deal.control is not None
    }
    measured = _Found(question.secret, registry.spell(model))
    for side, looked_up in sides.items():
        for of_side in ALONE:
            measured.add(lambda s=of_side, m=looked_up: s(m, level=plan.level), tested_on=side)  # type: ignore[misc]
    if deal.apart is not None:
        stays = {MEMBERS: deal.apart.members, CONTROL: deal.apart.control}
        inside, outside = (sides[s].rows(stays[s][answers.arm(RELEASE, s).rows]) for s in (MEMBERS, CONTROL))
        for of_both in (stats.dcap_apart, stats.tcap_apart):
            measured.add(lambda s=of_both: s(inside, outside, level=plan.level))  # type: ignore[misc]
    has_numbers = any(deal.release.table.schema.column(name).is_numeric for name in question.known)
    return measured.estimates, [*measured.notes, *words.beside(plan.no_match, has_numbers=has_numbers)]


class _Found:
    """Collects estimates; what cannot be estimated becomes a note."""

    def __init__(self, secret: str, model: str) -> None:
        self.secret, self.model = secret, model
        self.estimates: list[Estimate] = []
        self.notes: list[str] = []

    def add(self, make: Callable[[], Estimate], **labels: str) -> None:
        try:
            self.estimates.append(make().label(trained_on=RELEASE, model=self.model, **labels))
        except ScoreError as refusal:
            self.notes.append(phrase("{secret}: {why}", secret=self.secret, why=message_of(refusal)))


def _side_matches(answers: AttributeArms, side: str) -> Matches:
    """The looked-up records of one side."""
    arm, drawn = answers.arm(RELEASE, side), answers.arm(DRAW, side)
    assert arm.p_truth is not None
    assert drawn.p_truth is not None
    assert arm.matched is not None
    assert arm.confidence is not None
    agreed = arm.matched & (arm.confidence == 1.0)
    guesses = CategoryGuesses(arm.truth, arm.guess, None, arm.cluster)
    return Matches(guesses, arm.p_truth, drawn.p_truth, arm.matched, agreed)
