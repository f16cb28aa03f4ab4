"""Fewer classes: explanations of some outputs only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Floats
from riskkit.explain.publishing import FittedDefence
from riskkit.parameters import CheckedPlugin, parameter


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


PLUGIN = FewerClasses
