"""Additive noise: every number is moved by a random amount."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Column, Floats, Table
from riskkit.generators.engines.anonymise import ROWS, Anonymiser, with_numbers
from riskkit.parameters import parameter
from riskkit.table.encode import to_domain


@dataclass(frozen=True)
class Noise(Anonymiser):
    """Adds an independent random amount to every number, then rounds to the column's decimals inside its domain.

    The amount has mean 0 and standard deviation ``scale`` times the spread that the schema states for the column:
    the spread is frozen, so the size of the noise tells nothing of the table. Values near the edges of the domain
    are clipped to it. Missing values and categories stay.
    """

    name: ClassVar[str] = "noise"
    title: ClassVar[str] = "Additive noise on numbers"
    changes_numbers: ClassVar[bool] = True
    card: ClassVar[str] = (
        "Adds Gaussian or Laplace noise to every number, in units of the column's standard deviation, and clips the "
        "sum to the column's domain. Fitting has no randomness, each release draws its noise anew; both take "
        "milliseconds. No differential privacy is claimed: categories stay as they are, missing values too "
        "(Hundepool et al. 2012, Statistical Disclosure Control)." + ROWS
    )

    scale: float = parameter(
        0.1,
        label="Size of the noise",
        help="Standard deviation of the noise in standard deviations of the column.",
        low=0.0,
        high=10.0,
    )
    shape: str = parameter(
        "gaussian",
        label="Shape of the noise",
        help="Both have the same standard deviation; Laplace noise has more small and more very large amounts.",
        choices={"gaussian": "Normal (Gaussian)", "laplace": "Laplace"},
    )

    def draw(self, table: Table, rng: np.random.Generator) -> Table:
        """The table with noise on its numbers."""

        def moved(values: Floats, column: Column) -> Floats:
            return to_domain(values + self.scale * column.sd * self._amounts(len(values), rng), column)

        return with_numbers(table, moved)

    def _amounts(self, n: int, rng: np.random.Generator) -> Floats:
        """(n,) amounts of mean 0 and standard deviation 1."""
        if self.shape == "laplace":
            return rng.laplace(scale=1 / math.sqrt(2), size=n)
        return rng.standard_normal(n)


PLUGIN = Noise
