"""Exact nearest rows: 10,000, 30,000 and 100,000 rows against as many, 15 mixed columns, time and peak memory.

Run alone: ``python benchmarks/nearest.py``. Each figure is taken in a process of its own after one small search, which
compiles. Queries and rows are those of the table with a fifth of all values taken from another row, as in a synthetic
table, and a little noise on the numbers: few are near one another. Beside it, in the same run: scikit-learn's
NearestNeighbors by brute force on the one-hot matrix, and every distance of the definition in numpy, block by block.
The rows are Adult's where the table is at hand (more rows than it has are its rows again), else made ones.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.generators import ADULT, rows
from riskkit.core import Floats
from riskkit.table.neighbours import counts_within, nearest
from riskkit.table.points import RowPoints, points_of

SIZES = (10_000, 30_000, 100_000)
OBVIOUS_SIZES = (10_000, 30_000)
K = 20


def table(n: int, seed: int) -> RowPoints:
    """``n`` rows: those of the table, a fifth of the values of other rows, and noise on the numbers."""
    (points,) = points_of([rows(40_000)])
    rng = np.random.default_rng(seed)
    chosen = rng.choice(len(points), n, replace=n > len(points))
    numbers, codes = (
        np.where(rng.random((n, whole.shape[1])) < 0.2, whole[rng.integers(0, len(points), n)], whole[chosen])
        for whole in (points.numbers, points.codes)
    )
    return RowPoints(numbers + 0.02 * rng.standard_normal(numbers.shape), codes, points.sizes)


def by_sklearn(queries: RowPoints, among: RowPoints) -> Floats:
    """The nearest by brute force on one-hot matrices."""
    from sklearn.neighbors import NearestNeighbors

    neighbours = NearestNeighbors(n_neighbors=1, algorithm="brute").fit(among.matrix()).kneighbors(queries.matrix())
    distances: Floats = neighbours[0][:, 0]
    return distances


def by_definition(queries: RowPoints, among: RowPoints) -> Floats:
    """The nearest of all distances, 100 queries at a time."""
    out = []
    for start in range(0, len(queries), 100):
        part = queries.rows(np.arange(start, min(start + 100, len(queries))))
        squared = ((part.numbers[:, None] - among.numbers) ** 2).sum(axis=2)
        squared += (part.codes[:, None] != among.codes).sum(axis=2)
        out.append(np.sqrt(squared.min(axis=1)))
    return np.concatenate(out)


WAYS: dict[str, Callable[[RowPoints, RowPoints], Floats]] = {
    "riskkit, nearest": lambda queries, among: nearest(queries, among)[0][:, 0],
    f"riskkit, {K} nearest": lambda queries, among: nearest(queries, among, K)[0][:, 0],
    "riskkit, within 1": lambda queries, among: counts_within(queries, among, 1.0).astype(float),
    "scikit-learn, brute force": by_sklearn,
    "numpy, the definition": by_definition,
}


def measure(way: str, n: int) -> None:
    """Print wall seconds, processor seconds, peak MiB beyond the rows themselves, and the mean of the answer."""
    queries, among = table(n, 1), table(n, 2)
    WAYS[way](queries.rows(np.arange(5)), among.rows(np.arange(300)))
    before, start, processor = peak(), time.perf_counter(), time.process_time()
    answer = WAYS[way](queries, among)
    seconds = time.perf_counter() - start, time.process_time() - processor
    print(f"{seconds[0]:.3f} {seconds[1]:.3f} {peak() - before:.0f} {peak():.0f} {answer.mean():.6f}")


def peak() -> float:
    """The most memory this process has held, MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Print the figures."""
    print(f"rows: {'Adult' if ADULT.is_file() else 'made'}, n against n, 15 columns\n")
    print(f"{'way':28} {'n':>8} {'wall s':>9} {'cpu s':>9} {'MiB more':>9} {'MiB in all':>10} {'mean':>10}")
    taken: dict[tuple[str, int], float] = {}
    for way in WAYS:
        for n in SIZES if way.startswith("riskkit") else OBVIOUS_SIZES:
            command = [sys.executable, __file__, way, str(n)]
            printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
            taken[way, n] = float(printed[1])
            figures = " ".join(f"{figure:>{width}}" for figure, width in zip(printed, (9, 9, 9, 10, 10), strict=True))
            print(f"{way:28} {n:>8,} {figures}", flush=True)
    ours = next(iter(WAYS))
    print()
    for way in ("scikit-learn, brute force", "numpy, the definition"):
        for n in OBVIOUS_SIZES:
            print(f"{way} takes {taken[way, n] / taken[ours, n]:.0f} times the processor time at {n:,} rows")
    for way in WAYS:
        if (way, SIZES[-1]) in taken:
            power = np.log(taken[way, SIZES[-1]] / taken[way, SIZES[0]]) / np.log(SIZES[-1] / SIZES[0])
            print(f"{way} grows as n to the power {power:.2f} (2 is every pair)")


if __name__ == "__main__":
    if len(sys.argv) == 3:
        measure(sys.argv[1], int(sys.argv[2]))
    else:
        main()
