"""Noise on every published value, normal or of Laplace's law."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Floats
from riskkit.explain.publishing import FittedDefence
from riskkit.parameters import CheckedPlugin, parameter


@dataclass(frozen=True, slots=True, eq=False)
class Noise:
    """Independent noise of one size for all values of an output. ``size`` is (outputs,), a standard deviation."""

    is_laplace: bool
    size: Floats

    def apply(self, phi: Floats, rng: np.random.Generator) -> Floats:
        """The values with fresh noise."""
        drawn = rng.laplace(size=phi.shape) / np.sqrt(2) if self.is_laplace else rng.standard_normal(phi.shape)
        noisy: Floats = phi + drawn * self.size
        return noisy


@dataclass(frozen=True)
class Gaussian(CheckedPlugin):
    """Adds Gaussian noise to every value, drawn anew for every explanation that leaves the service."""

    name: ClassVar[str] = "gaussian"
    title: ClassVar[str] = "Gaussian noise"
    card: ClassVar[str] = (
        "Adds normal noise of the same size to all features. Small values are hidden first. An attacker who may ask "
        "about one row many times averages the noise away."
    )

    share: float = parameter(
        0.5,
        label="Size of the noise",
        help="Standard deviation of the noise, as a share of the standard deviation of all published values.",
        low=0.0,
        high=100.0,
    )

    def fit(self, phi: Floats) -> FittedDefence:
        """Take the spread of the values of each output."""
        return Noise(isinstance(self, Laplace), self.share * phi.std(axis=(0, 1)))


@dataclass(frozen=True)
class Laplace(Gaussian):
    """Adds Laplace noise to every value, drawn anew for every explanation that leaves the service."""

    name: ClassVar[str] = "laplace"
    title: ClassVar[str] = "Laplace noise"
    card: ClassVar[str] = (
        "Adds Laplace noise of the same size to all features: mostly small amounts, sometimes a large one. Small "
        "values are hidden first. An attacker who may ask about one row many times averages the noise away."
    )


PLUGIN = Gaussian, Laplace
