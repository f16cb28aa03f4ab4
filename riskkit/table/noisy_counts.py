"""What a private method drew while it learned, for attackers who see the model itself and not only its releases."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Protocol, runtime_checkable

import numpy as np

from riskkit.core import Floats, Table

NORMAL, LAPLACE = "normal", "laplace"
"""The laws of the noise on counts."""
MODEL = "model"
"""What an attack ``sees`` that is shown the fitted model in place of its releases."""


@dataclass(frozen=True, slots=True, eq=False)
class NoisyCounts:
    """The counts of one table of cells, each with noise of its own.

    ``scale`` (the shape of ``counts``) is the standard deviation of normal noise, or the scale of Laplace noise.
    """

    counts: Floats
    scale: Floats
    law: str = NORMAL

    def log_ratio(self, inside: Floats, outside: Floats) -> float:
        """How much likelier these noisy counts are where ``inside`` are the true ones than where ``outside`` are."""
        moved = inside != outside
        with_, without = ((self.counts[moved] - true[moved]) / self.scale[moved] for true in (inside, outside))
        if self.law == LAPLACE:
            return float((np.abs(without) - np.abs(with_)).sum())
        return float((without**2 - with_**2).sum() / 2)

    def errors(self, exact: Floats) -> float:
        """The sum over all cells of the noisy count less the exact one."""
        return float((self.counts - exact).sum())


@runtime_checkable
class CountsKept(Protocol):
    """Optional: a fit that keeps everything it drew at random while it learned: noisy counts, and what it picked."""

    def noisy_counts(self) -> tuple[NoisyCounts, ...]:
        """The noisy counts, in the order in which they were taken."""

    def exact_counts(self, table: Table) -> tuple[Floats, ...]:
        """The same cells counted in another table, without noise."""

    def log_picks(self, table: Table) -> float:
        """The log probability that a fit to that table would pick what this one picked, given its noisy counts."""


Family = tuple[int, ...]
"""Positions of columns, in file order, that are counted together."""


@runtime_checkable
class MarginalsPicked(Protocol):
    """Optional: a fit that says which sets of columns it counted together."""

    def families(self) -> tuple[Family, ...]:
        """The sets, each sorted."""


def pairs(columns: int) -> tuple[Family, ...]:
    """All pairs of so many columns; of a single one itself."""
    return tuple(combinations(range(columns), 2)) or ((0,),)
