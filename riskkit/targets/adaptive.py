"""Adaptive: the most outlying records that could be in the table and are not."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Floats, Ints, Table, Targets
from riskkit.errors import DesignError
from riskkit.parameters import CheckedPlugin, parameter
from riskkit.table.encode import layout, onehot
from riskkit.targets._count import check_count
from riskkit.targets._mahalanobis import Ellipsoid, columns_to_dimensions, ellipsoid
from riskkit.targets._plausible import Move, moves, rules

Choice = tuple[int, ...]

SPARE = 64
"""Records looked at beyond those wanted, so that a better one behind a worse one is still found."""

GAIN = 1e-9
"""A smaller share of M squared is rounding, not a way up."""


@dataclass(frozen=True)
class Adaptive(CheckedPlugin):
    """Made-up records with the largest Mahalanobis distance: inside the domain, possible, and not in the table.

    Coordinate ascent from several starts (the rows that stand out most, then random records): each group of columns
    in turn takes its best value, categories first, numbers second. M squared is convex, so a free number ends at a
    bound of its domain. From the tops reached, records one change away are taken in order of M. Only levels that
    occur in the table are used, and nothing that one column says of another without exception is broken (the rule is
    in :mod:`riskkit.targets._plausible`). Steps inside the bounds are used only where the bounds give too few records.

    References
    ----------
    .. [1] Miura et al., the membership game: adaptive target.
    """

    name: ClassVar[str] = "adaptive"
    title: ClassVar[str] = "Made-up extreme records"
    card: ClassVar[str] = (
        "Searches for the possible records that would stand out most if they were added to the real table. "
        "Shows the worst case for someone who is not in the data yet; no real person need look like this."
    )

    starts: int = parameter(
        32,
        label="Starts of the search",
        help="How many records the search begins from. More starts find a more extreme record and take longer.",
        low=1,
        high=10_000,
    )

    def choose(self, table: Table, k: int, rng: np.random.Generator) -> Targets:
        """``k`` different records that are not in the table, the farthest first; their index is -1.

        Raises
        ------
        DesignError
            ``k`` is below 1, or fewer than ``k`` possible records are not in the table.
        """
        check_count(table, k)
        known = rules(table)
        measure = ellipsoid(table, known=known)
        taken = set(table.keys().tolist())
        standing_out = np.argsort(-measure.distance(table), kind="stable")[: (self.starts + 1) // 2]
        reach, size = 1, 0
        while True:
            options = moves(table, known, reach)
            search = _Search(table, measure, options)
            tops = search.tops(standing_out, self.starts // 2, rng)
            records = search.best(tops, k, taken)
            if len(records) == k:
                return Targets(np.full(k, -1), records)
            if sum(map(len, options)) == size:
                raise DesignError.phrase(
                    "{k:,} made-up targets were asked for, only {records:,} possible records are not in "
                    "the real table: ask for fewer targets or choose rows of the table.",
                    k=k,
                    records=len(records),
                )
            reach, size = 2 * reach, sum(map(len, options))


class _Search:
    """The records that some moves can make, each a choice of one option a move.

    A record lies at ``origin`` plus one part a move in whitened coordinates, so trying an option of one move costs
    one product with that move's parts.
    """

    def __init__(self, table: Table, measure: Ellipsoid, options: Sequence[Move]) -> None:
        self.table, self.measure, self.options = table, measure, options
        self.dimensions = [columns_to_dimensions(table, move.columns) for move in options]
        self.parts = [
            self._part(Table(table.schema, move.codes, move.numbers), dimensions)
            for move, dimensions in zip(options, self.dimensions, strict=True)
        ]
        self.squares = [(part**2).sum(axis=1) for part in self.parts]

    def tops(self, rows: Ints, more: int, rng: np.random.Generator) -> set[Choice]:
        """Where the climbs from these rows of the table and from ``more`` random records end."""
        from_rows = [
            np.array([self._part(self.table.rows([row]), dimension)[0] for dimension in self.dimensions])
            for row in rows.tolist()
        ]
        drawn = [[int(rng.integers(len(move))) for move in self.options] for _ in range(more)]
        from_drawn = [
            np.array([part[option] for part, option in zip(self.parts, choice, strict=True)]) for choice in drawn
        ]
        return {self._climb(held) for held in (*from_rows, *from_drawn)}

    def best(self, tops: set[Choice], k: int, taken: set[bytes]) -> Table:
        """The ``k`` farthest of the records that are met first; fewer where there are no more."""
        heap = [(-self._value(top), top) for top in tops]
        heapq.heapify(heap)
        met = set(tops)
        kept: list[tuple[float, Choice]] = []
        while heap and len(kept) < k + SPARE:
            value, choice = heapq.heappop(heap)
            if self._records([choice]).keys().tolist()[0] not in taken:
                kept.append((value, choice))
            for neighbour in self._neighbours(choice):
                if neighbour[1] not in met:
                    met.add(neighbour[1])
                    heapq.heappush(heap, neighbour)
        return self._records([choice for _, choice in sorted(kept)[:k]])

    def _climb(self, held: Floats) -> Choice:
        """Take the best option of each move in turn until none is better. ``held`` (moves, r) are the parts held."""
        chosen = [-1] * len(self.options)
        total = self.measure.origin + held.sum(axis=0)
        moved = True
        while moved:
            moved = False
            for move, part in enumerate(self.parts):
                value = self._values(move, total - held[move])
                best = int(value.argmax())
                if chosen[move] < 0 or value[best] > value[chosen[move]] + GAIN * abs(value[best]):
                    total = total - held[move] + part[best]
                    chosen[move], held[move], moved = best, part[best], True
        return tuple(chosen)

    def _values(self, move: int, rest: Floats) -> Floats:
        """M squared for each option of a move, the others lying at ``rest``."""
        values: Floats = rest @ rest + 2 * self.parts[move] @ rest + self.squares[move]
        return values

    def _value(self, choice: Choice) -> float:
        return float((self._place(choice) ** 2).sum())

    def _place(self, choice: Choice) -> Floats:
        place = self.measure.origin.copy()
        for part, option in zip(self.parts, choice, strict=True):
            place += part[option]
        return place

    def _neighbours(self, choice: Choice) -> list[tuple[float, Choice]]:
        """All records one move away, with minus their M squared."""
        place = self._place(choice)
        return [
            (-float(value), (*choice[:move], option, *choice[move + 1 :]))
            for move, part in enumerate(self.parts)
            for option, value in enumerate(self._values(move, place - part[choice[move]]))
            if option != choice[move]
        ]

    def _part(self, rows: Table, dimensions: list[int]) -> Floats:
        """(n, r) what those dimensions of the rows add to where they lie."""
        part: Floats = onehot(rows)[:, dimensions] @ self.measure.whiten[dimensions]
        return part

    def _records(self, choices: Sequence[Choice]) -> Table:
        """The choices as rows."""
        schema = self.table.schema
        codes = np.zeros((len(choices), len(schema.categorical)), dtype=np.int32)
        numbers = np.zeros((len(choices), len(schema.numeric)))
        for move, option in enumerate(self.options):
            chosen = [choice[move] for choice in choices]
            for position in option.columns:
                block = layout(schema)[position]
                out, values = (numbers, option.numbers) if block.column.is_numeric else (codes, option.codes)
                out[:, block.source] = values[chosen, block.source]
        return Table(schema, codes, numbers)


PLUGIN = Adaptive
