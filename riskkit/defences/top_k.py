"""Top-k: only the weightiest features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Floats
from riskkit.explain.publishing import FittedDefence
from riskkit.parameters import CheckedPlugin, parameter


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


PLUGIN = TopK
