"""Generators whose privacy is known without running them, and the attack that reads them best.

They are not plug-ins: no menu shows them. Each satisfies :class:`riskkit.core.Generator`, so a game treats them
like any method, and what the game must find is known in closed form.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Bools, Brief, Codes, Floats, Knowledge, Schema, Table
from riskkit.errors import DesignError
from riskkit.table.encode import binned, from_bins


@dataclass(frozen=True)
class Identity:
    """Releases the table itself (KA1): the exact-match attack has AUC 1."""

    name: ClassVar[str] = "identity"
    title: ClassVar[str] = "Identity"
    card: ClassVar[str] = "Releases the table as it is. There is no randomness. It costs nothing."

    def fit(self, table: Table, rng: np.random.Generator) -> FittedIdentity:
        """Keep the table."""
        return FittedIdentity(table)


@dataclass(frozen=True, slots=True)
class FittedIdentity:
    """The table itself."""

    table: Table

    def sample(self, n: int, rng: np.random.Generator) -> Table:
        """Every row in order, then the first ones again until there are ``n``.

        Raises
        ------
        DesignError
            ``n`` is less than the table's length: a release that leaves rows out is not the identity, and would
            silently lose the target.
        """
        if n < len(self.table):
            raise DesignError(f"The identity of {len(self.table)} rows cannot be released in {n}; ask for as many.")
        return self.table.rows(np.arange(n) % len(self.table))


@dataclass(frozen=True)
class Bootstrap:
    """Releases rows drawn with replacement (KA2): exact match has AUC ``1 - .5 (1 - 1/n)^n_syn``, not 1."""

    name: ClassVar[str] = "bootstrap"
    title: ClassVar[str] = "Bootstrap"
    card: ClassVar[str] = "Draws rows with replacement. Only the draw is random. It costs nothing."

    def fit(self, table: Table, rng: np.random.Generator) -> FittedBootstrap:
        """Keep the table."""
        return FittedBootstrap(table)


@dataclass(frozen=True, slots=True)
class FittedBootstrap:
    """The rows to draw from."""

    table: Table

    def sample(self, n: int, rng: np.random.Generator) -> Table:
        """``n`` rows drawn with replacement."""
        return self.table.rows(rng.integers(len(self.table), size=n))


@dataclass(frozen=True)
class Independent:
    """Ignores the table (KA10): every attack has AUC one half."""

    name: ClassVar[str] = "independent"
    title: ClassVar[str] = "Independent of the data"
    card: ClassVar[str] = "Draws from the schema alone. Only the draw is random. It costs nothing."

    def fit(self, table: Table, rng: np.random.Generator) -> FittedIndependent:
        """Keep the schema and forget the rows."""
        return FittedIndependent(table.schema)


@dataclass(frozen=True, slots=True)
class FittedIndependent:
    """The schema and nothing else."""

    schema: Schema

    def sample(self, n: int, rng: np.random.Generator) -> Table:
        """Every column uniform over its frozen domain; a number that can be missing is missing half the time."""
        no_codes: Codes = np.empty((0, len(self.schema.categorical)), dtype=np.int32)
        empty = Table(self.schema, no_codes, np.empty((0, len(self.schema.numeric))))
        _, sizes = binned(empty, 1)
        return from_bins(rng.integers(sizes, size=(n, len(sizes)), dtype=np.int32), self.schema, 1, rng)


@dataclass(frozen=True)
class ExactMatch:
    """Says "in" (+1) where the release holds the target's very record, else "out" (-1)."""

    name: ClassVar[str] = "exact_match"
    title: ClassVar[str] = "Exact match"
    card: ClassVar[str] = "Looks for the target's record in the release. Needs only the release. Finds copies alone."
    knowledge: ClassVar[Knowledge] = Knowledge.NONE

    @property
    def shadows(self) -> int:
        """It wants no releases of its own."""
        return 0

    def fit(self, brief: Brief, rng: np.random.Generator) -> FittedExactMatch:
        """Remember the targets."""
        return FittedExactMatch(brief.targets)


@dataclass(frozen=True, slots=True)
class FittedExactMatch:
    """The records to look for."""

    targets: Table

    def score(self, release: Table) -> Floats:
        """(n_targets,) +1 where the record occurs in the release, -1 where it does not."""
        wanted, shown = self.targets.keys(), release.keys()
        seen = {key.tobytes() for key in shown}
        found: Bools = np.array([key.tobytes() in seen for key in wanted], dtype=bool)
        return np.where(found, 1.0, -1.0)
