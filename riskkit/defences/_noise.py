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
    def scale_to(cls, kind: Literal["laplace", "normal"], share: float, phi: Floats) -> Noise:
        """Noise whose standard deviation is that share of that of all published values of the output."""
        size: Floats = share * phi.std(axis=(0, 1))
        return cls(kind, size)

    def apply(self, phi: Floats, rng: np.random.Generator) -> Floats:
        """The values with fresh noise."""
        drawn = rng.laplace(size=phi.shape) / np.sqrt(2) if self.kind == "laplace" else rng.standard_normal(phi.shape)
        noisy: Floats = phi + drawn * self.size
        return noisy
