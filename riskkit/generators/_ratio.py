"""What one released row says of one record: the ratio of a fit that holds it to the fit of the same table without it.

Both fits count, and the record is one of the counted rows. So in each column the ratio has only three values: one
where a released row has the record's values above (those of the parents) and in the column itself, one where it has
them above alone, and 1 elsewhere. Here are those values, and their exact law along a tree; where a column leans on
several others, or the fit without the record is another network, :mod:`riskkit.generators._ratio_drawn` draws rows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from riskkit.core import Floats, Ints, Schema
from riskkit.errors import DesignError
from riskkit.generators._network import Parents, order
from riskkit.phrases import phrase

Complexes = npt.NDArray[np.complex128]
Factors = npt.NDArray[Any]
"""Real or complex; which, says what the mean is of."""


@dataclass(frozen=True, slots=True)
class RecordCell:
    """What the record is in the counts of one column.

    ``columns`` are positions of modelled columns, the parents first and the column itself last. Of the fitted rows,
    ``above`` have the record's values in the parents and ``both`` in the column too, itself included. ``size`` is how
    many values the column can have and ``pseudo`` how many rows were added to each. ``reach`` is the chance that a
    released row has the record's values in the parents.
    """

    columns: tuple[int, ...]
    above: int
    both: int
    size: int
    pseudo: float
    reach: float

    @property
    def share(self) -> float:
        """Chance of the record's value given its parents' values, in the fit that holds it."""
        return (self.both + self.pseudo) / (self.above + self.pseudo * self.size)

    @property
    def is_lone(self) -> bool:
        """Whether no other row has these parents' values: without the record the column is uniform there."""
        return self.above == 1 and not self.pseudo

    @property
    def share_without(self) -> float:
        """The same chance in the fit that does not hold the record."""
        if self.is_lone:
            return 1 / self.size
        return (self.both - 1 + self.pseudo) / (self.above - 1 + self.pseudo * self.size)

    @property
    def is_proof(self) -> bool:
        """Whether a released row with these values shows that the record was in."""
        return self.share_without == 0

    @property
    def hit(self) -> float:
        """Log ratio of a row that has the record's values; ``inf`` where it is a proof."""
        return math.inf if self.is_proof else math.log(self.share / self.share_without)

    @property
    def miss(self) -> float:
        """Log ratio of a row that has them in the parents alone."""
        if self.is_lone:
            return 0.0  # the fit with the record puts no such row out
        whole = self.pseudo * self.size
        return math.log((self.above - 1 + whole) / (self.above + whole))

    @property
    def tells(self) -> float:
        """How far the two fits are apart in this column: squared Hellinger distance per released row.

        A value that nobody else has in the only parent is a proof already, and nothing below it tells more.
        """
        if self.is_lone and len(self.columns) == 2:
            return 0.0
        return float(self.reach * apart(self.share, self.share_without))


def apart(inside: Any, outside: Any) -> Any:
    """Squared Hellinger distance of two coins with these chances, numbers or arrays."""
    return np.maximum(1 - np.sqrt(inside * outside) - np.sqrt((1 - inside) * (1 - outside)), 0.0)


def tells_of(both: Ints, above: Ints, size: int, pseudo: float, rows: int, parents: int) -> Floats:
    """(2, n) how far a released row tells of every record in one column, and the chance of a proof.

    The first is :attr:`RecordCell.tells`. What is a proof counts in the second alone. The parents are reached
    as often as the table's rows do.
    """
    inside = (both + pseudo) / (above + pseudo * size)
    lone = (above == 1) & (pseudo == 0)
    outside = np.where(lone, 1 / size, (both - 1 + pseudo) / np.where(lone, 1, above - 1 + pseudo * size))
    proof = outside == 0
    known = proof | (lone & (parents == 1))
    reach = above / rows
    return np.stack([np.where(known, 0.0, reach * apart(inside, outside)), np.where(proof, reach * inside, 0.0)])


@dataclass(frozen=True, eq=False)
class TreeShares:
    """The counts of a whole tree as shares.

    ``table[j]`` is (size of the parent, size of the column), each row the shares of the column's values given one value
    of the parent; rows of values that no row has are uniform. Columns without parent have one row.
    """

    parents: Parents
    table: tuple[Floats, ...]

    @cached_property
    def down(self) -> tuple[int, ...]:
        """The columns, children first."""
        return order(self.parents)[::-1]

    @cached_property
    def marginal(self) -> tuple[Floats, ...]:
        """The chance of every value of every column."""
        marginals: dict[int, Floats] = {}
        for j in self.down[::-1]:
            above = marginals[self.parents[j][0]] if self.parents[j] else np.ones(1)
            marginals[j] = above @ self.table[j]
        return tuple(marginals[j] for j in range(len(self.table)))


