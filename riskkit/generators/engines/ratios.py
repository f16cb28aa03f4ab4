"""What one released row says of one record: the ratio of a fit that holds it to the fit of the same table without it.

A record is a row of the table, or all the rows of a person. Both fits count, and the record's rows are among those
counted. So where a column's parents have a value that the record has there, the ratio has few values: one for each that
the record has in the column, and one for all others; elsewhere it is 1. Here are those values, and their exact law
along a tree; where a column leans on several others, or the fit without the record is another network,
:mod:`riskkit.generators.engines.ratios_drawn` draws rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
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
class HeldValue:
    """One value of a column that rows of the record have, where the column's parents have one value.

    Of the ``both`` fitted rows that have the two, ``own`` are the record's, and ``row`` is the first of these by its
    place among the record's rows. ``share`` and ``share_without`` are its chance, given the parents' value, in the fit
    that holds the record and in the one that does not.
    """

    code: int
    both: int
    own: int
    row: int
    share: float
    share_without: float

    @property
    def is_proof(self) -> bool:
        """Whether a released row with these values shows that the record was in."""
        return self.share_without == 0

    @property
    def hit(self) -> float:
        """Log ratio of a row that has these values; ``inf`` where it is a proof."""
        return math.inf if self.is_proof else math.log(self.share / self.share_without)

    @property
    def weight(self) -> float:
        """How much a row with these values adds to what gives the record away; of a proof, its whole chance."""
        return self.share if self.is_proof else max(self.share - self.share_without, 0.0)


@dataclass(frozen=True, slots=True)
class HeldPlace:
    """What the record is in the counts of one column, where the column's parents have one value.

    Of the fitted rows ``above`` have that ``value`` in the parents, and the record's have ``values`` in the column.
    ``rest`` is the chance of any other value in the fit with the record, and ``left`` what part of the rows there,
    added ones among them, is left without it.
    """

    value: int
    above: int
    values: tuple[HeldValue, ...]
    rest: float
    left: float

    @property
    def is_lone(self) -> bool:
        """Whether nobody else has the parents' value: without the record the column is uniform there."""
        return self.left == 0

    @property
    def miss(self) -> float:
        """Log ratio of a row that has any other value."""
        return 0.0 if self.is_lone else math.log(self.left)  # alone, the fit with the record puts no such row out

    @property
    def apart(self) -> float:
        """Squared Hellinger distance of the column's two laws where the parents have this value."""
        alike = sum(math.sqrt(value.share * value.share_without) for value in self.values)
        return max(1 - alike - (0.0 if self.is_lone else self.rest / math.sqrt(self.left)), 0.0)


def places_of(
    above: Sequence[int], code: Sequence[int], both: Sequence[int], held: Sequence[int], size: int, pseudo: float
) -> tuple[HeldPlace, ...]:
    """The places of one column, from the parent code and the code of each of the record's rows.

    Of the fitted rows ``both`` have each row's values in the column and its parents, and ``held`` in the parents. The
    column can have ``size`` values, and ``pseudo`` rows were added to each.
    """
    rows_at: dict[int, dict[int, list[int]]] = {}
    for row, (value, own) in enumerate(zip(above, code, strict=True)):
        rows_at.setdefault(value, {}).setdefault(own, []).append(row)
    places = []
    for value, by_code in sorted(rows_at.items()):
        mine, there = sum(map(len, by_code.values())), held[min(by_code.values())[0]]
        whole, others = there + pseudo * size, there - mine + pseudo * size
        values = tuple(
            HeldValue(
                own,
                both[rows[0]],
                len(rows),
                rows[0],
                (both[rows[0]] + pseudo) / whole,
                (both[rows[0]] - len(rows) + pseudo) / others if others else 1 / size,  # nobody is left: uniform
            )
            for own, rows in sorted(by_code.items())
        )
        rest = there - sum(own.both for own in values) + pseudo * (size - len(values))
        places.append(HeldPlace(value, there, values, rest / whole, others / whole))
    return tuple(places)


