"""Subsample: a share of the table's rows, drawn without replacement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Table
from riskkit.errors import DesignError
from riskkit.generators.engines.calibration import FAMILY, repeat_rows
from riskkit.parameters import CheckedPlugin, parameter
from riskkit.phrases import phrase


@dataclass(frozen=True)
class Subsample(CheckedPlugin):
    """Releases ``m = round(share n)`` of the table's ``n`` rows, at least one, drawn without replacement.

    A record without a copy is in the release with probability ``m/n``, and never when it was not in the table: the
    true positive rate is ``m/n`` at a false positive rate of 0, and exact match has **AUC = 1/2 + m/(2n)** (KA3).
    """

    name: ClassVar[str] = "subsample"
    title: ClassVar[str] = "A share of the rows (calibration)"
    card: ClassVar[str] = (
        "Draws a share of the real rows without replacement, releases them as they are and repeats them to the length "
        "that is asked for. Only the draw and the order are random, and it costs nothing. A calibration mechanism: "
        "exact match finds a given row in exactly that share of releases."
    )
    family: ClassVar[str] = FAMILY

    share: float = parameter(
        0.5, label="Share of the rows", help="How much of the table one release holds.", low=0.0, high=1.0
    )

    def fit(self, table: Table, rng: np.random.Generator) -> FittedSubsample:  # noqa: ARG002  nothing is drawn here
        """Keep the table. Draws nothing at random.

        Raises
        ------
        DesignError
            The table has no rows to draw from.
        """
        if not len(table):
            raise DesignError(phrase("The subsample needs at least one row to draw from; the table has none."))
        return FittedSubsample(table, max(1, round(self.share * len(table))))


@dataclass(frozen=True, slots=True, eq=False)
class FittedSubsample:
    """The rows to draw from, and how many a release holds."""

    table: Table
    drawn: int

    def sample(self, n: int, rng: np.random.Generator) -> Table:
        """The drawn rows in random order, some of them again where ``n`` is more than their number.

        Raises
        ------
        DesignError
            ``n`` is less than the number of drawn rows.
        """
        again = repeat_rows(self.drawn, n, rng, phrase("A subsample"))
        return self.table.rows(rng.permutation(len(self.table))[again])


PLUGIN = Subsample
