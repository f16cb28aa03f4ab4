"""Swapping: rows exchange values, numbers only with their neighbours in rank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Floats, Table
from riskkit.generators.engines.anonymise import ROWS, Anonymiser, random_pairs
from riskkit.parameters import parameter


@dataclass(frozen=True)
class Swapping(Anonymiser):
    """Exchanges values between pairs of rows, every column by itself, so that each column keeps its values exactly.

    Numbers are sorted (ties in random order) and cut, from a random start, into runs of ranks no further apart than
    ``percent`` of the present values; the rows of a run are paired at random and each pair exchanges its values. Of
    each category a random part of the rows, each row with probability ``p``, is paired and exchanged in the same way.
    The odd row of a run keeps its value. Missing numbers stay where they are.

    References
    ----------
    .. [1] Moore 1996, Controlled data-swapping techniques for masking public use microdata sets, US Census Bureau
       Research Report 96-04
    """

    name: ClassVar[str] = "swapping"
    title: ClassVar[str] = "Swapping (rank swapping)"
    card: ClassVar[str] = (
        "Lets pairs of rows exchange their values, one column at a time: numbers only with rows of a nearby rank, "
        "categories with any row. Fitting has no randomness, each release pairs anew; both take milliseconds per "
        "column. Keeps every column as it is and weakens the dependences (rank swapping, Moore 1996); extreme values "
        "are still published, on other rows." + ROWS
    )

    percent: float = parameter(
        5.0,
        label="Distance of ranks",
        help="Numbers are exchanged between rows whose ranks differ by at most this part of the rows. 0 swaps none.",
        low=0.0,
        high=100.0,
        unit="percent",
    )
    p: float = parameter(
        0.05,
        label="Chance of a category",
        help="Each cell of a category takes part with this probability.",
        low=0.0,
        high=1.0,
    )

    def draw(self, table: Table, rng: np.random.Generator) -> Table:
        """The table after one round of exchanges."""
        codes, numbers = table.codes.copy(), table.numbers.copy()
        for own in codes.T:
            part = np.flatnonzero(rng.random(len(own)) < self.p)
            left, right = random_pairs(part, np.zeros(len(part), dtype=np.int64), rng)
            own[left], own[right] = own[right], own[left]
        for values in numbers.T:
            self._exchange_near(values, rng)
        return Table(table.schema, codes, numbers)

    def _exchange_near(self, values: Floats, rng: np.random.Generator) -> None:
        present = np.flatnonzero(~np.isnan(values))
        run = int(self.percent * len(present) / 100) + 1
        ranked = present[np.lexsort((rng.random(len(present)), values[present]))]
        left, right = random_pairs(ranked, (np.arange(len(ranked)) + rng.integers(run)) // run, rng)
        values[left], values[right] = values[right], values[left]


PLUGIN = Swapping
