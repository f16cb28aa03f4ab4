"""Fit one published generator and sample from it; run by ``benchmarks/peers.py`` with the Python of the peers.

``python call.py PEER FOLDER`` reads ``train.csv`` and ``job.json`` (rows to sample, counted runs, and runs before
those) in the folder, and writes there what a run took, the network that was found and ``release.csv``. Loading the
package and the table is not counted.
"""

from __future__ import annotations

import contextlib
import io
import json
import random
import resource
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

Network = dict[str, list[str]]
"""The parents of each column; none for the root."""

Run = Callable[[], tuple[pd.DataFrame, Network]]
"""One fit and release, and the network found."""


def pgmpy(frame: pd.DataFrame, rows: int) -> Run:
    """The Chow-Liu tree of pgmpy, its tables by maximum likelihood, and a simulation of it."""
    import pgmpy.estimators
    import pgmpy.models

    def run() -> tuple[pd.DataFrame, Network]:
        search = pgmpy.estimators.TreeSearch(frame, root_node=frame.columns[0], n_jobs=1)
        tree = search.estimate(estimator_type="chow-liu", show_progress=False)
        model = pgmpy.models.DiscreteBayesianNetwork(tree.edges())
        model.fit(frame)
        release = model.simulate(n_samples=rows, seed=0, show_progress=False)
        return release[frame.columns], {name: list(tree.get_parents(name)) for name in frame.columns}

    return run


def datasynthesizer(frame: pd.DataFrame, rows: int) -> Run:
    """Correlated attribute mode of DataSynthesizer with two parents and no noise, rooted in the first column."""
    np.set_printoptions(legacy="1.25")  # it writes numbers as text and reads them back
    from DataSynthesizer.DataDescriber import DataDescriber
    from DataSynthesizer.DataGenerator import DataGenerator

    names = list(frame.columns)
    seed = next(seed for seed in range(10_000) if random.Random(seed).choice(names) == names[0])  # noqa: S311  its root

    def run() -> tuple[pd.DataFrame, Network]:
        with tempfile.TemporaryDirectory() as folder:
            train, description = str(Path(folder, "train.csv")), str(Path(folder, "description.json"))
            frame.to_csv(train, index=False)
            describer = DataDescriber()
            describer.describe_dataset_in_correlated_attribute_mode(
                train, k=2, epsilon=0, attribute_to_is_categorical=dict.fromkeys(names, True), seed=seed
            )
            describer.save_dataset_description_to_file(description)
            generator = DataGenerator()
            generator.generate_dataset_in_correlated_attribute_mode(rows, description)
        network = {str(child): list(above) for child, above in describer.bayesian_network}
        return generator.synthetic_dataset, {name: network.get(name, []) for name in names}

    return run


def synthpop(frame: pd.DataFrame, rows: int) -> Run:
    """The trees of py-synthpop with their usual settings."""
    pd.Series.iteritems = pd.Series.items
    pd.DataFrame.iteritems = pd.DataFrame.items
    from synthpop import Synthpop

    kinds = {name: "int" if pd.api.types.is_numeric_dtype(frame[name]) else "category" for name in frame.columns}

    def run() -> tuple[pd.DataFrame, Network]:
        np.random.seed(0)  # noqa: NPY002  the package draws from it
        model = Synthpop(seed=0)
        model.fit(frame.astype(kinds), dict(kinds))
        return model.generate(rows), {}

    return run


PEERS = {"pgmpy": pgmpy, "datasynthesizer": datasynthesizer, "synthpop": synthpop}


def spent() -> float:
    """Processor seconds of this process and of those it started and waited for."""
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(use.ru_utime + use.ru_stime for use in both)


def main(peer: str, folder: Path) -> None:
    """Measure one peer."""
    job: dict[str, Any] = json.loads((folder / "job.json").read_text())
    frame = pd.read_csv(folder / "train.csv", keep_default_na=False)
    run = PEERS[peer](frame, job["rows"])
    wall, processor = [], []
    for index in range(-job["warm"], job["runs"]):
        started, used = time.perf_counter(), spent()
        with contextlib.redirect_stdout(io.StringIO()):
            release, network = run()
        if index >= 0:
            wall.append(time.perf_counter() - started)
            processor.append(spent() - used)
    release.to_csv(folder / "release.csv", index=False)
    (folder / "result.json").write_text(json.dumps({"wall": wall, "processor": processor, "network": network}))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(sys.argv[1], Path(sys.argv[2]))
