"""Does row i of the release resemble row i of the real table? A release was found that does, and was shuffled too late.

Two files may also share their order because both were sorted by one column. Then every row resembles its whole
neighbourhood, not its own row alone; so the own row is compared with all rows and with those a few lines away. And a
file that is sorted by time goes round: hours, weekdays, seasons come back in both files at the same lines, whoever is
in them. So the own row is compared with the rows of the same hour, and of the same place in whatever goes round, too,
and counts only where it stands out in every such look. What goes round is a column whose values follow one another,
or, where nothing but what hangs on it is in the table, the number of lines after which rows are alike again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from riskkit.core import Bools, Floats, Ints
from riskkit.table.large import blocks
from riskkit.table.points import RowPoints, values_of

LEAST = 100
"""Rows below which orders are not compared."""
ROWS = 2_000
"""Rows that are compared with each other, or by which it is seen what goes round, drawn at random; four times as many
with the lines around them."""
SOME = 500
"""Rows by which it is seen whether an order is worth a look."""
LINES = 15
"""How many lines above and below are looked at, of those that a row is compared with."""
FEWEST = 50
"""Rows without which there is no look at the lines around them."""
SHUFFLES = 999
COMMON, OWN, VISIBLE = 0.001, 5.0, 0.005
"""A shared order is told at that permutation p-value; a row of its own at that many standard deviations, where it is
nearer that much more often."""
SORTED = 0.2
"""A column is one that a file is sorted by where it has less than this share of the steps down that chance makes."""
FOLLOWS, UNSAID = 0.8, 0.3
"""It comes round where that share of values says the next one, and what is left is less than this share of chance's."""
OFTEN = 8
"""How often a value stands in a file, on average, for a column that comes round."""
FOLLOWING, DEALT, ALONG, BESIDE, ASIDE = 750, 20, 8.0, 4, 3.0
"""Lines of a release through which a path of rows is looked for; how often lines are dealt anew nearby to see what
chance makes of it; at how many standard deviations above that rows follow one another; how many lines beside the path
are part of it; and how much better it is than any other."""
STRIDES, LEAST_PAIRS = (2, 3), 40
"""Every second and every third row follow one another, too; and how many pairs of rows must."""
FARTHEST, PERIODS, CLEAR = 400, 3, 4.0
"""Most lines that are looked ahead, how many numbers of lines are tried, and standard errors at which one is."""


@dataclass(frozen=True, slots=True)
class RowOrder:
    """How far the order of the release gives away which real row a released row came from.

    ``kind`` is ``row by row`` (row i lies nearer to row i than the lines around it would have it), ``common order``
    (row i lies nearer to row i than to others, but not seen to be nearer than to the lines around it: both files may be
    sorted alike) or ``none``.

    ``share`` is how often row i of the release lies nearer to row i of the real table than to another one, ties
    halved: 0.5 where the order says nothing. ``z`` is its distance from that in standard deviations over all orders,
    ``p`` the share of ``shuffles`` shuffled orders that reach it. ``peak`` is how much more often row i is nearer than
    rows i - 1 and i + 1 are, ``peak_z`` that in standard deviations of the same figure a few lines away. ``compared``
    counts the rows compared with each other.
    """

    kind: str
    share: float
    z: float
    p: float
    shuffles: int
    peak: float
    peak_z: float
    compared: int


def row_order(
    real: RowPoints, release: RowPoints, rng: np.random.Generator, others: RowPoints | None = None
) -> RowOrder | None:
    """Compare the orders of two files, up to the end of the shorter one; None where that is too short.

    All are given in the order of their files. ``others`` are people who were not in, where there are any: where their
    rows lie at the lines of the release as closely, the order is that of the files and not that of people.
    """
    length = min(len(real), len(release))
    if length < LEAST:
        return None
    rows = np.sort(rng.permutation(length)[:ROWS])
    own = nearer(np.sqrt(_gaps(release.rows(rows), real.rows(rows))))
    share, z, p = against_shuffles(own, rng)
    peak, peak_z = _peak(real, release, length, rng)
    kind = _kind(p, peak, peak_z)
    if kind == "row by row" and others is not None:
        theirs = row_order(others, release, rng)
        kind = kind if theirs is None or theirs.kind != kind else "common order"
    return RowOrder(kind, share, z, p, SHUFFLES, peak, peak_z, len(rows))


