"""The result: what is put together of people."""

from __future__ import annotations

from dataclasses import dataclass

from riskkit.questions.beside_result import BesideResult
from riskkit.questions.reconstruction.plan import ReconstructionPlan


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ReconstructionResult(BesideResult):
    """A finished plan: what is put together of people."""

    plan: ReconstructionPlan
