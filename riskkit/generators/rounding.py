"""Rounding: numbers become multiples of a base."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Column, Floats, Table
from riskkit.generators.engines.anonymise import ROWS, Anonymised, Anonymiser, with_numbers
from riskkit.parameters import parameter
from riskkit.table.encode import to_domain


@dataclass(frozen=True)
class Rounding(Anonymiser):
    """Replaces every number by the nearest multiple of a base; a multiple outside the domain becomes its edge.

    Multiples are counted from 0 where the base is in the column's own unit (from 1970-01-01 for dates), and from the
    lower end of the domain where it is a share of the domain's width. A number halfway goes to the even multiple.
    They depend on the frozen domain alone, never on the table.
    """

    name: ClassVar[str] = "rounding"
    title: ClassVar[str] = "Rounding of numbers"
    changes_numbers: ClassVar[bool] = True
    card: ClassVar[str] = (
        "Replaces every number by the nearest multiple of a base, the same for all columns or a share of each column's "
        "domain. Nothing is random but the choice and the order of the rows; it takes milliseconds. Categories and "
        "missing values stay as they are (Hundepool et al. 2012, Statistical Disclosure Control)." + ROWS
    )

    base: float = parameter(5.0, label="Base", help="Numbers become multiples of this.", low=0.001, high=1_000_000.0)
    unit: str = parameter(
        "values",
        label="Unit of the base",
        help="Of a column the base is so many of its own units (days for dates), or that share of its domain.",
        choices={"values": "Unit of each column", "domain": "Share of each column's domain"},
    )

    def settle(self, table: Table, rng: np.random.Generator) -> Anonymised:  # noqa: ARG002  nothing is drawn here
        """Round the table."""
        return Anonymised(with_numbers(table, self._round))

    def _round(self, values: Floats, column: Column) -> Floats:
        width = column.high - column.low
        if width <= 0:
            return values
        origin, step = (0.0, self.base) if self.unit == "values" else (column.low, self.base * width)
        return to_domain(origin + np.round((values - origin) / step) * step, column)


PLUGIN = Rounding
