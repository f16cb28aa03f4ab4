"""Laplace: noise on every published value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from riskkit.core import Floats
from riskkit.defences._noise import Noise
from riskkit.explain.publishing import FittedDefence
from riskkit.parameters import CheckedPlugin, parameter


@dataclass(frozen=True)
class Laplace(CheckedPlugin):
    """Adds Laplace noise to every value, drawn anew for every explanation that leaves the service."""

    name: ClassVar[str] = "laplace"
    title: ClassVar[str] = "Laplace noise"
    card: ClassVar[str] = (
        "Adds Laplace noise of the same size to all features: mostly small amounts, sometimes a large one. Small "
        "values are hidden first. An attacker who may ask about one row many times averages the noise away."
    )

    share: float = parameter(
        0.5,
        label="Size of the noise",
        help="Standard deviation of the noise, as a share of the standard deviation of all published values.",
        low=0.0,
        high=100.0,
    )

    def fit(self, phi: Floats) -> FittedDefence:
        """Take the spread of the values."""
        return Noise.scale_to("laplace", self.share, phi)


PLUGIN = Laplace
