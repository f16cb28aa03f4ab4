"""Trees on codes beside trees on a column for each level: planted leaks found, and processor seconds.

``python benchmarks/released_forests.py [seeds]``: parts of Adult in halves, 2,000 rows a table, a release of one half
with planted copies of others (`ReleasedGame.planted`). Printed are the mean AUC over seeds with its standard error, the
same with labels dealt anew, where nothing is there to find, and the processor seconds. What stands in the engine is
*codes*; *levels* are the learners that stood there before. Needs the shared data folder.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from scipy.stats import rankdata
from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor, RandomForestClassifier
from threadpoolctl import threadpool_limits

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.stops import game
from riskkit.core import Bools, Floats
from riskkit.released import _discriminate, classifier
from riskkit.released._discriminate import COLUMN_TREES, TREES, seed_of
from riskkit.released.classifier import Classifier
from riskkit.released.ept import Ept
from riskkit.table.points import Points
from riskkit.table.rare import pooled

ROWS = 2_000


def forest(release: Points, targets: Points, reference: Points, rng: np.random.Generator) -> Floats:
    """The forest of one column for each level, as it was."""
    release, targets, reference = pooled([release, targets, reference], [release, reference])
    learner = RandomForestClassifier(TREES, random_state=seed_of(rng))
    learner.fit(release.plus(reference).matrix(), np.repeat([1.0, 0.0], [len(release), len(reference)]))
    return np.asarray(learner.predict_proba(targets.matrix())[:, 1])


def column_errors(train: Points, targets: Points, rng: np.random.Generator) -> Iterator[Floats]:
    """The errors of trees of one column for each level, as they were."""
    rows, asked, numbers = train.matrix(), targets.matrix(), train.numbers.shape[1]

    def without(matrix: Floats, start: int, end: int) -> Floats:
        return np.hstack([matrix[:, :start], matrix[:, end:], np.zeros((len(matrix), 1))])

    for at in range(numbers):
        grower = ExtraTreesRegressor(COLUMN_TREES, max_features="sqrt", random_state=seed_of(rng))
        grower.fit(without(rows, at, at + 1), train.numbers[:, at])
        yield np.abs(grower.predict(without(asked, at, at + 1)) - targets.numbers[:, at])
    ends = numbers + np.cumsum([0, *train.sizes])
    for at, size in enumerate(train.sizes):
        sorter = ExtraTreesClassifier(COLUMN_TREES, random_state=seed_of(rng))
        sorter.fit(without(rows, ends[at], ends[at + 1]), train.codes[:, at])
        share = np.zeros((len(targets), size))
        share[:, sorter.classes_] = sorter.predict_proba(without(asked, ends[at], ends[at + 1]))
        own = share[np.arange(len(targets)), targets.codes[:, at]]
        yield -np.log((COLUMN_TREES * own + 1 / size) / (COLUMN_TREES + 1))


def area(scores: Floats, is_in: Bools) -> float:
    """The AUC."""
    inside = int(is_in.sum())
    return float((rankdata(scores)[is_in].sum() - inside * (inside + 1) / 2) / (inside * (~is_in).sum()))


LEVELS: Mapping[str, Any] = {
    "classifier": lambda: patch.object(classifier, "forest", forest),
    "ept": lambda: patch.object(_discriminate, "_column_errors", column_errors),
}


def main(seeds: int) -> None:
    """Print the table."""
    warnings.simplefilter("ignore", UserWarning)
    whole = game()
    found: dict[tuple[str, str], list[tuple[float, float]]] = defaultdict(list)
    took: dict[tuple[str, str], float] = defaultdict(float)
    for seed in range(seeds):
        part = replace(whole.sample(ROWS, np.random.default_rng(seed)), seed=seed)
        leak = part.planted()
        nothing = replace(leak, is_in=leak.rng("anew").permutation(leak.is_in))
        for attack in (Classifier(), Ept()):
            for way in ("levels", "codes"):
                start = time.process_time()
                with LEVELS[attack.name]() if way == "levels" else threadpool_limits(1):
                    value = leak.scores(attack).value
                took[attack.name, way] += time.process_time() - start
                found[attack.name, way].append((area(value, leak.is_in), area(value, nothing.is_in)))
    for key, each in found.items():
        mean, error = np.mean(each, axis=0), np.std(each, axis=0, ddof=1) / len(each) ** 0.5
        planted, null = (f"{m:.4f} +- {e:.4f}" for m, e in zip(mean, error, strict=True))
        print(f"| {' on '.join(key):20} | planted {planted} | labels dealt anew {null} | {took[key]:6.1f} cpu s |")


if __name__ == "__main__":
    with threadpool_limits(1):
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
