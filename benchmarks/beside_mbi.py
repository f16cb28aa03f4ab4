"""The tree that ``mst`` fits to noisy counts beside the fit of mbi (private-pgm) to the same counts.

    python -m venv /tmp/mbi && /tmp/mbi/bin/pip install mbi==2.0.0
    python benchmarks/beside_mbi.py --python /tmp/mbi/bin/python [--draws 6] [--epsilon 1 10] [--steps 1000]

mbi is the program that the authors of MST fit their models with. It needs jax, so it has an environment of its own (650
MB; tried with jax 0.10.2). Both are given the noisy columns and pairs of the same trainings of ``mst`` on 1,000 rows
and 15 columns of Adult, and the same number of rows. Written are the weighted squares that both make small; how far
the law of rows is from the table, in total variation, over columns, pairs of the tree and all pairs, and how far both
are from each other; and processor seconds of one thread. Errors are standard errors over draws of the noise.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from itertools import combinations
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from riskkit.core import Floats, Ints  # noqa: E402
from riskkit.generators.engines.network import compact  # noqa: E402
from riskkit.generators.engines.tree_fit import Noisy, fit_tree, rows_of  # noqa: E402
from riskkit.generators.mst import FittedMst, Mst  # noqa: E402
from riskkit.seeds import stream  # noqa: E402
from riskkit.table.encode import bin_columns  # noqa: E402
from tests.tables import adult  # noqa: E402

ROWS = 1_000
Pairs = dict[tuple[int, int], Floats]
"""Shares of pairs of columns, one axis each."""


def of_mbi(python: str, folder: Path, steps: int, edges: Ints, measured: list[Noisy], total: float) -> list[float]:
    """Have mbi fit these counts; what it found lies in the folder. Its processor seconds, first fit and second."""
    sizes = [len(each.counts) for each in measured if each.counts.ndim == 1]
    job = {"sizes": sizes, "edges": edges.tolist(), "rows": total, "steps": steps}
    (folder / "job.json").write_text(json.dumps(job))
    counts = {f"counts{index}": each.counts for index, each in enumerate(measured)}
    np.savez(folder / "counts.npz", **counts, **{f"sd{index}": each.sd for index, each in enumerate(measured)})
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false"}
    call = [python, str(ROOT / "benchmarks" / "peer" / "mbi_tree.py"), str(folder)]
    subprocess.run(call, check=True, env=environment)
    taken: list[float] = json.loads((folder / "taken.json").read_text())
    return taken


def every_pair(edges: Ints, joints: list[Floats], columns: int) -> Pairs:
    """The shares of all pairs of columns under the law along the tree, parents before children."""
    held: Pairs = {}
    inside = [int(edges[0, 0])]
    for (above, below), joint in zip(edges.tolist(), joints, strict=True):
        conditional = joint / np.maximum(joint.sum(axis=1, keepdims=True), 1e-300)
        for other in inside:
            joint_of_both = joint if other == above else held[other, above] @ conditional
            held[other, below], held[below, other] = joint_of_both, joint_of_both.T
        inside.append(below)
    assert len(inside) == columns
    return {pair: held[pair] for pair in combinations(range(columns), 2)}


def squares(edges: Ints, joints: list[Floats], measured: list[Noisy], total: float) -> float:
    """What both make small: squares of what is left of each cell, each divided by that of its noise."""
    single = {int(edges[0, 0]): joints[0].sum(axis=1)}
    for (_, below), joint in zip(edges.tolist(), joints, strict=True):
        single[below] = joint.sum(axis=0)
    shares = [*(single[j] for j in range(len(single))), *joints]
    gaps = [(each.counts - total * share) / each.sd for each, share in zip(measured, shares, strict=True)]
    return float(sum((gap**2).sum() for gap in gaps) / 2)


def apart(ours: Pairs, other: Pairs, pairs: list[tuple[int, int]]) -> float:
    """Mean total variation of two laws over these pairs."""
    return float(np.mean([np.abs(ours[pair] - other[pair]).sum() / 2 for pair in pairs]))


def columns_apart(ours: Pairs, other: Pairs, columns: int) -> float:
    """Mean total variation of two laws over all columns."""
    both = [[each[0, j].sum(axis=0) if j else each[0, 1].sum(axis=1) for j in range(columns)] for each in (ours, other)]
    return float(np.mean([np.abs(a - b).sum() / 2 for a, b in zip(*both, strict=True)]))


def real_pairs(fitted: FittedMst, places: Ints) -> Pairs:
    """The shares of all pairs of columns in the table, levels put together as the training did."""
    out: Pairs = {}
    for a, b in combinations(range(len(fitted.sizes)), 2):
        held = np.zeros((fitted.sizes[a], fitted.sizes[b]))
        np.add.at(held, (places[a], places[b]), 1 / places.shape[1])
        out[a, b] = held
    return out


def compared(epsilon: float, draw: int, python: str, steps: int) -> list[float]:
    """Of one training: squares, errors on columns, pairs of the tree and all pairs, each of both; the distance between
    both on columns and on the tree; seconds of ours, of mbi's first fit and of its second.
    """
    table = adult(ROWS)
    fitted = Mst(epsilon=epsilon, delta=0.01).fit(table, stream(1, "beside mbi", draw))
    own = [levels.counts(each) for levels, each in zip(fitted.merged, fitted.drawn.own, strict=True)]
    edges = np.array([each.family for each in fitted.conditionals[1:]], dtype=np.int64)
    measured = [*own, *fitted.drawn.pairs]
    total, taken = rows_of(measured), []
    for _ in range(5):
        start = time.process_time()
        _, ours = fit_tree(edges, fitted.sizes, own, fitted.drawn.pairs, total)
        taken.append(time.process_time() - start)
    with tempfile.TemporaryDirectory() as name:
        seconds = of_mbi(python, Path(name), steps, edges, measured, total)
        with np.load(Path(name, "joints.npz")) as held:
            theirs = [held[str(index)].reshape(joint.shape) / total for index, joint in enumerate(ours)]
    columns = compact(*bin_columns(table, fitted.bins))
    places = np.array([levels.place[column] for levels, column in zip(fitted.merged, columns, strict=True)])
    real, d = real_pairs(fitted, places), len(fitted.sizes)
    laws = [every_pair(edges, joints, d) for joints in (ours, theirs)]
    tree = [(int(min(edge)), int(max(edge))) for edge in edges]
    return [
        *(squares(edges, joints, measured, total) for joints in (ours, theirs)),
        *(columns_apart(real, law, d) for law in laws),
        *(apart(real, law, tree) for law in laws),
        *(apart(real, law, list(real)) for law in laws),
        columns_apart(*laws, d),
        apart(*laws, tree),
        float(np.median(taken)),
        *seconds,
    ]


def main() -> None:
    """Print a line of Markdown for each of the two programs and each epsilon."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--python", required=True)
    parser.add_argument("--draws", type=int, default=6)
    parser.add_argument("--epsilon", type=float, nargs="+", default=[1.0, 10.0])
    parser.add_argument("--steps", type=int, default=1_000)
    options = parser.parse_args()
    print("| fit | squares left | columns | pairs of the tree | all pairs | seconds |\n|---|---|---|---|---|---|")
    for epsilon in options.epsilon:
        each = [compared(epsilon, draw, options.python, options.steps) for draw in range(options.draws)]
        figures, error = np.array(each), np.array(each).std(axis=0, ddof=1) / np.sqrt(options.draws)
        mean = figures.mean(axis=0)
        for side, name in enumerate((f"`mst:epsilon={epsilon:g},delta=0.01`", "mbi on the same counts")):
            errors = " | ".join(f"{mean[place + side]:.4f} (SE {error[place + side]:.4f})" for place in (2, 4, 6))
            seconds = f"{mean[10]:.3f}" if not side else f"{mean[11]:.1f}, a second fit {mean[12]:.1f}"
            print(f"| {name} | {mean[side]:.1f} | {errors} | {seconds} |", flush=True)
        less, gaps = figures[:, 0] / figures[:, 1] - 1, figures[:, 2:8:2] - figures[:, 3:8:2]
        spread = gaps.std(axis=0, ddof=1) / np.sqrt(options.draws)
        differences = ", ".join(
            f"{gap:+.5f} (SE {own:.5f})" for gap, own in zip(gaps.mean(axis=0), spread, strict=True)
        )
        print(
            f"\nOurs less mbi: squares {less.min():+.2%} to {less.max():+.2%}; columns, tree, all pairs {differences};"
        )
        print(f"between both: columns {mean[8]:.5f}, pairs of the tree {mean[9]:.5f}\n", flush=True)


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
