"""CTGAN and TVAE: processor time of riskkit's own training beside the package's, and whether releases differ.

``python benchmarks/deep_training.py [trainings] [epochs] [ctgan|tvae] [float32|bfloat16]`` trains both on the first
1,000 rows of Adult (15 columns), in turns, on one thread, from the same seeds: printed are processor seconds a step
without and with what encodes the table, and how many cells of the releases differ; then the seconds of a wall clock of
four of riskkit's trainings one after another, and side by side, on the processor and on a CUDA device where there is
one. With 0 trainings that is all.

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
from collections.abc import Callable
from dataclasses import replace
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

from riskkit.core import Fitted, Table
from riskkit.generators.ctgan import Ctgan
from riskkit.generators.engines import deep
from riskkit.generators.engines.deep import to_frame
from riskkit.generators.engines.mixture import Encoding
from riskkit.generators.tvae import Tvae
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.membership.play import run_membership
from riskkit.questions.membership.result import MembershipResult
from riskkit.registry import spell
from riskkit.stats.summary import auc
from tests.generators.by_package import ByPackage
from tests.tables import adult

KINDS: dict[str, tuple[Any, Any]] = {"ctgan": (CTGAN, Ctgan), "tvae": (TVAE, Tvae)}
Trainer = Callable[[Any, Table, np.random.Generator], Fitted]
ROUNDS = 3
PEOPLE = 300
ATTACKS = ("mvl:own=10", "neighbour:own=10", "queries:own=10", "groundhog:own=10")
DRAWS = 400


def by_package(generator: Any, table: Table, rng: np.random.Generator) -> Fitted:
    """The training of the generator as the package makes it."""
    package, _ = KINDS[generator.name]
    if package is CTGAN:
        how = {"epochs": generator.rounds(len(table)), "batch_size": generator.batch_size}
    else:
        how = {"epochs": generator.epochs, "batch_size": generator.batch(len(table))}
    return ByPackage(package, table, rng, **how)


def released(trainer: Trainer, generator: Any, table: Table, seed: int) -> tuple[Table, float]:
    """A release of as many rows, and the processor seconds of the training."""
    rng = np.random.default_rng(seed)
    start = time.process_time()
    fitted = trainer(generator, table, rng)
    spent = time.process_time() - start
    return fitted.sample(len(table), rng), spent


def encode_by_package(frame: Any, discrete: list[str]) -> None:
    """Encode as the package does."""
    transformer = DataTransformer()
    transformer.fit(frame, discrete)
    transformer.transform(frame)


def encode(frame: Any, discrete: list[str]) -> None:
    """Encode as riskkit does."""
    Encoding(frame, discrete).encode(frame)


def encoding(way: Callable[[Any, list[str]], None], table: Table) -> float:
    """Processor seconds of fitting the mixtures and encoding the rows, in this process and on one thread."""
    frame, discrete = to_frame(table)
    with joblib.parallel_config(backend="sequential"), threadpool_limits(1):
        start = time.process_time()
        way(frame, discrete)
        return time.process_time() - start


def beside(generator: Any, table: Table) -> None:
    """Both in turns, from the same seeds."""
    spent = np.empty((ROUNDS, 2))
    off = cells = 0
    first = np.median([[encoding(way, table) for way in (encode_by_package, encode)] for _ in range(ROUNDS)], axis=0)
    for seed in range(ROUNDS):
        pair = [released(trainer, generator, table, seed) for trainer in (by_package, type(generator).fit)]
        spent[seed] = [seconds for _, seconds in pair]
        theirs, ours = (release for release, _ in pair)
        off += int((theirs.codes != ours.codes).sum()) + int((np.abs(theirs.numbers - ours.numbers) > 1e-9).sum())
        cells += theirs.codes.size + theirs.numbers.size
    steps = generator.epochs * max(len(table) // 500, 1)
    package, own = np.median(spent, axis=0)
    print(
        f"{spell(generator)}, {len(table):,} rows, {steps:,} steps: package {package:.1f} s, riskkit {own:.1f} s "
        f"({package / own:.2f} x; encoding {first[0]:.2f} and {first[1]:.2f} s, {first[0] / first[1]:.1f} x; the steps "
        f"alone {(package - first[0]) / (own - first[1]):.2f} x); {off:,} of {cells:,} cells differ"
    )


def side_by_side(generator: Any, table: Table) -> None:
    """Trainings one after another and together: a wall clock, because a device counts no processor seconds."""
    for device in ("cpu", "cuda"):
        if device == "cuda" and not torch.cuda.is_available():
            print("  on a CUDA device: none is here")
            return
        count = 4 if device == "cpu" else deep.TOGETHER
        spent: list[list[float]] = [[], []]
        with patch.object(torch.cuda, "is_available", lambda here=device: here == "cuda"):
            for seed in range(ROUNDS):
                rngs = [[np.random.default_rng(1000 * seed + n) for n in range(count)] for _ in range(2)]
                start = time.perf_counter()
                for rng in rngs[0]:
                    generator.fit(table, rng)
                between = time.perf_counter()
                generator.fit_together([table] * count, rngs[1])
                spent[0].append(between - start)
                spent[1].append(time.perf_counter() - between)
        apart, together = (float(np.median(each)) for each in spent)
        print(
            f"  {count} trainings on {device}: {apart:.1f} s one after another, {together:.1f} s side by side "
            f"({apart / together:.2f} x)",
            flush=True,
        )


def game(
    generator: Any, trainings: int, seed: int, trainer: Trainer, attacks: tuple[str, ...] = ATTACKS
) -> tuple[MembershipResult, list[Table]]:
    """A game on one person with the trainer ``kind``, and the releases of its counted trainings."""
    releases: list[Table] = []
    sample = deep.FittedDeep.sample

    def kept(fitted: Any, n: int, rng: np.random.Generator) -> Table:
        releases.append(sample(fitted, n, rng))
        return releases[-1]

    plan = MembershipPlan(
        generators=(spell(generator),),
        targets=("vulnerable",),
        attacks=attacks,
        trainings=trainings,
        generations=1,
        n_syn=PEOPLE,
        seed=seed,
        control=False,
    )
    with patch.object(type(generator), "fit", trainer), patch.object(deep.FittedDeep, "sample", kept):
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


def compared(generator: Any, trainings: int) -> None:
    """Both trainers from other seeds: what attacks and a forest make of their releases."""
    start = time.process_time()
    own, epochs = type(generator).fit, generator.epochs
    (theirs, made), (mine, ours) = (
        game(generator, trainings, seed, trainer) for seed, trainer in ((1, by_package), (2, own))
    )
    print(
        f"\n{spell(generator)}: {trainings} trainings of each from other seeds, {epochs} steps on {PEOPLE} rows of "
        "Adult"
    )
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
    _, short = game(replace(generator, epochs=epochs // 2), trainings, 3, own, ATTACKS[:1])
    print(f"  riskkit's stopped at half of its steps:    {told_apart(made, short)}")
    print(f"  {time.process_time() - start:.0f} s of a processor", flush=True)


if __name__ == "__main__":
    torch.set_num_threads(1)
    words = sys.argv[1:]
    count, passes = (int(value) for value in (words + ["64", "100"][len(words) :])[:2])
    precision = "bfloat16" if "bfloat16" in words[2:] else "float32"
    asked = [name for name in KINDS if name in words[2:]] or KINDS
    generators = [KINDS[name][1](epochs=passes, precision=precision) for name in asked]
    for each in generators:
        beside(each, adult(1_000))
        side_by_side(each, adult(1_000))
    for each in generators if count else ():
        compared(each, count)
