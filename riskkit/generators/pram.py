"""PRAM: every cell is kept with a known probability and drawn anew otherwise (randomised response)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Table
from riskkit.errors import DesignError
from riskkit.generators.engines.anonymise import ROWS, Anonymised, Anonymiser
from riskkit.parameters import parameter
from riskkit.phrases import phrase
from riskkit.table.encode import bin_edges, from_bins


@dataclass(frozen=True)
class Pram(Anonymiser):
    """Keeps each cell with probability ``p``, else draws its level anew: the post-randomisation method.

    ``uniform`` draws among all ``L`` frozen levels of the column, the missing one and its own included, so a cell
    shows its own level with probability ``p + (1 - p) / L`` and each other level with ``(1 - p) / L``: randomised
    response, which for that cell is differentially private with epsilon ``ln(1 + p L / (1 - p))``. ``empirical``
    draws the value of a random row of the table, which keeps the column's shares in expectation but is no longer
    independent of the others.

    Numbers stay as they are where ``bins`` is 0. Otherwise a number that is not kept is drawn from one of that many
    equal widths of its domain, or is missing where the column knows missing values.

    References
    ----------
    .. [1] Warner 1965, Randomized response, https://doi.org/10.1080/01621459.1965.10480775
    .. [2] Gouweleeuw, Kooiman, Willenborg and de Wolf 1998, Post randomisation for statistical disclosure control,
       Journal of Official Statistics 14(4)
    """

    name: ClassVar[str] = "pram"
    title: ClassVar[str] = "PRAM (randomised response)"
    card: ClassVar[str] = (
        "Keeps every cell with a known probability and otherwise draws its level anew, from all levels alike or from "
        "the column's own shares. Fitting has no randomness, each release draws anew; both take milliseconds. "
        "Post-randomisation of Gouweleeuw et al. 1998, after the randomised response of Warner 1965; numbers are left "
        "alone unless bins are asked for." + ROWS
    )

    p: float = parameter(
        0.9, label="Chance to keep", help="Each cell is kept with this probability.", low=0.0, high=1.0
    )
    law: str = parameter(
        "uniform",
        label="Drawn from",
        help="All levels of the column are equally likely, or as likely as they are in the table.",
        choices={"uniform": "All levels alike", "empirical": "A random row of the table"},
    )
    bins: int = parameter(
        0,
        label="Bins of a number",
        help="Numbers are drawn from this many parts of their domain. 0 leaves numbers as they are.",
        low=0,
        high=100,
        unit="bins",
    )

    def settle(self, table: Table, rng: np.random.Generator) -> Anonymised:  # noqa: ARG002  nothing is drawn here
        """See that something is randomised."""
        if not table.schema.categorical and not self.bins:
            raise DesignError(
                phrase("pram: the table has no categories; ask for bins, so that numbers are randomised too.")
            )
        return Anonymised(table, self.draw)

    def draw(self, table: Table, rng: np.random.Generator) -> Table:
        """The table with its cells kept or drawn anew."""
        drawn = self._uniform(table, rng) if self.law == "uniform" else self._empirical(table, rng)
        codes = np.where(rng.random(table.codes.shape) < self.p, table.codes, drawn.codes)
        if not self.bins:
            return Table(table.schema, codes, table.numbers)
        return Table(
            table.schema, codes, np.where(rng.random(table.numbers.shape) < self.p, table.numbers, drawn.numbers)
        )

    def _uniform(self, table: Table, rng: np.random.Generator) -> Table:
        """As many rows, every cell uniform over the levels or bins of its column."""
        bins = max(self.bins, 1)
        sizes = [
            len(bin_edges(column, bins)) - 1 + column.has_missing if column.is_numeric else len(column.levels)
            for column in table.schema.modelled
        ]
        return from_bins(rng.integers(sizes, size=(len(table), len(sizes))).astype(np.int32), table.schema, bins, rng)

    @staticmethod
    def _empirical(table: Table, rng: np.random.Generator) -> Table:
        """As many rows, every cell that of a random row."""
        codes = np.take_along_axis(table.codes, rng.integers(len(table), size=table.codes.shape), axis=0)
        numbers = np.take_along_axis(table.numbers, rng.integers(len(table), size=table.numbers.shape), axis=0)
        return Table(table.schema, codes, numbers)


PLUGIN = Pram
