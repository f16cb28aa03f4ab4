"""What the report of a large audit costs: 45,000 rows of 15 columns of Adult, and a release with copies planted in it.

``python benchmarks/report_adult.py FOLDER``, with ``adult_train.csv.gz`` and ``adult_test.csv`` in that folder. Plays
three questions, then prints processor seconds and sizes of the files of the report for each class of reader.
"""

from __future__ import annotations

import gzip
import os
import sys
import tempfile
import time
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

ROWS, COPIED = 45_000, 0.1


def tables(folder: Path) -> dict[str, bytes]:
    """Real table, release and holdout as CSV: of the release a tenth is copied, the rest has columns shuffled alone."""
    rng = np.random.default_rng(1)
    parts = [gzip.decompress((folder / "adult_train.csv.gz").read_bytes()), (folder / "adult_test.csv").read_bytes()]
    texts = [pd.read_csv(BytesIO(part), dtype=str, keep_default_na=False) for part in parts]
    every = pd.concat(texts, ignore_index=True).iloc[rng.permutation(sum(map(len, texts)))]
    real, holdout = every.iloc[:ROWS], every.iloc[ROWS:]
    release = real.apply(lambda column: rng.permutation(column.to_numpy()))
    copied = int(COPIED * ROWS)
    release.iloc[:copied] = real.iloc[rng.permutation(ROWS)[:copied]].to_numpy()
    release = release.iloc[rng.permutation(ROWS)]
    shown = {"real": real, "synthetic": release, "holdout": holdout}
    return {slot: table.to_csv(index=False).encode() for slot, table in shown.items()}


def main(folder: Path) -> None:
    """Play, report and print."""
    from riskkit.audit.output_files import outputs
    from riskkit.audit.report_facts import build_findings, read_given
    from riskkit.jobs.store import Store
    from riskkit.questions.attributes.plan import AttributePlan
    from riskkit.questions.released.plan import ReleasedPlan
    from riskkit.questions.singling_out.play import SinglingOutPlan
    from riskkit.show.model import Class
    from tests.pages.runs import finished

    audit = Store.default().create("Adult with copies")
    for slot, content in tables(folder).items():
        audit.load(slot, content, name=f"{slot}.csv")
    started = time.process_time()
    plans = (
        ReleasedPlan(attacks=("dcr", "nndr")),
        AttributePlan(secrets=("income",), model="tree"),
        SinglingOutPlan(size=2),
    )
    for number, plan in enumerate(plans, 1):
        finished(audit, plan, run=str(number) * 32)
    print(f"three questions: {time.process_time() - started:.1f} s of processor time")
    for kind in Class:
        started = time.process_time()
        findings = build_findings(read_given(audit), {}, kind=kind, made=datetime(2026, 1, 2, tzinfo=UTC))
        read = time.process_time() - started
        files = outputs(findings)
        whole = time.process_time() - started
        sizes = ", ".join(f"{name} {len(content) / 1024:,.0f} KB" for name, content in files.items())
        print(f"{kind}: {findings.overall.verdict}; findings {read:.1f} s, all files {whole:.1f} s; {sizes}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as home:
        os.environ.setdefault("RISKKIT_HOME", home)
        main(Path(sys.argv[1]))