@dataclass(frozen=True, slots=True)
class RecordCell:
    """What the record is in the counts of one column.

    ``columns`` are positions of modelled columns, the parents first and the column itself last. ``reach`` is for each
    of the ``places`` the chance that a released row has its value in the parents.
    """

    columns: tuple[int, ...]
    places: tuple[HeldPlace, ...]
    reach: tuple[float, ...]

    @property
    def tells(self) -> float:
        """How far the two fits are apart in this column: squared Hellinger distance per released row.

        A value that nobody else has in the only parent is a proof already, and nothing below it tells more.
        """
        return sum(
            0.0 if place.is_lone and len(self.columns) == 2 else reach * place.apart
            for place, reach in zip(self.places, self.reach, strict=True)
        )

    @property
    def foremost(self) -> tuple[HeldPlace, HeldValue, float]:
        """The values in these columns that give most away, and the chance that a row has them in the parents."""
        if len(self.places) == len(self.places[0].values) == 1:
            return self.places[0], self.places[0].values[0], self.reach[0]
        each = zip(self.places, self.reach, strict=True)
        every = [(place, value, reach) for place, reach in each for value in place.values]
        return max(every, key=lambda held: held[2] * held[1].weight)

    def condition(self, chances: Floats) -> RecordCell:
        """The same where a released row has the parents' values of each of the record's rows with these chances."""
        return replace(self, reach=tuple(float(chances[place.values[0].row]) for place in self.places))


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


HELD = 1 << 20
"""Numbers of one message that are held at once: frequencies are worked through in blocks."""


