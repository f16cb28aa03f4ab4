"""What released rows say of each record of a table that sequential trees were grown from.

Without the record a few trees have other splits, so a released row can say anything, and proofs go both ways: some rows
only the fit with the record can put out, and some only the fit without it. In a small domain every row is weighed by
both fits, and the law is exact; in a larger one rows are drawn from the two fits and near the
record.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Protocol, Self

import numpy as np

from riskkit.core import Bools, Floats, Ints, Table
from riskkit.generators._ratio import Complexes, refuse_only_row
from riskkit.generators._ratio_drawn import NearbyRows
from riskkit.generators._ratio_people import refuse_everybody
from riskkit.generators._synthpop_step import Step

LISTED = 1 << 14
"""Of so many rows at most the whole domain is listed."""

MORE, FEW = 5, 10
"""So many times the rows are drawn where splits change and fewer proofs of either kind than the second turned up."""

FITS, NEAR = 0.25, (0.3, 0.6, 0.9)
"""The share of rows that are drawn from either fit; the others take the record's values with one of these chances."""


class Fit(Protocol):
    """Sequential trees that can leave a row out; see :class:`riskkit.generators.synthpop.SettledSynthpop`."""

    @property
    def table(self) -> Table:
        """The table that they were grown from."""

    @property
    def steps(self) -> tuple[Step, ...]:
        """The columns in the order they are drawn."""

    @property
    def smoothing(self) -> str:
        """How numbers are moved."""

    def without(self, rows: int | Ints) -> Self:
        """The fit to the same table without that row, or without all of these."""

    def sample(self, n: int, rng: np.random.Generator) -> Table:
        """``n`` rows."""

    def sample_near(self, record: Table, chance: float, n: int, rng: np.random.Generator) -> Table:
        """``n`` rows that take the record's value with that chance in each column where it can be drawn."""

    def log_prob(self, table: Table) -> Floats:
        """(n,) logarithm of the probability of each row."""

    def log_shares(self, table: Table) -> Floats:
        """(columns, n) the same of each column given those before it."""

    def log_shares_of(self, record: Table, rows: Table) -> Floats:
        """(columns, n) logarithm of the chance of the record's value in each column, given the columns of each row."""

    def agreeing(self, record: Table, rows: Table) -> Bools:
        """(columns, n) whether each row has the record's value."""


@dataclass(frozen=True, slots=True, eq=False)
class ListedLaw:
    """The exact law of the log ratio of one row, from the chances of every row under both fits.

    ``value`` (k,) are the ratios of rows that both can put out, ``chance`` (k,) their chances with the record.
    """

    value: Floats
    chance: Floats
    only_in: float
    only_out: float

    @classmethod
    def of(cls, inside: Floats, outside: Floats) -> ListedLaw:
        """The law from the logarithms of the chances of (m,) rows, which are all there can be."""
        both = np.isfinite(inside) & np.isfinite(outside)
        value, own = np.unique(np.round(inside[both] - outside[both], 12), return_inverse=True)
        chances = np.exp(inside), np.exp(outside)
        only_in, only_out = (float(chance[~both].sum()) for chance in chances)
        chance: Floats = np.bincount(own, chances[0][both], minlength=len(value)).astype(np.float64)
        return cls(value, chance, only_in, only_out)

    @property
    def reach(self) -> float:
        """The log ratio of a row is no further from 0."""
        return float(np.abs(self.value).max(initial=0.0))

    def moments(self, tilt: Floats) -> Floats:
        """(k,) sum of ``exp(tilt * L)`` over the rows that both fits can put out, by their chance with the record."""
        out: Floats = self.chance @ np.exp(np.outer(self.value, tilt))
        return out

    def characteristic(self, tilt: float, step: float, count: int) -> Complexes:
        """(count,) sum of ``exp((tilt + i t) * L)`` for t = 0, step, 2 step, ..."""
        leant = self.chance * np.exp(tilt * self.value)
        out: Complexes = np.exp(1j * step * np.outer(np.arange(count), self.value)) @ leant
        return out


@dataclass(frozen=True, slots=True, eq=False)
class TreesRatio:
    """One record: the law of the log ratio of a released row, None where it is not known exactly.

    A leaf holds people who are like the record in the columns of its path, not the same: no set of columns is named.
    """

    law: ListedLaw | None
    cells: tuple[()] = ()


@dataclass(frozen=True, eq=False)
class TreesRatios:
    """The ratios of every record of a fit."""

    fitted: Fit

    @cached_property
    def _domain(self) -> tuple[Table, Floats] | None:
        """Every row that either fit can put out, and the logarithm of its chance; None where that is too many."""
        domain = domain_of(self.fitted.table, self.fitted.smoothing)
        return None if domain is None else (domain, self.fitted.log_prob(domain))

    def of(self, row: int) -> TreesRatio:
        """The ratio of one record."""
        refuse_only_row(len(self.fitted.table))
        return self._of(row)

    def of_person(self, rows: Ints) -> TreesRatio:
        """The ratio of the person who has these rows.

        Raises
        ------
        DesignError
            The person has all the rows.
        """
        refuse_everybody(len(self.fitted.table), len(rows))
        return self._of(rows)

    def _of(self, rows: int | Ints) -> TreesRatio:
        if self._domain is None:
            return TreesRatio(None)
        domain, inside = self._domain
        return TreesRatio(ListedLaw.of(inside, self.fitted.without(rows).log_prob(domain)))


