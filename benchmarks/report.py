"""What a report costs: processor time and memory from the kept runs of an audit to every file of its report.

``python benchmarks/report.py [RECORDS]``
"""

from __future__ import annotations

import resource
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from riskkit.audit.output_files import outputs
from tests.report.audited import made


def main(records: int) -> None:
    """Build the report of an audit with so many attacked records and say what it took."""
    rng = np.random.default_rng(1)
    shifts = tuple(rng.normal(0.5, 0.5, records))
    audit = made.audit(made.membership(rng, shifts=shifts, trainings=60), made.released(rng), made.attributes())
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    started = time.process_time()
    findings = made.findings(audit)
    read = time.process_time() - started
    files = outputs(findings)
    whole = time.process_time() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{records:,} records: findings {read:.1f} s, all files {whole:.1f} s of processor time")
    print(f"memory at its peak {peak:.0f} MB, {before:.0f} MB of it before the report was begun")
    print(", ".join(f"{name} {len(content) / 1024:,.0f} KB" for name, content in files.items()))


main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
