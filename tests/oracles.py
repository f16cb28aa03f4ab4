"""The calibration mechanisms, whose privacy is known without running them, and the attacks that read them best.

The attacks are no plug-ins: one finds copies alone, one reads nothing but a mean, and no menu shows them. Where a plan
is to name them, :func:`stand_beside` puts them among the plug-ins.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

from riskkit import registry
from riskkit.core import Bools, Brief, Floats, Knowledge, Table
from riskkit.generators.gaussian_mean import mean_of_numbers
from riskkit.generators.whole_rows import Bootstrap, FittedBootstrap, Identity, Independent

__all__ = [
    "Bootstrap",
    "ExactMatch",
    "FittedBootstrap",
    "FittedExactMatch",
    "FittedMean",
    "Identity",
    "Independent",
    "Mean",
    "stand_beside",
]


def stand_beside(monkeypatch: pytest.MonkeyPatch, extra: Mapping[str, Mapping[str, Any]]) -> None:
    """Let these, by room and name, stand beside the real plug-ins for one test."""
    real = registry.plugins
    monkeypatch.setattr(registry, "plugins", lambda room: {**real(room), **extra.get(room, {})})


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
        occurs: Bools = np.array([key.tobytes() in seen for key in wanted], dtype=bool)
        return np.where(occurs, 1.0, -1.0)


def standard_error(auc: float, n_in: int, n_out: int) -> float:
    """Hanley and McNeil's standard error of an AUC."""
    spread = (n_in - 1) * (auc / (2 - auc) - auc**2) + (n_out - 1) * (2 * auc**2 / (1 + auc) - auc**2)
    return float(np.sqrt((auc * (1 - auc) + spread) / (n_in * n_out)))


@dataclass(frozen=True)
class Mean:
    """The optimal attack where the target moves the mean of the release and nothing else: that mean."""

    name: ClassVar[str] = "mean"
    title: ClassVar[str] = "Mean"
    card: ClassVar[str] = "Takes the mean."
    knowledge: ClassVar[Knowledge] = Knowledge.NONE
    shadows: ClassVar[int] = 0

    def fit(self, brief: Brief, rng: np.random.Generator) -> FittedMean:
        """Nothing to remember."""
        return FittedMean()


@dataclass(frozen=True, slots=True)
class FittedMean:
    """Ready to read any release of one number."""

    def score(self, release: Table) -> Floats:
        """(1,) the mean, in widths of the number's domain."""
        return mean_of_numbers(release)
