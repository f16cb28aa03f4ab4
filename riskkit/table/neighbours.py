"""The nearest rows of a table to each of many points: exact, in bounded memory, the same bytes on every machine.

Rows are cut into blocks of rows that lie near one another. A block is compared with a query only where its bounding box
comes near enough, so the work grows more slowly than the number of pairs; with wide data it may come down to all pairs.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from riskkit.base.threads import threads_for_sums
from riskkit.core import Codes, Floats, Ints
from riskkit.errors import DesignError
from riskkit.table import large
from riskkit.table.large import BLOCK_ROWS
from riskkit.table.points import RowPoints

PAIRS_A_CALL = 30_000_000
"""Pairs of rows at most that are compared in one go, a third of a second where all must be looked at: in between, a
signal to stop is heard."""
SPREAD_ROWS = 1_000
"""Rows that say in which column a part of the table is cut; how it is cut changes the time, never a distance."""


def nearest(
    queries: RowPoints,
    among: RowPoints,
    k: int = 1,
    *,
    metric: Literal["straight", "city"] = "straight",
    threads: int | None = None,
) -> tuple[Floats, Ints]:
    """The ``k`` nearest rows of ``among`` to each query.

    Runs on so many threads, else on as many as linear algebra may use (:mod:`riskkit.base.threads`); the result does
    not depend on it.

    Parameters
    ----------
    metric
        ``straight`` is the distance of :class:`RowPoints`; ``city`` adds absolute differences of numbers to the codes
        that differ.

    Returns
    -------
    distances, positions : (n_queries, k)
        Nearest first; rows at the same distance in the order of ``among``. A copy is at distance 0.

    Raises
    ------
    DesignError
        ``among`` has fewer than ``k`` rows, or its columns are not those of the queries.
    """
    if not 1 <= k <= len(among):
        raise DesignError(
            f"{k} nearest rows were asked for among {len(among)}; ask for at least 1 and no more than that."
        )
    known = next((search for search in _KNOWN.get(queries, ()) if search.holds(among, k, metric)), None)
    if known is not None:
        return known.distances[:, :k].copy(), known.positions[:, :k].copy()
    from riskkit.table import _kernels

    distances, positions = np.empty((len(queries), k)), np.empty((len(queries), k), dtype=np.int64)
    _search(_kernels.nearest_of, metric == "straight", threads, queries, among, distances, positions)
    return distances, positions


def remember(queries: RowPoints, among: RowPoints, distances: Floats, positions: Ints) -> None:
    """Have :func:`nearest` give these (n_queries, k) as long as the queries are there and no more are asked for.

    They must be what it gave. One search then serves all who ask about the same rows; :func:`counts_within` then
    searches only for those who may have more rows that near than were found.
    """
    _KNOWN.setdefault(queries, []).append(_Known(among, distances, positions))


def counts_within(queries: RowPoints, among: RowPoints, radius: npt.ArrayLike) -> Ints:
    """How many rows of ``among`` are at this distance of each query or nearer; no distance is kept.

    Parameters
    ----------
    radius
        One for all queries, or (n_queries,) one for each. Counts grow with it; a copy counts at radius 0.

    Returns
    -------
    (n_queries,) whole numbers of 0 or more.

    Raises
    ------
    DesignError
        The columns of ``among`` are not those of the queries.
    """
    from riskkit.table import _kernels

    each = np.ascontiguousarray(np.broadcast_to(np.asarray(radius, dtype=np.float64), len(queries)))
    counts = np.zeros(len(queries), dtype=np.int64)
    if not len(among):
        return counts
    known = next((search for search in _KNOWN.get(queries, ()) if search.holds(among, 1, "straight")), None)
    if known is None:
        _search(_kernels.counts_of, True, None, queries, among, each, counts)
        return counts
    counts[:] = (known.distances <= each[:, None]).sum(axis=1)
    is_open = ~(known.distances[:, -1] > each)  # the farthest that was found is near enough, and so may more be
    if known.distances.shape[1] < len(among) and is_open.any():
        rest = np.zeros(int(is_open.sum()), dtype=np.int64)
        _search(_kernels.counts_of, True, None, queries.rows(np.flatnonzero(is_open)), among, each[is_open], rest)
        counts[is_open] = rest
    return counts


def _search(
    kernel: Callable[..., None],
    squares: bool,
    threads: int | None,
    queries: RowPoints,
    among: RowPoints,
    *each: npt.NDArray[Any],
) -> None:
    """Run the kernel over all queries; it reads and writes their rows of ``each``."""
    _check_columns(queries, among)
    small = _smallest(queries, among)
    blocks = _CUT.get(among)
    if blocks is None or blocks.codes.dtype != small:
        blocks = _CUT[among] = _Blocks.cut(among, small)
    numbers, codes = np.ascontiguousarray(queries.numbers), np.ascontiguousarray(queries.codes, dtype=small)

    def part(rows: slice) -> None:
        kernel(squares, numbers[rows], codes[rows], *blocks.arrays(), *[array[rows] for array in each])

    workers = threads_for_sums() if threads is None else threads
    calls = max(4 * workers if workers > 1 else 1, min(len(queries) * len(among) // PAIRS_A_CALL, len(queries)))
    cuts = np.linspace(0, len(queries), calls + 1).astype(int)
    slices = [slice(start, stop) for start, stop in pairwise(cuts)]
    if workers == 1:
        for rows in slices:
            part(rows)
        return
    with ThreadPoolExecutor(workers) as pool:
        for _ in pool.map(part, slices):
            pass


def _smallest(*points: RowPoints) -> npt.DTypeLike:
    """The smallest whole numbers that hold every code and the number of columns: the fewer bits, the more at once."""
    most = max([points[0].codes.shape[1], *(int(each.codes.max(initial=0)) for each in points)])
    least = min(int(each.codes.min(initial=0)) for each in points)
    return next((kind for kind in (np.uint8, np.uint16) if least >= 0 and most <= np.iinfo(kind).max), np.int32)


def _check_columns(queries: RowPoints, among: RowPoints) -> None:
    """Refuse rows that cannot be compared."""
    widths = [(points.numbers.shape[1], points.codes.shape[1]) for points in (queries, among)]
    if widths[0] != widths[1]:
        raise DesignError(
            f"Rows of {sum(widths[0])} columns cannot be compared with rows of {sum(widths[1])}; give both the same."
        )


@dataclass(frozen=True, slots=True)
class _Blocks:
    """Rows in blocks of :data:`BLOCK_ROWS`, and the box around each block.

    ``numbers`` (n_blocks, n_numbers, rows) and ``codes`` hold a block column by column; ``place`` (n_blocks, rows) is
    where a row stood, -1 for what fills the last block. The box is (columns, n_blocks), low and high.
    """

    numbers: Floats
    codes: Codes
    place: Ints
    low: Floats
    high: Floats
    least: Codes
    most: Codes

    def arrays(self) -> tuple[npt.NDArray[Any], ...]:
        """The arrays in the order in which kernels take them."""
        return self.numbers, self.codes, self.place, self.low, self.high, self.least, self.most

    @classmethod
    def cut(cls, points: RowPoints, small: npt.DTypeLike) -> _Blocks:
        """Cut along the widest column again and again; ``small`` is the type that holds the codes."""
        order = np.concatenate(_halves(points, np.arange(len(points))))
        filled = np.concatenate([order, np.repeat(order[-1], -len(order) % BLOCK_ROWS)])
        place = np.where(np.arange(len(filled)) < len(order), filled, -1).reshape(-1, BLOCK_ROWS)
        numbers = _by_column(points.numbers, filled, np.float64)
        codes = _by_column(points.codes, filled, small)
        edges = numbers.min(2).T, numbers.max(2).T, codes.min(2).T, codes.max(2).T
        return cls(numbers, codes, place, *[np.ascontiguousarray(edge) for edge in edges])


def _by_column(array: npt.NDArray[Any], order: Ints, kind: npt.DTypeLike) -> npt.NDArray[Any]:
    """(n, width) as (n_blocks, width, rows of a block) of that type."""
    out = large.empty((len(order) // BLOCK_ROWS, array.shape[1], BLOCK_ROWS), kind)
    places = order.reshape(-1, BLOCK_ROWS)
    for some in large.blocks(len(out), BLOCK_ROWS):
        out[some] = array[places[some]].transpose(0, 2, 1)
    return out


def _halves(points: RowPoints, rows: Ints) -> list[Ints]:
    """The rows, cut in two where their spread is largest until each piece is a block."""
    if len(rows) <= BLOCK_ROWS:
        return [rows]
    column = _widest(points, rows)
    middle = BLOCK_ROWS * (-(-len(rows) // BLOCK_ROWS) // 2)
    halves = rows[np.argpartition(column, middle)]
    return _halves(points, halves[:middle]) + _halves(points, halves[middle:])


def _widest(points: RowPoints, rows: Ints) -> Floats | Codes:
    """The column in which these rows are furthest apart, by the mean square of differences of some of them."""
    some = rows[:: max(len(rows) // SPREAD_ROWS, 1)]
    with np.errstate(over="ignore", invalid="ignore"):  # any cut will do, so an overflow does no harm
        apart = 2 * points.numbers[some].var(axis=0)
    shares = [np.bincount(column) / len(some) for column in points.codes[some].T]
    differ = np.array([1 - (share**2).sum() for share in shares])
    if not differ.size or (apart.size and apart.max() >= differ.max()):
        column: Floats = points.numbers[rows, apart.argmax()] if apart.size else np.zeros(len(rows))
        return column
    levels: Codes = points.codes[rows, differ.argmax()]
    return levels


_CUT: WeakKeyDictionary[RowPoints, _Blocks] = WeakKeyDictionary()
"""Blocks that were cut, for as long as their points are there."""


@dataclass(frozen=True, slots=True)
class _Known:
    """What a search of straight distances among these rows found."""

    among: RowPoints
    distances: Floats
    positions: Ints

    def holds(self, among: RowPoints, k: int, metric: str) -> bool:
        return self.among is among and metric == "straight" and k <= self.distances.shape[1]


_KNOWN: WeakKeyDictionary[RowPoints, list[_Known]] = WeakKeyDictionary()
"""What was found for queries before, a search each."""
