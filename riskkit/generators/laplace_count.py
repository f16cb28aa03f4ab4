"""Laplace count: how many rows there are, with the noise of differential privacy, and nothing else of the table."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Schema, Table
from riskkit.errors import DesignError
from riskkit.generators.engines.calibration import FAMILY, code_counts
from riskkit.parameters import CheckedPlugin, parameter
from riskkit.table.encode import from_bins


@dataclass(frozen=True)
class LaplaceCount(CheckedPlugin):
    """Counts rows, adds discrete Laplace noise and releases so many marked rows; all else is pure chance.

    The noise is a whole number ``k`` of grains, ``grain`` to a row, of chance proportional to ``a^|k|`` with
    ``a = exp(-epsilon/grain)``: a two-sided geometric variable. It is drawn once a training, so what follows holds
    however many releases are sampled. Adding or removing a counted row moves the count by one: exactly
    epsilon-differentially private, and a row that is not counted does not show at all. Replacing one row by another
    that is counted too shows nothing either.

    For a counted row, in or out:

    - with 1 step to a row (the default) **AUC = 1 / (1 + a)**, the most that epsilon allows; advantage
      ``(1 - a)/(1 + a)``; the best attacker says "in" where the noisy count is above the count without the row;
    - with many grains it is the Laplace mechanism and **AUC = 1 - exp(-epsilon) (2 + epsilon)/4** (KA6);
    - in between the AUC is a half, plus ``P(0)/2 + P(1) + ... + P(grain - 1) + P(grain)/2`` with
      ``P(k) = ((1 - a)/(1 + a))^2 a^k (k + (1 + a^2)/(1 - a^2))``, the law of the difference of two such noises.

    A release of ``m`` rows holds as many marked rows as the noisy count leaves over when divided by ``m + 1``. An
    attacker who knows the other rows undoes that but for noise of half a turn, of chance below ``2 a^(m/2)``. The mark
    is the second code of the first column that has two; all other rows have its first, and a number's codes are the
    halves of its domain.

    References
    ----------
    .. [1] Ghosh, Roughgarden and Sundararajan, Universally utility-maximizing privacy mechanisms, SIAM J. Comput. 41
       (2012), https://doi.org/10.1137/09076828X
    """

    name: ClassVar[str] = "laplace_count"
    title: ClassVar[str] = "Noisy count (calibration)"
    card: ClassVar[str] = (
        "Counts rows, adds discrete Laplace noise set by epsilon and marks that many rows of a release that is random "
        "in all else. Each training draws the noise, each release the rest, and it costs nothing. A calibration "
        "mechanism after Ghosh, Roughgarden and Sundararajan (2012), with an exact epsilon that an audit's lower bound "
        "must not exceed."
    )
    family: ClassVar[str] = FAMILY

    epsilon: float = parameter(
        1.0, label="Epsilon", help="Privacy loss of one counted row in all releases of a training.", low=0.01, high=50.0
    )
    grain: int = parameter(
        1,
        label="Steps per row",
        help="How finely the noisy count is drawn and shown. 1 gives whole rows; many steps come close to the Laplace "
        "mechanism.",
        low=1,
        high=1_000,
        unit="steps",
    )
    counted: str = parameter(
        "rows",
        label="What is counted",
        help="All rows, or those that have the first level of the first category.",
        choices={"rows": "All rows", "level": "Rows of the first level"},
    )

    def fit(self, table: Table, rng: np.random.Generator) -> FittedLaplaceCount:
        """Count and draw the noise.

        Raises
        ------
        DesignError
            No column has two values to mark a row with, or a level is to be counted and there is no category.
        """
        column = mark(table.schema)
        if self.counted == "level" and not table.schema.categorical:
            raise DesignError.phrase(
                "The noisy count has no category whose level it could count. Count all rows, or give a "
                "category the role known or secret."
            )
        count = len(table) if self.counted == "rows" else int((table.codes[:, 0] == 0).sum())
        up, down = rng.geometric(-math.expm1(-self.epsilon / self.grain), size=2).tolist()
        return FittedLaplaceCount(table.schema, column, count * self.grain + up - down)


@dataclass(frozen=True, slots=True, eq=False)
class FittedLaplaceCount:
    """The noisy count in grains, and the column whose second code marks a row."""

    schema: Schema
    column: int
    noisy: int

    def sample(self, n: int, rng: np.random.Generator) -> Table:
        """``n`` rows in random order, of which the noisy count modulo ``n + 1`` are marked."""
        sizes = code_counts(self.schema, 2)
        codes = rng.integers(sizes, size=(n, len(sizes)), dtype=np.int32)
        codes[:, self.column] = rng.permutation(np.arange(n) < self.noisy % (n + 1))
        return from_bins(codes, self.schema, 2, rng)


def mark(schema: Schema) -> int:
    """The first modelled column that has two codes.

    Raises
    ------
    DesignError
        There is none.
    """
    for place, size in enumerate(code_counts(schema, 2)):
        if size > 1:
            return place
    raise DesignError.phrase(
        "The noisy count needs a column with at least two values to show it in. Give one the role known or secret."
    )


PLUGIN = LaplaceCount
