"""What the methods of a plan promise, as they declare it themselves."""

from __future__ import annotations

from typing import Any

from riskkit import registry
from riskkit.questions.membership import bounds
from riskkit.questions.membership.bounds import Claim
from riskkit.questions.membership.findings import outcomes
from riskkit.questions.membership.play import MembershipResult


def claim(generator: str) -> Claim:
    """The promise of the generator that is spelled so: its epsilon, and for which two data sets.

    A generator declares in ``guarantee`` how they differ, in ``trade_off`` that they are told apart as two normal
    distributions are, and has its ``epsilon`` among its settings.
    """
    made = registry.parse("generators", generator)
    relation = str(getattr(made, "guarantee", ""))
    epsilon = float(made.epsilon) if relation else None
    return Claim(epsilon, relation, getattr(made, "trade_off", "") == "gaussian")


def privacy(result: MembershipResult) -> dict[str, Any]:
    """What a result says of differential privacy, of many records and of attacks against each other, for JSON."""
    plan = result.plan
    claims = {generator: claim(generator) for generator in plan.generators}
    return bounds.as_dict(outcomes(result.kept()), claims, plan.relation, plan.level)
