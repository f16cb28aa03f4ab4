"""The same points in an order of rows, columns and codes that does not depend on how they came.

Floating sums and random draws follow the order of what they run over. Points that are put into canonical order first
therefore give the same bytes whatever the order of rows and columns, the names of columns and the codes of categories.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from riskkit.base import stages
from riskkit.core import Codes, Ints
from riskkit.table import large
from riskkit.table.points import Bags, RowPoints, Texts

Hashes = npt.NDArray[np.uint64]

ROUNDS = 3
"""Times that columns, levels and rows are told apart by one another before ties are broken."""
CHOICES = 12
"""Ties that are broken one at a time; any left after that are broken together."""


def canonical(parts: Sequence[RowPoints]) -> tuple[tuple[RowPoints, ...], tuple[Ints, ...]]:
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
    by_number, by_code, ranks = _orders(parts)
    first = parts[0]
    named = len(first.levels)  # codes beyond them have no texts
    like = RowPoints(
        first.numbers[:0],
        first.codes[:0],
        tuple(first.sizes[position] for position in by_code),
        tuple(first.scales[position] for position in by_number) if first.scales else (),
        tuple(
            _rename_levels(first.levels[position], ranks[position]) if position < named else () for position in by_code
        )
        if named
        else (),
    )
    bags = _join_bags([part.children for part in parts if part.children is not None])
    stops = np.cumsum([len(part) for part in parts]).tolist()
    own = [None if bags is None else bags.take(np.arange(*ends)) for ends in pairwise([0, *stops])]
    done = (
        _sort_rows(replace(part, children=of), by_number, by_code, ranks, like)
        for part, of in zip(parts, own, strict=True)
    )
    points, undo = zip(*done, strict=True)
    return points, undo


def _join_bags(bags: Sequence[Bags]) -> Bags | None:
    """The bags of all parts, one behind the other; None where there are none."""
    return reduce(Bags.plus, bags) if bags else None


def _rename_levels(levels: Sequence[str], rank: Ints) -> tuple[str, ...]:
    """The texts in the order of the new codes."""
    return tuple(levels[position] for position in np.argsort(rank, kind="stable").tolist())


def _sort_rows(
    points: RowPoints, by_number: Ints, by_code: Ints, ranks: Sequence[Ints], like: RowPoints
) -> tuple[RowPoints, Ints]:
    """The rows in the order of their content, columns and codes as ``like`` has them, and where each row went.

    As many sorts as there are columns, the last column first, each of which keeps the order of equal values: no more
    than one column is held beside the rows.
    """
    order, columns = np.arange(len(points)), len(by_number) + len(by_code)
    for done, key in enumerate(_keys(points, by_number, by_code, ranks)):
        stages.part(min(done, columns), columns + 1)
        order = order[np.argsort(key[order], kind="stable")]
    stages.part(columns, columns + 1)
    undo = np.empty(len(order), dtype=np.int64)
    undo[order] = np.arange(len(order))
    numbers = large.empty((len(points), len(by_number)), np.float64)
    codes = large.empty((len(points), len(by_code)), np.int32)
    for block in large.blocks(len(points)):
        rows = order[block]
        numbers[block] = points.numbers[rows][:, by_number] + 0.0
        some = points.codes[rows]
        for place, position in enumerate(by_code):
            codes[block, place] = ranks[position][some[:, position]]
    texts = None if points.texts is None else points.texts[order]
    bags = None if points.children is None else points.children.take(order)
    return replace(like, numbers=numbers, codes=codes, texts=texts, children=bags), undo


def _keys(points: RowPoints, by_number: Ints, by_code: Ints, ranks: Sequence[Ints]) -> Iterator[npt.NDArray[Any]]:
    """What rows are sorted by, one key (n,) after the other, the one that matters most at the end."""
    if points.children is not None:
        yield points.children.rank()
    yield from map(alphabetical, () if points.texts is None else points.texts.T)
    for position in by_code[::-1]:
        small = np.min_scalar_type(max(len(ranks[position]) - 1, 0))  # few bits are sorted in a fraction of the time
        yield ranks[position].astype(small)[points.codes[:, position]]
    for position in by_number[::-1]:
        yield points.numbers[:, position] + 0.0


def alphabetical(texts: Texts) -> Ints:
    """(n,) where each text stands among the different ones."""
    place = {text: index for index, text in enumerate(sorted(set(texts)))}
    return np.array([place[text] for text in texts], dtype=np.int64)


def _orders(parts: Sequence[RowPoints]) -> tuple[Ints, Ints, list[Ints]]:
    """The order of the columns of numbers, of those of codes, and the new code of every level of each."""
    marks = _Marks.first(parts)
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

    ``number_columns``, ``code_columns`` and ``levels`` (one array a column of codes) are refined from the rows, and the
    rows from them. Rows are gone through block by block, and what was worked out of a block is let go: marks of columns
    and levels are sums over rows, whose order does not matter.
    """

    parts: Sequence[RowPoints]
    number_columns: Hashes
    code_columns: Hashes
    levels: list[Hashes]

    @classmethod
    def first(cls, parts: Sequence[RowPoints]) -> _Marks:
        """Columns by their sizes; levels all alike, but those of no row, which need not be told apart."""
        sizes = parts[0].sizes
        levels = [np.zeros(size, dtype=np.uint64) for size in sizes]
        for index, level in enumerate(levels):
            stands = np.zeros(len(level), dtype=bool)
            for part in parts:
                stands[part.codes[:, index]] = True
            empty = np.flatnonzero(~stands)
            level[empty] = np.arange(1, 1 + len(empty))
        return cls(
            parts=parts,
            number_columns=np.zeros(parts[0].numbers.shape[1], dtype=np.uint64),
            code_columns=_mix(np.array(sizes, dtype=np.uint64)),
            levels=levels,
        )

    def blocks(self) -> Iterator[tuple[Hashes, Codes, Hashes]]:
        """Block by block of all parts: the marks of its numbers by their bits, its codes, and the marks of its rows."""
        for index, part in enumerate(self.parts):
            owner = _mix(index)
            for block in large.blocks(len(part)):
                values = _mix(np.ascontiguousarray(part.numbers[block] + 0.0).view(np.uint64))
                codes = part.codes[block]
                yield values, codes, self._rows(owner, values, codes)

    def _rows(self, owner: Hashes, values: Hashes, codes: Codes) -> Hashes:
        """A mark of each row: its part, and what it holds in which column."""
        out = np.repeat(owner, len(codes))
        for index, column in enumerate(self.number_columns):
            out += _both(column, values[:, index])
        for index, column in enumerate(self.code_columns):
            out += _both(column, self.levels[index])[codes[:, index]]
        return _mix(out)

    def refine(self) -> None:
        """Tell columns and levels apart by the rows they occur in, as often as that tells more apart."""
        blocks = sum(len(list(large.blocks(len(part)))) for part in self.parts)
        for round_ in range(ROUNDS):
            before = self._kinds()
            of_numbers = np.zeros(len(self.number_columns), dtype=np.uint64)
            of_levels = [np.zeros(len(level), dtype=np.uint64) for level in self.levels]
            for block, (values, codes, rows) in enumerate(self.blocks()):
                stages.part(round_ * blocks + block, ROUNDS * blocks)
                of_numbers += np.array([_both(column, rows).sum(dtype=np.uint64) for column in values.T], np.uint64)
                for seen, column in zip(of_levels, codes.T, strict=True):
                    np.add.at(seen, column, rows)
            self.number_columns = _both(self.number_columns, of_numbers)
            self.levels = [_both(level, seen) for level, seen in zip(self.levels, of_levels, strict=True)]
            of_columns = [_mix(level).sum(dtype=np.uint64) for level in self.levels]
            self.code_columns = _both(self.code_columns, np.array(of_columns, dtype=np.uint64))
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


def _ties(marks: Hashes) -> list[Ints]:
    """The positions that share a mark, for each mark that is shared, in the order of the marks."""
    order = np.argsort(marks, kind="stable")
    starts = np.flatnonzero(np.r_[True, marks[order][1:] != marks[order][:-1]]) if len(marks) else np.empty(0, int)
    groups = np.split(order, starts[1:]) if len(starts) else []
    return [group for group in groups if len(group) > 1]
