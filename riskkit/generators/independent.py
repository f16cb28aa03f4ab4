"""Independent: rows that know nothing of the table, the null of every audit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Table
from riskkit.generators.engines.calibration import FAMILY, FittedIndependent


@dataclass(frozen=True)
class Independent:
    """Ignores the table and draws from the schema: every attack has **AUC = 1/2** (KA10).

    The schema is frozen over all tables that were loaded, so it is the same with and without the target.
    """

    name: ClassVar[str] = "independent"
    title: ClassVar[str] = "Independent of the table (calibration)"
    card: ClassVar[str] = (
        "Draws every column uniformly from its frozen domain and never looks at a row. Only the draw is random, and it "
        "costs nothing. A calibration mechanism without leakage: an audit that finds some is broken."
    )
    family: ClassVar[str] = FAMILY

    def fit(self, table: Table, rng: np.random.Generator) -> FittedIndependent:  # noqa: ARG002  nothing is drawn here
        """Keep the schema and forget the rows. Draws nothing at random."""
        return FittedIndependent(table.schema)


PLUGIN = Independent
