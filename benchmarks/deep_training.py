"""CTGAN and TVAE: processor time of riskkit's own training beside the package's, and whether releases differ.

``python benchmarks/deep_training.py [trainings] [epochs] [ctgan|tvae]`` trains both on the first 1,000 rows of Adult
(15 columns), in turns, on one thread, from the same seeds: printed are processor seconds a step without and with what
encodes the table, and how many cells of the releases differ. With 0 trainings that is all.

Then each trainer plays one membership game of so many ``trainings`` from seeds of its **own**: a person who stands out
among 300 rows, in half of the trainings, under attacks that see one release of 300 rows each. Printed is the AUC of
every attack with its interval, of both trainers. On the same releases a forest learns which trainer made a row.
Releases of one training hang together, so they are split, never their rows: the forest learns from half of the
trainings and is asked about the other half, and its AUC has an interval from drawing these trainings anew. There is one
split: where each half judges the other, both AUCs are nearly the same number, and their mean would look surer than it
is. So that it is known what the forest can see, it is also asked about riskkit's training stopped at half of its steps.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import joblib
import torch
from ctgan import CTGAN, TVAE
from ctgan.data_transformer import DataTransformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import roc_auc_score
from threadpoolctl import threadpool_limits

from riskkit.core import Table
from riskkit.generators import _ctgan_training, _deep, _tvae_training
from riskkit.generators._deep import chance_from, from_frame, to_frame
from riskkit.generators._mixture import Encoding
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.membership.play import run_membership
from riskkit.questions.membership.result import MembershipResult
from riskkit.stats.summary import auc
from tests.tables import adult

MODULES = {"ctgan": _ctgan_training, "tvae": _tvae_training}
KINDS = {"ctgan": (CTGAN, _ctgan_training.HandWritten), "tvae": (TVAE, _tvae_training.HandWritten)}
ENCODINGS = (DataTransformer, Encoding)
ROUNDS = 3
PEOPLE = 300
ATTACKS = ("mvl:own=10", "neighbour:own=10", "queries:own=10", "groundhog:own=10")
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


def encoding(kind: Any, table: Table) -> float:
    """Processor seconds of fitting the mixtures and encoding the rows, in this process and on one thread."""
    frame, discrete = to_frame(table)
    with joblib.parallel_config(backend="sequential"), threadpool_limits(1):
        start = time.process_time()
        transformer = kind()
        transformer.fit(frame, discrete)
        transformer.transform(frame)
        return time.process_time() - start


def beside(name: str, table: Table, epochs: int) -> None:
    """Both in turns, from the same seeds."""
    spent = np.empty((ROUNDS, 2))
    off = cells = 0
    first = np.median([[encoding(kind, table) for kind in ENCODINGS] for _ in range(ROUNDS)], axis=0)
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
        f"({package / own:.2f} x; encoding {first[0]:.2f} and {first[1]:.2f} s, {first[0] / first[1]:.1f} x; the steps "
        f"alone {(package - first[0]) / (own - first[1]):.2f} x); {off:,} of {cells:,} cells differ"
    )


def game(
    name: str, trainings: int, epochs: int, seed: int, kind: Any, attacks: tuple[str, ...] = ATTACKS
) -> tuple[MembershipResult, list[Table]]:
    """A game on one person with the trainer ``kind``, and the releases of its counted trainings."""
    releases: list[Table] = []
    sample = _deep.FittedDeep.sample

    def kept(fitted: Any, n: int, rng: np.random.Generator) -> Table:
        releases.append(sample(fitted, n, rng))
        return releases[-1]

    plan = MembershipPlan(
        generators=(f"{name}:epochs={epochs}",),
        targets=("vulnerable",),
        attacks=attacks,
        trainings=trainings,
        generations=1,
        n_syn=PEOPLE,
        seed=seed,
        control=False,
    )
    with patch.object(MODULES[name], "HandWritten", kind), patch.object(_deep.FittedDeep, "sample", kept):
        played = run_membership(adult(PEOPLE), plan)
    return played, releases[-trainings:]


def told_apart(first: list[Table], second: list[Table]) -> str:
    """AUC of a forest that says of a row which of two trainers made it, with an interval over trainings."""
    rows = [
        [np.column_stack([each.codes, np.nan_to_num(each.numbers, nan=-1)]) for each in side]
        for side in (first, second)
    ]
    half = len(first) // 2
    learnt = np.concatenate([*rows[0][:half], *rows[1][:half]])
    forest = RandomForestClassifier(200, min_samples_leaf=5, random_state=0)
    forest.fit(learnt, np.repeat([0, 1], len(learnt) // 2))
    scores = [[forest.predict_proba(each)[:, 1] for each in side[half:]] for side in rows]
    left = len(scores[0])
    draws = np.random.default_rng(0)

    def reached(picks: Any) -> float:
        values = [np.concatenate([side[index] for index in pick]) for side, pick in zip(scores, picks, strict=True)]
        return float(roc_auc_score(np.repeat([0, 1], [len(part) for part in values]), np.concatenate(values)))

    drawn = [reached([draws.integers(0, left, left) for _ in scores]) for _ in range(DRAWS)]
    low, high = np.quantile(drawn, [0.025, 0.975])
    return f"{reached([range(left)] * 2):.3f} [{low:.3f}, {high:.3f}]"


def compared(name: str, trainings: int, epochs: int) -> None:
    """Both trainers from other seeds: what attacks and a forest make of their releases."""
    start = time.process_time()
    package, own = KINDS[name]
    (theirs, made), (mine, ours) = (
        game(name, trainings, epochs, seed, kind) for seed, kind in ((1, package), (2, own))
    )
    print(f"\n{name}: {trainings} trainings of each from other seeds, {epochs} steps on {PEOPLE} rows of Adult")
    whose = [played.findings[0].labels["record"] for played in (theirs, mine)]
    print(f"  attacks on record {whose[0]} (package) and {whose[1]} (riskkit):")
    for left, right in zip(theirs.findings, mine.findings, strict=True):
        there, here = (auc(finding.scores) for finding in (left, right))
        overlap = "overlap" if max(there.low, here.low) <= min(there.high, here.high) else "DO NOT OVERLAP"
        print(
            f"  {left.scores.attack:20} package {there.value:.3f} [{there.low:.3f}, {there.high:.3f}], "
            f"riskkit {here.value:.3f} [{here.low:.3f}, {here.high:.3f}]: {overlap}"
        )
    print(f"  which trainer made a row, AUC of a forest: {told_apart(made, ours)}", flush=True)
    _, short = game(name, trainings, epochs // 2, 3, own, ATTACKS[:1])
    print(f"  riskkit's stopped at half of its steps:    {told_apart(made, short)}")
    print(f"  {time.process_time() - start:.0f} s of a processor", flush=True)


if __name__ == "__main__":
    torch.set_num_threads(1)
    words = sys.argv[1:]
    count, passes = (int(value) for value in (words + ["64", "100"][len(words) :])[:2])
    for which in words[2:] or KINDS:
        beside(which, adult(1_000), passes)
    for which in words[2:] or KINDS if count else ():
        compared(which, count, passes)
