"""What each attack on a released file costs, at the size of a usual table, and how well it does there.

Run it alone: ``python benchmarks/released.py [attack ...] [--rows N]``. 30,000 released rows, 10,000 targets of which
half were in, 30,000 reference rows, 15 mixed columns. The rows are made; the release is the rows it was trained on with
noise and levels drawn again, so that there is something to find. Wall seconds, processor seconds and the most memory
the process has held. The kernel density is timed against the obvious ways on fewer targets.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy.stats import gaussian_kde
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import KernelDensity
from threadpoolctl import threadpool_limits

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from riskkit import ReleasedPlan, registry
from riskkit.core import Floats
from riskkit.released._densities import kernels
from riskkit.table.points import RowPoints

SIZES = (2, 2, 4, 5, 7, 9, 16, 41)
NUMBERS = 7
FEW = 500


def people(n: int, rng: np.random.Generator) -> RowPoints:
    """Made rows of one population: seven numbers and eight categories that hang together through one hidden number."""
    hidden = rng.standard_normal(n)
    numbers = 0.6 * hidden[:, None] + rng.standard_normal((n, NUMBERS))
    numbers[:, 0] = np.round(numbers[:, 0], 1)
    numbers[:, 1] = np.where(numbers[:, 1] > 1.5, numbers[:, 1], 0.0)
    codes = np.empty((n, len(SIZES)), dtype=np.int32)
    for index, size in enumerate(SIZES):
        place = np.clip((hidden + rng.standard_normal(n) + 3) / 6, 0, 1 - 1e-9)
        codes[:, index] = (place**2 * size).astype(np.int32)
    return RowPoints(numbers, codes, SIZES)


def deal(rows: int, rng: np.random.Generator) -> tuple[RowPoints, RowPoints, RowPoints]:
    """Release, targets (the first half were in) and reference."""
    half = rows // 6
    members, others, reference = people(half, rng), people(half, rng), people(rows, rng)
    trained = members.plus(people(rows - half, rng))
    strangers = people(rows, rng).codes
    codes = np.where(rng.random(trained.codes.shape) < 0.2, strangers, trained.codes)
    return (
        RowPoints(trained.numbers + 0.2 * rng.standard_normal(trained.numbers.shape), codes, SIZES),
        (members.plus(others)),
        reference,
    )


def timed(work: Callable[[], Floats]) -> tuple[Floats, float, float]:
    """The result of the work, its wall seconds and its processor seconds."""
    wall, cpu = time.perf_counter(), time.process_time()
    out = work()
    return out, time.perf_counter() - wall, time.process_time() - cpu


def row(name: str, parts: tuple[RowPoints, RowPoints, RowPoints]) -> tuple[float, float]:
    """Print one attack's line and return its seconds."""
    release, targets, reference = parts
    attack, rng = registry.parse("released", name), np.random.default_rng(1)
    scores, wall, cpu = timed(lambda: attack.score(release, targets, reference, rng))
    is_in = np.arange(len(targets)) < len(targets) // 2
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{name:24} {wall:>8.1f} {cpu:>8.1f} {memory:>8.0f} {roc_auc_score(is_in, scores):>8.4f}", flush=True)
    return wall, cpu


def obvious(release: RowPoints, targets: RowPoints) -> None:
    """Print what scipy and scikit-learn take for the density of a few targets on the numbers alone."""
    rows, points = release.numbers, targets.numbers[:FEW]
    known = gaussian_kde(rows.T, bw_method="silverman")
    ours, wall, _ = timed(lambda: kernels(rows).log_density(points))
    theirs, slow, _ = timed(lambda: known.logpdf(points.T))
    dense = kernels(rows)
    tree = KernelDensity(bandwidth=known.factor, rtol=1e-8).fit(dense.rows)
    _, treed, _ = timed(lambda: tree.score_samples(dense.place(points)))
    print(f"\ndensity of {FEW} targets, {NUMBERS} numbers: here {wall:.2f} s; scipy {slow:.2f} s ({slow / wall:.0f}x);")
    apart = float(np.abs(ours - theirs).max())
    print(f"scikit-learn's tree {treed:.2f} s ({treed / wall:.0f}x); largest difference to scipy {apart:.1e}")


def main(names: list[str], rows: int) -> None:
    """Print the figures."""
    parts = deal(rows, np.random.default_rng(0))
    names = names or list(ReleasedPlan(attacks=("all",)).attacks)
    print(f"{rows:,} released, {len(parts[1]):,} targets, {rows:,} reference rows, 15 mixed columns; one thread\n")
    print(f"{'attack':24} {'wall s':>8} {'cpu s':>8} {'MiB':>8} {'AUC':>8}")
    with threadpool_limits(1):
        spent = [row(name, parts) for name in names]
        print(f"{'together':24} {sum(wall for wall, _ in spent):>8.1f} {sum(cpu for _, cpu in spent):>8.1f}")
        obvious(parts[0], parts[1])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("attacks", nargs="*")
    parser.add_argument("--rows", type=int, default=30_000)
    options = parser.parse_args()
    main(options.attacks, options.rows)
