"""Quantising: a few steps for each feature."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Floats
from riskkit.explain.publishing import FittedDefence
from riskkit.parameters import CheckedPlugin, parameter


@dataclass(frozen=True)
class Quantising(CheckedPlugin):
    """Publishes of every value only which of a few equal parts of its feature's range it lies in (the part's middle).

    The range of a feature is that among the service's own rows; values beyond it count as its ends.

    References
    ----------
    .. [1] Luo, Jiang and Xiao, Feature inference attack on Shapley values (CCS 2022): countermeasures.
    """

    name: ClassVar[str] = "quantising"
    title: ClassVar[str] = "Quantising"
    card: ClassVar[str] = (
        "Replaces the values of each feature by a few steps, as many for a weighty feature as for a light one. Where a "
        "feature has few levels, the step may still reveal the level."
    )

    bins: int = parameter(
        5, label="Steps", help="How many different values of a feature may be published.", low=1, high=10_000
    )

    def fit(self, phi: Floats) -> FittedDefence:
        """Take the range of every feature and output."""
        low = phi.min(axis=0)
        return _EvenSteps(low, (phi.max(axis=0) - low) / self.bins, self.bins)


@dataclass(frozen=True, slots=True, eq=False)
class _EvenSteps:
    """``low`` and ``width`` are (e, outputs)."""

    low: Floats
    width: Floats
    bins: int

    def apply(self, phi: Floats, rng: np.random.Generator) -> Floats:  # noqa: ARG002  nothing is drawn
        """The middles of the parts."""
        part = np.floor((phi - self.low) / np.where(self.width > 0, self.width, 1.0))
        return self.low + (np.clip(part, 0, self.bins - 1) + 0.5) * self.width


PLUGIN = Quantising
