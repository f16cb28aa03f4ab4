"""Does row i of the release resemble row i of the real table? A release was found that does, and was shuffled too late.

Two files may also share their order because both were sorted by one column. Then every row resembles its whole
neighbourhood, not its own row alone; so the own row is compared with all rows and with those a few lines away.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from riskkit.core import Floats, Ints
from riskkit.table.large import blocks
from riskkit.table.points import RowPoints

LEAST = 100
"""Rows below which orders are not compared."""
ROWS = 2_000
"""Rows that are compared with each other, drawn at random; four times as many with the lines around them."""
LINES = 15
"""How many lines above and below are looked at."""
SHUFFLES = 999
COMMON, OWN, VISIBLE = 0.001, 5.0, 0.005
"""A shared order is told at that permutation p-value; a row of its own at that many standard deviations, where it is
nearer that much more often."""


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


def row_order(real: RowPoints, release: RowPoints, rng: np.random.Generator) -> RowOrder | None:
    """Compare the orders of two files, up to the end of the shorter one; None where that is too short.

    Both are given in the order of their files.
    """
    length = min(len(real), len(release))
    if length < LEAST:
        return None
    rows = np.sort(rng.permutation(length)[:ROWS])
    own = nearer(np.sqrt(_gaps(release.rows(rows), real.rows(rows))))
    share, z, p = against_shuffles(own, rng)
    peak, peak_z = _peak(real, release, length, rng)
    return RowOrder(_kind(p, peak, peak_z), share, z, p, SHUFFLES, peak, peak_z, len(rows))


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

    A common sort makes nearness fall off smoothly to both sides, so the difference from both neighbours is as small
    at line i as it is a few lines away.
    """
    lines = np.arange(-LINES, LINES + 1)
    inside = LINES + rng.permutation(length - 2 * LINES)[: 4 * ROWS]
    distance = np.column_stack([_paired(release.rows(inside), real.rows(inside + line)) for line in lines])
    nearness = nearer(distance).mean(axis=0)
    peaks = nearness[1:-1] - (nearness[:-2] + nearness[2:]) / 2
    away = np.abs(lines[1:-1]) > 1
    peak = float(peaks[lines[1:-1] == 0][0])
    return peak, _deviations(peak - float(peaks[away].mean()), float(peaks[away].std(ddof=1)))


def _deviations(difference: float, spread: float) -> float:
    """How many standard deviations that is; nought of nought is nought, and no figure is endless."""
    if abs(difference) < 1e-12:
        return 0.0
    return float(np.clip(difference / max(spread, 1e-12), -1e6, 1e6))


def _paired(left: RowPoints, right: RowPoints) -> Floats:
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
