"""What the two kinds of noise share: how large it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from riskkit.core import Floats


@dataclass(frozen=True, slots=True, eq=False)
class Noise:
    """Independent noise of one size for all values of an output. ``size`` is (outputs,), a standard deviation."""

    kind: Literal["laplace", "normal"]
    size: Floats

    @classmethod
    def of(cls, kind: Literal["laplace", "normal"], share: float, phi: Floats) -> Noise:
        """Noise whose standard deviation is that share of that of all published values of the output."""
        return cls(kind, share * phi.std(axis=(0, 1)))

    def apply(self, phi: Floats, rng: np.random.Generator) -> Floats:
        """The values with fresh noise."""
        if self.kind == "laplace":
            return phi + rng.laplace(size=phi.shape) * (self.size / np.sqrt(2))
        noisy: Floats = phi + rng.standard_normal(phi.shape) * self.size
        return noisy