def domain_of(table: Table, smoothing: str) -> Table | None:
    """Every combination of the values that a fit to the table, or to a part of its rows, can put out.

    None where there are more than :data:`LISTED`, or where numbers are moved.
    """
    columns = [np.unique(column) for column in (*table.codes.T, *table.numbers.T)]
    if np.prod([float(len(column)) for column in columns]) > LISTED or (smoothing != "none" and table.numbers.size):
        return None
    rows = np.array(list(product(*(column.tolist() for column in columns))))
    categories = table.codes.shape[1]
    return Table(table.schema, rows[:, :categories].astype(np.int32), rows[:, categories:])


def drawn_of(inside: Fit, rows: int | Sequence[int], count: int, rng: np.random.Generator) -> NearbyRows:
    """``count`` rows: drawn from the fit with the rows that are left out, from the one without them, and near them.

    A row near the record takes the record's value, column by column, with one of the chances :data:`NEAR` wherever the
    fit with the record can put it out there, and else is drawn from that fit. How likely such a row comes about is
    known, so each row is weighed by how much likelier the fit puts it out than it was drawn.
    """
    left: list[int] = np.atleast_1d(rows).tolist()
    outside = inside.without(np.array(left))
    first = _drawn(inside, outside, left, count, rng)
    if not first.unseen or min(np.count_nonzero(first.value == end) for end in (-np.inf, np.inf)) >= FEW:
        return first
    return _drawn(inside, outside, left, MORE * count, rng)


def _drawn(inside: Fit, outside: Fit, left: Sequence[int], count: int, rng: np.random.Generator) -> NearbyRows:
    """So many rows drawn from both fits and near the rows that are left out."""
    ways = [(inside.table.rows([row]), chance) for row in left for chance in NEAR]
    amounts = rng.multinomial(count, [FITS, FITS, *[(1 - 2 * FITS) / len(ways)] * len(ways)]).tolist()
    parts = [inside.sample(amounts[0], rng), outside.sample(amounts[1], rng)]
    parts += [inside.sample_near(*way, amount, rng) for way, amount in zip(ways, amounts[2:], strict=True)]
    rows = parts[0]
    for part in parts[1:]:
        rows = rows.plus(part)
    logs = inside.log_shares(rows)
    with_record, without = logs.sum(axis=0), outside.log_prob(rows)
    by_fit, by_other = np.isfinite(with_record), np.isfinite(without)
    value = np.where(by_fit, np.inf, -np.inf)
    np.subtract(with_record, without, out=value, where=by_fit & by_other)
    weight = np.full(count, 1 / FITS)
    likelier = sum(_nearness(inside, inside.table.rows([row]), rows, logs)[by_fit] for row in left) / len(left)
    weight[by_fit] = 1 / (FITS + FITS * np.exp(-value[by_fit]) + (1 - 2 * FITS) * likelier)
    is_moved = any(_is_moved(*pair, inside.smoothing) for pair in zip(inside.steps, outside.steps, strict=True))
    return NearbyRows(value, weight, 1 / FITS if is_moved else 0.0, np.empty(0))


def _is_moved(inside: Step, outside: Step, smoothing: str) -> bool:
    """Whether the column is drawn by other splits without the record, or numbers are moved in other gaps."""
    for before, after in ((inside.leaves, outside.leaves), (inside.missing, outside.missing)):
        if before is None or after is None:
            if before is not after:
                return True
            continue
        parts = ((tree.feature, tree.below, tree.above, tree.ranks) for tree in (before, after))
        if not all(np.array_equal(own, other) for own, other in zip(*parts, strict=True)):
            return True
    return smoothing != "none" and not np.array_equal(
        np.append(inside.distinct, inside.heap), np.append(outside.distinct, outside.heap), equal_nan=True
    )


def _nearness(inside: Fit, record: Table, rows: Table, logs: Floats) -> Floats:
    """(m,) how much likelier each row is drawn near the record than from the fit; ``logs`` are its shares."""
    own = inside.log_shares_of(record, rows)
    same = inside.agreeing(record, rows)
    total = np.zeros(len(rows))
    for chance in NEAR:
        taken = np.where(np.isfinite(own), chance, 0.0)
        with np.errstate(over="ignore", invalid="ignore"):
            likelier = (1 - taken) + np.where(same & np.isfinite(logs), taken * np.exp(-logs), 0.0)
        total += likelier.prod(axis=0) / len(NEAR)
    return total
