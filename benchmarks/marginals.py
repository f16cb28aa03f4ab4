"""How closely releases keep the one- and two-way marginals of the table, and what a fit and a release cost.

Run it alone: ``python benchmarks/marginals.py [generator ...]``. Total variation is half the sum of the absolute
differences of shares: 0 where two tables agree, 1 where they share nothing. Numbers are cut at the deciles of the real
table. An independent sample of the same size shows how far apart two honest samples of one population are. The rows
are Adult's where the table is at hand, else made ones of the same shape.
"""

from __future__ import annotations

import sys
import time
from itertools import combinations
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.generators import ADULT, rows
from riskkit import registry
from riskkit.core import Floats, Ints, Table
from riskkit.table.encode import layout

SHOWN = ("stat", "histogram", "bayesnet", "synthpop")
ROWS = 10_000
RELEASES = 5
TIMED = 1_000


def cells(table: Table, real: Table) -> tuple[Ints, tuple[int, ...]]:
    """(n, d) codes below the size of each column: categories as they are, numbers by the deciles of ``real``."""
    out = np.empty((len(table), len(table.schema.modelled)), dtype=np.int64)
    sizes: list[int] = []
    for position, block in enumerate(layout(table.schema)):
        if block.column.is_numeric:
            edges = np.unique(np.nanquantile(real.numbers[:, block.source], np.arange(1, 10) / 10))
            values = table.numbers[:, block.source]
            code = np.searchsorted(edges, values, side="left")
            out[:, position] = np.where(np.isnan(values), len(edges) + 1, code)
            sizes.append(len(edges) + 2)
        else:
            out[:, position] = table.codes[:, block.source]
            sizes.append(len(block.column.levels))
    return out, tuple(sizes)


def total_variation(real: Table, release: Table) -> tuple[Floats, Floats]:
    """The total variation of each column, and of each pair of columns."""
    (a, sizes), (b, _) = cells(real, real), cells(release, real)
    return coded_variation(a, b, sizes)


def coded_variation(a: Ints, b: Ints, sizes: tuple[int, ...]) -> tuple[Floats, Floats]:
    """The same for (n, d) codes below the size of each column."""
    columns = [_apart(a[:, i], b[:, i], size) for i, size in enumerate(sizes)]
    pairs = [
        _apart(a[:, i] * sizes[j] + a[:, j], b[:, i] * sizes[j] + b[:, j], sizes[i] * sizes[j])
        for i, j in combinations(range(len(sizes)), 2)
    ]
    return np.array(columns), np.array(pairs)


def _apart(a: Ints, b: Ints, size: int) -> float:
    """Total variation of two columns of codes below ``size``."""
    gap = np.bincount(a, minlength=size) / len(a) - np.bincount(b, minlength=size) / len(b)
    return float(np.abs(gap).sum() / 2)


def row(name: str, apart: list[tuple[Floats, Floats]], seconds: float = np.nan) -> str:
    """One line of the table of figures: means and worst column and pair, over all releases."""
    columns, pairs = (np.mean(part, axis=0) for part in zip(*apart, strict=True))
    figures = f"{columns.mean():>10.4f} {columns.max():>10.4f} {pairs.mean():>10.4f} {pairs.max():>10.4f}"
    return f"{name:34} {figures}" + ("" if np.isnan(seconds) else f" {seconds:>10.3f}")


def cost(name: str, table: Table) -> float:
    """Processor seconds of a fit and a release as long as the table, the median of nine."""
    generator, taken = registry.parse("generators", name), []
    for seed in range(9):
        rng, start = np.random.default_rng(seed), time.process_time()
        generator.fit(table, rng).sample(len(table), rng)
        taken.append(time.process_time() - start)
    return float(np.median(taken))


def main(shown: tuple[str, ...]) -> None:
    """Print the figures."""
    everyone = rows(2 * ROWS)
    shuffled = np.random.default_rng(0).permutation(2 * ROWS)
    real, other = everyone.rows(shuffled[:ROWS]), everyone.rows(shuffled[ROWS:])
    print(f"rows: {'Adult' if ADULT.is_file() else 'made'}, {ROWS:,} real, releases as long, mean of {RELEASES} fits")
    print(f"seconds: processor time of fit and release on {TIMED:,} rows, one thread\n")
    print(f"{'total variation':34} {'column':>10} {'worst':>10} {'pair':>10} {'worst':>10} {'seconds':>10}")
    print(row("independent sample", [total_variation(real, other)]))
    small = rows(TIMED)
    for name in shown:
        apart = []
        for seed in range(RELEASES):
            rng = np.random.default_rng(seed)
            release = registry.parse("generators", name).fit(real, rng).sample(ROWS, rng)
            apart.append(total_variation(real, release))
        print(row(name, apart, cost(name, small)))


if __name__ == "__main__":
    with threadpool_limits(1):
        main(tuple(sys.argv[1:]) or SHOWN)
