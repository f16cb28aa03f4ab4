"""CTGAN and TVAE: processor time of riskkit's own training beside the package's, and whether releases differ.

``python benchmarks/deep_training.py [models] [epochs]`` trains both on the first 1,000 rows of Adult (15 columns), in
turns, on one thread, from the same seeds: printed are processor seconds a step without and with what encodes the table,
and how many cells of the releases differ. Then ``models`` trainings of each from **other** seeds (500 rows) release 500
rows each; a forest learns from half of the releases which trainer made a row, and its AUC on the other half is printed
with an interval over releases.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import torch
from ctgan import CTGAN, TVAE
from ctgan.data_transformer import DataTransformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import roc_auc_score

from riskkit.core import Table
from riskkit.generators import _ctgan_training, _tvae_training
from riskkit.generators._deep import chance_from, from_frame, to_frame
from tests.tables import adult

KINDS = {"ctgan": (CTGAN, _ctgan_training.HandWritten), "tvae": (TVAE, _tvae_training.HandWritten)}
ROUNDS = 3
DRAWS = 400


def released(kind: Any, table: Table, epochs: int, seed: int) -> tuple[Table, float]:
    """A release of as many rows, and the processor seconds of the training."""
    model = kind(epochs=epochs, batch_size=500, enable_gpu=False)
    frame, discrete = to_frame(table)
    rng = np.random.default_rng(seed)
    with chance_from(rng, model):
        start = time.process_time()
        model.fit(frame, discrete)
        spent = time.process_time() - start
    with chance_from(rng, model):
        return from_frame(model.sample(len(table)), table.schema), spent


def encoding(table: Table) -> float:
    """Processor seconds of fitting the mixtures and encoding the rows, which both do alike."""
    frame, discrete = to_frame(table)
    start = time.process_time()
    transformer = DataTransformer()
    transformer.fit(frame, discrete)
    transformer.transform(frame)
    return time.process_time() - start


def beside(name: str, table: Table, epochs: int) -> None:
    """Both in turns, from the same seeds."""
    spent = np.empty((ROUNDS, 2))
    off = cells = 0
    first = [encoding(table) for _ in range(ROUNDS)]
    for seed in range(ROUNDS):
        pair = [released(kind, table, epochs, seed) for kind in KINDS[name]]
        spent[seed] = [seconds for _, seconds in pair]
        theirs, ours = (release for release, _ in pair)
        off += int((theirs.codes != ours.codes).sum()) + int((np.abs(theirs.numbers - ours.numbers) > 1e-9).sum())
        cells += theirs.codes.size + theirs.numbers.size
    steps = epochs * max(len(table) // 500, 1)
    package, own = np.median(spent, axis=0)
    print(
        f"{name}, {len(table):,} rows, {steps:,} steps: package {package:.1f} s, riskkit {own:.1f} s "
        f"({package / own:.2f} x; encoding {np.median(first):.1f} s of each, the steps alone "
        f"{(package - np.median(first)) / (own - np.median(first)):.2f} x); {off:,} of {cells:,} cells differ"
    )


def told_apart(name: str, table: Table, models: int, epochs: int) -> None:
    """Can a forest say which trainer made a row?"""
    kinds = KINDS[name]
    made = [
        [released(kind, table, epochs, 1_000 * (side + 1) + at)[0] for at in range(models)]
        for side, kind in enumerate(kinds)
    ]
    rows = [[np.column_stack([one.codes, np.nan_to_num(one.numbers, nan=-1)]) for one in side] for side in made]
    half = models // 2
    learnt = np.concatenate([*rows[0][:half], *rows[1][:half]])
    forest = RandomForestClassifier(200, min_samples_leaf=5, random_state=0)
    forest.fit(learnt, np.repeat([0, 1], len(learnt) // 2))
    scores = [[forest.predict_proba(one)[:, 1] for one in side[half:]] for side in rows]
    draws = np.random.default_rng(0)

    def auc(picks: Any) -> float:
        values = [np.concatenate([side[at] for at in pick]) for side, pick in zip(scores, picks, strict=True)]
        return float(roc_auc_score(np.repeat([0, 1], [len(part) for part in values]), np.concatenate(values)))

    every = range(models - half)
    drawn = [auc([draws.integers(0, models - half, models - half) for _ in scores]) for _ in range(DRAWS)]
    low, high = np.quantile(drawn, [0.025, 0.975])
    print(
        f"{name}: {models} trainings of each from other seeds, {epochs} epochs on {len(table):,} rows: "
        f"AUC of a forest {auc([every, every]):.3f} [{low:.3f}, {high:.3f}] (releases drawn anew)"
    )


if __name__ == "__main__":
    torch.set_num_threads(1)
    count, passes = (int(value) for value in (sys.argv[1:] + ["64", "100"][len(sys.argv) - 1 :]))
    for which in KINDS:
        beside(which, adult(1_000), passes)
    for which in KINDS:
        told_apart(which, adult(500), count, 20)
