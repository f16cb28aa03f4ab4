"""What one released row says of one record: the ratio of a fit that holds it to the fit of the same table without it.

Both fits count, and the record is one of the counted rows. So in each column the ratio has only three values: one where
a released row has the record's values above (those of the parents) and in the column itself, one where it has them
above alone, and 1 elsewhere. Here are those values, and their exact law along a tree; where a column leans on several
others, or the fit without the record is another network, :mod:`riskkit.generators.engines.ratios_drawn` draws rows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from riskkit.core import Floats, Ints, Schema
from riskkit.errors import DesignError
from riskkit.generators.engines.network import Parents, order

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
        raise DesignError.phrase("A table of one row has no fit without that row. Load more rows.")


def times(table: Floats, full: Factors) -> Factors:
    """A real matrix times a complex or real one, without making the first complex."""
    full = np.ascontiguousarray(full)
    out: Factors = (table @ full.view(np.float64)).view(full.dtype)
    return out


HELD = 1 << 20
"""Numbers of one message that are held at once: frequencies are worked through in blocks."""


@dataclass(frozen=True, slots=True, eq=False)
class PersonCounts:
    """What a person is in the counts of one column, where the parents have one value.

    ``value`` is that of the parents. Of the fitted rows ``above`` have it, ``own`` of them the person's; ``codes`` (v,)
    are the values that the person's rows have there, ``both`` (v,) how many rows have each of them, and ``mine`` (v,)
    how many of the person's. ``size`` is how many values the column can have and ``pseudo`` how many rows were added to
    each. ``row`` (v,) is a row of the person with these values, by its place among the person's rows.
    """

    value: int
    above: int
    own: int
    codes: Ints
    both: Ints
    mine: Ints
    size: int
    pseudo: float
    row: Ints

    @property
    def is_lone(self) -> bool:
        """Whether nobody else has the parents' values: without the person the column is uniform there."""
        return self.above == self.own and not self.pseudo

    @property
    def share(self) -> Floats:
        """(v,) chance of each of these values in the fit with the person."""
        return np.asarray((self.both + self.pseudo) / (self.above + self.pseudo * self.size))

    @property
    def share_without(self) -> Floats:
        """(v,) the same in the fit without the person."""
        if self.is_lone:
            return np.full(len(self.both), 1 / self.size)
        return np.asarray((self.both - self.mine + self.pseudo) / (self.above - self.own + self.pseudo * self.size))

    @property
    def rest(self) -> float:
        """Chance of any other value in the fit with the person."""
        others = self.above - int(self.both.sum()) + self.pseudo * (self.size - len(self.both))
        return float(others / (self.above + self.pseudo * self.size))

    @property
    def hit(self) -> Floats:
        """(v,) log ratio of a row that has each of these values; ``inf`` where it is a proof."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.share) - np.log(self.share_without))

    @property
    def miss(self) -> float:
        """Log ratio of a row that has any other value."""
        if self.is_lone:
            return 0.0  # the fit with the person puts no such row out
        whole = self.pseudo * self.size
        return math.log((self.above - self.own + whole) / (self.above + whole))

    @property
    def apart(self) -> float:
        """Squared Hellinger distance of the column's two laws where the parents have this value."""
        ratio = (self.above - self.own + self.pseudo * self.size) / (self.above + self.pseudo * self.size)
        alike = self.rest / math.sqrt(ratio) if self.rest and ratio else 0.0
        return max(1 - float(np.sqrt(self.share * self.share_without).sum()) - alike, 0.0)


@dataclass(frozen=True, slots=True)
class PersonCell:
    """What tells most of the person in one column, as :class:`RecordCell` for a record.

    ``own`` of the ``both`` rows are the person's, and ``row`` is one of them, by its place among the person's rows.
    ``tells`` is over all values that the person's rows have in these columns.
    """

    columns: tuple[int, ...]
    above: int
    both: int
    own: int
    reach: float
    share: float
    is_proof: bool
    tells: float
    row: int


