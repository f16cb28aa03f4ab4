"""What the order of a file says by itself: columns it is sorted by, and values that come round again.

Hours of a day, days of a week, visits of a person stand at the same lines of two files that are sorted by time, whoever
is in them. Their lines are told apart by such a column, or, where nothing but what hangs on it is in the table, by the
number of lines after which rows are alike again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from riskkit.core import Bools, Floats, Ints
from riskkit.table.points import RowPoints, values_of

SORTED = 0.2
"""A column is one that a file is sorted by where it has less than this share of the steps down that chance makes."""
FOLLOWS, UNSAID = 0.8, 0.3
"""It comes round where that share of values says the next one, and what is left is less than this share of chance's."""
OFTEN = 8
"""How often a value stands in a file, on average, for a column that comes round."""
ROWS = 2_000
"""Rows by which it is seen after how many lines rows are alike again."""
FARTHEST, PERIODS, CLEAR = 400, 3, 4.0
"""Most lines that are looked ahead, how many numbers of lines are tried, and standard errors at which one is."""


def beyond_sorting(real: RowPoints, release: RowPoints) -> tuple[RowPoints, RowPoints, list[Ints]]:
    """Both files without the columns that both are sorted by; and the kinds (n,) of lines by columns that come round.

    The files are of the same length. The kinds are by each such column, then by all of them together.
    """
    n, stays, kinds = len(real), [], list[Ints]()
    numbers, codes = values_of((real, release))
    for column in (*numbers, *codes):
        sides = column[:n], column[n:]
        is_sorted = all(map(_is_sorted, sides))
        stays.append(not is_sorted)
        if (is_sorted or all(map(_comes_round, sides))) and len(np.unique(sides[0])) * OFTEN <= n:
            kinds.append(np.unique(sides[0], return_inverse=True)[1].astype(np.int64))
    if len(kinds) > 1:
        kinds.append(np.unique(np.column_stack(kinds), axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64))
    keep = np.array(stays, dtype=np.bool_)
    return _only(real, keep), _only(release, keep), kinds


def _only(points: RowPoints, keep: Bools) -> RowPoints:
    """The points with those columns alone, numbers before codes."""
    of_numbers, of_codes = keep[: points.numbers.shape[1]], keep[points.numbers.shape[1] :]
    sizes = tuple(size for size, stays in zip(points.sizes, of_codes, strict=True) if stays)
    return replace(
        points,
        numbers=points.numbers[:, of_numbers],
        codes=points.codes[:, of_codes],
        sizes=sizes,
        scales=(),
        levels=(),
    )


def _is_sorted(values: Ints) -> bool:
    """Whether a file is sorted by these values (n,), up or down, or again and again from the start."""
    step, n = np.diff(values), len(values)
    share = np.bincount(values) / n
    chance = (1 - (share**2).sum()) / 2
    turns = min((step > 0).mean(), (step < 0).mean())
    return bool(chance * n >= OFTEN and turns <= SORTED * chance)


def _comes_round(values: Ints) -> bool:
    """Whether each of these values (n,) says which one follows it."""
    level = np.unique(values, return_inverse=True)[1].astype(np.int64)
    many, n = int(level.max()) + 1, len(level)
    if not many >= 2 or many * OFTEN > n:
        return False
    follows = np.zeros((many, many))
    np.add.at(follows, (level[:-1], level[1:]), 1)
    right = float(follows.max(axis=1).sum() / (n - 1))
    return right >= FOLLOWS and 1 - right <= UNSAID * (1 - float(np.bincount(level).max() / n))


def places(real: RowPoints, release: RowPoints, rng: np.random.Generator) -> list[Ints]:
    """The kinds (n,) of lines by the numbers of lines after which rows of one file are like those of the other again.

    After a whole round rows are nearer to each other than after half a round, or one and a half.
    """
    n = len(real)
    farthest = min(FARTHEST, n // 6)
    if farthest < 3:
        return []
    rows = farthest + rng.permutation(n - 2 * farthest)[:ROWS]
    own = release.rows(rows)
    apart = np.column_stack(
        [
            (_apart(own, real.rows(rows + step)) + _apart(own, real.rows(rows - step))) / 2
            for step in range(farthest + 1)
        ]
    )
    rounds = np.arange(2, farthest * 2 // 3 + 1)
    halves = (apart[:, rounds // 2] + apart[:, (rounds + 1) // 2]) / 4 + (
        apart[:, rounds * 3 // 2] + apart[:, (rounds * 3 + 1) // 2]
    ) / 4
    gain = halves - apart[:, rounds]
    clear = gain.mean(axis=0) / np.maximum(gain.std(axis=0) / np.sqrt(len(rows)), 1e-12)
    return [np.arange(n) % period for period in _first(rounds, gain.mean(axis=0), clear)]


def _first(rounds: Ints, gain: Floats, clear: Floats) -> Sequence[int]:
    """The periods of the largest gains that are clear, none beside another."""
    out: list[int] = []
    for place in np.argsort(-gain, kind="stable"):
        period = int(rounds[place])
        if clear[place] >= CLEAR and all(abs(period - other) > 1 for other in out):
            out.append(period)
    return out[:PERIODS]


def _apart(left: RowPoints, right: RowPoints) -> Floats:
    """(n,) how far rows are from each other, pair by pair."""
    squared = ((left.numbers - right.numbers) ** 2).sum(axis=1) + (left.codes != right.codes).sum(axis=1)
    apart: Floats = np.sqrt(squared)
    return apart
