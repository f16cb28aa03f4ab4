"""The calibration mechanisms, whose privacy is known without running them, and the attack that reads them best.

The attack is no plug-in: it finds copies alone, and no menu shows it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Bools, Brief, Floats, Knowledge, Table
from riskkit.generators.bootstrap import Bootstrap, FittedBootstrap
from riskkit.generators.identity import Identity
from riskkit.generators.independent import Independent

__all__ = ["Bootstrap", "ExactMatch", "FittedBootstrap", "FittedExactMatch", "Identity", "Independent"]


@dataclass(frozen=True)
class ExactMatch:
    """Says "in" (+1) where the release holds the target's very record, else "out" (-1)."""

    name: ClassVar[str] = "exact_match"
    title: ClassVar[str] = "Exact match"
    card: ClassVar[str] = "Looks for the target's record in the release. Needs only the release. Finds copies alone."
    knowledge: ClassVar[Knowledge] = Knowledge.NONE

    @property
    def shadows(self) -> int:
        """It wants no releases of its own."""
        return 0

    def fit(self, brief: Brief, rng: np.random.Generator) -> FittedExactMatch:
        """Remember the targets."""
        return FittedExactMatch(brief.targets)


@dataclass(frozen=True, slots=True)
class FittedExactMatch:
    """The records to look for."""

    targets: Table

    def score(self, release: Table) -> Floats:
        """(n_targets,) +1 where the record occurs in the release, -1 where it does not."""
        wanted, shown = self.targets.keys(), release.keys()
        seen = {key.tobytes() for key in shown}
        found: Bools = np.array([key.tobytes() in seen for key in wanted], dtype=bool)
        return np.where(found, 1.0, -1.0)
