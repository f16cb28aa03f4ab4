"""What would raise k: each key, and each two of them, made coarser as :mod:`riskkit.mend.coarsening` does it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from riskkit.core import Ints, Table
from riskkit.mend.coarsening import BINS, RARE, Coarsening, groups_of
from riskkit.questions.keys.classes import classes_of, join, levels_of, sizes_of

GRAINS = (20, 10, 5, 3)
"""Bins of a number or a date that are tried."""
FEWEST = (10, 50, 200)
"""Rows below which levels of a category are put together."""
MOST_KEYS = 8
"""Keys that are made coarser, those of most different values."""


@dataclass(frozen=True, slots=True)
class Coarser:
    """One way to make keys coarser, as ``riskkit mend`` takes it, and what the table is then.

    ``smallest`` is k, ``alone`` the rows that are alone in their class, ``classes`` how many classes are left.
    """

    coarsen: tuple[str, ...]
    smallest: int
    alone: int
    classes: int


def coarser(table: Table, keys: Sequence[str], most: int) -> tuple[Coarser, ...]:
    """The ways that leave the largest k, then the fewest rows alone, then the most classes; at most so many."""
    levels = levels_of([table], keys)[0]
    different = [len(np.unique(column)) for column in levels.T]
    tried = sorted(range(len(keys)), key=lambda place: (-different[place], place))[:MOST_KEYS]
    ways = {place: list(_ways(table, keys[place], different[place])) for place in tried}
    ways_tried = [_judge(levels, {place: way}) for place in tried for way in ways[place]]
    for first, second in combinations(sorted(tried), 2):
        rest = classes_of(np.delete(levels, (first, second), axis=1))
        for half_way, column in ways[first]:
            half = join(rest, column)
            ways_tried += [_way((half_way, other), join(half, more)) for other, more in ways[second]]
    ways_tried.sort(key=lambda way: (-way.smallest, way.alone, -way.classes, way.coarsen))
    return tuple(ways_tried[:most])


def _judge(levels: Ints, ways: dict[int, tuple[Coarsening, Ints]]) -> Coarser:
    changed = levels.copy()
    for place, (_, column) in ways.items():
        changed[:, place] = column
    return _way(tuple(coarsening for coarsening, _ in ways.values()), classes_of(changed))


def _way(coarsenings: Sequence[Coarsening], classes: Ints) -> Coarser:
    sizes = sizes_of(classes)
    return Coarser(
        tuple(map(str, coarsenings)), int(sizes.min()), int((sizes == 1).sum()), int(classes.max(initial=-1)) + 1
    )


def _ways(table: Table, name: str, different: int) -> Iterator[tuple[Coarsening, Ints]]:
    """Each way that changes the column, with the level of each row then."""
    column = table.schema.column(name)
    before = different
    for size in GRAINS if column.is_numeric else FEWEST:
        if column.is_numeric and size >= different:
            continue
        coarsening = Coarsening(name, BINS if column.is_numeric else RARE, size)
        groups = groups_of(table, column, coarsening)
        levels = np.unique(groups, return_inverse=True)[1].astype(np.int64)
        after = int(levels.max(initial=-1)) + 1
        if after < before:
            yield coarsening, levels
        before = after
