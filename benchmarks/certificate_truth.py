"""How far certificates are off, where the truth is known without them.

    python benchmarks/certificate_truth.py [--quick]

Three looks: small tables of which every release is listed, tables with a rare chain on which the best attack is played,
and drawn rows where the truth is known, each drawn again and again. The tests run the same with fewer tables; what is
printed here stands in docs/certificate.md. Minutes of one thread; ``--quick`` looks at a twentieth.
"""

from __future__ import annotations

import sys
import time
import warnings
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.questions.records import test_certificate_drawn as drawn
from tests.questions.records import test_certificate_enumerated as enumerated
from tests.questions.records import test_certificate_rare as rare
from tests.questions.records import test_certificate_trees as trees
from tests.tables import DATA

TABLES, CHAINS, DRAWS, PLAYED = 4_000, 240, 200, 2_000_000


def main() -> None:
    """Print what each look gave."""
    part = 20 if sys.argv[1:] == ["--quick"] else 1
    started = time.process_time()
    print(enumerated.compared(range(1_000, 1_000 + TABLES // part)))
    print(trees.compared(range(1_000, 1_000 + TABLES // part // 4)))
    print(rare.compared(range(100, 100 + CHAINS // part), PLAYED))
    print(f"By how many of its stated errors a certificate on {drawn.DRAWN:,} drawn rows is off:")
    print("| law | records | draws | " + " | ".join(f"{name}: mean, SD" for name in drawn.NAMES) + " |")
    print("|" + " --- |" * (3 + len(drawn.NAMES)))
    for case in drawn.CASES + (drawn.ADULT if (DATA / "adult").is_dir() else []):
        mean, deviation, counts = drawn.spread(drawn.scores(case, DRAWS // part))
        cells = [
            f"{a:+.2f}, {b:.2f}" if count else "certain" for a, b, count in zip(mean, deviation, counts, strict=True)
        ]
        print(f"| {case.name} | {len(case.rows)} | {DRAWS // part} | {' | '.join(cells)} |", flush=True)
    print(f"{time.process_time() - started:,.0f} s of processor time")


if __name__ == "__main__":
    with threadpool_limits(1), warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        main()
