"""The engine's trees beside those of scikit-learn that stood there before: planted leaks found, processor seconds.

``python benchmarks/released_forests.py [seeds]``: parts of Adult in halves, 2,000 rows a table, a release of one half
with planted copies of others (`ReleasedGame.plant`). Printed are the mean AUC over seeds with its standard error, the
same with labels dealt anew, where nothing is there to find, and the processor seconds. What stands in the engine is
*own*; *scikit-learn* are the learners that stood there before, on the same columns of codes. Needs the shared data
folder.
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
from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor
from threadpoolctl import threadpool_limits

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.stops import game
from riskkit.base.estimators import integer_seed
from riskkit.core import Bools, Floats
from riskkit.released import _discriminate, classifier
from riskkit.released._discriminate import COLUMN_TREES, TREES, TRIED, _columns
from riskkit.released.classifier import Classifier, Ept
from riskkit.table.points import RowPoints, pool_rare

ROWS = 2_000


def forest(release: RowPoints, targets: RowPoints, reference: RowPoints, rng: np.random.Generator) -> Floats:
    """Scikit-learn's forest of whole, extremely randomised trees."""
    release, targets, reference = pool_rare([release, targets, reference], [release, reference])
    learner = ExtraTreesClassifier(TREES, random_state=integer_seed(rng))
    learner.fit(_columns(release.plus(reference)), np.repeat([1.0, 0.0], [len(release), len(reference)]))
    return np.asarray(learner.predict_proba(_columns(targets))[:, 1])


def column_errors(train: RowPoints, targets: RowPoints, rng: np.random.Generator) -> Iterator[Floats]:
    """The errors of scikit-learn's trees."""
    rows, asked, numbers = _columns(train), _columns(targets), train.numbers.shape[1]

    def without(matrix: Floats, column: int) -> Floats:
        return np.hstack([matrix[:, :column], matrix[:, column + 1 :], np.zeros((len(matrix), 1))])

    for column in range(numbers):
        grower = ExtraTreesRegressor(COLUMN_TREES, max_features=TRIED, random_state=integer_seed(rng))
        grower.fit(without(rows, column), train.numbers[:, column])
        yield np.abs(grower.predict(without(asked, column)) - targets.numbers[:, column])
    for column, size in enumerate(train.sizes):
        sorter = ExtraTreesClassifier(COLUMN_TREES, max_features=TRIED, random_state=integer_seed(rng))
        sorter.fit(without(rows, numbers + column), train.codes[:, column])
        share = np.zeros((len(targets), size))
        share[:, sorter.classes_] = sorter.predict_proba(without(asked, numbers + column))
        own = share[np.arange(len(targets)), targets.codes[:, column]]
        yield -np.log((COLUMN_TREES * own + 1 / size) / (COLUMN_TREES + 1))


def area(scores: Floats, is_in: Bools) -> float:
    """The AUC."""
    inside = int(is_in.sum())
    return float((rankdata(scores)[is_in].sum() - inside * (inside + 1) / 2) / (inside * (~is_in).sum()))


BEFORE: Mapping[str, Any] = {
    "classifier": lambda: patch.object(classifier, "forest", forest),
    "ept": lambda: patch.object(_discriminate, "_column_errors", column_errors),
}


def main(seeds: int) -> None:
    """Print the table."""
    warnings.simplefilter("ignore", UserWarning)
    whole = game()
    areas: dict[tuple[str, str], list[tuple[float, float]]] = defaultdict(list)
    took: dict[tuple[str, str], float] = defaultdict(float)
    for seed in range(seeds):
        part = replace(whole.sample(ROWS, np.random.default_rng(seed)), seed=seed)
        leak = part.plant()
        nothing = replace(leak, is_in=leak.rng("anew").permutation(leak.is_in))
        for attack in (Classifier(), Ept()):
            for way in ("scikit-learn", "own"):
                start = time.process_time()
                with BEFORE[attack.name]() if way == "scikit-learn" else threadpool_limits(1):
                    value = leak.scores(attack).value
                took[attack.name, way] += time.process_time() - start
                areas[attack.name, way].append((area(value, leak.is_in), area(value, nothing.is_in)))
    for key, each in areas.items():
        mean, error = np.mean(each, axis=0), np.std(each, axis=0, ddof=1) / len(each) ** 0.5
        planted, null = (f"{m:.4f} +- {e:.4f}" for m, e in zip(mean, error, strict=True))
        print(f"| {', '.join(key):26} | planted {planted} | labels dealt anew {null} | {took[key]:6.1f} cpu s |")


if __name__ == "__main__":
    with threadpool_limits(1):
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
