"""Two private methods written out for tiny tables, with nothing of the program: what their outcomes say of one row.

Tables are lists of tuples. An outcome is what a fit draws at random, before anything is made of it: no attack on a
release, or on any number of them, knows more.
"""

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


def information(rows: Rows, first: int, second: int) -> float:
    """Mutual information of two columns in nats, from its definition."""
    n = len(rows)
    pair = Counter((r[first], r[second]) for r in rows)
    left, right = Counter(r[first] for r in rows), Counter(r[second] for r in rows)
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

    def losses(above: float) -> Draws:
        noisy = rng.laplace(above, 1 / size, (tables, draws))
        return size * (np.abs(noisy) - np.abs(noisy - 1)).sum(axis=0)

    return np.sort(losses(1.0) - losses(0.0))


def auc_of(inside: dict[tuple[int, ...], float], outside: dict[tuple[int, ...], float], gaps: Draws) -> float:
    """The AUC of the best attack on networks enumerated and counts that say ``gaps``, whatever the network."""
    picks = list(inside)
    p, q = np.array([inside[pick] for pick in picks]), np.array([outside[pick] for pick in picks])
    says = np.log(p / q)
    apart = says[:, None] - says[None, :]
    above = len(gaps) - np.searchsorted(gaps, -apart - 1e-12, "left")
    tied = np.searchsorted(gaps, -apart + 1e-12, "right") - np.searchsorted(gaps, -apart - 1e-12, "left")
    return float(p @ ((above - tied / 2) / len(gaps)) @ q)


def rho(epsilon: float, delta: float) -> float:
    """The concentrated privacy whose least delta over all orders is this one, by two optimisers."""

    def least(value: float) -> float:
        def exponent(log_order: float) -> float:
            order = 1 + math.exp(log_order)
            power = (order - 1) * (order * value - epsilon) + order * math.log1p(-1 / order)
            return power - math.log(order - 1)

        return float(
            optimize.minimize_scalar(exponent, bounds=(-12, 12), method="bounded", options={"xatol": 1e-9}).fun
        )

    return float(optimize.brentq(lambda value: least(value) - math.log(delta), 1e-8, epsilon + 1))


def nearest(counts: Draws, total: Draws) -> Draws:
    """(draws, size) counts of these sums, none negative, nearest to others: by halving the level that is taken off."""
    low, high = counts.min(axis=1) - total, counts.max(axis=1)
    for _ in range(40):
        level = (low + high) / 2
        is_low = np.maximum(counts - level[:, None], 0).sum(axis=1) > total
        low, high = np.where(is_low, level, low), np.where(is_low, high, level)
    nearest_counts: Draws = np.maximum(counts - level[:, None], 0)
    return nearest_counts


def strengths(rows: Rows, sizes: tuple[int, ...], seen: list[Draws]) -> dict[tuple[int, int], Draws]:
    """(draws,) how far the counts of each pair are from those of independent columns, given noisy counts of these."""
    total = np.maximum(sum(each.mean(axis=1) for each in seen) / sum(1 / size for size in sizes), 1.0)
    alone, out = [nearest(each, total) for each in seen], {}
    for a, b in combinations(range(3), 2):
        held = np.zeros((sizes[a], sizes[b]))
        for row in rows:
            held[row[a], row[b]] += 1
        expected = alone[a][:, :, None] * alone[b][:, None, :] / total[:, None, None]
        out[a, b] = np.abs(held - expected).sum(axis=(1, 2))
    return out


def log_picks(power: dict[tuple[int, int], Draws]) -> tuple[list[Picks], Draws]:
    """Every way MST can pick its two pairs of three columns, and (ways, draws) the logarithm of its chance."""
    ways: list[Picks] = []
    out: list[Draws] = []
    for first in power:
        rest = [other for other in power if other != first]
        for second in rest:
            ways.append(first + second)
            every = special.logsumexp(list(power.values()), axis=0)
            left = special.logsumexp([power[other] for other in rest], axis=0)
            out.append(power[first] - every + power[second] - left)
    return ways, np.array(out)


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
    """
    without, sd = rows[:gone] + rows[gone + 1 :], math.sqrt(3 * 3 / (2 * value))
    pick, transcripts = math.sqrt(8 * value / 6) / sensitivity, []
    for world in (rows, without):
        held = [np.bincount([r[j] for r in world], minlength=sizes[j]) for j in range(3)]
        seen = [each + rng.normal(0, sd, (draws, len(each))) for each in held]
        chances = []
        for table in (rows, without):
            power = {pair: pick * each / 2 for pair, each in strengths(table, sizes, seen).items()}
            chances.append(log_picks(power)[1])
        own = chances[0 if world is rows else 1]
        taken = (np.exp(own).cumsum(axis=0) < rng.random(draws)).sum(axis=0).clip(max=len(own) - 1)
        says = chances[0][taken, np.arange(draws)] - chances[1][taken, np.arange(draws)]
        for j in range(3):
            above = seen[j][:, rows[gone][j]] - sum(r[j] == rows[gone][j] for r in rows)
            says = says + ((above + 1) ** 2 - above**2) / (2 * sd**2)
        transcripts.append(says)
    return transcripts[0], transcripts[1]


def auc_with_normal(inside: Draws, outside: Draws, mu: float) -> float:
    """The AUC once a normal step, ``mu`` apart, is added to what is known of either side."""
    apart = inside[:, None] - outside[None, :] + mu**2
    return float(special.ndtr(apart / (math.sqrt(2) * mu)).mean())
