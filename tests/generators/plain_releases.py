"""Chances of whole releases of PrivBayes of degree 1 on tiny tables, by drawing its noise: nothing of the program.

Tables are lists of tuples. Networks are enumerated (:func:`tests.generators.plain_private.networks`); of each, noise is
drawn so many times, the chance of every row is written down for each draw, and that of a release is the mean of
products. Two worlds meet the same noise, so that what tells them apart has little error.
"""

import math
from collections import Counter
from itertools import combinations_with_replacement, product

import numpy as np
import numpy.typing as npt

from tests.generators import plain_private as plain
from tests.generators.plain_private import Rows

Draws = npt.NDArray[np.float64]
FLOOR = 1e-6


def every_release(sizes: tuple[int, ...], n: int) -> list[tuple[tuple[int, ...], ...]]:
    """All releases of ``n`` rows, the order left out."""
    return list(combinations_with_replacement(product(*map(range, sizes)), n))


def orders(release: tuple[tuple[int, ...], ...]) -> int:
    """In how many orders the rows of a release can stand."""
    return math.factorial(len(release)) // math.prod(math.factorial(count) for count in Counter(release).values())


def row_chances(
    rows: Rows, sizes: tuple[int, ...], picks: tuple[int, ...], noise: dict[tuple[int, int], Draws]
) -> Draws:
    """(draws, values) the chance of every row of the domain under a network, for each draw of the noise.

    ``noise`` of a pair (parent, column) is (draws, parent values, column values); the first pair's shares are of all.
    """
    families = [(picks[0], picks[1])] + [(picks[index + 1], picks[index]) for index in range(3, len(picks), 2)]
    chance: Draws | None = None
    domain = list(product(*map(range, sizes)))
    for place, (above, own) in enumerate(families):
        counts = np.zeros((sizes[above], sizes[own]))
        for row in rows:
            counts[row[above], row[own]] += 1
        kept = np.maximum(counts + noise[above, own], FLOOR)
        whole = kept.sum(axis=(1, 2) if place == 0 else 2, keepdims=True)
        share = (kept / whole)[:, [row[above] for row in domain], [row[own] for row in domain]]
        chance = share if chance is None else chance * share
    assert chance is not None
    return chance


def release_chances(
    worlds: tuple[Rows, Rows], sizes: tuple[int, ...], epsilon: float, share: float, n: int, draws: int, seed: int
) -> tuple[Draws, Draws]:
    """(worlds, releases) the chance of every release in either world, and its standard error."""
    rng = np.random.default_rng(seed)
    d = len(sizes)
    scale = 2 * (d - 1) / ((1 - share) * epsilon)
    releases = every_release(sizes, n)
    place_of = {row: place for place, row in enumerate(product(*map(range, sizes)))}
    places = np.array([[place_of[row] for row in release] for release in releases])
    times = np.array([orders(release) for release in releases], dtype=np.float64)
    picked = [dict(plain.networks(rows, sizes, share * epsilon / (d - 1))) for rows in worlds]
    mean, var = np.zeros((2, len(releases))), np.zeros((2, len(releases)))
    for picks in picked[0]:
        noise = {
            (a, b): rng.laplace(0, scale, (draws, sizes[a], sizes[b])) for a in range(d) for b in range(d) if a != b
        }
        for world, rows in enumerate(worlds):
            chance = row_chances(rows, sizes, picks, noise)
            each = chance[:, places].prod(axis=2) * times
            mean[world] += picked[world][picks] * each.mean(axis=0)
            var[world] += picked[world][picks] ** 2 * each.var(axis=0, ddof=1) / draws
    return mean, np.sqrt(var)


def auc(inside: Draws, outside: Draws) -> float:
    """The AUC of the best attack, by weighing every two releases."""
    ratio = np.log(inside) - np.log(outside)
    above = (ratio[:, None] > ratio[None]) + (ratio[:, None] == ratio[None]) / 2
    return float(inside @ above @ outside)