@dataclass(frozen=True, eq=False)
class TreeLaw:
    """The exact law of the log ratio of one row, by passing messages from the leaves to the root.

    ``places[j]`` are the parents' values that the record has above column ``j``, one for a column without parents. A
    message says, for each value of the parent, what all columns below it make of the mean; a child can have a value of
    the record again after its parent had none.
    """

    shares: TreeShares
    places: tuple[tuple[HeldPlace, ...], ...]

    @property
    def only_in(self) -> float:
        """Chance per row, with the record, of a row that the other fit cannot put out."""
        proofs = (value.is_proof for held in self.places for place in held for value in place.values)
        return max(1.0 - float(self.moments(np.zeros(1))[0]), 0.0) if any(proofs) else 0.0

    @property
    def only_out(self) -> float:
        """None here: whatever a tree without the record puts out, the one with it can put out as well."""
        return 0.0

    @cached_property
    def _logs(self) -> tuple[tuple[float, ...], ...]:
        """For each column the log ratios: at every place that of a miss, then those of hits that are no proof."""
        return tuple(
            tuple(
                log
                for place in held
                for log in (place.miss, *(value.hit for value in place.values if not value.is_proof))
            )
            for held in self.places
        )

    @property
    def reach(self) -> float:
        """The log ratio of a row, or of some of its columns, is no further from 0."""
        return sum(max(map(abs, logs)) for logs in self._logs)

    def moments(self, tilt: Floats) -> Floats:
        """(k,) sum of ``exp(tilt * L)`` over the rows that both fits can put out, by their chance with the record."""
        out: Floats = self._mean(tilt)
        return out

    def characteristic(self, tilt: float, step: float, count: int) -> Complexes:
        """(count,) sum of ``exp((tilt + i t) * L)`` for t = 0, step, 2 step, ..."""
        widest = max(*(max(table.shape) for table in self.shares.table), sum(map(len, self._logs)))
        block = max(HELD // widest, 1)
        every = tilt + 1j * step * np.arange(count)
        return np.concatenate([self._mean(every[start : start + block]) for start in range(0, count, block)])

    def _mean(self, tilt: Factors) -> Factors:
        """(k,) the mean of ``exp(tilt * L)``; rows that are proofs count nothing."""
        some: dict[int, dict[int, Factors]] = {}  # what children make of values, where they mind no other
        full: dict[int, Factors] = {}
        whole = np.ones(len(tilt), dtype=tilt.dtype)
        down = self.shares.down
        factors = iter(np.exp(np.multiply.outer(np.concatenate([self._logs[j] for j in down]), tilt)))
        for j in down:
            below = _Below(self.shares.table[j], some.pop(j, {}), full.pop(j, None))
            means = {place.value: below.mean(place, factors) for place in self.places[j]}
            if not self.shares.parents[j]:
                whole *= means[0]
                continue
            (parent,) = self.shares.parents[j]
            rest = below.rest()
            if rest is None:
                own = some.setdefault(parent, {})
                for value, mean in means.items():
                    own[value] = own[value] * mean if value in own else mean
                continue
            for value, mean in means.items():
                rest[value] = mean
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

    def mean(self, place: HeldPlace, factors: Iterator[Factors]) -> Factors:
        """(k,) what the column and all below it make of the mean, where the parents have the value of that place."""
        out = self._others(place) * next(factors)
        for value in place.values:
            if not value.is_proof:
                out = out + value.share * next(factors) * self._value(value.code)
        return np.asarray(out)

    def _value(self, code: int) -> Any:
        """What the children make of that value."""
        factor: Any = 1.0 if self.full is None else self.full[code]
        return factor * self.some[code] if code in self.some else factor

    def _others(self, place: HeldPlace) -> Any:
        """The chance of values that the record has not, at that place, times what children make of them."""
        if self.full is None and not self.some:
            return place.rest
        own = [value.code for value in place.values]
        if self.full is None:
            minded = [code for code in self.some if code not in own]
            row = self.table[place.value]
            left = max(place.rest - float(row[minded].sum()), 0.0) if minded else place.rest
            return left + sum(row[code] * self.some[code] for code in minded)
        row = self.table[place.value].copy()
        row[own] = 0.0
        return row @ self._whole()  # and not a difference: where tilts are large it would be all rounding

    def rest(self) -> Factors | None:
        """(size of the parent, k) what column and children make of each value of the parent; None where it is 1."""
        if self.full is not None:
            return times(self.table, self._whole())
        if not self.some:
            return None
        chances = self.table[:, list(self.some)]
        left: Factors = np.maximum(1 - chances.sum(axis=1), 0.0)[:, None]
        for chance, factor in zip(chances.T, self.some.values(), strict=True):
            left = left + np.outer(chance, factor)
        return left

    def _whole(self) -> Factors:
        assert self.full is not None
        for code in list(self.some):
            self.full[code] = self.full[code] * self.some.pop(code)
        return self.full


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


def refuse_all_rows(rows: int, own: int) -> None:
    """Refuse a record that is the whole table of so many rows.

    Raises
    ------
    DesignError
        There is no fit without its rows.
    """
    if own < rows:
        return
    if rows < 2:
        raise DesignError.phrase("A table of one row has no fit without that row. Load more rows.")
    raise DesignError.phrase(
        "All {rows:,} rows are of one person; there is no fit without them. Load more people.", rows=rows
    )


def times(table: Floats, full: Factors) -> Factors:
    """A real matrix times a complex or real one, without making the first complex."""
    full = np.ascontiguousarray(full)
    out: Factors = (table @ full.view(np.float64)).view(full.dtype)
    return out


@dataclass(frozen=True, slots=True, eq=False)
class ApartRatios:
    """The ratios of every record of columns, or sets of columns, that were counted each by itself.

    ``columns`` has the positions of each set; ``both`` (sets, n) is how many rows agree with each row on it, and
    ``value`` (sets, n) is the same number for rows that agree.
    """

    columns: tuple[tuple[int, ...], ...]
    both: Ints
    value: Ints

    def ratio(self, rows: int | Ints) -> Ratio:
        """The ratio of one record: a row, or the rows of a person.

        Raises
        ------
        DesignError
            It is the whole table: there is no fit without it.
        """
        n, own = self.both.shape[1], np.atleast_1d(rows)
        refuse_all_rows(n, len(own))
        nothing, every = [0] * len(own), [n] * len(own)
        counted = zip(self.value[:, own].tolist(), self.both[:, own].tolist(), strict=True)
        places = tuple(places_of(nothing, value, both, every, n, 0.0) for value, both in counted)
        cells = tuple(RecordCell(columns, held, (1.0,)) for columns, held in zip(self.columns, places, strict=True))
        alone = TreeShares(((),) * len(cells), (np.ones((1, 1)),) * len(cells))
        return Ratio(cells, TreeLaw(alone, places))
