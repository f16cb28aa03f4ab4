"""Identity: the table itself, the worst release there is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Table
from riskkit.generators.engines.calibration import FAMILY, FittedIdentity


@dataclass(frozen=True)
class Identity:
    """Releases the table itself, in random order.

    The exact-match attack is always right on a record that has no copy: **AUC = 1**, with a true positive rate of 1
    at a false positive rate of 0 (KA1).
    """

    name: ClassVar[str] = "identity"
    title: ClassVar[str] = "The table itself (calibration)"
    card: ClassVar[str] = (
        "Releases the real rows as they are. Only their order is random, and it costs nothing. A calibration "
        "mechanism with full leakage: an audit that does not find it is broken."
    )
    family: ClassVar[str] = FAMILY

    def best_auc(self, rows: int, n: int, targets: int = 1) -> float:  # noqa: ARG002  all its releases tell
        """The AUC of the best attack: always right."""
        return 1.0

    def fit(self, table: Table, rng: np.random.Generator) -> FittedIdentity:  # noqa: ARG002  nothing is drawn here
        """Keep the table. Draws nothing at random."""
        return FittedIdentity(table)


PLUGIN = Identity
