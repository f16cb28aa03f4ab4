"""How far the copula's probabilities are off, against how far one person moves them, on 1,000 rows of Adult.

    python benchmarks/copula_error.py [--records 4] [--rows 40] [--large]

The log ratio of a released row under the fits with and without a record is integrated by eight other sets of points:
Sobol points scrambled by chance, the same for both fits. How much it differs from set to set is its error; how much it
differs from row to row is what it tells. ``--large`` does the same with sixteen times as many points. Beside it stand
the eigenvalues of both matrices of correlations, on which a bound that needs no integral would rest.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np
from scipy.stats import qmc
from threadpoolctl import threadpool_limits

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from riskkit.core import Floats  # noqa: E402
from riskkit.generators import copula  # noqa: E402
from riskkit.generators.copula import Copula  # noqa: E402
from riskkit.seeds import stream  # noqa: E402
from tests.tables import adult  # noqa: E402

ROWS, SETS = 1_000, 8


def points_of(count: int, seed: int) -> object:
    """What gives ``count`` points scrambled by that seed, in place of the fixed ones."""
    kept: dict[int, Floats] = {}

    def cube(dimensions: int) -> Floats:
        if dimensions not in kept:
            drawn = qmc.Sobol(dimensions, scramble=True, rng=seed).random(count).T
            kept[dimensions] = np.ascontiguousarray(np.clip(drawn, 1e-12, 1 - 1e-12))
        return kept[dimensions]

    return cube


def main() -> None:
    """Print what was measured."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--records", type=int, default=4)
    parser.add_argument("--rows", type=int, default=40)
    parser.add_argument("--large", action="store_true")
    options = parser.parse_args()
    table, start = adult(ROWS), time.process_time()
    fitted = Copula().fit(table, stream(1, "copula"))
    released = fitted.sample(options.rows, stream(1, "copula", "released"))
    count = 16 * copula.POINTS if options.large else copula.POINTS
    rest = stream(1, "copula", "records").permutation(ROWS)[: options.records]
    names = ("record", "impossible", "tells: SD", "error: SD", "error of a release", "tells of it")
    print(" ".join(f"{name:>{width}}" for name, width in zip(names, (6, 10, 10, 10, 18, 11), strict=True)))
    for row in rest.tolist():
        without = fitted.without(row)
        ratios = []
        for seed in range(SETS):
            copula.cube = points_of(count, seed)  # type: ignore[assignment]
            ratios.append(fitted.log_prob(released) - without.log_prob(released))
        all_ = np.array(ratios)
        is_known = np.isfinite(all_).all(axis=0)
        known = all_[:, is_known]
        error = np.sqrt(known.var(axis=0, ddof=1).mean())
        tells = np.sqrt(max(known.mean(axis=0).var(ddof=1) - error**2 / SETS, 0.0))
        root = np.sqrt(ROWS)
        print(
            f"{row:>6} {1 - is_known.mean():>10.1%} {tells:>10.4f} {error:>10.4f} {error * root:>18.3f} "
            f"{tells * root:>11.3f}"
        )
    values = np.linalg.eigvalsh(fitted.root @ fitted.root.T)
    less = np.linalg.eigvalsh(without.root @ without.root.T)
    print(f"eigenvalues below 1e-10: {(values < 1e-10).sum()} with the record, {(less < 1e-10).sum()} without")
    print(f"{count} points, {time.process_time() - start:.0f} s of processor time")


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
