"""A table that grows, released again and again: a method whose release is one release of every stage of the table.

The rows stand in the order in which they came in. At every release the method is fitted anew to the rows that were
there by then. A person who was there at the first release is in all of them or in none, so without the person every
stage is shorter by their rows. Games need not know of it, see :mod:`riskkit.games.repeated`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from riskkit.core import Fitted, Generator, Table
from riskkit.errors import DesignError
from riskkit.games.repeated import stack_fits
from riskkit.phrases import phrase


def stages(table: Table, rows: tuple[int, ...], whole: int) -> list[Table]:
    """The table at every release, of which the first ``rows[t]`` were there at release ``t``.

    ``whole`` is the length of the table with everybody. Where ``table`` is shorter, whoever is not in it was there at
    the first release.

    Raises
    ------
    DesignError
        The table is longer than that, or nobody is left at the first release.
    """
    gone = whole - len(table)
    if gone < 0 or rows[0] - gone < 1:
        raise DesignError(
            phrase(
                "A table of {rows:,} rows is no stage of one that grew from {first:,} to {whole:,} rows.",
                rows=len(table),
                first=rows[0],
                whole=whole,
            )
        )
    return [table.rows(np.arange(size - gone)) for size in rows]


def growing_method(generator: Generator, rows: tuple[int, ...]) -> Generator:
    """The method that is fitted to every stage of a table, and releases each; see :class:`Grown`."""
    return Grown(generator, rows)  # type: ignore[return-value]


@dataclass(frozen=True)
class Grown:
    """One release of every stage of a table; ``rows`` are how many rows each stage has, the last that of the table.

    A sample of ``n`` rows holds all of them, the first release first, each with the same share of the rows.
    """

    inner: Generator
    rows: tuple[int, ...]

    @property
    def name(self) -> str:
        """The name of the method."""
        return self.inner.name

    def fit(self, table: Table, rng: np.random.Generator) -> Fitted:
        """Fit once to every stage."""
        return stack_fits([self.inner.fit(stage, rng) for stage in stages(table, self.rows, self.rows[-1])])