def may_be_in_order(real: RowPoints, release: RowPoints, rng: np.random.Generator) -> bool:
    """Whether some rows lie nearer to those at their line than to others: so seldom by chance that it needs a look."""
    length = min(len(real), len(release))
    rows = np.sort(rng.permutation(length)[:SOME])
    own = nearer(np.sqrt(_gaps(release.rows(rows), real.rows(rows))))
    return length >= LEAST and against_shuffles(own, rng)[2] <= COMMON


def rows_follow(
    real: RowPoints, release: RowPoints, rng: np.random.Generator, others: RowPoints | None = None
) -> float | None:
    """How sure it is that released rows follow one another as the real rows most like them do; None where they do not.

    In standard deviations. Some rows may be left out, put in between or moved along, so that hardly one stands at its
    own line; the file may begin in the middle, be turned round, or put its parts into one another. Neither do people
    who were not in follow so, where there are any.
    """
    z = _along(real, release, rng)
    if z < ALONG:
        return None
    is_common = others is not None and _along(others, release, rng) > z / ASIDE
    return None if is_common else z


def _along(real: RowPoints, release: RowPoints, rng: np.random.Generator) -> float:
    """How sure it is that rows follow one another along a path through two files, or in equal steps; 0 where it is not.

    What both files are sorted by is left out.
    """
    length = np.arange(min(len(real), len(release)))
    if len(length) < LEAST:
        return 0.0
    keep, kinds = _beyond_sorting(real.rows(length), release.rows(length))
    if kinds or not keep.any():
        return 0.0
    some, people = (
        _only(own, keep).rows(np.arange(min(len(own), most))) for own, most in ((release, FOLLOWING), (real, ROWS))
    )
    near = nearer(np.sqrt(_gaps(some, people)))
    score = -np.log(1 - near + 1 / near.shape[1])
    score -= score.mean(axis=0)
    return max(_in_steps(score), _on_a_path(score, rng))


def _in_steps(score: Floats) -> float:
    """How far pairs of rows that are as many lines apart throughout lie above those one line further or nearer.

    Of every row, every second and every third of either file, from its start or from its end. It is 0 below
    :data:`ALONG`, and where a third distance is as good, as in files that go round.
    """
    score = score - score.mean(axis=1, keepdims=True)
    parts = [score, *(part for k in STRIDES for s in range(k) for part in (score[s::k], score[:, s::k]))]
    unit, sure = float(score.std()), 0.0
    for part in (turned for own in parts for turned in (own, own[::-1])):
        apart = np.arange(part.shape[1]) - np.arange(len(part))[:, None] + len(part) - 1
        pairs = np.bincount(apart.ravel())
        total = np.bincount(apart.ravel(), part.ravel()) / np.maximum(unit, 1e-12)
        z = np.where(pairs >= LEAST_PAIRS, total / np.sqrt(pairs), 0.0)
        beyond = z[1:-1] - (z[:-2] + z[2:]) / 2
        best, third = np.sort(beyond)[[-1, -3]] / max(float(beyond.std()), np.sqrt(1.5))
        if best >= ALONG and third <= best / ASIDE:
            sure = max(sure, float(best))
    return sure


