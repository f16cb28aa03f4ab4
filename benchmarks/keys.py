"""Keys beside what others have: minimal uniques beside ``suda``; k, l and t beside ``pycanon``.

``suda`` and ``pycanon`` are no dependencies: install both in an environment of their own and name its Python. Each side
is played in a process of its own, on the same file; seconds are those of the work without loading anything.

    python benchmarks/keys.py PEER_PYTHON --adult adult.csv [--rows 45000] [--sd2011 SD2011.csv]

The table is Adult (semicolons, nine columns, as ARX is tested with), drawn to as many rows, with three columns at
random beside it. ``suda`` counts every set by which a row is unique, minimal or not: its size of the smallest set is
compared as it is, its score with that of all sets. ``SD2011.csv`` is the table of R's synthpop (``data/SD2011.rda``
of the package, written as CSV): the figures beside it are those that its vignette on disclosure prints.
"""

from __future__ import annotations

import argparse
import io
import json
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from itertools import combinations
from math import factorial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import riskkit
from riskkit import registry
from riskkit.core import Floats, Ints
from riskkit.questions.keys import classes
from riskkit.questions.keys.plan import KeysPlan
from riskkit.questions.keys.play import run_keys
from riskkit.seeds import stream
from riskkit.table.write import to_csv

RESULTS = Path(__file__).parent / "results" / "keys.md"
MOST = (2, 3, 4)
"""Columns of a set, at most."""
SUDA = """
import json, sys, time, pandas as pd
from suda import suda
frame = pd.read_csv(sys.argv[1], dtype=str)
start = time.perf_counter()
out = suda(frame, max_msu=int(sys.argv[2]))
seconds = time.perf_counter() - start
print(json.dumps({"seconds": seconds, "msu": out["msu"].astype(int).tolist(), "score": out["suda"].tolist()}))
"""
PYCANON = """
import json, sys, time, pandas as pd
from pycanon import anonymity
frame = pd.read_csv(sys.argv[1], dtype=str)
keys, secret = sys.argv[2].split(","), [sys.argv[3]]
start = time.perf_counter()
k = anonymity.k_anonymity(frame, keys)
l = anonymity.l_diversity(frame, keys, secret)
entropy = anonymity.entropy_l_diversity(frame, keys, secret)
t = anonymity.t_closeness(frame, keys, secret)
seconds = time.perf_counter() - start
print(json.dumps({"seconds": seconds, "k": int(k), "l": int(l), "entropy": float(entropy), "t": float(t)}))
"""


