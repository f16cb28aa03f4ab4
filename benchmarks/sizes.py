"""How time and memory of the commands grow with the table: rows, columns, levels.

Run it alone: ``python benchmarks/sizes.py [case ...]``; without names every case, smaller ones first. Each case is the
command itself in a process of its own with two workers, from files that are made first (not timed), or a piece of
work of this file in a process of its own. Printed are wall seconds, processor seconds of all its processes, the
most memory that they held at once (pages that several share are counted once; looked at four times a second), and how
much of it at most was their own: not pages of files, which the system takes back when others need room. Of the cases
that are held to a limit, from Parquet files, the last line says how their own memory grows with the rows. A case
that takes longer than nine minutes or more than :data:`MOST` bytes is ended, and the line says so. A machine that
others use makes wall seconds long and processor seconds somewhat longer; the load beside a figure says so. Needs the
shared data folder: Adult's 45,222 complete rows, and the hospital encounters of diabetes130. Larger tables are these
rows drawn again, every value with a chance of a fifth taken from another row, and noise on the numbers of many values;
a release is made from its real table in the same way.
"""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.tables import DATA, adult, adult_frame

ROOT = Path(__file__).resolve().parents[1]
NOISY = ("fnlwgt",)
LOOKS = 0.25
MOST, LONGEST = 5_000_000_000, 540.0
"""Bytes and seconds beyond which a case is ended."""


@dataclass(frozen=True)
class Case:
    """A piece of work: what Python is given, and what makes its files in a folder."""

    what: str
    command: Sequence[str]
    make: Callable[[Path], None]
    goal: str
    limit: int = 0
    """Megabytes of its own that a process may ask for; as many as there are where it is 0."""
    rows: int = 0
    """Rows of each of its three files, where memory is compared by them."""


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
    for index in range(columns - frame.shape[1]):
        frame = frame.assign(
            **{f"more {index}": np.random.default_rng(index).permutation(frame.iloc[:, index].to_numpy())}
        )
    three(folder, drawn(frame, rows, 2), drawn(frame, rows, 3), 4)


def as_parquet(folder: Path, rows: int) -> None:
    """The same as Parquet files."""
    larger(folder, rows, 20)
    for file in folder.glob("*.csv"):
        pd.read_csv(file).to_parquet(file.with_suffix(".parquet"))
        file.unlink()


