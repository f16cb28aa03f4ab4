"""Leaky: now and then the table itself, else rows that know nothing of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Table
from riskkit.errors import DesignError
from riskkit.generators.engines.calibration import FAMILY, FittedIdentity, FittedIndependent
from riskkit.parameters import CheckedPlugin, parameter
from riskkit.phrases import phrase


@dataclass(frozen=True)
class Leaky(CheckedPlugin):
    """Releases the table with probability ``p``, else noise that is independent of it.

    Exact match has a true positive rate of ``p`` at a false positive rate of 0, so **AUC = 1/2 + p/2**. An attacker
    who knows every other row also recognises the world without the target: its **AUC = 1 - (1 - p)^2 / 2**, and no
    attack has a true positive rate above ``p`` plus its false positive rate (KA4). It is exactly (0, p)-differentially
    private, so an epsilon above 0 at a delta of ``p`` or more is a fault of the audit. The coin is thrown once a
    training, so this holds however many releases are sampled from it. The noise must not hit the target's very
    record: true but for one release in very many, unless the domain is tiny.
    """

    name: ClassVar[str] = "leaky"
    title: ClassVar[str] = "The table itself, sometimes (calibration)"
    card: ClassVar[str] = (
        "Releases the real rows with probability p, else rows drawn from the schema alone. Each training throws one "
        "coin, each release draws its noise and its order, and it costs nothing. A calibration mechanism: privacy that "
        "fails rarely and then completely, which no epsilon shows."
    )
    family: ClassVar[str] = FAMILY

    p: float = parameter(0.1, label="Probability p", help="How often the table itself is released.", low=0.0, high=1.0)

    def best_auc(self, rows: int, n: int, targets: int = 1) -> float:  # noqa: ARG002  the coin alone decides
        """The AUC of the best attack, which recognises both tables: chance only where both releases are noise."""
        return 1 - (1 - self.p) ** 2 / 2

    def fit(self, table: Table, rng: np.random.Generator) -> FittedLeaky:
        """Throw the coin; only where it says so is the table kept."""
        leaks = bool(rng.random() < self.p)
        return FittedLeaky(len(table), FittedIdentity(table) if leaks else FittedIndependent(table.schema))


@dataclass(frozen=True, slots=True, eq=False)
class FittedLeaky:
    """What the coin chose, and how many rows a release must have at least."""

    rows: int
    chosen: FittedIdentity | FittedIndependent

    def sample(self, n: int, rng: np.random.Generator) -> Table:
        """``n`` rows of what the coin chose.

        Raises
        ------
        DesignError
            ``n`` is less than the table's length, whatever the coin chose.
        """
        if n < self.rows:
            raise DesignError(
                phrase("A leak of {rows} rows cannot be released in {n}; ask for as many or more.", rows=self.rows, n=n)
            )
        return self.chosen.sample(n, rng)


PLUGIN = Leaky
