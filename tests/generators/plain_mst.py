"""The law of what MST measures and picks on a few binary columns, by numerical integration: nothing of the program.

Picks are enumerated, in every order in which a tree can be grown. The noise on columns, one number a cell, is
integrated over by scrambled Sobol points; that on pairs, which is added last and is the same whatever was picked, by
its closed form. Tables are lists of tuples of 0 and 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np
import numpy.typing as npt
from scipy import special
from scipy.signal import fftconvolve
from scipy.stats import norm, qmc

from tests.generators.plain_private import Rows

Draws = npt.NDArray[np.float64]
Pair = tuple[int, int]
POINTS, AGAIN = 1_024, 4
"""Points of an integral, and how often it is worked out, with points scrambled anew."""
PUT_TOGETHER = 3.0
"""Both levels of a column become one where neither noisy count reaches so many standard deviations."""


@dataclass(frozen=True)
class Noise:
    """Standard deviations on the cells of columns and of pairs, and the slope by which picks weigh a row.

    Of ``rho``, a third is spent on each; ``less`` below 1 is a planted fault, noise of that part of its size, and
    ``sensitivity`` below 1 another, picks that are that much too sure.
    """

    column: float
    pair: float
    slope: float

    @classmethod
    def of(cls, rho: float, columns: int, less: float = 1.0, sensitivity: float = 1.0) -> Noise:
        picks = columns - 1
        return cls(
            less * math.sqrt(3 * columns / (2 * rho)),
            less * math.sqrt(3 * picks / (2 * rho)),
            math.sqrt(8 * rho / (3 * picks)) / 2 / sensitivity,
        )

    def apart(self, columns: int) -> float:
        """How many standard deviations the counts of all picked pairs are moved by one person."""
        return math.sqrt(columns - 1) / self.pair


@cache
def points(columns: int, again: int) -> Draws:
    """(POINTS, columns, 2) normal scores that are spread evenly."""
    uniform = qmc.Sobol(2 * columns, scramble=True, seed=again).random(POINTS)
    scores: Draws = norm.ppf(np.clip(uniform, 1e-12, 1 - 1e-12)).reshape(POINTS, columns, 2)
    return scores


@cache
def trees(columns: int) -> tuple[tuple[tuple[Pair, frozenset[Pair]], ...], ...]:
    """Every way to pick a tree pair by pair: each pick, and what could have been picked in its place."""

    def joined(picks: list[Pair], a: int, b: int) -> bool:
        reached = {a}
        for _ in range(columns):
            reached |= {column for pair in picks for column in pair if reached & set(pair)}
        return b in reached

    ways: list[list[tuple[Pair, frozenset[Pair]]]] = [[]]
    for _ in range(columns - 1):
        longer = []
        for way in ways:
            picks = [pick for pick, _ in way]
            open_to = frozenset(pair for pair in combinations(range(columns), 2) if not joined(picks, *pair))
            longer += [[*way, (pick, open_to)] for pick in sorted(open_to)]
        ways = longer
    return tuple(map(tuple, ways))


def column_counts(rows: Rows) -> Draws:
    """(columns, 2) how many rows have each value."""
    return np.array([[sum(row[j] == value for row in rows) for value in (0, 1)] for j in range(len(rows[0]))], float)


def powers(rows: Rows, seen: Draws, noise: Noise) -> dict[Pair, Draws]:
    """(draws,) the exponent by which each pair is picked, given noisy counts of columns (draws, columns, 2)."""
    columns = seen.shape[1]
    total = np.maximum(seen.sum(axis=2).mean(axis=1), 1.0)
    first = [np.clip((seen[:, j, 0] - seen[:, j, 1] + total) / 2, 0, total) for j in range(columns)]  # the nearest
    alone = [np.stack([count, total - count], axis=1) for count in first]
    is_one = np.all(seen < PUT_TOGETHER * noise.column, axis=2)
    out = {}
    for a, b in combinations(range(columns), 2):
        held = np.array([[sum(row[a] == i and row[b] == j for row in rows) for j in (0, 1)] for i in (0, 1)])
        gap = held - alone[a][:, :, None] * alone[b][:, None, :] / total[:, None, None]
        one_a, one_b = is_one[:, a], is_one[:, b]
        gap = np.where(one_a[:, None, None], gap.sum(axis=1, keepdims=True) / 2, gap)  # of one level, halves of it
        gap = np.where(one_b[:, None, None], gap.sum(axis=2, keepdims=True) / 2, gap)
        apart = np.abs(gap).sum(axis=(1, 2))
        out[a, b] = noise.slope * apart
    return out


def log_chances(power: dict[Pair, Draws], columns: int) -> Draws:
    """(ways, draws) the logarithm of the chance of every way to pick a tree (:func:`trees`)."""
    sums: dict[frozenset[Pair], Draws] = {}
    out = []
    for way in trees(columns):
        for _, open_to in way:
            if open_to not in sums:
                sums[open_to] = special.logsumexp([power[pair] for pair in open_to], axis=0)
        out.append(sum(power[pick] - sums[open_to] for pick, open_to in way))
    return np.array(out)


def picked(rows: Rows, noise: Noise) -> Draws:
    """(ways,) the chance of every way to pick a tree, noise integrated out."""
    columns = len(rows[0])
    each = [
        np.exp(log_chances(powers(rows, column_counts(rows) + noise.column * points(columns, again), noise), columns))
        for again in range(AGAIN)
    ]
    chances: Draws = np.mean(each, axis=(0, 2))
    return chances


def says(rows: Rows, gone: int, noise: Noise, again: int) -> list[tuple[Draws, Draws]]:
    """What columns and picks say for a row, (ways, draws), and the weight of each; with the row, and without it."""
    columns, without = len(rows[0]), rows[:gone] + rows[gone + 1 :]
    out = []
    for world in (rows, without):
        seen = column_counts(world) + noise.column * points(columns, again)
        both = [log_chances(powers(table, seen, noise), columns) for table in (rows, without)]
        above = np.array([seen[:, j, rows[gone][j]] for j in range(columns)])
        above -= np.array([column_counts(rows)[j, rows[gone][j]] for j in range(columns)])[:, None]
        counts = (((above + 1) ** 2 - above**2) / (2 * noise.column**2)).sum(axis=0)
        out.append((counts + both[0] - both[1], np.exp(both[0 if world is rows else 1]) / POINTS))
    return out


def spread(values: Draws, weight: Draws, start: float, step: float, size: int) -> Draws:
    """(size,) the weight near each point of a grid, each value shared by the two points beside it."""
    place: Draws = (values.ravel() - start) / step
    below = np.floor(place).astype(np.int64)
    part, each = place - below, weight.ravel()
    shares = np.bincount(below, each * (1 - part), size) + np.bincount(below + 1, each * part, size)
    return np.asarray(shares, dtype=np.float64)


def best_auc(rows: Rows, gone: int, noise: Noise) -> tuple[float, float]:
    """The AUC of the best attack on everything that MST draws, and its numerical error (one standard error)."""
    aucs, mu = [], noise.apart(len(rows[0]))
    for again in range(AGAIN):
        (inside, weight), (outside, other) = says(rows, gone, noise, again)
        step = mu / 40
        start = min(inside.min(), outside.min()) - step
        size = int((max(inside.max(), outside.max()) - start) / step) + 3
        with_row, without = (spread(*side, start, step, size) for side in ((inside, weight), (outside, other)))
        gap = step * np.arange(-size + 1, size)
        chance = fftconvolve(with_row, without[::-1])
        aucs.append(float((chance * special.ndtr((gap + mu**2) / (math.sqrt(2) * mu))).sum()))
    return float(np.mean(aucs)), float(np.std(aucs, ddof=1) / math.sqrt(AGAIN))
