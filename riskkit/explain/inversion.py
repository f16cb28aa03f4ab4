"""What an attacker on explanations holds, what it answers, and the shape every such attacker has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol

import numpy as np

from riskkit.core import Bools, Floats
from riskkit.errors import DesignError

Holding = Literal["auxiliary", "random"]
"""What an inverter learns from: other people's rows, or made-up rows it sent to the service itself."""


@dataclass(frozen=True, slots=True, eq=False)
class KnownRows:
    """Rows the attacker knows, and what the service published about them.

    ``inputs`` (m, d) are the encoded rows, each feature in [0, 1]. ``phi`` (m, e, outputs) are their explanations: e is
    d, or fewer where the service adds up the features of a column.

    Raises
    ------
    DesignError
        There is no row, the two differ in length, or something is not a finite number.
    """

    inputs: Floats
    phi: Floats

    def __post_init__(self) -> None:
        if self.inputs.ndim != 2 or self.phi.ndim != 3 or len(self.inputs) != len(self.phi):
            raise DesignError("An attacker holds one explanation, of features by outputs, for each row that it knows.")
        if not len(self.inputs):
            raise DesignError("The attacker holds no row, so it has nothing to learn from; give it at least one.")
        if not (np.isfinite(self.inputs).all() and np.isfinite(self.phi).all()):
            raise DesignError("The rows and explanations that an attacker holds must be finite numbers.")

    def __len__(self) -> int:
        return len(self.inputs)

    def first(self, n: int) -> KnownRows:
        """The first ``n`` rows."""
        return KnownRows(self.inputs[:n], self.phi[:n])


@dataclass(frozen=True, slots=True, eq=False)
class Inverted:
    """What an attacker says of some victims.

    ``estimates`` (n, d) is its guess of every encoded input, in [0, 1]; ``accepted`` (n, d) is false where the attacker
    would rather not say (its guess is still there).
    """

    estimates: Floats
    accepted: Bools


class FittedInverter(Protocol):
    """An attacker that has learnt from what it holds."""

    def invert(self, phi: Floats) -> Inverted:
        """Guess the inputs behind explanations (n, e, outputs)."""


class Inverter(Protocol):
    """A method that recovers inputs from explanations: a frozen dataclass whose fields are its parameters."""

    name: ClassVar[str]
    title: ClassVar[str]
    card: ClassVar[str]
    holds: ClassVar[Holding]

    def fit(self, held: KnownRows, rng: np.random.Generator) -> FittedInverter:
        """Learn from rows and their explanations. All randomness of the training comes from ``rng``."""
