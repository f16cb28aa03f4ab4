"""What attacks on a released file find where its rows are parts of people, and which set of them finds most.

Run it alone: ``python benchmarks/released_parts.py``. Writes the table of ``results/released.md`` and prints it. The
releases are made of the real table of the sample: as it is, and with its numbers and dates made coarse, so that no
value is anybody's own.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import riskkit as rk
from benchmarks.pages import put_between
from riskkit import registry
from riskkit.questions.released.plan import SUITE
from riskkit.table.points import points_of
from tests.points import auc

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "benchmarks" / "results" / "released.md"
BEFORE = ("dcr", "dcr-diff", "mc", "domias", "dpi", "gen-lra", "classifier", "values", "ensemble")
"""The set that was asked before the attacks on groups of columns and on their agreement."""
OTHERS = ("guided", "two-sided", "ept", "collision")
COARSE = {"bmi": 2.0, "systolic": 10.0, "age": 5.0, "length_of_stay": 3.0}


def coarse(table: pd.DataFrame) -> pd.DataFrame:
    """The same people with numbers in steps, the far ends drawn in, and months for days."""
    out = table.copy()
    for name, step in COARSE.items():
        numbers = (pd.to_numeric(out[name], errors="coerce") / step).round() * step
        numbers = numbers.clip(numbers.quantile(0.01), numbers.quantile(0.99))
        out[name] = numbers.map(lambda value: "" if pd.isna(value) else str(int(value)))
    out["admission_date"] = out["admission_date"].str[:7]
    return out


def same_columns(real: pd.DataFrame, many: int, rng: np.random.Generator) -> pd.DataFrame:
    """So many columns of each person as they are, the others each in an order of its own."""
    return pieces(real, [rng.permutation(real.shape[1])[:many]], rng)


def other_columns(real: pd.DataFrame, many: int, rng: np.random.Generator) -> pd.DataFrame:
    """So many columns of each person, others in every row, the rest each in an order of its own."""
    taken = rng.random(real.shape).argsort(axis=1) < many
    return pd.DataFrame(np.where(taken, real, rng.permuted(real.to_numpy(), axis=0)), columns=real.columns)


def people_a_row(real: pd.DataFrame, people: int, rng: np.random.Generator) -> pd.DataFrame:
    """Each row made of so many people, each of whom gives as many columns."""
    return pieces(real, np.array_split(rng.permutation(real.shape[1]), people), rng)


def pieces(real: pd.DataFrame, groups: list[np.ndarray], rng: np.random.Generator) -> pd.DataFrame:
    """Rows whose groups of columns come each from another person; every column in none of them by itself."""
    values = real.to_numpy()
    out = rng.permuted(values, axis=0)
    for group in groups:
        out[:, group] = values[rng.permutation(len(values))][:, group]
    return pd.DataFrame(out, columns=real.columns)


def releases() -> Iterator[tuple[str, pd.DataFrame, pd.DataFrame, pd.DataFrame]]:
    """What it is, the real table, the release and the holdout."""
    real, holdout = (
        pd.read_csv(ROOT / "sample_data" / f"{name}.csv", dtype=str, keep_default_na=False)
        for name in ("real", "holdout")
    )
    for grain, make in (("as it is", pd.DataFrame.copy), ("coarse", coarse)):
        own, others, rng = make(real), make(holdout), np.random.default_rng(1)
        for many in (5, 6, 8):
            yield f"{grain}, the same {many} columns of everybody", own, same_columns(own, many, rng), others
            yield f"{grain}, other {many} columns of everybody", own, other_columns(own, many, rng), others
        for people in (2, 3):
            yield f"{grain}, {people} people in each row", own, people_a_row(own, people, rng), others


def main() -> None:
    """Ask every attack of each release and write the table."""
    every = list(dict.fromkeys((*BEFORE, *SUITE, *OTHERS)))
    seconds = dict.fromkeys(every, 0.0)
    lines = ["| release | strongest of before | strongest of now | strongest of all |", "|---|---|---|---|"]
    for what, *files in releases():
        tables = rk.load(*files)
        assert tables.synthetic is not None
        assert tables.holdout is not None
        release, members, strangers = points_of((tables.synthetic, tables.real, tables.holdout))
        half = np.arange(len(strangers)) < len(strangers) // 2
        reference, others = strangers.rows(np.flatnonzero(half)), strangers.rows(np.flatnonzero(~half))
        targets, is_in = members.plus(others), np.arange(len(members) + len(others)) < len(members)
        reached = {}
        for name in every:
            start = time.perf_counter()
            score = registry.parse("released", name).score(release, targets, reference, np.random.default_rng(1))
            seconds[name] += time.perf_counter() - start
            reached[name] = auc(score, is_in)
        best = (max(names, key=lambda name: reached[name]) for names in (BEFORE, SUITE, every))
        lines.append(f"| {what} | {' | '.join(f'{name} {reached[name]:.3f}' for name in best)} |")
        print(lines[-1], flush=True)
    spent = ", ".join(f"{name} {seconds[name] / (len(lines) - 2):.2f}" for name in every)
    text = "\n".join(lines) + f"\n\nSeconds a release, one thread: {spent}.\n"
    print(text)
    put_between(PAGE, "<!-- parts -->\n", text)


if __name__ == "__main__":
    main()