@dataclass(frozen=True, slots=True, eq=False)
class PersonLaw:
    """The exact law of the log ratio of one row along a tree, by messages from the leaves to the root.

    ``places[j]`` are the parents' values that the person has above column ``j``, one for a column without parents.
    """

    shares: TreeShares
    places: tuple[tuple[PersonCounts, ...], ...]

    @property
    def only_in(self) -> float:
        """Chance per row, with the person, of a row that the other fit cannot put out."""
        has_proof = any(np.isinf(place.hit).any() for held in self.places for place in held)
        return max(1.0 - float(self.moments(np.zeros(1))[0]), 0.0) if has_proof else 0.0

    @property
    def only_out(self) -> float:
        """None here: whatever a tree without the person puts out, the one with them can put out as well."""
        return 0.0

    @property
    def reach(self) -> float:
        """The log ratio of a row, or of some of its columns, is no further from 0."""
        total = 0.0
        for held in self.places:
            logs = [abs(place.miss) for place in held]
            logs += [float(np.abs(place.hit[np.isfinite(place.hit)]).max(initial=0.0)) for place in held]
            total += max(logs, default=0.0)
        return total

    def moments(self, tilt: Floats) -> Floats:
        """(k,) sum of ``exp(tilt * L)`` over the rows that both fits can put out, by their chance with the person."""
        out: Floats = self._mean(tilt)
        return out

    def characteristic(self, tilt: float, step: float, count: int) -> Complexes:
        """(count,) sum of ``exp((tilt + i t) * L)`` for t = 0, step, 2 step, ..."""
        block = max(HELD // max(max(table.shape) for table in self.shares.table), 1)
        every = tilt + 1j * step * np.arange(count)
        return np.concatenate([self._mean(every[start : start + block]) for start in range(0, count, block)])

    def _mean(self, tilt: Factors) -> Factors:
        """(k,) the mean of ``exp(tilt * L)``; rows that are proofs count nothing."""
        some: dict[int, dict[int, Factors]] = {}  # what children make of values, where they mind no other
        full: dict[int, Factors] = {}
        whole = np.ones(len(tilt), dtype=tilt.dtype)
        for j in self.shares.down:
            table = self.shares.table[j]
            below = _Below(table, some.pop(j, {}), full.pop(j, None))
            factors = {place.value: _factors_at(place, below, tilt) for place in self.places[j]}
            if not self.shares.parents[j]:
                whole *= factors[0]
                continue
            (parent,) = self.shares.parents[j]
            rest = below.rest()
            if rest is None:
                own = some.setdefault(parent, {})
                for value, factor in factors.items():
                    own[value] = own[value] * factor if value in own else factor
                continue
            for value, factor in factors.items():
                rest[value] = factor
            full[parent] = full[parent] * rest if parent in full else rest
        return whole


@dataclass(frozen=True, slots=True, eq=False)
class _Below:
    """What the children of a column make of its values: ``full`` (size, k) for all of them, times ``some`` of them.

    ``table`` are the shares of the column's values for each of the parent's.
    """

    table: Floats
    some: dict[int, Factors]
    full: Factors | None

    def value(self, code: int) -> Any:
        """What they make of that value."""
        factor: Any = 1.0 if self.full is None else self.full[code]
        return factor * self.some[code] if code in self.some else factor

    def others(self, place: PersonCounts) -> Any:
        """The chance of values that the person has not, at that place, times what children make of them."""
        row = self.table[place.value].copy() if self.full is not None or self.some else np.zeros(0)
        if self.full is None:
            minded = [code for code in self.some if code not in place.codes]
            left = max(place.rest - float(row[minded].sum()), 0.0) if minded else place.rest
            return left + sum(row[code] * self.some[code] for code in minded)
        row[place.codes] = 0.0
        return row @ self._whole()  # and not a difference: where tilts are large it would be all rounding

    def rest(self) -> Factors | None:
        """(size of the parent, k) what column and children make of each value of the parent; None where it is 1."""
        if self.full is not None:
            return times(self.table, self._whole())
        if not self.some:
            return None
        minded = list(self.some)
        chances = self.table[:, minded]
        left: Floats = np.maximum(1 - chances.sum(axis=1), 0.0)
        return np.asarray(left[:, None] + chances @ np.stack(list(self.some.values())))

    def _whole(self) -> Factors:
        assert self.full is not None
        for code in list(self.some):
            self.full[code] = self.full[code] * self.some.pop(code)
        return self.full


def _factors_at(place: PersonCounts, below: _Below, tilt: Factors) -> Factors:
    """(k,) what a column and all below it make of the mean, where the parents have the value of that place."""
    out = below.others(place) * np.exp(place.miss * tilt)
    for code, share, hit in zip(place.codes.tolist(), place.share, place.hit, strict=True):
        if np.isfinite(hit):
            out = out + share * np.exp(hit * tilt) * below.value(code)
    return np.asarray(out)


@dataclass(frozen=True, slots=True, eq=False)
class PersonRatio:
    """One person: what their rows are in the counts of every column, and the law of what a released row says.

    The law is None where it is not known exactly; then rows have to be drawn.
    """

    cells: tuple[PersonCell, ...]
    law: PersonLaw | None


def places_of(above: Ints, code: Ints, both: Ints, held: Ints, size: int, pseudo: float) -> tuple[PersonCounts, ...]:
    """The places of one column, from the person's (k,) parent codes and codes.

    ``both`` (k,) and ``held`` (k,) are how many fitted rows have each row's values in both, and in the parents.
    """
    out = []
    for value in np.unique(above).tolist():
        rows = np.flatnonzero(above == value)
        codes, first, mine = np.unique(code[rows], return_index=True, return_counts=True)
        there = rows[first]
        out.append(PersonCounts(value, int(held[rows[0]]), len(rows), codes, both[there], mine, size, pseudo, there))
    return tuple(out)


def cell_of(columns: tuple[int, ...], places: Sequence[PersonCounts], rows: int, marginal: Floats | None) -> PersonCell:
    """The values in these columns that tell most of the person; ``marginal`` are the chances of the parent's values.

    Without them a place counts for as much as the table has rows there, and the chance to be reached is 0.
    """

    def reached(place: PersonCounts) -> float:
        if len(columns) == 1:
            return 1.0
        return place.above / rows if marginal is None else float(marginal[place.value])

    whole = sum(0.0 if place.is_lone and len(columns) == 2 else reached(place) * place.apart for place in places)
    ratios = [np.where(np.isinf(place.hit), 1.0, 1 - np.exp(-np.maximum(place.hit, 0))) for place in places]
    best = max(
        range(len(places)),
        key=lambda index: reached(places[index]) * float((places[index].share * ratios[index]).max()),
    )
    place, cell = places[best], int(np.argmax(places[best].share * ratios[best]))
    reach = 0.0 if marginal is None and len(columns) > 1 else reached(place)
    proof = bool(np.isinf(place.hit[cell]))
    share, own = float(place.share[cell]), int(place.mine[cell])
    return PersonCell(
        columns, place.above, int(place.both[cell]), own, reach, share, proof, whole, int(place.row[cell])
    )


def refuse_everybody(rows: int, own: int) -> None:
    """Refuse a person who has all the rows.

    Raises
    ------
    DesignError
        There is no fit without their rows.
    """
    if own >= rows:
        raise DesignError.phrase(
            "All {rows:,} rows are of one person; there is no fit without them. Load more people.", rows=rows
        )


@dataclass(frozen=True, slots=True, eq=False)
class ApartRatios:
    """The ratios of every record of columns, or sets of columns, that were counted each by itself.

    ``columns`` has the positions of each set; ``both`` (sets, n) is how many rows agree with each row on it, and
    ``value`` (sets, n) is the same number for rows that agree.
    """

    columns: tuple[tuple[int, ...], ...]
    both: Ints
    value: Ints

    def tells(self) -> Floats:
        """(2, n) how far a released row tells of each record, summed over all sets; see :func:`tells_of`."""
        n = self.both.shape[1]
        refuse_only_row(n)
        total: Floats = tells_of(self.both, np.full(self.both.shape, n), n, 0.0, n, 0).sum(axis=1)
        return total

    def ratio(self, row: int) -> Ratio:
        """The ratio of one record.

        Raises
        ------
        DesignError
            It is the only row: there is no fit without it.
        """
        refuse_only_row(n := self.both.shape[1])
        cells = tuple(
            RecordCell(own, n, int(both), n, 0.0, 1.0)
            for own, both in zip(self.columns, self.both[:, row], strict=True)
        )
        alone: Parents = ((),) * len(cells)
        nothing = np.zeros(len(cells), dtype=np.int64)
        return Ratio(cells, TreeLaw(TreeShares(alone, (np.ones((1, 1)),) * len(cells)), cells, nothing))

    def person_ratio(self, rows: Ints) -> PersonRatio:
        """The ratio of the person who has these rows.

        Raises
        ------
        DesignError
            The person has all the rows: there is no fit without them.
        """
        n = self.both.shape[1]
        refuse_everybody(n, len(rows))
        nothing, all_rows = np.zeros(len(rows), dtype=np.int64), np.full(len(rows), n)
        places = tuple(
            places_of(nothing, code, both, all_rows, n, 0.0)
            for code, both in zip(self.value[:, rows], self.both[:, rows], strict=True)
        )
        cells = tuple(cell_of(own, held, n, None) for own, held in zip(self.columns, places, strict=True))
        alone = TreeShares(((),) * len(cells), (np.ones((1, 1)),) * len(cells))
        return PersonRatio(cells, PersonLaw(alone, places))
