"""What a service may publish in place of exact explanations: rounded, stepped, noisy, or fewer values."""

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


@dataclass(frozen=True)
class TopK(CheckedPlugin):
    """Publishes, for every output, only the values of greatest size; the others are given as 0."""

    name: ClassVar[str] = "top-k"
    title: ClassVar[str] = "Only the weightiest features"
    card: ClassVar[str] = (
        "Publishes the values of the weightiest features and no others. The published values stay exact, and the "
        "choice of features also reveals something."
    )

    k: int = parameter(3, label="Features", help="How many features are published for each output.", low=1, high=1000)

    def fit(self, phi: Floats) -> FittedDefence:  # noqa: ARG002  an explanation is cut by its own values
        """Nothing is learnt: it is fitted as it stands."""
        return self

    def apply(self, phi: Floats, rng: np.random.Generator) -> Floats:  # noqa: ARG002  nothing is drawn
        """The weightiest values, and 0 for the others; of equal ones the first of the file."""
        order = np.argsort(-np.abs(phi), axis=1, kind="stable")[:, : self.k]
        out = np.zeros_like(phi)
        np.put_along_axis(out, order, np.take_along_axis(phi, order, axis=1), axis=1)
        return out


@dataclass(frozen=True)
class FewerClasses(CheckedPlugin):
    """Publishes the explanations of the first classes only. Of two classes one says all that both do."""

    name: ClassVar[str] = "fewer-classes"
    title: ClassVar[str] = "Fewer classes"
    card: ClassVar[str] = (
        "Publishes the explanations of some classes only. Each class explained tells the attacker more about the same "
        "row. Helps only where there are more than two classes."
    )

    keep: int = parameter(1, label="Classes", help="How many classes are explained.", low=1, high=1000)

    def fit(self, phi: Floats) -> FittedDefence:  # noqa: ARG002  classes are kept in their order
        """Nothing is learnt: it is fitted as it stands."""
        return self

    def apply(self, phi: Floats, rng: np.random.Generator) -> Floats:  # noqa: ARG002  nothing is drawn
        """The first outputs."""
        return phi[:, :, : self.keep]


PLUGIN = Rounding, Quantising, Gaussian, Laplace, TopK, FewerClasses
