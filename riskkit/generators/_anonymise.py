"""What all anonymisers share: how many rows they release, in which order, and what they refuse.

An anonymiser changes or drops real rows, where a synthesiser draws new ones. Whatever it does, a release of ``n``
rows is dealt from the anonymised rows in the same way: ``n`` of them at random, each once; where ``n`` is larger,
every row once more, and so on from the start. The order is always random: the place of a row in the real table is
never released.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from riskkit.core import Bools, Column, Floats, Ints, Table
from riskkit.errors import DesignError
from riskkit.phrases import phrase

FAMILY = "anonymiser"

ROWS = (
    " A release is a random choice of the anonymised rows in random order, each once; where more rows are asked for "
    "than there are, rows repeat. Code written here, Apache-2.0."
)
"""The last sentences of every card."""


def unchanged(table: Table, rng: np.random.Generator) -> Table:  # noqa: ARG001  the anonymisers that draw nothing
    """The random part of an anonymiser that has none."""
    return table


@dataclass(frozen=True, slots=True, eq=False)
class Anonymised:
    """A fitted anonymiser: the rows as the fixed part left them, and the random part, drawn anew for each release."""

    table: Table
    draw: Callable[[Table, np.random.Generator], Table] = unchanged

    def whole(self, rng: np.random.Generator) -> Table:
        """All anonymised rows, in the order of the real ones: never to be released as it is."""
        return self.draw(self.table, rng)

    def sample(self, n: int, rng: np.random.Generator) -> Table:
        """``n`` anonymised rows at random in random order: each once, and again from the start where n is larger.

        Where ``n`` is larger, how often rows repeat tells how many there are. A game whose worlds differ by one row
        therefore asks for no more rows than its smaller world leaves.
        """
        return deal(self.whole(rng), n, rng)


def deal(table: Table, n: int, rng: np.random.Generator) -> Table:
    """``n`` rows in random order, every row ``n // len(table)`` times or once more."""
    return table.rows(rng.permutation(np.resize(rng.permutation(len(table)), n)))


def needs_rows(name: str, table: Table, k: int = 1) -> None:
    """Refuse a table without rows, or with fewer than the ``k`` that one group needs."""
    if not len(table):
        raise DesignError(phrase("The anonymiser {name} needs at least one row; the table has none.", name=name))
    if k > len(table):
        raise DesignError(
            phrase(
                "{name}: k is {k}, but the table has {rows} rows; choose k up to {rows}.",
                name=name,
                k=k,
                rows=len(table),
            )
        )


def needs_numbers(name: str, table: Table) -> None:
    """Refuse a table in which there is nothing for a method of numbers to change."""
    if not table.schema.numeric:
        raise DesignError(
            phrase("The anonymiser {name} changes numbers and dates; the table has no such column.", name=name)
        )


def needs_some_left(name: str, left: int, table: Table, instead: str) -> None:
    """Refuse a setting that drops every row; ``instead`` says what to choose."""
    if not left:
        raise DesignError(
            phrase(
                "The anonymiser {name} would drop all {rows} rows. {instead}",
                name=name,
                rows=len(table),
                instead=instead,
            )
        )


def with_numbers(table: Table, change: Callable[[Floats, Column], Floats]) -> Table:
    """The table with every number column replaced by what ``change`` makes of it."""
    numbers = table.numbers.copy()
    for position, column in enumerate(table.schema.numeric):
        numbers[:, position] = change(numbers[:, position], column)
    return Table(table.schema, table.codes, numbers)


def paired(rows: Ints, group: Ints, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Disjoint random pairs of the rows of each group, as their left and right members; an odd row stays alone."""
    shuffled = np.lexsort((rng.random(len(rows)), group))
    rows, group = rows[shuffled], group[shuffled]
    first = np.searchsorted(group, group, side="left")
    left = np.flatnonzero(((np.arange(len(rows)) - first) % 2 == 0)[:-1] & (group[1:] == group[:-1]))
    return rows[left], rows[left + 1]


def counts_of(keys: Ints) -> Ints:
    """(n,) how many entries share the key of each."""
    _, inverse, count = np.unique(keys, return_inverse=True, return_counts=True)
    held: Ints = count[inverse.ravel()]
    return held


def exactly(share: float, rows: int, rng: np.random.Generator) -> Bools:
    """A random mask of exactly that share of the rows, rounded to whole rows."""
    mask = np.zeros(rows, dtype=bool)
    mask[rng.permutation(rows)[: round(share * rows)]] = True
    return mask