@dataclass(frozen=True, slots=True, eq=False)
class TreeLaw:
    """The exact law of the log ratio of one row, by passing messages from the leaves to the root.

    ``code`` (d,) are the record's values. A message says, for each value of the parent, what all columns below it make
    of the mean; a child can have the record's values again after its parent had not.
    """

    shares: TreeShares
    cells: tuple[RecordCell, ...]
    code: Ints

    @property
    def only_in(self) -> float:
        """Chance per row, with the record, of a row that the other fit cannot put out."""
        return max(1.0 - float(self.moments(np.zeros(1))[0]), 0.0) if self._has_proof else 0.0

    @property
    def only_out(self) -> float:
        """None here: whatever a tree without the record puts out, the one with it can put out as well."""
        return 0.0

    @property
    def reach(self) -> float:
        """The log ratio of a row, or of some of its columns, is no further from 0."""
        return float(np.abs(self._logs()).max(axis=0).sum())

    @property
    def _has_proof(self) -> bool:
        return any(cell.is_proof for cell in self.cells)

    def moments(self, tilt: Floats) -> Floats:
        """(k,) sum of ``exp(tilt * L)`` over the rows that both fits can put out, by their chance with the record."""
        out: Floats = self._mean(*np.exp(self._logs()[:, :, None] * tilt))
        return out

    def characteristic(self, tilt: float, step: float, count: int) -> Complexes:
        """(count,) sum of ``exp((tilt + i t) * L)`` for t = 0, step, 2 step, ..."""
        out: Complexes = self._mean(*np.exp(self._logs()[:, :, None] * (tilt + 1j * step * np.arange(count))))
        return out

    def _logs(self) -> Floats:
        """(2, d) the log ratio in each column of a row that has the record's values, and of one that misses them."""
        hit = [0.0 if cell.is_proof else cell.hit for cell in self.cells]
        return np.array([hit, [cell.miss for cell in self.cells]])

    def _mean(self, hit: Factors, miss: Factors) -> Factors:
        """(k,) the mean of the product over columns of (d, k) factors; rows that are proofs count nothing."""
        own: dict[int, Factors] = {}  # what children make of the record's value where they mind no other
        full: dict[int, Factors] = {}
        whole = np.ones(hit.shape[1], dtype=hit.dtype)
        for j in self.shares.down:
            factor, rest = self._message(j, hit[j], miss[j], own.pop(j, None), full.pop(j, None))
            if not self.shares.parents[j]:
                whole *= factor
                continue
            parent = self.shares.parents[j][0]
            if rest is None:
                own[parent] = own[parent] * factor if parent in own else factor
            else:
                rest[self.code[parent]] = factor
                full[parent] = full[parent] * rest if parent in full else rest
        return whole

    def _message(
        self,
        j: int,
        hit: Factors,
        miss: Factors,
        own: Factors | None,
        full: Factors | None,
    ) -> tuple[Factors, Factors | None]:
        """What column ``j`` and all below it make of the mean: at the record's parent value, and at every one.

        The second is None where it is 1 but at the record's parent value.
        """
        cell, table, code = self.cells[j], self.shares.table[j], int(self.code[j])
        above = int(self.code[self.shares.parents[j][0]]) if self.shares.parents[j] else 0
        share = 0.0 if cell.is_proof else cell.share
        if full is None:
            mine = 1.0 if own is None else own
            rest = None if own is None else (1 - table[:, [code]]) + np.outer(table[:, code], own)
            return hit * share * mine + miss * (1 - cell.share), rest
        if own is not None:
            full[code] = full[code] * own
        rest = times(table, full)
        apart_from_own = np.where(np.arange(len(full)) == code, 0.0, table[above])
        left = apart_from_own @ full  # and not a difference: where tilts are large it would be all rounding
        return hit * share * full[code] + miss * left, rest


@dataclass(frozen=True, slots=True, eq=False)
class Ratio:
    """One record: what it is in the counts of every column, and the law of the log ratio of a released row.

    The law is None where it is not known exactly; then rows have to be drawn.
    """

    cells: tuple[RecordCell, ...]
    law: TreeLaw | None


def modelled_positions(schema: Schema) -> tuple[int, ...]:
    """Where the categorical columns of a table and then its numeric ones stand among the modelled columns."""
    positions = {column.name: position for position, column in enumerate(schema.modelled)}
    return tuple(positions[column.name] for column in (*schema.categorical, *schema.numeric))


def refuse_only_row(rows: int) -> None:
    """Refuse a table of one row.

    Raises
    ------
    DesignError
        There is no fit without its only row.
    """
    if rows < 2:
        raise DesignError(phrase("A table of one row has no fit without that row. Load more rows."))


def times(table: Floats, full: Factors) -> Factors:
    """A real matrix times a complex or real one, without making the first complex."""
    full = np.ascontiguousarray(full)
    out: Factors = (table @ full.view(np.float64)).view(full.dtype)
    return out
