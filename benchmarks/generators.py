"""What a fit, a fit less one row and a release cost, for every generator; and what the obvious Chow-Liu fit costs.

Run it alone: ``python benchmarks/generators.py``. One thread, best of several runs, milliseconds of
processor time; ``--deep`` also times CTGAN, TVAE and TabDDPM, for minutes. The rows are Adult's complete ones where the
table is at hand, else made ones of the same shape.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from itertools import combinations, cycle
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.metrics import mutual_info_score
from threadpoolctl import threadpool_limits

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from riskkit import registry
from riskkit.core import Column, Floats, Kind, Schema, Table
from riskkit.generators.bayesnet import BayesNet
from riskkit.generators.engines.network import CountLogSums, Parents, chow_liu, compact, greedy, grow
from riskkit.table.encode import bin_columns

SIZES = (1_000, 30_162)
ADULT = Path(__file__).resolve().parents[2] / "shared" / "data" / "adult" / "adult_train.csv.gz"


def rows(n: int) -> Table:
    """``n`` rows of 15 columns: Adult's first complete ones, or made ones of the same shape."""
    if not ADULT.is_file():
        return made(n)
    frame = pd.read_csv(ADULT, keep_default_na=False)
    return typed(frame[~(frame == "?").any(axis=1)].iloc[:n])


def made(n: int) -> Table:
    """``n`` rows of 9 categories and 6 numbers that lean on one hidden number."""
    rng = np.random.default_rng(0)
    hidden = rng.standard_normal(n)
    data: dict[str, Floats | list[str]] = {}
    for j, levels in enumerate((2, 2, 5, 6, 7, 7, 14, 16, 41)):
        place = np.clip((hidden + rng.standard_normal(n)) * levels / 6 + levels / 2, 0, levels - 1)
        data[f"category {j}"] = [f"level {int(code):02d}" for code in place]
    for j in range(6):
        data[f"number {j}"] = np.round(50 + 10 * hidden + 15 * rng.standard_normal(n))
    return typed(pd.DataFrame(data))


def typed(frame: pd.DataFrame) -> Table:
    """A table from a frame of texts and whole numbers."""
    columns: list[Column] = []
    codes, numbers = [], []
    for name in map(str, frame.columns):
        if pd.api.types.is_numeric_dtype(frame[name]):
            x = frame[name].to_numpy(dtype=float)
            low, high, mean, sd = map(float, (x.min(), x.max(), x.mean(), x.std()))
            columns.append(Column(name, Kind.NUMERIC, low=low, high=high, mean=mean, sd=sd))
            numbers.append(x)
        else:
            code, levels = pd.factorize(frame[name], sort=True)
            columns.append(Column(name, Kind.CATEGORICAL, levels=tuple(levels)))
            codes.append(code)
    return Table(Schema(tuple(columns)), np.column_stack(codes).astype(np.int32), np.column_stack(numbers))


def best(work: Callable[[], object], seconds: float = 1.0) -> float:
    """Milliseconds of the fastest of at least three runs, as many as fit into ``seconds``."""
    taken: list[float] = []
    while len(taken) < 3 or sum(taken) < seconds:
        start = time.process_time()
        work()
        taken.append(time.process_time() - start)
    return 1_000 * min(taken)


def pair_by_pair(table: Table, bins: int) -> Parents:
    """The tree the obvious way: one call of sklearn for each pair of columns, over the same codes."""
    codes, sizes = bin_columns(table, bins)
    information = np.zeros((len(sizes), len(sizes)))
    for a, b in combinations(range(len(sizes)), 2):
        information[a, b] = information[b, a] = mutual_info_score(codes[:, a], codes[:, b])
    return chow_liu(information)


def row(name: str, table: Table) -> str:
    """One line of the table of figures."""
    rng = np.random.default_rng(0)
    generator = registry.make("generators", name)
    fitted = generator.fit(table, rng)
    fit = best(lambda: generator.fit(table, rng))
    short = best(lambda: fitted.sample(1_000, rng))
    full = best(lambda: fitted.sample(len(table), rng))
    return f"{name:12} {len(table):>8,} {fit:>10.2f} {short:>14.2f} {full:>18.2f}"


def against_the_obvious(table: Table) -> str:
    """How much faster the tree is found than pair by pair, in this run, and whether it is the same."""
    plugin, rng = BayesNet(), np.random.default_rng(0)
    ours, theirs = best(lambda: plugin.fit(table, rng)), best(lambda: pair_by_pair(table, plugin.bins))
    same = plugin.fit(table, rng).parents == pair_by_pair(table, plugin.bins)
    tree = "the same tree" if same else "ANOTHER TREE"
    return f"{len(table):>8,} rows: {ours:8.2f} ms against {theirs:8.2f} ms, {theirs / ours:6.1f} times faster, {tree}"


def network(table: Table, degree: int) -> str:
    """One line of the figures of a Bayesian network: its structure alone, fits and releases, with and without a row."""
    plugin, rng = BayesNet(degree=degree), np.random.default_rng(0)
    fitted = plugin.fit(table, rng)
    row = cycle(range(len(table)))

    def structure(sums: CountLogSums) -> Parents:
        return chow_liu(sums.pairs()) if degree == 1 else grow(sums, degree, 0, greedy)[0]

    codes, sizes = bin_columns(table, plugin.bins)
    columns = compact(codes, sizes)
    figures = (
        best(lambda: structure(CountLogSums.count(columns, sizes, degree + 1))),
        best(lambda: plugin.fit(table, rng).sample(1_000, rng)),
        best(lambda: structure(fitted.sums.without(columns, next(row)))),
        best(lambda: fitted.without(next(row))),
        best(lambda: fitted.without(next(row)).sample(1_000, rng)),
    )
    return f"{degree:>8} {len(table):>8,} " + " ".join(f"{figure:>16.2f}" for figure in figures)


def timed() -> list[str]:
    """The generators that need nothing set up, without those of known leakage; deep ones only where ``--deep`` asks."""
    left_out = {"external"} | (set() if "--deep" in sys.argv[1:] else {"ctgan", "tvae", "tabddpm"})
    plugins = registry.plugins("generators").items()
    return [name for name, plugin in plugins if name not in left_out and getattr(plugin, "family", "") != "calibration"]


def main() -> None:
    """Print the figures."""
    print(f"rows: {'Adult' if ADULT.is_file() else 'made'}, 15 columns; milliseconds, one thread, best of several\n")
    print(f"{'generator':12} {'rows':>8} {'fit':>10} {'sample 1,000':>14} {'sample all rows':>18}")
    tables = [rows(n) for n in SIZES]
    for table in tables:
        for name in timed():
            print(row(name, table))
    heads = ("structure", "fit + sample", "structure less 1", "fit less 1", "that + sample")
    print(f"\nbayesnet, samples of 1,000 rows, and all of it less one row\n{'degree':>8} {'rows':>8}", end=" ")
    print(" ".join(f"{head:>16}" for head in heads))
    for table in tables:
        for degree in (1, 2):
            print(network(table, degree))
    print("\nbayesnet fit against sklearn's mutual_info_score for each pair of columns")
    for table in tables:
        print(against_the_obvious(table))


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
