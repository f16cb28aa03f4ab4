"""Top and bottom coding: extreme numbers are drawn in to a quantile."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Column, Floats, Table
from riskkit.generators.engines.anonymise import ROWS, Anonymised, Anonymiser, with_numbers
from riskkit.parameters import parameter


@dataclass(frozen=True)
class Coding(Anonymiser):
    """Replaces every number below the table's ``bottom`` quantile, or above its ``top`` quantile, by that quantile.

    The quantile of share ``q`` is the smallest value of the table that at least a share ``q`` of its present values
    does not exceed, so it lies in the domain. Missing values and categories stay.
    """

    name: ClassVar[str] = "coding"
    title: ClassVar[str] = "Top and bottom coding"
    changes_numbers: ClassVar[bool] = True
    card: ClassVar[str] = (
        "Replaces numbers beyond two quantiles of the table by those quantiles, so that no extreme value is published. "
        "Nothing is random but the choice and the order of the rows; it takes milliseconds. Values between the "
        "quantiles and all categories stay as they are (Hundepool et al. 2012, Statistical Disclosure Control)." + ROWS
    )

    bottom: float = parameter(
        0.05, label="Bottom quantile", help="Smaller numbers become this quantile. 0 changes none.", low=0.0, high=0.5
    )
    top: float = parameter(
        0.95, label="Top quantile", help="Larger numbers become this quantile. 1 changes none.", low=0.5, high=1.0
    )

    def settle(self, table: Table, rng: np.random.Generator) -> Anonymised:  # noqa: ARG002  nothing is drawn here
        """Code the table."""
        return Anonymised(with_numbers(table, self._code))

    def _code(self, values: Floats, column: Column) -> Floats:  # noqa: ARG002  the quantiles lie in the domain
        if np.isnan(values).all():
            return values
        low, high = np.nanquantile(values, (self.bottom, self.top), method="inverted_cdf")
        coded: Floats = np.clip(values, low, high)
        return coded


PLUGIN = Coding
