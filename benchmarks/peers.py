"""Our generators beside pgmpy, DataSynthesizer and py-synthpop: what a fit and a release cost, and what they keep.

``python benchmarks/peers.py --setup`` once makes an environment for the peers in ``benchmarks/.peers``, from
``benchmarks/peers-requirements.txt``; without it nothing is measured. Then ``python benchmarks/peers.py`` measures all
in one run, one thread each, and writes ``benchmarks/results/peers.md``. The rows are Adult's where the table is at
hand, else made ones of the same shape. Ours and the networks of the peers are given the same codes, numbers in the
same ten bins; py-synthpop is given the raw numbers, as our synthpop is.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
import venv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.generators import ADULT, rows
from benchmarks.marginals import coded_variation, total_variation
from riskkit import registry
from riskkit.core import Codes, Ints, Table
from riskkit.generators.bayesnet import FittedBayesNet
from riskkit.generators.engines.network import Parents
from riskkit.table.encode import bin_columns, from_bins, layout

HERE = Path(__file__).resolve().parent
HOME = HERE / ".peers"
PYTHON = HOME / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
RESULT = HERE / "results" / "peers.md"
ROWS = 1_000
BINS = 10
RUNS = {"pgmpy": 5, "datasynthesizer": 1, "synthpop": 5}
PAIRS = (
    ("bayesnet:degree=2", "datasynthesizer", "DataSynthesizer, 2 parents, no noise", 1_000.0),
    ("bayesnet", "pgmpy", "pgmpy, Chow-Liu", 200.0),
    ("synthpop", "synthpop", "py-synthpop", 1.0),
)


@dataclass(frozen=True)
class Cost:
    """Seconds of a fit and a release, one entry a run."""

    wall: list[float]
    processor: list[float]

    def __str__(self) -> str:
        return f"{1_000 * np.median(self.wall):,.1f} | {1_000 * np.median(self.processor):,.1f}"


def setup() -> None:
    """Make the environment of the peers."""
    venv.create(HOME, with_pip=True, clear=True)
    wanted = ["-r", str(HERE / "peers-requirements.txt")]
    subprocess.run([PYTHON, "-m", "pip", "install", "--disable-pip-version-check", *wanted], check=True)


def texts(table: Table) -> pd.DataFrame:
    """The table with its levels written out, as a published generator takes it."""
    data: dict[str, Any] = {}
    for block in layout(table.schema):
        if block.column.is_numeric:
            data[block.column.name] = table.numbers[:, block.source].astype(int)
        else:
            data[block.column.name] = np.array(block.column.levels)[table.codes[:, block.source]]
    return pd.DataFrame(data)


def read_texts(frame: pd.DataFrame, like: Table) -> Table:
    """A release that was written out as :func:`texts` does."""
    codes = [pd.Categorical(frame[c.name], categories=c.levels).codes for c in like.schema.categorical]
    numbers = [frame[c.name].to_numpy(dtype=float) for c in like.schema.numeric]
    return Table(like.schema, np.column_stack(codes).astype(np.int32), np.column_stack(numbers))


def theirs(peer: str, table: Table) -> tuple[Cost, Table, Parents]:
    """What a peer costs, one release of it, and its network."""
    codes, _ = bin_columns(table, BINS)
    names = [column.name for column in table.schema.modelled]
    frame = texts(table) if peer == "synthpop" else pd.DataFrame(codes, columns=names)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        frame.to_csv(folder / "train.csv", index=False)
        warm = int(peer != "datasynthesizer")  # it compiles nothing, and a run takes long
        (folder / "job.json").write_text(json.dumps({"rows": len(table), "runs": RUNS[peer], "warm": warm}))
        one_thread = os.environ | dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
        subprocess.run([PYTHON, HERE / "peer" / "call.py", peer, folder], env=one_thread, check=True)
        result = json.loads((folder / "result.json").read_text())
        release = pd.read_csv(folder / "release.csv", keep_default_na=False)
    cost = Cost(result["wall"], result["processor"])
    if peer == "synthpop":
        return cost, read_texts(release, table), ()
    parents = tuple(tuple(sorted(names.index(above) for above in result["network"][own])) for own in names)
    drawn: Codes = release[names].to_numpy(dtype=np.int32)
    return cost, from_bins(drawn, table.schema, BINS, np.random.default_rng(0)), parents


def ours(spelled: str, table: Table, runs: int = 50) -> tuple[Cost, list[Table], Parents]:
    """What our generator costs, its releases, and its network."""
    wall, processor, releases = [], [], []
    generator = registry.parse("generators", spelled)
    generator.fit(table, np.random.default_rng(0)).sample(len(table), np.random.default_rng(0))
    for seed in range(runs):
        rng, started, used = np.random.default_rng(seed), time.perf_counter(), time.process_time()
        fitted = generator.fit(table, rng)
        releases.append(fitted.sample(len(table), rng))
        wall.append(time.perf_counter() - started)
        processor.append(time.process_time() - used)
    parents = fitted.parents if isinstance(fitted, FittedBayesNet) else ()
    return Cost(wall, processor), releases, parents


def share_of_information(code: Ints, above: Ints) -> float:
    """Mutual information of two columns of codes, in nats, from their table."""
    table = pd.crosstab(code, above).to_numpy() / len(code)
    alone = table.sum(axis=1, keepdims=True) * table.sum(axis=0, keepdims=True)
    held = table > 0
    return float((table[held] * np.log(table[held] / alone[held])).sum())


def information(table: Table, parents: Parents) -> float:
    """The sum over columns of their mutual information with their parents, counted without our own counting."""
    codes = bin_columns(table, BINS)[0].astype(np.int64)
    total = 0.0
    for own, above in enumerate(parents):
        if above:
            both = np.unique(codes[:, above], axis=0, return_inverse=True)[1].ravel()
            total += share_of_information(codes[:, own], both)
    return total


def edges(parents: Parents) -> set[frozenset[tuple[int, ...]]]:
    """What two networks are compared by: the edges of a tree without direction, else each column with its parents."""
    if all(len(above) < 2 for above in parents):
        return {frozenset({(own,), above}) for own, above in enumerate(parents) if above}
    return {frozenset({(own,), (-1, *above)}) for own, above in enumerate(parents) if above}


def compared(table: Table, mine: Parents, other: Parents) -> str:
    """One sentence on whether two networks are the same."""
    same, of = len(edges(mine) & edges(other)), len(edges(mine))
    gap = information(table, mine) - information(table, other)
    return f"{same} of {of} the same; mutual information {information(table, mine):.6f} nats, {gap:+.1e} to theirs"


def kept(name: str, table: Table, releases: list[Table]) -> str:
    """One line on how well marginals are kept, over all releases: by deciles, then by the bins of a network."""
    codes, sizes = bin_columns(table, BINS)
    by_deciles = [total_variation(table, release) for release in releases]
    by_bins = [
        coded_variation(codes.astype(int), bin_columns(release, BINS)[0].astype(int), sizes) for release in releases
    ]
    means = [
        np.mean([part.mean() for part in parts]) for way in (by_deciles, by_bins) for parts in zip(*way, strict=True)
    ]
    return f"| {name} | " + " | ".join(f"{mean:.4f}" for mean in means) + " |"


def report() -> list[str]:
    """Measure everything; the lines of the page."""
    both = rows(2 * ROWS)
    table, other = both.rows(slice(ROWS)), both.rows(slice(ROWS, None))
    costs = [
        "| generator | wall ms | processor ms | peer | wall ms | processor ms | times faster, wall | processor | goal |"
    ]
    costs.append("|" + "---|" * 9)
    networks, quality = [], [kept("an independent sample", table, [other])]
    for spelled, peer, title, goal in PAIRS:
        cost, releases, mine = ours(spelled, table)
        their_cost, release, network = theirs(peer, table)
        wall, processor = (
            np.median(getattr(their_cost, kind)) / np.median(getattr(cost, kind)) for kind in ("wall", "processor")
        )
        costs.append(f"| {spelled} | {cost} | {title} | {their_cost} | {wall:,.0f} | {processor:,.0f} | {goal:,.0f} |")
        if mine:
            networks.append(f"- {spelled} and {title}: {compared(table, mine, network)}")
        quality.append(kept(spelled, table, releases[:5]))
        quality.append(kept(title, table, [release]))
    where = "Adult" if ADULT.is_file() else "made"
    load = f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"
    return [
        "# Our generators and their published peers\n",
        f"{where} rows, {ROWS:,} x {len(table.schema.modelled)}, one fit and one release as long, medians, one thread,",
        f"all in one run of `benchmarks/peers.py`; load of the {os.cpu_count()}-core machine at the end: {load}.\n",
        *costs,
        "\nNetworks found from the same codes, rooted in the same column:\n",
        *networks,
        "\nMean total variation from the table, 5 releases of ours and 1 of each peer. Bins of a network's release are",
        "filled uniformly, theirs as ours; numbers are compared by the table's deciles, then by the network's bins.\n",
        "| release | column, deciles | pair, deciles | column, bins | pair, bins |",
        "|" + "---|" * 5,
        *quality,
    ]


def main() -> None:
    """Print the page and keep it."""
    if "--setup" in sys.argv[1:]:
        setup()
    elif not PYTHON.exists():
        print("The peers are not installed; `python benchmarks/peers.py --setup` makes an environment for them.")
    else:
        lines = report()
        print("\n".join(lines))
        RESULT.parent.mkdir(exist_ok=True)
        RESULT.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
