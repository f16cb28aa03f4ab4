"""Rounding: fewer decimals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Floats
from riskkit.explain.publishing import FittedDefence
from riskkit.parameters import CheckedPlugin, parameter


@dataclass(frozen=True)
class Rounding(CheckedPlugin):
    """Publishes every value with a fixed number of decimals."""

    name: ClassVar[str] = "rounding"
    title: ClassVar[str] = "Rounding"
    card: ClassVar[str] = (
        "Most dashboards round anyway. Small values become 0 and reveal nothing more; large values keep most of their "
        "information."
    )

    decimals: int = parameter(2, label="Decimals", help="How many decimals are published.", low=0, high=15)

    def fit(self, phi: Floats) -> FittedDefence:  # noqa: ARG002  decimals have no scale of their own
        """Nothing is learnt: it is fitted as it stands."""
        return self

    def apply(self, phi: Floats, rng: np.random.Generator) -> Floats:  # noqa: ARG002  nothing is drawn
        """The rounded values."""
        return np.round(phi, self.decimals) + 0.0


PLUGIN = Rounding
