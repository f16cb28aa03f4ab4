"""What differentially private networks share: how they pick, how they count under a budget, how they draw."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from riskkit.core import Floats, Ints, Schema, Table
from riskkit.generators.engines.network import log_share_of_bin, parent_codes
from riskkit.parameters import CheckedPlugin, parameter
from riskkit.table.encode import bin_columns, from_bins

FLOOR = 1e-6
"""Rows that stand in a cell at least, after the noise: it leaves no row of the domain quite impossible."""


def epsilon() -> Any:
    """The setting of a private method that says how much a fit may tell of one person."""
    return parameter(
        1.0,
        label="Epsilon",
        help="The privacy budget of one fit. Smaller is more private and noisier; above 10 little is promised.",
        low=0.001,
        high=1_000_000.0,
    )


def bins() -> Any:
    """The setting of a private method that says into how many parts numbers are cut."""
    return parameter(
        10,
        label="Bins of a number",
        help="Each number's domain is cut into this many parts of equal width. Fewer bins suffer less from the noise.",
        low=2,
        high=100,
        unit="bins",
    )


@dataclass(frozen=True)
class AddOnePrivate(CheckedPlugin):
    """A method that promises epsilon and delta for one row more or less."""

    guarantee: ClassVar[str] = "add-one"
    protected_by: ClassVar[Mapping[str, str]] = {"epsilon": "lowered"}

    epsilon: float = epsilon()
    delta: float = parameter(
        1e-5,
        label="Delta",
        help="The chance with which the promise of epsilon may fail; well below one in the number of rows.",
        low=1e-12,
        high=0.5,
    )
    bins: int = bins()


@dataclass(frozen=True, slots=True, eq=False)
class Exponential:
    """The exponential mechanism: picks with chance proportional to ``exp(epsilon weight / (2 sensitivity))``.

    Adding a Gumbel draw to each exponent and taking the largest is the same choice, without ever forming the chances.
    ``made`` are the positions that were picked, in order.
    """

    epsilon: float
    sensitivity: float
    rng: np.random.Generator
    made: list[int] = field(default_factory=list)

    def __call__(self, weights: Floats) -> int:
        """The position of the pick; a weight of -inf is never picked."""
        allowed, exponents = pick_exponents(weights, self.epsilon, self.sensitivity)
        self.made.append(int(allowed[(exponents + self.rng.gumbel(size=len(allowed))).argmax()]))
        return self.made[-1]


@dataclass(slots=True, eq=False)
class Replayed:
    """The exponential mechanism on other weights, made to pick what it picked before.

    ``log_chance`` is the logarithm of the chance that it would have picked the same, over all picks so far.
    """

    epsilon: float
    sensitivity: float
    picks: Iterator[int]
    log_chance: float = 0.0

    def __call__(self, weights: Floats) -> int:
        """The position that was picked before; it must be one that is allowed."""
        allowed, exponents = pick_exponents(weights, self.epsilon, self.sensitivity)
        pick = next(self.picks)
        self.log_chance += float(exponents[allowed == pick].sum() - np.logaddexp.reduce(exponents))
        return pick


def pick_exponents(weights: Floats, epsilon: float, sensitivity: float) -> tuple[Ints, Floats]:
    """The positions that may be picked, and the logarithm of the chance of each, but for one constant."""
    allowed = np.flatnonzero(weights > -np.inf)
    slope = epsilon / (2 * sensitivity) if sensitivity else 0.0  # of one row, nothing can be learnt
    return allowed, slope * weights[allowed]


@dataclass(frozen=True, slots=True, eq=False)
class Conditional:
    """One column given its parents: ``family`` is the parents followed by the column.

    ``chance`` is (parent codes, own codes), every row of it summing to 1; ``ends`` is its running sum along a row.
    """

    family: tuple[int, ...]
    chance: Floats
    ends: Floats

    @classmethod
    def condition(cls, family: tuple[int, ...], table: Floats) -> Conditional:
        """From a joint table with one axis for each column of the family, the column itself last."""
        flat = table.reshape(-1, table.shape[-1])
        chance = flat / flat.sum(axis=1, keepdims=True)
        return cls(family, chance, np.cumsum(chance, axis=1))

    def draw(self, above: Ints, uniform: Floats) -> Ints:
        """(n,) one code for each parent code, for draws that are uniform on [0, 1)."""
        below = (self.ends[above] <= uniform[:, None]).sum(axis=1)
        code: Ints = np.minimum(below, self.ends.shape[1] - 1)
        return code

    def log_prob(self, above: Ints, code: Ints) -> Floats:
        """(n,) logarithm of the chance of each code given its parent code."""
        log_chance: Floats = np.log(self.chance[above, code])
        return log_chance


@dataclass(frozen=True, slots=True, eq=False)
class NoisyNetwork:
    """A fit whose rows are drawn along a network of noisy counts; its ``conditionals`` come parents first."""

    schema: Schema
    bins: int
    sizes: tuple[int, ...]
    conditionals: tuple[Conditional, ...]

    def sample(self, n: int, rng: np.random.Generator) -> Table:
        """``n`` rows drawn along the network; a number is uniform among the values of its bin."""
        return from_bins(self.draw(n, rng).T, self.schema, self.bins, rng)

    def draw(self, n: int, rng: np.random.Generator) -> Ints:
        """(d, n) the codes of so many rows."""
        drawn = np.empty((len(self.sizes), n), dtype=np.int64)
        for conditional in self.conditionals:
            *above, column = conditional.family
            drawn[column] = conditional.draw(parent_codes(drawn, tuple(above), self.sizes), rng.random(n))
        return drawn

    def log_prob(self, table: Table) -> Floats:
        """(n,) natural logarithm of the probability of each row given the structure and noise of this fit."""
        codes = bin_columns(table, self.bins)[0].T.astype(np.int64)
        return self.add_log_prob(log_share_of_bin(codes, self.schema, self.bins), codes)

    def add_log_prob(self, total: Floats, codes: Ints) -> Floats:
        """``total`` (n,) with the logarithm of the chance of each row of codes (d, n) added to it."""
        for conditional in self.conditionals:
            *above, column = conditional.family
            total += conditional.log_prob(parent_codes(codes, tuple(above), self.sizes), codes[column])
        return total


def delta_of_rho(rho: float, epsilon: float) -> float:
    """The delta at that epsilon of a method of ``rho`` zero-concentrated differential privacy.

    The least of ``exp((a - 1)(a rho - epsilon)) (1 - 1/a)^a / (a - 1)`` over orders ``a > 1``.

    References
    ----------
    .. [1] Canonne, Kamath and Steinke 2020, The discrete Gaussian for differential privacy, NeurIPS, corollary 13.
    """
    low, high = 1.0 + 1e-12, (epsilon + 1) / (2 * rho) + 2
    for _ in range(100):
        order = (low + high) / 2
        if (2 * order - 1) * rho - epsilon + math.log1p(-1 / order) < 0:
            low = order
        else:
            high = order
    log_delta = (high - 1) * (high * rho - epsilon) + high * math.log1p(-1 / high) - math.log(high - 1)
    return math.exp(min(log_delta, 0.0))


@lru_cache(maxsize=64)
def rho_of_delta(epsilon: float, delta: float) -> float:
    """The largest ``rho`` that keeps the promise of epsilon and delta (:func:`delta_of_rho`)."""
    low, high = 0.0, epsilon + 1
    for _ in range(100):
        rho = (low + high) / 2
        if rho > 0 and delta_of_rho(rho, epsilon) <= delta:
            low = rho
        else:
            high = rho
    return low
