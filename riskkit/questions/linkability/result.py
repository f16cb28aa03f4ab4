"""The result: who is linked."""

from __future__ import annotations

from dataclasses import dataclass

from riskkit.questions.beside_result import BesideResult
from riskkit.questions.linkability.plan import LinkabilityPlan


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LinkabilityResult(BesideResult):
    """A finished plan: who is linked."""

    plan: LinkabilityPlan
