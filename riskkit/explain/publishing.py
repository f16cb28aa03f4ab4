"""What a service does to explanations before it publishes them, and what that costs the honest reader.

A defence is fitted to explanations of the service's own training rows, so that its scale does not hang on who asks;
then it is applied to every explanation that leaves the service, whoever asked for it.

An attacker on explanations holds some that were published, and answers with inputs; the shape of every such attacker
stands here too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol

import numpy as np

from riskkit.base import distributions
from riskkit.core import Bools, Floats
from riskkit.errors import DesignError

TOP = 3
"""How many of the weightiest features a reader is assumed to look at."""


class FittedDefence(Protocol):
    """A defence that knows the scale of the explanations."""

    def apply(self, phi: Floats, rng: np.random.Generator) -> Floats:
        """What is published instead of these explanations (n, e, outputs); outputs may be fewer."""


class Defence(Protocol):
    """A way to publish less: a frozen dataclass whose fields are its parameters."""

    name: ClassVar[str]
    title: ClassVar[str]
    card: ClassVar[str]

    def fit(self, phi: Floats) -> FittedDefence:
        """Take the scale of explanations (m, e, outputs) of the service's own rows."""


@dataclass(frozen=True, slots=True, eq=False)
class Fidelity:
    """How much of the exact explanations a reader of the published ones still has, one entry a row.

    ``rank`` (n,) is Spearman's correlation of the exact and the published values over features, 0 where the published
    ones are all alike. ``top`` (n,) is the share of the three features of greatest exact absolute value that are among
    the three of greatest published one; features that tie for a place share it.
    """

    rank: Floats
    top: Floats


def fidelity(exact: Floats, published: Floats) -> Fidelity:
    """Compare explanations (n, e) of one output.

    Raises
    ------
    DesignError
        The two are not about the same rows and features.
    """
    if exact.shape != published.shape or exact.ndim != 2:
        raise DesignError("Exact and published explanations can be compared only row by row and feature by feature.")
    k = min(TOP, exact.shape[1])
    both = _top(exact, k) * _top(published, k)
    return Fidelity(_correlation(_ranks(exact), _ranks(published)), both.sum(axis=1) / k)


def _ranks(values: Floats) -> Floats:
    """(n, e) ranks within each row; what differs by rounding alone is a tie."""
    scale = np.abs(values).max(axis=1, keepdims=True)
    ranks: Floats = distributions.rankdata(np.round(values / np.where(scale > 0, scale, 1.0), 9), axis=1)
    return ranks


def _correlation(first: Floats, second: Floats) -> Floats:
    """(n,) correlation of the rows, 0 where one is constant."""
    a, b = (part - part.mean(axis=1, keepdims=True) for part in (first, second))
    spread = np.sqrt((a**2).sum(axis=1) * (b**2).sum(axis=1))
    shared: Floats = (a * b).sum(axis=1) / np.where(spread > 0, spread, 1.0)
    return shared


def _top(values: Floats, k: int) -> Floats:
    """(n, e) the chance that each feature is shown among the k greatest in absolute value, ties being broken by lot."""
    ranks = _ranks(np.abs(values))
    cut = -np.partition(-ranks, k - 1, axis=1)[:, [k - 1]]
    above, tied = ranks > cut, ranks == cut
    left = k - above.sum(axis=1, keepdims=True)
    shown: Floats = above + tied * left / tied.sum(axis=1, keepdims=True)
    return shown


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
