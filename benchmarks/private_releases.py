"""What one release of ``privbayes`` gives away of four people of Adult, its noise integrated out.

    python benchmarks/private_releases.py [--epsilon 1 10] [--rows 100 1000]

Four columns, a table of so many rows and one release of as many. The two records that stand out most and two drawn
ones; beside their certificates stands what the noise allows of any number of releases. Seconds are processor time of
one thread.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from riskkit import registry  # noqa: E402
from riskkit.questions.promises import certificate  # noqa: E402
from riskkit.questions.records.certificate import Terms, certify  # noqa: E402
from riskkit.seeds import stream  # noqa: E402
from riskkit.targets.vulnerable import isolation  # noqa: E402
from tests.tables import adult_frame, from_frame  # noqa: E402

COLUMNS = ["marital-status", "relationship", "race", "sex"]


def main() -> None:
    """Print a line for each record."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--epsilon", type=float, nargs="+", default=[1.0, 10.0])
    parser.add_argument("--rows", type=int, nargs="+", default=[100, 1_000])
    options = parser.parse_args()
    for size in options.rows:
        table = from_frame(adult_frame().iloc[:size][COLUMNS])
        odd = np.argsort(-isolation(table, 5), kind="stable")[:2].tolist()
        rest = stream(1, "releases", "records").permutation(np.setdiff1d(np.arange(size), odd))[:2].tolist()
        for epsilon in options.epsilon:
            method = f"privbayes:degree=1,epsilon={epsilon:g}"
            allowed = certificate(method, "add-one", size, len(COLUMNS))
            print(f"{size} rows, {method}: the noise allows {allowed:.4f}", flush=True)
            for row in [*odd, *rest]:
                start = time.process_time()
                (certified,) = certify(table, registry.parse("generators", method), [row], Terms(size), 1)
                auc, taken = certified.auc, time.process_time() - start
                print(f"  row {row:4}: {auc.value:.4f} [{auc.low:.4f}, {auc.high:.4f}] {taken:6.1f} s", flush=True)


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
