"""What the attackers that learn from auxiliary rows share: the scale of explanations, and estimates within range."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from riskkit.core import Floats
from riskkit.explain.publishing import Inverted, KnownRows

Regress = Callable[[Floats], Floats]


@dataclass(frozen=True, slots=True, eq=False)
class ValueRange:
    """The least and greatest value that the attacker saw of every feature and output; victims may lie beyond them.

    ``low`` and ``span`` are (e, outputs). A value that never varied is left where it is.
    """

    low: Floats
    span: Floats

    @classmethod
    def measure(cls, phi: Floats) -> ValueRange:
        """The scale of these explanations."""
        low = phi.min(axis=0)
        span = phi.max(axis=0) - low
        # What differs by rounding alone does not differ; blown up to the whole range it would be noise.
        varies = span > 1e-9 * max(float(np.abs(phi).max()), np.finfo(np.float64).tiny)
        return cls(low, np.where(varies, span, np.inf))

    def __call__(self, phi: Floats) -> Floats:
        """(n, e, outputs) in units of the attacker's own range; 0 where nothing varied."""
        scaled: Floats = (phi - self.low) / self.span
        return scaled

    def flat(self, phi: Floats) -> Floats:
        """(n, e * outputs) the same, one line a row."""
        return self(phi).reshape(len(phi), -1)


@dataclass(frozen=True, slots=True, eq=False)
class Learnt:
    """A function from scaled explanations to inputs."""

    scale: ValueRange
    regress: Regress

    def invert(self, phi: Floats) -> Inverted:
        """The function's values, within [0, 1]; nothing is held back."""
        estimates = np.asarray(self.regress(self.scale.flat(phi)), dtype=np.float64).reshape(len(phi), -1)
        return Inverted(np.clip(estimates, 0.0, 1.0), np.ones(estimates.shape, dtype=bool))


def learn(held: KnownRows, fit: Callable[[Floats, Floats], Regress]) -> Learnt:
    """Scale what is held by its own range and learn from it."""
    scale = ValueRange.measure(held.phi)
    return Learnt(scale, fit(scale.flat(held.phi), held.inputs))
