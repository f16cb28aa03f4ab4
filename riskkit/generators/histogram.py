"""Histogram: every column drawn by itself, as if no column knew of another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Codes, Floats, Table
from riskkit.errors import DesignError
from riskkit.generators.engines.leave_one_out import drop_row, in_order, in_turn
from riskkit.generators.engines.ratios import ApartRatios, modelled_positions


@dataclass(frozen=True)
class Histogram:
    """Draws each column independently from the values it has in the table, missing ones included.

    It keeps every marginal and loses every dependence, so it is the method to beat in utility. It is no null in
    privacy: a value that only one person has is released with that person's frequency, and never without them.
    """

    name: ClassVar[str] = "histogram"
    title: ClassVar[str] = "Independent columns (histogram)"
    card: ClassVar[str] = (
        "Counts the values of each column and draws every column by itself from its counts, so that no dependence "
        "between columns survives. Fitting has no randomness, each release draws anew; both take milliseconds. "
        "The simplest baseline of synthetic data: a value that only one person has still exposes that person."
    )

    certified: ClassVar[bool] = True

    def fit(self, table: Table, rng: np.random.Generator) -> FittedHistogram:  # noqa: ARG002  nothing is drawn here
        """Count the values of every column. Draws nothing at random.

        Raises
        ------
        DesignError
            The table has no rows.
        """
        _refuse_no_rows(len(table))
        return FittedHistogram(table, np.sort(table.codes, axis=0), in_order(table.numbers))


@dataclass(frozen=True, slots=True, eq=False)
class FittedHistogram:
    """The sorted columns: as good as their counts, and a draw from them is one look-up.

    ``codes`` is (n, n_categorical) and ``numbers`` (n, n_numeric), every column sorted, missing numbers last.
    ``table`` are the rows themselves, kept to know which values a row takes along when it leaves.
    """

    table: Table
    codes: Codes
    numbers: Floats

    def sample(self, n: int, rng: np.random.Generator) -> Table:
        """``n`` rows; only values that the table holds, each with its share of the table."""
        rows = rng.integers(len(self.codes), size=(n, self.codes.shape[1] + self.numbers.shape[1]))
        split = self.codes.shape[1]
        codes = np.take_along_axis(self.codes, rows[:, :split], axis=0)
        return Table(self.table.schema, codes, np.take_along_axis(self.numbers, rows[:, split:], axis=0))

    @in_turn
    def without(self, row: int) -> FittedHistogram:
        """The fit to the same table without that row: one value of each column fewer, nothing sorted again."""
        _refuse_no_rows(len(self.table) - 1)
        codes, numbers = self.table.codes[row], self.table.numbers[row]
        return FittedHistogram(self.table.without(row), drop_row(self.codes, codes), drop_row(self.numbers, numbers))

    def ratios(self) -> ApartRatios:
        """What released rows say of each record, exactly."""
        positions = modelled_positions(self.table.schema)
        pairs = [
            *zip(self.codes.T, self.table.codes.T, strict=True),
            *zip(self.numbers.T, self.table.numbers.T, strict=True),
        ]
        first = np.stack([np.searchsorted(ordered, values) for ordered, values in pairs])
        last = np.stack([np.searchsorted(ordered, values, "right") for ordered, values in pairs])
        return ApartRatios(tuple((position,) for position in positions), last - first, first)

    def log_prob(self, table: Table) -> Floats:
        """(n,) natural logarithm of the probability of each row; -inf where a value is not in the fitted table."""
        pairs = [*zip(self.codes.T, table.codes.T, strict=True), *zip(self.numbers.T, table.numbers.T, strict=True)]
        total = np.zeros(len(table))
        with np.errstate(divide="ignore"):
            for ordered, values in pairs:
                total += np.log(_share(ordered, values))
        return total


def _refuse_no_rows(rows: int) -> None:
    """Refuse a table without rows: there is nothing to count."""
    if not rows:
        raise DesignError.phrase("The histogram generator needs at least one row to count; the table has none.")


def _share(ordered: Codes | Floats, values: Codes | Floats) -> Floats:
    """(n,) the share of the sorted column that is equal to each value; missing equals missing."""
    equal = np.searchsorted(ordered, values, "right") - np.searchsorted(ordered, values, "left")
    share: Floats = equal / len(ordered)
    return share


PLUGIN = Histogram
