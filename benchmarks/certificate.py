"""What certificates cost, beside playing the best attack they speak of.

Run it alone: ``python benchmarks/certificate.py``. Processor time of one thread. The played attack draws releases from
both fits and adds up log ratios by the probabilities of the fits, which is the obvious way to the same number; it is
timed on a few records and stated for as many releases as give an AUC to within 0.02. The rows are Adult's where the
table is at hand, else made ones of the same shape.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats
from threadpoolctl import threadpool_limits

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.generators import rows
from riskkit.core import Table
from riskkit.generators.bayesnet import BayesNet
from riskkit.generators.histogram import Histogram
from riskkit.questions.records.certificate import Terms, certify
from riskkit.questions.records.remedy import if_coarsened

SIZE, FEW, RELEASES = 1_000, 5, 600


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Processor seconds, and what came of it; once before, so that nothing is compiled while the clock runs."""
    work()
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def played(generator: Any, table: Table, chosen: list[int]) -> list[float]:
    """The AUC of the best attack on each of these records, from :data:`RELEASES` releases a side."""
    rng = np.random.default_rng(0)
    fitted = generator.fit(table, rng)
    aucs = []
    for row in chosen:
        without = generator.fit(table.without(row), rng)
        sums = []
        for side in (fitted, without):
            release = side.sample(SIZE * RELEASES, rng)
            inside, outside = fitted.log_prob(release), without.log_prob(release)
            ratio = np.where(np.isfinite(outside), inside - outside, 1e6)
            sums.append(np.where(np.isfinite(inside), ratio, -1e6).reshape(RELEASES, SIZE).sum(axis=1))
        aucs.append(float(stats.mannwhitneyu(*sums).statistic) / RELEASES**2)
    return aucs


def main() -> None:
    """Print a line for each question."""
    table = rows(SIZE)
    for generator, some in ((BayesNet(), SIZE), (Histogram(), SIZE), (BayesNet(degree=2), 100)):
        seconds, certificates = timed(lambda g=generator, n=some: certify(table, g, range(n), Terms(SIZE), 1))  # type: ignore[misc]
        aucs = [certificate.auc.value for certificate in certificates]
        print(
            f"{generator}: {some} certificates of {SIZE:,} x {len(table.schema.modelled)} in {seconds:.1f} s, "
            f"{1000 * seconds / some:.1f} ms each ({certificates[0].method}); "
            f"AUC {min(aucs):.3f} to {max(aucs):.3f}"
        )
    chosen = list(range(0, SIZE, SIZE // FEW))
    exact, own = timed(lambda: certify(table, BayesNet(), chosen, Terms(SIZE), 1))
    start = time.process_time()
    seen = played(BayesNet(), table, chosen)
    obvious = time.process_time() - start
    print(f"{FEW} of them, best attack played: {obvious:.1f} s against {exact:.3f} s, {obvious / exact:,.0f} times")
    print("certificate / played:", ", ".join(f"{a.auc.value:.3f}/{b:.3f}" for a, b in zip(own, seen, strict=True)))
    seconds, _ = timed(lambda: if_coarsened(table, BayesNet(), chosen[1], ["age"], 10, Terms(SIZE), 1))
    print(f"what if one column is coarser: {1000 * seconds:.0f} ms")


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