def main() -> None:
    """Play both sides and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("python", type=Path)
    parser.add_argument("--adult", type=Path, required=True)
    parser.add_argument("--rows", type=int, default=45_000)
    parser.add_argument("--sd2011", type=Path)
    options = parser.parse_args()
    frame = table(options.adult, options.rows)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "table.csv"
        frame.to_csv(file, index=False)
        lines = [*_uniques(options.python, frame, file), "", *_classes(options.python, frame, file)]
    if options.sd2011 is not None:
        lines += ["", *_synthpop(options.sd2011)]
    RESULTS.write_text("\n".join([*HEAD, *lines, ""]), encoding="utf-8")
    print("\n".join(lines))


HEAD = (
    "# Keys beside other programs",
    "",
    "Made by `benchmarks/keys.py`; `suda` 0.2.2 and `pycanon` 1.3.6 in an environment of their own, one processor.",
    "",
)


def table(file: Path, rows: int) -> pd.DataFrame:
    """Adult drawn to so many rows, three columns at random beside it: 12 keys."""
    adult = pd.read_csv(file, sep=";", dtype=str)
    rng = np.random.default_rng(0)
    more = rng.integers(0, len(adult), max(rows - len(adult), 0))
    frame = pd.concat([adult, adult.iloc[more]], ignore_index=True).iloc[:rows].copy()
    for name, different in (("district", 50), ("band", 5), ("street", 100)):
        frame[name] = rng.integers(0, different, rows).astype(str)
    return frame


def levels_of(frame: pd.DataFrame) -> Ints:
    """(rows, columns) the number of each value."""
    return np.stack([np.unique(frame[name], return_inverse=True)[1] for name in frame], axis=1).astype(np.int64)


def every_score(levels: Ints, most: int) -> Floats:
    """(n,) the score of all sets by which a row is unique, minimal or not; set by set, the obvious way."""
    out = np.zeros(len(levels))
    for size in range(1, most + 1):
        for chosen in combinations(range(levels.shape[1]), size):
            out += (classes.sizes_of(classes.classes_of(levels[:, chosen])) == 1) * factorial(levels.shape[1] - size)
    return out


def _uniques(python: Path, frame: pd.DataFrame, file: Path) -> list[str]:
    levels = levels_of(frame)
    lines = [
        f"Minimal uniques of {levels.shape[0]:,} rows by {levels.shape[1]} keys:",
        "",
        "| columns, at most | sets | riskkit, s | `suda`, s | times | smallest set equal | score of all sets equal |",
        "|---|---|---|---|---|---|---|",
    ]
    for most in MOST:
        seconds, made = timed(lambda most=most: classes.minimal_uniques(levels, most))  # type: ignore[misc]
        peer = played(python, SUDA, str(file), str(most))
        if peer is None:
            lines.append(
                f"| {most} | {classes.count_sets(12, most):,} | {seconds:.2f} | over an hour, or failed | | | |"
            )
            continue
        same = np.array_equal(made.smallest(), peer["msu"])
        alike = np.allclose(every_score(levels, most), peer["score"])
        lines.append(
            f"| {most} | {classes.count_sets(12, most):,} | {seconds:.2f} | {peer['seconds']:.1f} | "
            f"{peer['seconds'] / seconds:.0f} | {'yes' if same else 'NO'} | {'yes' if alike else 'NO'} |"
        )
    return lines


def _classes(python: Path, frame: pd.DataFrame, file: Path) -> list[str]:
    secret, lines = (
        "salary-class",
        [
            "k, l and t for the secret salary-class:",
            "",
            "| keys | riskkit: k, l, entropy l, t | `pycanon` | equal | riskkit, s | `pycanon`, s |",
            "|---|---|---|---|---|---|",
        ],
    )
    for keys in (("sex",), ("sex", "race"), ("sex", "age", "race"), ("sex", "age", "education", "occupation")):

        def own(keys: tuple[str, ...] = keys) -> classes.Diversity:
            levels = levels_of(frame[[*keys, secret]])
            return classes.diversity(classes.classes_of(levels[:, :-1]), levels[:, -1], is_ordered=False)

        seconds, made = timed(own)
        smallest = int(classes.sizes_of(classes.classes_of(levels_of(frame[list(keys)]))).min())
        peer = played(python, PYCANON, str(file), ",".join(keys), secret)
        mine = f"{smallest}, {made.distinct}, {made.entropy:.4f}, {made.closeness:.4f}"
        if peer is None:
            lines.append(f"| {', '.join(keys)} | {mine} | failed | | {seconds:.2f} | |")
            continue
        # its entropy l is a whole number, rounded down
        equal = (smallest, made.distinct, int(made.entropy + 1e-9)) == (peer["k"], peer["l"], int(peer["entropy"]))
        is_same = equal and abs(made.closeness - peer["t"]) < 1e-6
        theirs = f"{peer['k']}, {peer['l']}, {peer['entropy']:.4g}, {peer['t']:.4f}"
        lines.append(
            f"| {', '.join(keys)} | {mine} | {theirs} | {'yes' if is_same else 'NO'} | {seconds:.2f} | "
            f"{peer['seconds']:.2f} |"
        )
    return lines


KNOWN, SECRET = ("sex", "age", "region", "placesize"), "depress"
PRINTED = {
    "UiO": (48.38,),
    "UiS": (37.34, 35.44, 35.18, 34.90, 36.14),
    "UiOiS": (22.68, 22.24, 21.98, 22.08, 22.00),
    "repU": (14.86, 13.96, 13.62, 13.78, 14.62),
    "Dorig": (53.3,),
    "Dsyn": (46.26, 44.80, 44.60, 45.80, 44.52),
    "iS": (64.90, 64.00, 64.02, 63.88, 63.44),
    "DiS": (34.18, 32.50, 32.14, 33.38, 31.46),
    "DiSCO": (9.54, 10.26, 9.10, 9.20, 9.34),
    "DiSDiO": (6.14, 6.78, 5.92, 5.52, 5.80),
}
"""Per cent in the vignette *disclosure* of synthpop 1.9-2: of the real table, and of the releases of five seeds."""


def _synthpop(file: Path) -> list[str]:
    """What synthpop prints of its own table, beside the same of riskkit; releases are those of either's own trees."""
    frame = pd.read_csv(file, dtype=str, keep_default_na=False)
    frame = frame[[*KNOWN, SECRET, "income", "ls", "marital", "workab"]]
    real = riskkit.load(frame, frame).real
    method, shares = registry.parse("generators", "synthpop"), list[dict[str, float]]()
    for seed in range(len(PRINTED["UiS"])):
        release = method.fit(real, stream(seed, "fit")).sample(len(real), stream(seed, "sample"))
        tables = riskkit.load(frame, pd.read_csv(io.BytesIO(to_csv(release)), dtype=str, keep_default_na=False))
        (counted,) = run_keys(tables, KeysPlan(keys=KNOWN, secrets=(SECRET,))).replicated
        own = {**asdict(counted.identity), **asdict(counted.secrets[SECRET])}
        shares.append(dict(zip(PRINTED, own.values(), strict=True)))
    lines = [
        (
            f"What synthpop 1.9-2 prints of its table SD2011 ({len(real):,} rows; keys {', '.join(KNOWN)}; "
            f"secret {SECRET}), %:"
        ),
        "",
        "| measure | synthpop | riskkit |",
        "|---|---|---|",
    ]
    for name, printed in PRINTED.items():
        made = sorted({round(100 * share[name], 2) for share in shares})
        lines.append(f"| {name} | {_reach(printed)} | {_reach(made)} |")
    return lines


def _reach(values: Sequence[float]) -> str:
    return f"{values[0]:.2f}" if len(values) == 1 else f"{min(values):.2f} to {max(values):.2f}"


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of the work, and what came of it."""
    start = time.perf_counter()
    made = work()
    return time.perf_counter() - start, made


def played(python: Path, program: str, *arguments: str) -> dict[str, Any] | None:
    """What the program printed in the other environment; None where it failed or took over an hour."""
    try:
        done = subprocess.run(
            [python, "-c", program, *arguments], capture_output=True, check=True, text=True, timeout=3_600
        )
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
        return None
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


if __name__ == "__main__":
    main()
