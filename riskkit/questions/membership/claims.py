"""What a result says of differential privacy, for those who read it as JSON."""

from __future__ import annotations

from typing import Any

from riskkit.questions.membership import bounds
from riskkit.questions.membership.result import MembershipResult
from riskkit.questions.promises import claim, fits_of


def privacy(result: MembershipResult) -> dict[str, Any]:
    """What a result says of differential privacy, of many records and of attacks against each other, for JSON."""
    plan = result.plan
    claims = {generator: claim(generator, fits_of(plan.as_dict())) for generator in plan.generators}
    return bounds.as_dict(result.outcomes, claims, plan.relation, plan.level)
