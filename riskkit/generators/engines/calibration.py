"""What several calibration mechanisms release: the table itself, or rows that know nothing of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from riskkit.core import Codes, Floats, Ints, Schema, Table
from riskkit.errors import DesignError
from riskkit.phrases import phrase
from riskkit.table.encode import bin_columns, from_bins
from riskkit.table.noisy_counts import NoisyCounts

FAMILY = "calibration"
"""Mechanisms whose leakage is known without running them: for tests and positive controls, never for a release."""


def repeat_rows(rows: int, n: int, rng: np.random.Generator, what: str) -> Ints:
    """``n`` positions in random order that hold each of ``rows`` positions at least once, all as often as they can.

    Raises
    ------
    DesignError
        There is no row, or ``n`` is less than ``rows``: leaving rows out would silently lose the target.
    """
    if not rows:
        raise DesignError.phrase("{what} needs a table with at least one row.", what=what)
    if n < rows:
        raise DesignError.phrase(
            "{what} of {rows} rows cannot be released in {n}; ask for as many or more.", what=what, rows=rows, n=n
        )
    return rng.permutation(np.arange(n) % rows)


@dataclass(frozen=True, slots=True, eq=False)
class FittedIdentity:
    """The table itself."""

    table: Table

    def sample(self, n: int, rng: np.random.Generator) -> Table:
        """Every row in random order, some of them again where ``n`` is more than the table's length.

        Raises
        ------
        DesignError
            ``n`` is less than the table's length.
        """
        return self.table.rows(repeat_rows(len(self.table), n, rng, phrase("The identity")))

    def noisy_counts(self) -> tuple[NoisyCounts, ...]:
        """How often each different row is there, and 0 of all others: no noise, for whoever sees the table itself."""
        (counts,) = self.exact_counts(self.table)
        return (NoisyCounts(counts, np.ones(len(counts))),)

    def exact_counts(self, table: Table) -> tuple[Floats, ...]:
        """How often each of these rows is in another table, and last how many other rows are."""
        kept, keys = np.unique(self.table.keys()), table.keys()
        rank = np.minimum(np.searchsorted(kept, keys), len(kept) - 1)
        place = np.where(kept[rank] == keys, rank, len(kept))
        return (np.bincount(place, minlength=len(kept) + 1).astype(np.float64),)

    def log_picks(self, table: Table) -> float:  # noqa: ARG002  nothing is picked
        """Nothing is picked."""
        return 0.0


@dataclass(frozen=True, slots=True, eq=False)
class FittedIndependent:
    """The schema and nothing else."""

    schema: Schema

    def sample(self, n: int, rng: np.random.Generator) -> Table:
        """Every column uniform over its frozen domain; a number that can be missing is missing half the time."""
        return noise(self.schema, n, 1, rng)


def noise(schema: Schema, n: int, bins: int, rng: np.random.Generator) -> Table:
    """``n`` rows of codes that are uniform in the layout of :func:`riskkit.table.encode.bin_columns`."""
    sizes = code_counts(schema, bins)
    return from_bins(rng.integers(sizes, size=(n, len(sizes)), dtype=np.int32), schema, bins, rng)


def code_counts(schema: Schema, bins: int) -> tuple[int, ...]:
    """How many codes each column has, from the frozen domain alone."""
    no_codes: Codes = np.empty((0, len(schema.categorical)), dtype=np.int32)
    return bin_columns(Table(schema, no_codes, np.empty((0, len(schema.numeric)))), bins)[1]