def _on_a_path(score: Floats, rng: np.random.Generator) -> float:
    """How far the best path of pairs of rows lies above those through lines dealt anew nearby; 0 where it is none.

    It is none either where another one is as good, as in files that go round or change slowly.
    """
    best, lines, dealt = _paths(score), np.arange(len(score)), list[float]()
    for _ in range(DEALT):
        nearby = np.argsort(lines // (4 * LINES) + rng.random(len(lines)))
        dealt.append(float(_paths(score[nearby])[-1].max()))
        if len(dealt) == 3 and best[-1].max() <= max(dealt):  # as chance has it in three of four files
            return 0.0
    rows, columns = _trace(best)
    score[np.abs(np.arange(score.shape[1]) - np.interp(lines, rows, columns)[:, None]) <= BESIDE] = score.min()
    z, aside = (
        _deviations(float(path[-1].max()) - float(np.mean(dealt)), float(np.std(dealt, ddof=1)))
        for path in (best, _paths(score))
    )
    return 0.0 if z >= ALONG and aside > z / ASIDE else z


def _paths(score: Floats) -> Floats:
    """(n + 1, m + 1) the most that paths up to a row and a column of these scores add up to, ever further in both."""
    best = np.zeros((len(score) + 1, score.shape[1] + 1))
    for row, before, after in zip(score, best, best[1:], strict=False):
        after[1:] = np.maximum(before[1:], np.maximum.accumulate(before[:-1]) + row)
    return best


def _trace(best: Floats) -> tuple[list[int], list[int]]:
    """The rows and columns that the best of these paths goes through."""
    rows, columns = list[int](), list[int]()
    column = int(best[-1].argmax())
    for row in range(len(best) - 1, 0, -1):
        if best[row, column] > best[row - 1, column]:
            rows.append(row - 1)
            columns.append(column - 1)
            column = int(best[row - 1, :column].argmax())
    return rows[::-1], columns[::-1]


def _kind(p: float, peak: float, peak_z: float) -> str:
    if peak_z >= OWN and peak >= VISIBLE:
        return "row by row"
    return "common order" if p <= COMMON else "none"


def nearer(distance: Floats) -> Floats:
    """(n, m) how often each entry is smaller than the others of its row, ties halved."""
    out = np.empty(distance.shape)
    for rows in blocks(len(distance), distance.shape[1]):
        out[rows] = (distance.shape[1] - _ranks(distance[rows])) / (distance.shape[1] - 1)
    return out


def _ranks(values: Floats) -> Floats:
    """(n, m) the place of each entry in its row, 1 the smallest, those that tie sharing theirs.

    What :func:`scipy.stats.rankdata` gives, in a quarter of its time.
    """
    order = np.argsort(values, axis=1)
    sorted_ = np.take_along_axis(values, order, axis=1)
    is_first = np.ones(values.shape, dtype=bool)
    is_first[:, 1:] = sorted_[:, 1:] != sorted_[:, :-1]
    start = np.flatnonzero(is_first)
    many = np.diff(start, append=values.size)
    out = np.empty(values.shape)
    np.put_along_axis(out, order, np.repeat(start % values.shape[1] + (many + 1) / 2, many).reshape(values.shape), 1)
    return out


def against_shuffles(own: Floats, rng: np.random.Generator) -> tuple[float, float, float]:
    """The mean of the diagonal, in standard deviations over all orders, and how many shuffled orders reach it.

    ``own`` is (n, n) with rows of mean 1/2. The standard deviation is Hoeffding's, exact.
    """
    n = len(own)
    lines = np.arange(n)
    share = float(own[lines, lines].mean())
    residual = own - own.mean(axis=0) - own.mean(axis=1, keepdims=True) + own.mean()
    spread = float(np.sqrt((residual**2).sum() / (n - 1)) / n)
    shuffled = np.array([own[lines, rng.permutation(n)].mean() for _ in range(SHUFFLES)])
    reached = int((shuffled >= share - 1e-12).sum())
    return share, _deviations(share - 0.5, spread), (1 + reached) / (1 + SHUFFLES)


def _peak(real: RowPoints, release: RowPoints, length: int, rng: np.random.Generator) -> tuple[float, float]:
    """How far row i stands out among the lines around it, and how far that stands out among the same for other lines.

    Of several looks the one in which it stands out least: among the lines around, among those of the same hour, and so
    on. What both files are sorted by says nothing of a row beyond its line, and is left out.
    """
    first, second = (points.rows(np.arange(length)) for points in (real, release))
    left, right, kinds = beyond_sorting(first, second)
    if not left.numbers.shape[1] + left.codes.shape[1]:
        return 0.0, 0.0
    around = _stands_out(left, right, np.zeros(length, dtype=np.int64), rng, is_alone=not kinds)
    looks = [around, *(_stands_out(left, right, kind, rng) for kind in (*kinds, *places_in_rounds(left, right, rng)))]
    return min((look for look in looks if look is not None), key=lambda look: look[1], default=(0.0, 0.0))


def _stands_out(
    real: RowPoints, release: RowPoints, kind: Ints, rng: np.random.Generator, *, is_alone: bool = True
) -> tuple[float, float] | None:
    """The same among the lines of one kind (n,): those before and after of the rows of the same; None of too few.

    A common sort makes nearness fall off smoothly to both sides, so the difference from both neighbours is as small
    at line i as it is a few lines away. Where a column that comes round has a look of its own (not ``is_alone``), what
    comes back a few lines away is seen there, and does not count as chance here.
    """
    line, size = np.argsort(kind, kind="stable"), np.bincount(kind)
    enough = max(FEWEST, min(len(kind) // 3, len(kind) - 2 * LINES))
    reach = next((k for k in range(LINES, 0, -1) if np.maximum(size - 2 * k, 0).sum() >= enough), 0)
    if not reach:
        return None
    starts = np.cumsum(size) - size
    inside = np.concatenate([np.arange(a + reach, a + n - reach) for a, n in zip(starts, size, strict=True)])
    inside = np.sort(inside[rng.permutation(len(inside))[: 4 * ROWS]])
    lines = np.arange(-reach, reach + 1)
    own = release.rows(line[inside])
    nearness = nearer(np.column_stack([_pair_distances(own, real.rows(line[inside + step])) for step in lines]))
    beyond = nearness[:, 1:-1] - (nearness[:, :-2] + nearness[:, 2:]) / 2
    peaks, away = beyond.mean(axis=0), np.abs(lines[1:-1]) > 1
    spread = _error(beyond[:, reach - 1][np.argsort(line[inside], kind="stable")])
    middle = 0.0
    if away.any():
        middle = float(peaks[away].mean())
        spread = max(float(peaks[away].std(ddof=1)), spread) if is_alone else spread
    peak = float(peaks[reach - 1])
    return peak, _deviations(peak - middle, spread)


def _error(values: Floats) -> float:
    """The standard error of the mean of values whose neighbours may be alike: from means of blocks of them."""
    means = np.array([block.mean() for block in np.array_split(values, min(max(len(values) // 10, 5), 50))])
    return float(means.std(ddof=1) / np.sqrt(len(means)))


def _deviations(difference: float, spread: float) -> float:
    """How many standard deviations that is; nought of nought is nought, and no figure is endless."""
    if abs(difference) < 1e-12:
        return 0.0
    return float(np.clip(difference / max(spread, 1e-12), -1e6, 1e6))


def _pair_distances(left: RowPoints, right: RowPoints) -> Floats:
    """(n,) squared distances of row to row."""
    out: Floats = ((left.numbers - right.numbers) ** 2).sum(axis=1) + (left.codes != right.codes).sum(axis=1)
    return out


def _gaps(left: RowPoints, right: RowPoints) -> Floats:
    """(n, m) squared distances of every row to every row."""
    out = np.zeros((len(left), len(right)))
    for rows in blocks(len(left), len(right)):
        for a, b in zip(left.numbers[rows].T, right.numbers.T, strict=True):
            out[rows] += (a[:, None] - b) ** 2
        for c, d in zip(left.codes[rows].T, right.codes.T, strict=True):
            out[rows] += _differ(c, d)
    return out


def _differ(left: Ints, right: Ints) -> Floats:
    out: Floats = (left[:, None] != right).astype(np.float64)
    return out


# --------------------------------------------------------------------------------------------------------------
# What goes round


def beyond_sorting(real: RowPoints, release: RowPoints) -> tuple[RowPoints, RowPoints, list[Ints]]:
    """Both files without the columns that both are sorted by; and the kinds (n,) of lines by columns that come round.

    The files are of the same length. The kinds are by each such column, then by all of them together.
    """
    keep, kinds = _beyond_sorting(real, release)
    return _only(real, keep), _only(release, keep), kinds


def _beyond_sorting(real: RowPoints, release: RowPoints) -> tuple[Bools, list[Ints]]:
    """Which columns, numbers before codes, the files are not both sorted by; and the kinds."""
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
    return np.array(stays, dtype=np.bool_), kinds


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


def places_in_rounds(real: RowPoints, release: RowPoints, rng: np.random.Generator) -> list[Ints]:
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
            (
                np.sqrt(_pair_distances(own, real.rows(rows + step)))
                + np.sqrt(_pair_distances(own, real.rows(rows - step)))
            )
            / 2
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
