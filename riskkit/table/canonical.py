"""The same points in an order of rows, columns and codes that does not depend on how they came.

Floating sums and random draws follow the order of what they run over. Points that are put into canonical order first
therefore give the same bytes whatever the order of rows and columns, the names of columns and the codes of categories.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
import numpy.typing as npt

from riskkit.core import Codes, Floats, Ints
from riskkit.table.bags import Bags
from riskkit.table.points import Points, Texts

Hashes = npt.NDArray[np.uint64]

ROUNDS = 3
"""Times that columns, levels and rows are told apart by one another before ties are broken."""
CHOICES = 12
"""Ties that are broken one at a time; any left after that are broken together."""


def canonical(parts: Sequence[Points]) -> tuple[tuple[Points, ...], tuple[Ints, ...]]:
    """The same points with columns, codes and rows in canonical order; the parts stay apart and in their order.

    Columns and levels are told apart by what they hold and by the rows they occur in, so only those that are alike in
    every such respect can tie. A tie between columns or levels that may be swapped without a visible change, as between
    copies of a column or levels of the same count in otherwise equal rows, does no harm. Beyond ``CHOICES`` separate
    ties, or where rows are linked like the edges of a regular graph, a tie may be broken by the order given.

    Parameters
    ----------
    parts
        Points of one layout: the release, the targets and the reference, say. -0.0 and 0.0 are one number.

    Returns
    -------
    points : one for each part
    undo : one for each part
        (n,) position in the canonical part of each row as it was given: ``score[undo]`` is in the given order.
    """
    numbers = np.vstack([part.numbers for part in parts]) + 0.0
    codes = np.vstack([part.codes for part in parts])
    owner = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    by_number, by_code, ranks = _orders(numbers, codes, parts[0].sizes, owner)
    numbers = np.ascontiguousarray(numbers[:, by_number])
    renamed = [ranks[position][codes[:, position]] for position in by_code]
    codes = np.column_stack(renamed).astype(np.int32) if renamed else codes
    first = parts[0]
    named = len(first.levels)  # codes beyond them have no texts
    texts = [part.texts for part in parts if part.texts is not None]
    whole = Points(
        numbers,
        codes,
        tuple(first.sizes[position] for position in by_code),
        tuple(first.scales[position] for position in by_number) if first.scales else (),
        tuple(_renamed(first.levels[position], ranks[position]) if position < named else () for position in by_code)
        if named
        else (),
        np.vstack(texts) if texts else None,
        _joined([part.children for part in parts if part.children is not None]),
    )
    points, undo = zip(*(_sorted(whole.rows(owner == index)) for index in range(len(parts))), strict=True)
    return points, undo


def _joined(bags: Sequence[Bags]) -> Bags | None:
    """The bags of all parts, one behind the other; None where there are none."""
    return reduce(Bags.plus, bags) if bags else None


def _renamed(levels: Sequence[str], rank: Ints) -> tuple[str, ...]:
    """The texts in the order of the new codes."""
    return tuple(levels[position] for position in np.argsort(rank, kind="stable").tolist())


def _sorted(points: Points) -> tuple[Points, Ints]:
    """The rows in the order of their content, and where each went."""
    written = () if points.texts is None else points.texts.T
    bags = () if points.children is None else (points.children.rank(),)
    keys = [*bags, *map(alphabetical, written), *points.codes.T[::-1], *points.numbers.T[::-1]]
    order = np.lexsort(keys) if keys else np.arange(len(points))
    undo = np.empty(len(order), dtype=np.int64)
    undo[order] = np.arange(len(order))
    return points.rows(order), undo


def alphabetical(texts: Texts) -> Ints:
    """(n,) where each text stands among the different ones."""
    place = {text: index for index, text in enumerate(sorted(set(texts)))}
    return np.array([place[text] for text in texts], dtype=np.int64)


def _orders(numbers: Floats, codes: Codes, sizes: tuple[int, ...], owner: Ints) -> tuple[Ints, Ints, list[Ints]]:
    """The order of the columns of numbers, of those of codes, and the new code of every level of each."""
    marks = _Marks.first(numbers, codes, sizes, owner)
    for choice in range(CHOICES + 1):
        marks.refine()
        if not marks.break_ties(all_of_them=choice == CHOICES):
            break
    ranks = [np.argsort(np.argsort(level, kind="stable"), kind="stable") for level in marks.levels]
    return (
        np.argsort(marks.number_columns, kind="stable"),
        np.argsort(marks.code_columns, kind="stable"),
        ranks,
    )


def _mix(bits: Any) -> Hashes:
    """A hash of each 64-bit word: one bit changed in it changes half of the bits."""
    out = np.atleast_1d(bits).astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    out = (out ^ (out >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    out = (out ^ (out >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return out ^ (out >> np.uint64(31))


def _both(first: Any, second: Any) -> Hashes:
    """A hash of the pair, in this order."""
    return _mix(_mix(first) * np.uint64(3) + np.asarray(second).astype(np.uint64))


@dataclass(slots=True)
class _Marks:
    """What columns, levels and rows are told apart by so far: marks that know no order and no names.

    ``values`` (n, n_numbers) marks the numbers by their bits; ``number_columns``, ``code_columns`` and ``levels`` (one
    array a column of codes) are refined from the rows, and the rows from them.
    """

    values: Hashes
    codes: Codes
    owner: Hashes
    number_columns: Hashes
    code_columns: Hashes
    levels: list[Hashes]

    @classmethod
    def first(cls, numbers: Floats, codes: Codes, sizes: tuple[int, ...], owner: Ints) -> _Marks:
        """Columns by their sizes; levels all alike, but those of no row, which need not be told apart."""
        levels = [np.zeros(size, dtype=np.uint64) for size in sizes]
        for index, level in enumerate(levels):
            empty = np.setdiff1d(np.arange(len(level)), codes[:, index])
            level[empty] = np.arange(1, 1 + len(empty))
        return cls(
            values=_mix(np.ascontiguousarray(numbers).view(np.uint64)),
            codes=codes,
            owner=_mix(owner),
            number_columns=np.zeros(numbers.shape[1], dtype=np.uint64),
            code_columns=_mix(np.array(sizes, dtype=np.uint64)),
            levels=levels,
        )

    def rows(self) -> Hashes:
        """A mark of each row: its part, and what it holds in which column."""
        out = self.owner.copy()
        for index, column in enumerate(self.number_columns):
            out += _both(column, self.values[:, index])
        for index, column in enumerate(self.code_columns):
            out += _both(column, self.levels[index])[self.codes[:, index]]
        return _mix(out)

    def refine(self) -> None:
        """Tell columns and levels apart by the rows they occur in, as often as that tells more apart."""
        for _ in range(ROUNDS):
            rows, before = self.rows(), self._kinds()
            seen = [_both(column, rows).sum(dtype=np.uint64) for column in self.values.T]
            self.number_columns = _both(self.number_columns, np.array(seen, dtype=np.uint64))
            self.levels = [_seen_in(rows, self.codes[:, position], level) for position, level in enumerate(self.levels)]
            seen = [_mix(level).sum(dtype=np.uint64) for level in self.levels]
            self.code_columns = _both(self.code_columns, np.array(seen, dtype=np.uint64))
            if self._kinds() == before:
                break

    def _kinds(self) -> int:
        """How many columns and levels are told apart."""
        columns = len(np.unique(self.number_columns)) + len(np.unique(self.code_columns))
        return columns + sum(len(np.unique(level)) for level in self.levels)

    def break_ties(self, *, all_of_them: bool) -> bool:
        """Mark the members of the first tie one by one (or of every tie); whether there was one."""
        broken = False
        for marks in self._by_kind():
            for tied in _ties(marks):
                marks[tied] = _both(marks[tied], np.arange(1, len(tied) + 1))
                broken = True
                if not all_of_them:
                    return True
        return broken

    def _by_kind(self) -> list[Hashes]:
        """The arrays of marks in an order that does not depend on how columns came: alike columns side by side."""
        order = np.argsort(self.code_columns, kind="stable")
        used = [self.levels[position] for position in order]
        return [self.number_columns, self.code_columns, *used]


def _seen_in(rows: Hashes, codes: Codes, level: Hashes) -> Hashes:
    """The marks of levels and of the rows that have them."""
    seen = np.zeros(len(level), dtype=np.uint64)
    np.add.at(seen, codes, rows)
    return _both(level, seen)


def _ties(marks: Hashes) -> list[Ints]:
    """The positions that share a mark, for each mark that is shared, in the order of the marks."""
    order = np.argsort(marks, kind="stable")
    starts = np.flatnonzero(np.r_[True, marks[order][1:] != marks[order][:-1]]) if len(marks) else np.empty(0, int)
    groups = np.split(order, starts[1:]) if len(starts) else []
    return [group for group in groups if len(group) > 1]
