"""How long reading and typing 1,000,000 rows of 20 columns takes on one core, against pyarrow's own text read.

Run: python -m benchmarks.read_csv [rows]
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv

from riskkit.table.kinds.schema import apply_schema, infer
from riskkit.table.read.csv_text import read_csv


def columns(rows: int) -> dict[str, Any]:
    """Twenty columns as audits meet them: codes, words, whole and decimal numbers, missing values, a date."""
    rng = np.random.default_rng(2022)
    words = np.array([f"category {number}" for number in range(200)])
    made: dict[str, Any] = {f"word{size}": words[rng.integers(0, size, rows)] for size in (2, 3, 5, 10, 40, 200)}
    made |= {f"code{size}": rng.integers(1, size, rows) for size in (3, 9, 20, 100)}
    made |= {f"count{size}": rng.integers(0, size, rows) for size in (1000, 100_000, 1_000_000)}
    made |= {f"amount{digits}": np.round(rng.gamma(2, 50, rows), digits) for digits in (1, 2, 4)}
    missing = np.round(rng.normal(50, 10, rows), 1).astype(str)
    missing[rng.random(rows) < 0.1] = ""
    made["missing"] = missing
    made["zip"] = np.char.zfill(rng.integers(0, 9999, rows).astype(str), 5)
    made["day"] = (np.datetime64("2000-01-01") + rng.integers(0, 8000, rows)).astype(str)
    made["flag"] = np.where(rng.random(rows) < 0.3, "True", "False")
    return made


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Processor seconds of the fastest of three runs, and the result."""
    seconds = []
    for _ in range(3):
        start = time.process_time()
        result = work()
        seconds.append(time.process_time() - start)
    return min(seconds), result


def as_text(path: Path, names: list[str]) -> pa.Table:
    """pyarrow's own read of all columns as text."""
    return pa_csv.read_csv(path, convert_options=pa_csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string())))


def main() -> None:
    """Print the time of each step, their sum and what is allowed."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    pa.set_cpu_count(1)
    pa.set_io_thread_count(1)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        made = pa.table(columns(rows))
        pa_csv.write_csv(made, path, pa_csv.WriteOptions(quoting_style="none"))
        arrow, _ = timed(lambda: as_text(path, made.column_names))
        ours, text = timed(lambda: read_csv(path, name="table.csv"))
        guess, inference = timed(lambda: infer({"real": text}))
        types, table = timed(lambda: apply_schema(inference.schema, text))
    typing = guess + types
    print(f"{rows:,} rows x {made.num_columns} columns, {text.size / 1e6:.0f} MB, one core, processor seconds")
    print(f"pyarrow, all columns as text   {arrow:6.2f} s")
    print(f"riskkit, read_csv              {ours:6.2f} s   {ours / arrow:.2f} x")
    print(f"riskkit, kinds and typing      {typing:6.2f} s   ({guess:.2f} s kinds, {types:.2f} s typing)")
    limit = 1.5 * arrow + 3
    print(f"read and typed                 {ours + typing:6.2f} s")
    print(f"allowed, 1.5 x pyarrow + 3 s   {limit:6.2f} s   {'yes' if ours + typing <= limit else 'no'}")
    print(f"{len(table.schema.numeric)} numeric and {len(table.schema.categorical)} categorical columns")


if __name__ == "__main__":
    main()
