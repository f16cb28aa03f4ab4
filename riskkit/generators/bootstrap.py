"""Bootstrap: rows of the table, drawn with replacement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Floats, Table
from riskkit.errors import DesignError
from riskkit.generators.engines.calibration import FAMILY
from riskkit.generators.engines.ratios import ApartRatios
from riskkit.phrases import phrase


@dataclass(frozen=True)
class Bootstrap:
    """Releases ``m`` rows drawn with replacement from the ``n`` of the table.

    A record without a copy is in the release with probability ``1 - (1 - 1/n)^m``, and never when it was not in the
    table. So exact match has **AUC = 1 - (1 - 1/n)^m / 2** (KA2): .8165 for n = m = 200, not 1.
    """

    name: ClassVar[str] = "bootstrap"
    title: ClassVar[str] = "Rows drawn with replacement (calibration)"
    card: ClassVar[str] = (
        "Draws real rows with replacement and releases them as they are. Only the draw is random, it costs nothing. A "
        "calibration mechanism: exact match finds a given row in about 63 of 100 releases of the table's length."
    )
    family: ClassVar[str] = FAMILY
    certified: ClassVar[bool] = True

    def best_auc(self, rows: int, n: int, targets: int = 1) -> float:
        """The AUC of the best attack on ``targets`` of ``rows`` rows that are in as one, from releases of ``n``."""
        return float(1 - (1 - targets / rows) ** n / 2)

    def fit(self, table: Table, rng: np.random.Generator) -> FittedBootstrap:  # noqa: ARG002  nothing is drawn here
        """Keep the table. Draws nothing at random.

        Raises
        ------
        DesignError
            The table has no rows to draw from.
        """
        if not len(table):
            raise DesignError(phrase("The bootstrap needs at least one row to draw from; the table has none."))
        return FittedBootstrap(table)


@dataclass(frozen=True, slots=True, eq=False)
class FittedBootstrap:
    """The rows to draw from."""

    table: Table

    def sample(self, n: int, rng: np.random.Generator) -> Table:
        """``n`` rows drawn with replacement."""
        return self.table.rows(rng.integers(len(self.table), size=n))

    def ratios(self) -> ApartRatios:
        """What released rows say of each record, exactly."""
        _, own, copies = np.unique(self.table.keys(), return_inverse=True, return_counts=True)
        every = tuple(range(len(self.table.schema.modelled)))
        return ApartRatios((every,), copies[own][None], own[None])

    def log_prob(self, table: Table) -> Floats:
        """(n,) natural logarithm of the share of the table's rows that are equal; -inf where none is."""
        kept, counts = np.unique(self.table.keys(), return_counts=True)
        place = np.minimum(np.searchsorted(kept, table.keys()), len(kept) - 1)
        with np.errstate(divide="ignore"):
            logs: Floats = np.log(np.where(kept[place] == table.keys(), counts[place], 0) / len(self.table))
        return logs


PLUGIN = Bootstrap
