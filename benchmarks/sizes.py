"""How time and memory of the commands grow with the table: rows, columns, levels.

Run it alone: ``python benchmarks/sizes.py [case ...]``; without names every case, smaller ones first. Each case is the
command itself in a process of its own with two workers, from CSV files that are made first (not timed). Printed are
wall seconds, processor seconds of all its processes, and the most memory that they held at once (the sum of their
resident sets, looked at four times a second). A machine that others use makes wall seconds long and processor seconds
somewhat longer; the load beside a figure says so. Needs the shared data folder: Adult's 45,222 complete rows, and the
hospital encounters of diabetes130. Larger tables are these rows drawn again, every value with a chance of a fifth taken
from another row, and noise on the numbers of many values; a release is made from its real table in the same way.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.tables import DATA, adult_frame

ROOT = Path(__file__).resolve().parents[1]
NOISY = ("fnlwgt",)
LOOKS = 0.25


@dataclass(frozen=True)
class Case:
    """A piece of work: its command, and what makes its files in a folder."""

    what: str
    command: Sequence[str]
    make: Callable[[Path], None]
    goal: str


def drawn(frame: pd.DataFrame, n: int, seed: int) -> pd.DataFrame:
    """``n`` rows of the frame, a fifth of all values from other rows, noise on the numbers of many values."""
    rng = np.random.default_rng(seed)
    rows = rng.permutation(len(frame))[:n] if n <= len(frame) else rng.integers(0, len(frame), n)
    out = {}
    for name in frame.columns:
        values = frame[name].to_numpy()
        out[name] = np.where(rng.random(n) < 0.2, values[rng.integers(0, len(frame), n)], values[rows])
        if name in NOISY:
            out[name] = out[name].astype(np.int64) + rng.integers(-500, 500, n)
    return pd.DataFrame(out)


def three(folder: Path, real: pd.DataFrame, holdout: pd.DataFrame, seed: int) -> None:
    """Write real table, holdout and a release of the real one."""
    parts = {"real": real, "holdout": holdout, "synthetic": drawn(real, len(real), seed)}
    for name, part in parts.items():
        part.to_csv(folder / f"{name}.csv", index=False)


def halves(folder: Path, frame: pd.DataFrame, each: int, seed: int) -> None:
    """The rows in two parts of that size, and a release of the first."""
    order = np.random.default_rng(seed).permutation(len(frame))
    three(folder, frame.iloc[order[:each]], frame.iloc[order[each : 2 * each]], seed)


def larger(folder: Path, rows: int, columns: int) -> None:
    """Adult's rows drawn again, with columns of its own once more where more are wanted."""
    frame = adult_frame()
    for at in range(columns - frame.shape[1]):
        frame = frame.assign(**{f"more {at}": np.random.default_rng(at).permutation(frame.iloc[:, at].to_numpy())})
    three(folder, drawn(frame, rows, 2), drawn(frame, rows, 3), 4)


def encounters(folder: Path) -> None:
    """The hospital encounters in two halves."""
    frame = pd.read_csv(DATA / "diabetes130" / "diabetic_data.csv.gz", dtype=str, keep_default_na=False)
    halves(folder, frame, len(frame) // 2, 5)


def wide(folder: Path, rows: int = 60, columns: int = 2_000) -> None:
    """Few rows of many columns: whole numbers, levels, numbers with decimals."""
    for seed, name in enumerate(("real", "synthetic")):
        rng = np.random.default_rng(seed)
        kinds = (rng.integers(0, 100, rows), [f"level {x}" for x in rng.integers(0, 5, rows)], rng.normal(size=rows))
        values = {f"c{at}": rng.permutation(kinds[at % 3]) for at in range(columns)}
        pd.DataFrame(values).to_csv(folder / f"{name}.csv", index=False)


FILES = ("--real", "real.csv", "--synthetic", "synthetic.csv", "--holdout", "holdout.csv")
RELEASED = ("released", *FILES, "--json", "--workers", "2")
CASES = {
    "check": Case("check, 60 rows x 2,000 columns", ("check", "real.csv", "synthetic.csv"), wide, "3 s"),
    "adult": Case("released, 22,600 x 15 a side", RELEASED, lambda at: halves(at, adult_frame(), 22_600, 1), "25 s"),
    "adult-271k": Case("released, 271,000 x 15 a side", RELEASED, lambda at: larger(at, 271_000, 15), "120 s, 2 GB"),
    "diabetes": Case("released, diabetes130, halves x 50", RELEASED, encounters, "60 s, 2 GB"),
    "million": Case("released, 1,000,000 x 20 a side", RELEASED, lambda at: larger(at, 1_000_000, 20), "300 s, 4 GB"),
}


def held(process: int) -> int:
    """Bytes that the process and all it started hold now."""
    try:
        tasks = Path(f"/proc/{process}/task").iterdir()
        children = {int(each) for task in tasks for each in (task / "children").read_text().split()}
        own = int(Path(f"/proc/{process}/statm").read_text().split()[1]) * resource.getpagesize()
    except (OSError, IndexError):  # it has just ended
        return 0
    return own + sum(map(held, children))


def measure(case: Case) -> tuple[float, float, float, int]:
    """Wall and processor seconds, megabytes at most, and the exit code."""
    with TemporaryDirectory() as scratch:
        case.make(Path(scratch))
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-m", "riskkit", *case.command]
        before, start, peak = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter(), [0]
        with subprocess.Popen(
            command, cwd=scratch, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        ) as run:

            def look() -> None:
                while run.poll() is None:
                    peak[0] = max(peak[0], held(run.pid))
                    time.sleep(LOOKS)

            threading.Thread(target=look, daemon=True).start()
            _, told = run.communicate()
        if run.returncode:
            print(told[-2_000:], file=sys.stderr)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return time.perf_counter() - start, cpu, peak[0] / 1e6, run.returncode


def main(names: Sequence[str]) -> None:
    """Print the table."""
    print(f"| {'work':36} | {'wall s':>7} | {'cpu s':>7} | {'MB':>6} | {'goal':>11} | {'load':>5} |")
    print(f"|{'-' * 38}|{'-' * 9}|{'-' * 9}|{'-' * 8}|{'-' * 13}|{'-' * 7}|", flush=True)
    for name in names or CASES:
        case = CASES[name]
        wall, cpu, most, code = measure(case)
        failed = f" exit {code}" if code else ""
        load = os.getloadavg()[0]
        print(
            f"| {case.what:36} | {wall:>7.1f} | {cpu:>7.1f} | {most:>6,.0f} | {case.goal:>11} | {load:>5.1f} |{failed}",
            flush=True,
        )


if __name__ == "__main__":
    main(sys.argv[1:])
