"""Two private methods written out for tiny tables, with nothing of the program: what their outcomes say of one row.

Tables are lists of tuples. An outcome is what a fit draws at random, before anything is made of it: no attack on a
release, or on any number of them, knows more.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from itertools import combinations

import numpy as np
import numpy.typing as npt
from scipy import optimize, special

Rows = list[tuple[int, ...]]
Picks = tuple[int, ...]
Draws = npt.NDArray[np.float64]


def information(rows: Rows, one: int, other: int) -> float:
    """Mutual information of two columns in nats, from its definition."""
    n = len(rows)
    pair = Counter((r[one], r[other]) for r in rows)
    left, right = Counter(r[one] for r in rows), Counter(r[other] for r in rows)
    return sum(c / n * math.log(c * n / (left[a] * right[b])) for (a, b), c in pair.items())


def most_moved(n: int, sizes: tuple[int, ...]) -> float:
    """The sensitivity of information that PrivBayes states, as its paper has it."""
    if n < 2:
        return 0.0
    if max(sizes) <= 2:
        return math.log(n) / n + (n - 1) / n * math.log(n / (n - 1))
    return 2 / n * math.log((n + 1) / 2) + (n - 1) / n * math.log((n + 1) / (n - 1))


def networks(rows: Rows, sizes: tuple[int, ...], part: float) -> Iterator[tuple[tuple[int, ...], float]]:
    """Every way PrivBayes of degree 1 can pick its network, with its chance."""
    d, moved = len(sizes), most_moved(len(rows), sizes)
    slope = part / (2 * moved) if moved else 0.0

    def grown(inside: Picks, picks: Picks, chance: float) -> Iterator[tuple[Picks, float]]:
        if len(inside) == d:
            yield picks, chance
            return
        options = [(new, above) for new in range(d) if new not in inside for above in inside]
        power = [math.exp(slope * information(rows, new, above)) for new, above in options]
        for (new, above), each in zip(options, power, strict=True):
            yield from grown((*inside, new), (*picks, new, above), chance * each / sum(power))

    for root in range(d):
        yield from grown((root,), (root,), 1 / d)


def laplace_gaps(size: float, tables: int, draws: int, rng: np.random.Generator) -> Draws:
    """Sorted draws of what noisy counts say with the row, less what they say without it.

    In each table one cell differs by one; noise is Laplace of scale 1 / size.
    """

    def told(above: float) -> Draws:
        noisy = rng.laplace(above, 1 / size, (tables, draws))
        return size * (np.abs(noisy) - np.abs(noisy - 1)).sum(axis=0)

    return np.sort(told(1.0) - told(0.0))


def auc_of(inside: dict[tuple[int, ...], float], outside: dict[tuple[int, ...], float], gaps: Draws) -> float:
    """The AUC of the best attack on networks enumerated and counts that say ``gaps``, whatever the network."""
    picks = list(inside)
    p, q = np.array([inside[one] for one in picks]), np.array([outside[one] for one in picks])
    says = np.log(p / q)
    apart = says[:, None] - says[None, :]
    above = len(gaps) - np.searchsorted(gaps, -apart - 1e-12, "left")
    tied = np.searchsorted(gaps, -apart + 1e-12, "right") - np.searchsorted(gaps, -apart - 1e-12, "left")
    return float(p @ ((above - tied / 2) / len(gaps)) @ q)


def rho(epsilon: float, delta: float) -> float:
    """The concentrated privacy whose least delta over all orders is this one, by two optimisers."""

    def least(value: float) -> float:
        def at(log_order: float) -> float:
            order = 1 + math.exp(log_order)
            power = (order - 1) * (order * value - epsilon) + order * math.log1p(-1 / order)
            return power - math.log(order - 1)

        return float(optimize.minimize_scalar(at, bounds=(-12, 12), method="bounded", options={"xatol": 1e-9}).fun)

    return float(optimize.brentq(lambda value: least(value) - math.log(delta), 1e-8, epsilon + 1))


def nearest(counts: Draws, total: float) -> Draws:
    """Counts of that sum, none negative, nearest to these: by halving the level that is taken off."""
    low, high = counts.min() - total, counts.max()
    for _ in range(30):
        level = (low + high) / 2
        low, high = (level, high) if np.maximum(counts - level, 0).sum() > total else (low, level)
    return np.maximum(counts - level, 0)


def log_picks(rows: Rows, sizes: tuple[int, ...], seen: list[Draws], pick: float) -> dict[tuple[int, ...], float]:
    """The logarithm of the chance of every way MST can pick its two pairs of three columns, given noisy counts."""
    total = max(sum(each.sum() / len(each) for each in seen) / sum(1 / len(each) for each in seen), 1.0)
    alone = [nearest(each, total) for each in seen]
    power = {}
    for a, b in combinations(range(3), 2):
        held = np.zeros((sizes[a], sizes[b]))
        for row in rows:
            held[row[a], row[b]] += 1
        power[a, b] = pick * np.abs(held - np.outer(alone[a], alone[b]) / total).sum() / 2
    out: dict[Picks, float] = {}
    for first in power:
        rest = [other for other in power if other != first]
        for second in rest:
            out[first + second] = (
                power[first] - special.logsumexp(list(power.values()))
                + power[second] - special.logsumexp([power[other] for other in rest])
            )  # fmt: skip
    return out


def mst_transcripts(
    rows: Rows,
    gone: int,
    sizes: tuple[int, ...],
    value: float,
    draws: int,
    rng: np.random.Generator,
    sensitivity: float = 1.0,
) -> tuple[Draws, Draws]:
    """What column counts and picks say for a row, in draws with it and draws without it; counts of pairs are left out.

    ``sensitivity`` below 1 is a planted fault: picks that are that much too sure.
    """  # fmt: skip
    without, sd = rows[:gone] + rows[gone + 1 :], math.sqrt(3 * 3 / (2 * value))
    pick, told = math.sqrt(8 * value / 6) / sensitivity, []
    for world in (rows, without):
        says = []
        for _ in range(draws):
            seen = [
                np.bincount([r[j] for r in world], minlength=sizes[j]) + rng.normal(0, sd, sizes[j]) for j in range(3)
            ]
            with_row, less = log_picks(rows, sizes, seen, pick), log_picks(without, sizes, seen, pick)
            own = with_row if world is rows else less
            keys = list(own)
            taken = keys[rng.choice(len(keys), p=np.exp(list(own.values())))]
            counts = 0.0
            for j in range(3):
                held = sum(r[j] == rows[gone][j] for r in rows)
                counts += ((seen[j][rows[gone][j]] - held + 1) ** 2 - (seen[j][rows[gone][j]] - held) ** 2) / (
                    2 * sd**2
                )
            says.append(counts + with_row[taken] - less[taken])
        told.append(np.array(says))
    return told[0], told[1]


def auc_with_normal(inside: Draws, outside: Draws, mu: float) -> float:
    """The AUC once a normal step, ``mu`` apart, is added to what is known of either side."""
    apart = inside[:, None] - outside[None, :] + mu**2
    return float(special.ndtr(apart / (math.sqrt(2) * mu)).mean())
