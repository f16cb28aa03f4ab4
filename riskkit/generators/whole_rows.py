"""Calibration by whole rows: the table itself, some of its rows, or rows that know nothing of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Floats, Table
from riskkit.errors import DesignError
from riskkit.generators.engines.calibration import FAMILY, FittedIdentity, FittedIndependent, repeat_rows
from riskkit.generators.engines.ratios import ApartRatios
from riskkit.parameters import CheckedPlugin, parameter
from riskkit.phrases import phrase


@dataclass(frozen=True)
class Independent:
    """Ignores the table and draws from the schema: every attack has **AUC = 1/2** (KA10).

    The schema is frozen over all tables that were loaded, so it is the same with and without the target.
    """

    name: ClassVar[str] = "independent"
    title: ClassVar[str] = "Independent of the table (calibration)"
    card: ClassVar[str] = (
        "Draws every column uniformly from its frozen domain and never reads a row. Only the draw is random, and "
        "it costs nothing. A calibration mechanism without leakage: an audit that finds some is broken."
    )
    family: ClassVar[str] = FAMILY

    def fit(self, table: Table, rng: np.random.Generator) -> FittedIndependent:  # noqa: ARG002  nothing is drawn here
        """Keep the schema and forget the rows. Draws nothing at random."""
        return FittedIndependent(table.schema)


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
        "Releases the real rows with probability p, else rows drawn from the schema alone. Each training decides "
        "by chance once, each release draws its noise and its order, and it costs nothing. A calibration "
        "mechanism: privacy that fails rarely and then completely, which no epsilon shows."
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
            raise DesignError.phrase(
                "A leak of {rows} rows cannot be released in {n}; ask for as many or more.", rows=self.rows, n=n
            )
        return self.chosen.sample(n, rng)


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
            raise DesignError.phrase("The bootstrap needs at least one row to draw from; the table has none.")
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


@dataclass(frozen=True)
class Subsample(CheckedPlugin):
    """Releases ``m = round(share n)`` of the table's ``n`` rows, at least one, drawn without replacement.

    A record without a copy is in the release with probability ``m/n``, and never when it was not in the table: the
    true positive rate is ``m/n`` at a false positive rate of 0, and exact match has **AUC = 1/2 + m/(2n)** (KA3).
    """

    name: ClassVar[str] = "subsample"
    title: ClassVar[str] = "A share of the rows (calibration)"
    card: ClassVar[str] = (
        "Draws a share of the real rows without replacement, releases them as they are and repeats them to the length "
        "that is asked for. Only the draw and the order are random, and it costs nothing. A calibration mechanism: "
        "exact match finds a given row in exactly that share of releases."
    )
    family: ClassVar[str] = FAMILY

    share: float = parameter(
        0.5, label="Share of the rows", help="How much of the table one release holds.", low=0.0, high=1.0
    )

    def fit(self, table: Table, rng: np.random.Generator) -> FittedSubsample:  # noqa: ARG002  nothing is drawn here
        """Keep the table. Draws nothing at random.

        Raises
        ------
        DesignError
            The table has no rows to draw from.
        """
        if not len(table):
            raise DesignError.phrase("The subsample needs at least one row to draw from; the table has none.")
        return FittedSubsample(table, max(1, round(self.share * len(table))))


@dataclass(frozen=True, slots=True, eq=False)
class FittedSubsample:
    """The rows to draw from, and how many a release holds."""

    table: Table
    drawn: int

    def sample(self, n: int, rng: np.random.Generator) -> Table:
        """The drawn rows in random order, some of them again where ``n`` is more than their number.

        Raises
        ------
        DesignError
            ``n`` is less than the number of drawn rows.
        """
        again = repeat_rows(self.drawn, n, rng, phrase("A subsample"))
        return self.table.rows(rng.permutation(len(self.table))[again])


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


PLUGIN = Independent, Leaky, Bootstrap, Subsample, Identity
