"""Every release that a small table can lead to, and what the best attack makes of them: counted in plain Python.

Nothing here is the product's: values are put in bins, rows are counted, releases are listed and their chances are added
up anew. Of a fitted network only its shape is taken, which column leans on which.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np

from riskkit.core import Column, Floats, Ints, Kind, Table

Row = tuple[int, ...]
Shape = Sequence[Sequence[int]]

FPR = 0.05
"""The false positive rate beside whose true positive rate certificates are held."""

MOST = 20_000
"""So many releases at most are listed; of larger tables shorter ones."""


@dataclass(frozen=True)
class Best:
    """What the best attack achieves; ``tpr`` is that at :data:`FPR`."""

    auc: float
    advantage: float
    tpr: float
    proof: float

    @property
    def values(self) -> tuple[float, float, float, float]:
        """AUC, advantage, true positive rate and chance of a proof."""
        return self.auc, self.advantage, self.tpr, self.proof


def place(value: float, column: Column, bins: int) -> int:
    """The bin of a whole number; a missing one has a bin of its own after all others."""
    width = round(column.high - column.low) + 1
    bins = min(bins, width)
    if math.isnan(value):
        return bins
    edges = [round(number * width / bins) for number in range(1, bins)]
    return sum(edge <= round(value - column.low) for edge in edges)


def size_of(column: Column, bins: int) -> int:
    """How many codes a column has."""
    if column.kind is Kind.CATEGORICAL:
        return len(column.levels)
    return min(bins, round(column.high - column.low) + 1) + column.has_missing


def coded(table: Table, bins: int) -> tuple[list[Row], list[int]]:
    """The rows as codes in file order, and how many codes each column has."""
    rows: list[Row] = []
    for codes, numbers in zip(table.codes.tolist(), table.numbers.tolist(), strict=True):
        category, number = iter(codes), iter(numbers)
        rows.append(
            tuple(
                place(next(number), column, bins) if column.is_numeric else next(category)
                for column in table.schema.modelled
            )
        )
    return rows, [size_of(column, bins) for column in table.schema.modelled]


def by_network(rows: list[Row], sizes: list[int], parents: Shape, pseudo: float) -> dict[Row, float]:
    """The probability of every row of the domain: the product of shares, column by column given its parents."""
    both: Counter[tuple[int, Row, int]] = Counter()
    above: Counter[tuple[int, Row]] = Counter()
    for row in rows:
        for j, own in enumerate(parents):
            over = tuple(row[parent] for parent in own)
            both[j, over, row[j]] += 1
            above[j, over] += 1
    chances = {}
    for row in product(*map(range, sizes)):
        chance = 1.0
        for j, own in enumerate(parents):
            over = tuple(row[parent] for parent in own)
            if above[j, over] or pseudo:
                chance *= (both[j, over, row[j]] + pseudo) / (above[j, over] + pseudo * sizes[j])
            else:
                chance /= sizes[j]
        chances[row] = chance
    return chances


def by_columns(table: Table) -> dict[tuple[str, ...], float]:
    """The probability of every row of the values that a table has, each column by itself."""
    columns = [*table.codes.T.tolist(), *table.numbers.T.tolist()]
    counts = [Counter(map(repr, column)) for column in columns]
    return {
        row: math.prod(count[value] / len(table) for count, value in zip(counts, row, strict=True))
        for row in product(*counts)
    }


def releases_of(rows: int, n: int) -> int:
    """How many releases of ``n`` rows there are, their order aside."""
    return math.comb(rows + n - 1, n)


def best_attack(inside: dict[Any, float], outside: dict[Any, float], n: int, releases: int = 1) -> Best:
    """List every release of ``n`` rows, and judge each by how much likelier it is with the record than without.

    Of several releases of ``n`` rows every sequence of them is listed.
    """
    return judged(*several(*listed(inside, outside, n), releases))


def several(chances: Floats, ratios: Floats, releases: int) -> tuple[Floats, Floats, Floats]:
    """Chances with the record and without, and log ratios, of every sequence of so many of these releases."""
    made, sums = chances, ratios
    for _ in range(releases - 1):
        made = (made[:, :, None] * chances[:, None, :]).reshape(2, -1)
        with np.errstate(invalid="ignore"):
            sums = np.add.outer(sums, ratios).ravel()
    possible = made.any(axis=0)
    return made[0, possible], made[1, possible], np.round(sums[possible], 9)


def listed(inside: dict[Any, float], outside: dict[Any, float], n: int) -> tuple[Floats, Floats]:
    """(2, m) chances of every release of ``n`` rows, and (m,) log ratios."""
    domain = [row for row in {**inside, **outside} if inside.get(row, 0) > 0 or outside.get(row, 0) > 0]
    shares = np.array([[fit.get(row, 0.0) for row in domain] for fit in (inside, outside)])
    releases = np.array(list(combinations_with_replacement(range(len(domain)), n)))
    chances = _orders(releases) * shares[:, releases].prod(axis=2)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(shares)[:, releases].sum(axis=2)
        ratios = logs[0] - logs[1]
    possible = chances.any(axis=0)
    return chances[:, possible], ratios[possible]


def _orders(releases: Ints) -> Floats:
    """In how many orders the rows of each (m, n) ascending release can come: n!, over c! for each row c times in it."""
    orders, again = np.full(len(releases), float(math.factorial(releases.shape[1]))), np.ones(len(releases))
    for place in range(1, releases.shape[1]):
        again = np.where(releases[:, place] == releases[:, place - 1], again + 1, 1)
        orders /= again
    return orders


def judged(inside: Floats, outside: Floats, ratios: Floats) -> Best:
    """AUC, advantage, true positive rate and chance of a proof, of releases with these chances and log ratios."""
    steps: dict[float, list[float]] = {}
    for high, low, ratio in zip(inside.tolist(), outside.tolist(), ratios.tolist(), strict=True):
        step = steps.setdefault(ratio, [0.0, 0.0])
        step[0] += high
        step[1] += low
    auc, tpr, fpr, curve = 0.0, 0.0, 0.0, [(0.0, 0.0)]
    for ratio in sorted(steps, reverse=True):
        high, low = steps[ratio]
        auc += high * (1 - fpr - low / 2)
        tpr, fpr = tpr + high, fpr + low
        curve.append((fpr, tpr))
    corner = next(place for place, (false, _) in enumerate(curve) if false >= FPR)
    (left, start), (right, end) = curve[corner - 1], curve[corner]
    proof = steps.get(math.inf, [0.0, 0.0])[0]
    return Best(
        auc,
        max(true - false for false, true in curve),
        start + (end - start) * (FPR - left) / (right - left),
        proof,
    )


def of_record(generator: Any, table: Table, row: int | Sequence[int], n: int) -> tuple[Best, int]:
    """The best attack on that record, or on the person of these rows, in a release of ``n`` rows, and the rows that
    were taken: perhaps fewer.

    The fit without the record is the fit of the table less that row, its own shape included.
    """
    inside, outside = fits_of(generator, table, row)
    while releases_of(possible(inside, outside), n) > MOST and n > 1:
        n -= 1
    return best_attack(inside, outside, n), n


def of_releases(generator: Any, table: Table, row: int, n: int, releases: int) -> tuple[Best, int, int]:
    """The same of several releases of ``n`` rows: the best attack, the rows and the releases that were taken."""
    inside, outside = fits_of(generator, table, row)
    rows = possible(inside, outside)
    while releases_of(rows, n) ** releases > MOST and n > 1:
        n -= 1
    while releases_of(rows, n) ** releases > MOST and releases > 1:
        releases -= 1
    return best_attack(inside, outside, n, releases), n, releases


def possible(inside: dict[Any, float], outside: dict[Any, float]) -> int:
    """How many rows either fit can put out."""
    return sum(inside.get(key, 0) > 0 or outside.get(key, 0) > 0 for key in {**inside, **outside})


def fits_of(generator: Any, table: Table, row: int | Sequence[int]) -> tuple[dict[Any, float], dict[Any, float]]:
    """The chance of every row under the fit with the record, or the person of these rows, and under the one without."""
    gone = {row} if isinstance(row, int) else set(row)
    worlds = table, table.rows([index for index in range(len(table)) if index not in gone])
    inside: dict[Any, float]
    outside: dict[Any, float]
    if generator.name == "histogram":
        inside, outside = (by_columns(world) for world in worlds)
    else:
        rows, sizes = coded(table, generator.bins)
        left = [row for index, row in enumerate(rows) if index not in gone]
        inside, outside = (
            by_network(people, sizes, generator.fit(world, np.random.default_rng(0)).parents, generator.smoothing)
            for people, world in zip((rows, left), worlds, strict=True)
        )
    return inside, outside