def encounters(folder: Path) -> None:
    """The hospital encounters in two halves."""
    frame = pd.read_csv(DATA / "diabetes130" / "diabetic_data.csv.gz", dtype=str, keep_default_na=False)
    halves(folder, frame, len(frame) // 2, 5)


def wide(folder: Path, rows: int = 60, columns: int = 2_000) -> None:
    """Few rows of many columns: whole numbers, levels, numbers with decimals."""
    for seed, name in enumerate(("real", "synthetic")):
        rng = np.random.default_rng(seed)
        kinds = (rng.integers(0, 100, rows), [f"level {x}" for x in rng.integers(0, 5, rows)], rng.normal(size=rows))
        values = {f"c{index}": rng.permutation(kinds[index % 3]) for index in range(columns)}
        pd.DataFrame(values).to_csv(folder / f"{name}.csv", index=False)


def nowhere(folder: Path) -> None:
    """No files are needed."""


def searched(queries: int, among: int) -> None:
    """The nearest of so many rows to each of so many others, 15 mixed columns, by one thread."""
    from benchmarks.nearest import table
    from riskkit.table.neighbours import nearest

    nearest(table(queries, 1), table(among, 2), threads=1)


def certified() -> None:
    """The certificate of each of Adult's rows, under a network of degree 1, by two processes."""
    from joblib import Parallel, delayed

    parts = np.array_split(np.arange(len(adult_frame())), 20)
    Parallel(2)(delayed(_certified)(part) for part in parts)


def _certified(part: Any) -> int:
    from riskkit.generators.bayesnet import BayesNet
    from riskkit.questions.records.certificate import Terms, certify

    table = adult(45_222)
    return len(certify(table, BayesNet(), part.tolist(), Terms(len(table)), 1))


WORK: Mapping[str, Callable[[], Any]] = {
    "dcr": lambda: searched(20_000, 271_000),
    "nearest": lambda: searched(100_000, 100_000),
    "certificates": certified,
}
HERE = (str(Path(__file__).resolve()), "--work")
FILES = ("--real", "real.csv", "--synthetic", "synthetic.csv", "--holdout", "holdout.csv")
CHECK = ("-m", "riskkit", "check", "real.csv", "synthetic.csv")
RELEASED = ("-m", "riskkit", "released", *FILES, "--json", "--workers", "2")
AUDIT = ("-m", "riskkit", "audit", *FILES, "--effort", "quick", "--no-keep", "--quiet", "--out", "report")
HELD_TO = 1_400
"""Megabytes of its own that a process of the cases in Parquet may ask for: what Python and its libraries set aside, a
quarter of a gigabyte, is counted too."""
CASES = {
    "check": Case("check, 60 rows x 2,000 columns", CHECK, wide, "3 s"),
    "dcr": Case("nearest of 271,000 to 20,000", (*HERE, "dcr"), nowhere, "10 s"),
    "nearest": Case("nearest of 100,000 to 100,000", (*HERE, "nearest"), nowhere, "10 s"),
    "adult": Case(
        "released, 22,600 x 15 a side", RELEASED, lambda folder: halves(folder, adult_frame(), 22_600, 1), "25 s"
    ),
    **{
        f"audit-{rows}": Case(
            f"quick audit, {rows:,} x 15 a side, two workers",
            [*AUDIT, "--workers", "2"],
            partial(larger, rows=rows, columns=15),
            goal,
        )
        for rows, goal in ((1_500, "7 s"), (10_000, "12 s"), (45_000, "60 s"))
    },
    "certificates": Case("certificates, 45,222 records", (*HERE, "certificates"), nowhere, "120 s"),
    "adult-271k": Case(
        "released, 271,000 x 15 a side", RELEASED, lambda folder: larger(folder, 271_000, 15), "120 s, 2 GB"
    ),
    "diabetes": Case("released, diabetes130, halves x 50", RELEASED, encounters, "60 s, 2 GB"),
    **{
        f"rows-{rows // 1000}k": Case(
            f"released, {rows:,} x 20 Parquet, {HELD_TO:,} MB a process",
            [each.replace(".csv", ".parquet") for each in RELEASED],
            partial(as_parquet, rows=rows),
            "",
            HELD_TO,
            rows,
        )
        for rows in (250_000, 500_000, 1_000_000)
    },
    "million": Case(
        "released, 1,000,000 x 20 a side", RELEASED, lambda folder: larger(folder, 1_000_000, 20), "300 s, 4 GB"
    ),
}


def held(process: int) -> tuple[int, int]:
    """Bytes that the process and all it started hold now, and how many are their own; shared ones count once."""
    try:
        tasks = Path(f"/proc/{process}/task").iterdir()
        children = {int(each) for task in tasks for each in (task / "children").read_text().split()}
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:  # it has just ended
        return 0, 0
    sizes = {line.split()[0]: 1024 * int(line.split()[1]) for line in lines[1:]}
    every, own = zip((sizes.get("Pss:", 0), sizes.get("Pss_Anon:", 0)), *map(held, children), strict=True)
    return sum(every), sum(own)


def hold(process: int, limit: int) -> None:
    """Have the system refuse it, and each that it starts, more memory of its own than so many megabytes."""
    if limit:
        resource.prlimit(process, resource.RLIMIT_DATA, (limit * 1_000_000, limit * 1_000_000))


def measure(case: Case) -> tuple[float, float, float, float, str]:
    """Wall and processor seconds, megabytes at most, those of its own, and how it ended where it did not end well."""
    with TemporaryDirectory() as scratch:
        case.make(Path(scratch))
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT), "RISKKIT_HOME": f"{scratch}/home"}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)  # what is installed is read as it was translated once
        if case.limit:  # Arrow's own pool asks for a gigabyte at once, and uses little of it
            environment["ARROW_DEFAULT_MEMORY_POOL"] = "system"
        command = [sys.executable, *case.command]
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        peak, ended = [0, 0], [""]
        with subprocess.Popen(
            command,
            cwd=scratch,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        ) as run:
            hold(run.pid, case.limit)

            def look() -> None:
                while run.poll() is None:
                    peak[:] = map(max, peak, held(run.pid))
                    late = time.perf_counter() - start > LONGEST
                    if late or peak[0] > MOST:
                        ended[0] = "ended, too long" if late else "ended, too large"
                        os.killpg(run.pid, signal.SIGKILL)
                    time.sleep(LOOKS)

            threading.Thread(target=look, daemon=True).start()
            _, complaint = run.communicate()
        if run.returncode:
            print(complaint[-2_000:], file=sys.stderr)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        how = ended[0] or (f"exit {run.returncode}" if run.returncode else "")
        return time.perf_counter() - start, cpu, peak[0] / 1e6, peak[1] / 1e6, how


def main(names: Sequence[str]) -> None:
    """Print the table, and how memory grows."""
    print(f"| {'work':52} | {'wall s':>7} | {'cpu s':>7} | {'MB':>6} | {'own':>6} | {'goal':>11} | {'load':>5} |")
    print(f"|{'-' * 54}|{'-' * 9}|{'-' * 9}|{'-' * 8}|{'-' * 8}|{'-' * 13}|{'-' * 7}|", flush=True)
    by_rows: dict[int, float] = {}
    for name in names or CASES:
        case = CASES[name]
        wall, cpu, most, own, failed = measure(case)
        figures = (
            f"{wall:>7.1f} | {cpu:>7.1f} | {most:>6,.0f} | {own:>6,.0f} | {case.goal:>11} | {os.getloadavg()[0]:>5.1f}"
        )
        print(f"| {case.what:52} | {figures} | {failed}", flush=True)
        if case.rows:
            by_rows[3 * case.rows] = own
    if len(by_rows) > 1:
        grows, least = np.polyfit(list(by_rows), list(by_rows.values()), 1)
        print(f"Own memory: {least:,.0f} MB, and {grows * 1e6:,.0f} bytes more a row of all three files together.")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--work"]:
        WORK[sys.argv[2]]()
    else:
        main(sys.argv[1:])
