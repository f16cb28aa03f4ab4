"""The result: who is singled out."""

from __future__ import annotations

from dataclasses import dataclass

from riskkit.questions.beside_result import BesideResult
from riskkit.questions.singling_out.plan import SinglingOutPlan


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SinglingOutResult(BesideResult):
    """A finished plan: who is singled out."""

    plan: SinglingOutPlan
