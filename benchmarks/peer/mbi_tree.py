"""Fit mbi (private-pgm) to the noisy counts of a tree; run by ``benchmarks/beside_mbi.py`` with the Python of the peer.

``python mbi_tree.py FOLDER`` reads ``job.json`` (sizes, edges, rows, steps) and ``counts.npz`` (counts and standard
deviations, columns first) in the folder, and writes there ``joints.npz`` (what was fitted of each pair) and
``taken.json`` (processor seconds of the first fit, with compiling, and of one more to the same counts).
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import jax
import numpy as np

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_enable_compilation_cache", False)

import mbi  # noqa: E402


def main() -> None:
    """Fit twice, and write what was found."""
    folder = Path(sys.argv[1])
    job: dict[str, Any] = json.loads((folder / "job.json").read_text())
    names = [str(j) for j in range(len(job["sizes"]))]
    families = [(name,) for name in names] + [(names[above], names[below]) for above, below in job["edges"]]
    with np.load(folder / "counts.npz") as held:
        # Levels that were put together have more noise than others of their column: each cell is told with its own.
        measured = [
            mbi.LinearMeasurement(
                (held[f"counts{index}"] / held[f"sd{index}"]).ravel(),
                family,
                query=mbi.WeightedQuery(1 / held[f"sd{index}"].ravel()),
            )
            for index, family in enumerate(families)
        ]
    domain, taken = mbi.Domain(names, job["sizes"]), []
    for _ in range(2):
        start = time.process_time()
        model = mbi.estimation.MirrorDescent().estimate(domain, measured, known_total=job["rows"], iters=job["steps"])
        joints = [np.asarray(model.project(family).datavector()) for family in families[len(names) :]]
        taken.append(time.process_time() - start)
    np.savez(folder / "joints.npz", **{str(index): joint for index, joint in enumerate(joints)})
    (folder / "taken.json").write_text(json.dumps(taken))


if __name__ == "__main__":
    main()
