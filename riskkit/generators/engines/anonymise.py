"""What all anonymisers share: how many rows they release, in which order, and what they refuse.

An anonymiser changes or drops real rows, where a synthesiser draws new ones. Whatever it does, a release of ``n``
rows is dealt from the anonymised rows in the same way: ``n`` of them at random, each once; where ``n`` is larger,
every row once more, and so on from the start. The order is always random: the place of a row in the real table is
never released.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from riskkit.core import Bools, Column, Floats, Ints, Table
from riskkit.errors import DesignError, ParameterError
from riskkit.parameters import CheckedPlugin

FAMILY = "anonymiser"

ROWS = (
    " A release is a random choice of the anonymised rows in random order, each once; where more rows are asked for "
    "than there are, rows repeat. Code written here, Apache-2.0."
)
"""The last sentences of every card."""


def no_draw(table: Table, rng: np.random.Generator) -> Table:  # noqa: ARG001  the anonymisers that draw nothing
    """The random part of an anonymiser that has none."""
    return table


@dataclass(frozen=True, slots=True, eq=False)
class Anonymised:
    """A fitted anonymiser: the rows as the fixed part left them, and the random part, drawn anew for each release."""

    table: Table
    draw: Callable[[Table, np.random.Generator], Table] = no_draw

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


@dataclass(frozen=True)
class Anonymiser(CheckedPlugin):
    """A method that changes or drops real rows. What it cannot use is refused here, once for all.

    What is done once stands in :meth:`settle`, what is drawn anew for each release in :meth:`draw`. Where a field ``k``
    is the rows of a group, the table must have as many; one that ``changes_numbers`` needs a column of them.
    """

    name: ClassVar[str]
    family: ClassVar[str] = FAMILY
    changes_numbers: ClassVar[bool] = False

    def fit(self, table: Table, rng: np.random.Generator) -> Anonymised:
        """Do what is done once.

        Raises
        ------
        DesignError
            The table has no rows, too few, or nothing that this method would change; or no row would be left.
        """
        k = getattr(self, "k", 1)
        if not len(table):
            raise DesignError.phrase(
                "The anonymiser {name} needs at least one row; the table has none.", name=self.name
            )
        if k > len(table):
            raise DesignError.phrase(
                "{name}: k is {k}, but the table has {rows} rows; choose k up to {rows}.",
                name=self.name,
                k=k,
                rows=len(table),
            )
        if self.changes_numbers and not table.schema.numeric:
            raise DesignError.phrase(
                "The anonymiser {name} changes numbers and dates; the table has no such column.", name=self.name
            )
        return self.settle(table, rng)

    def settle(self, table: Table, rng: np.random.Generator) -> Anonymised:  # noqa: ARG002  nothing is drawn here
        """The rows as they are, to be drawn from."""
        return Anonymised(table, self.draw)

    def draw(self, table: Table, rng: np.random.Generator) -> Table:  # noqa: ARG002  what draws nothing settles all
        """The anonymised rows of one release."""
        return table

    def refuse_none_left(self, left: int, table: Table, instead: str) -> None:
        """Refuse a setting that drops every row; ``instead`` says what to choose."""
        if not left:
            raise DesignError.phrase(
                "The anonymiser {name} would drop all {rows} rows. {instead}",
                name=self.name,
                rows=len(table),
                instead=instead,
            )


def with_numbers(table: Table, change: Callable[[Floats, Column], Floats]) -> Table:
    """The table with every number column replaced by what ``change`` makes of it."""
    numbers = table.numbers.copy()
    for position, column in enumerate(table.schema.numeric):
        numbers[:, position] = change(numbers[:, position], column)
    return Table(table.schema, table.codes, numbers)


def random_pairs(rows: Ints, group: Ints, rng: np.random.Generator) -> tuple[Ints, Ints]:
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


@dataclass(frozen=True)
class Chain:
    """Each step anonymises what the step before it left; the last one's rows are dealt.

    ``steps`` are the anonymisers in order, each with its settings. Steps without randomness at the start are done once
    in the fit; from the first step that draws, everything is done anew for each release.

    Raises :class:`ParameterError` where a step draws new rows instead of anonymising those it is given.
    """

    name: ClassVar[str] = "chain"
    family: ClassVar[str] = FAMILY

    steps: tuple[Any, ...] = ()

    def __post_init__(self) -> None:
        for step in self.steps:
            if getattr(step, "family", "method") != FAMILY:
                raise ParameterError.phrase(
                    "{step} cannot be a step of a chain: it draws new rows; chain anonymisers only.", step=step.name
                )

    @property
    def title(self) -> str:
        """The titles of the steps in order."""
        return ", then ".join(step.title for step in self.steps)

    @property
    def card(self) -> str:
        """The cards of the steps in order."""
        return " Then: ".join(step.card for step in self.steps)

    def fit(self, table: Table, rng: np.random.Generator) -> Anonymised:
        """Fit the steps up to the first one that draws; the later ones are fitted to what it draws.

        Raises
        ------
        DesignError
            A step refuses the rows that it is given; from a step that draws on, when a release is sampled.
        """
        fitted = Anonymised(table)
        for position, step in enumerate(self.steps):
            fitted = step.fit(fitted.table, rng)
            if fitted.draw is not no_draw:
                return Anonymised(fitted.table, _Then(fitted.draw, self.steps[position + 1 :]))
        return fitted


@dataclass(frozen=True, slots=True, eq=False)
class _Then:
    """The random part of a step, and the steps after it."""

    first: Callable[[Table, np.random.Generator], Table]
    later: tuple[Any, ...]

    def __call__(self, table: Table, rng: np.random.Generator) -> Table:
        table = self.first(table, rng)
        for step in self.later:
            table = step.fit(table, rng).whole(rng)
        return table
