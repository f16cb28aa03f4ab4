"""What one released row says of a person who has several rows: the fit with all of them against the fit without any.

As for a single record, both fits count, and the person's rows are among the counted. In each column the ratio is 1 but
where a released row has the parents' values of one of the person's rows; there it is one number for each value that the
person has below these, and one for all other values.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from riskkit.core import Floats, Ints
from riskkit.errors import DesignError
from riskkit.generators._ratio import Complexes, Factors, TreeShares, times
from riskkit.phrases import phrase

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
    """What tells most of the person in one column, as :class:`riskkit.generators._ratio.RecordCell` for a record.

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
            factors = {place.value: _at(place, below, tilt) for place in self.places[j]}
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

    def of(self, code: int) -> Any:
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


def _at(place: PersonCounts, below: _Below, tilt: Factors) -> Factors:
    """(k,) what a column and all below it make of the mean, where the parents have the value of that place."""
    out = below.others(place) * np.exp(place.miss * tilt)
    for code, share, hit in zip(place.codes.tolist(), place.share, place.hit, strict=True):
        if np.isfinite(hit):
            out = out + share * np.exp(hit * tilt) * below.of(code)
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
        raise DesignError(
            phrase("All {rows:,} rows are of one person; there is no fit without them. Load more people.", rows=rows)
        )
