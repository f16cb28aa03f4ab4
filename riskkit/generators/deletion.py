"""Record deletion: some rows are not released, at random or those that stand out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Floats, Table
from riskkit.generators.engines.anonymise import ROWS, Anonymised, Anonymiser, counts_of, exactly
from riskkit.parameters import parameter
from riskkit.phrases import phrase


@dataclass(frozen=True)
class Deletion(Anonymiser):
    """Drops a share of the rows and releases the others unchanged.

    ``outlying`` drops the rows that are least likely if columns were independent: each level weighs minus the
    logarithm of its share of the table, each number half its squared distance from the table's mean in standard
    deviations. Whether a row is dropped then depends on the others, so a record that stays can still be told by whom
    it pushed out.
    """

    name: ClassVar[str] = "deletion"
    title: ClassVar[str] = "Record deletion"
    card: ClassVar[str] = (
        "Drops a share of the rows, at random or those that stand out most, and publishes the others unchanged. Random "
        "deletion draws anew for each release; outlying rows are chosen in the fit, where only ties are drawn; both "
        "take milliseconds. Who stays is exposed in full (Hundepool et al. 2012, Statistical Disclosure Control)."
        + ROWS
    )

    share: float = parameter(
        0.1, label="Share dropped", help="How much of the table is not released.", low=0.0, high=0.99
    )
    which: str = parameter(
        "outlying",
        label="Which rows",
        help="Outlying rows have rare levels and extreme numbers. Random rows are others in each release.",
        choices={"outlying": "Outlying rows", "random": "Random rows"},
    )

    def settle(self, table: Table, rng: np.random.Generator) -> Anonymised:
        """Drop the outlying rows, where they are asked for; ties are broken by ``rng``."""
        dropped = round(self.share * len(table))
        self.refuse_none_left(len(table) - dropped, table, phrase("Choose a smaller share."))
        if self.which == "random":
            return Anonymised(table, self.draw)
        order = np.lexsort((rng.random(len(table)), surprise(table)))
        return Anonymised(table.rows(np.sort(order[: len(table) - dropped])))

    def draw(self, table: Table, rng: np.random.Generator) -> Table:
        """The rows that one random deletion leaves."""
        return table.rows(~exactly(self.share, len(table), rng))


def surprise(table: Table) -> Floats:
    """(n,) how far a row stands out: minus the logarithm of its likelihood if columns were independent.

    Constants are left out; a missing number weighs minus the logarithm of the share of missing ones.
    """
    total = np.zeros(len(table))
    for codes in table.codes.T:
        total -= np.log(counts_of(codes.astype(np.int64)) / len(table))
    for values in table.numbers.T:
        missing = np.isnan(values)
        spread = float(values[~missing].std()) if not missing.all() else 0.0
        if spread > 0:
            total[~missing] += ((values[~missing] - values[~missing].mean()) / spread) ** 2 / 2
        total[missing] -= np.log(missing.mean()) if missing.any() else 0.0
    return total


PLUGIN = Deletion
