"""What a release is good for: the numbers that stand beside its leaks, of the very release that was attacked."""

from __future__ import annotations

from typing import Any

import numpy as np

from riskkit.audit.usefulness import measure_usefulness
from riskkit.core import Floats
from riskkit.seeds import stream
from riskkit.table.encode import labels
from riskkit.table.load import Tables

PAIRS, TREE, DETECTION = "pairs", "trees", "detection"
MEASURES = (PAIRS, TREE, DETECTION)
"""Agreement of pairs of columns and of a decision tree with the real table, 1 is all of it; and what a forest tells."""
FOLDS, GROWN = 5, 100
"""Parts of the rows, of which each is judged by a forest of so many trees that never saw it."""


def measure(tables: Tables, seed: int) -> dict[str, tuple[float | None, float | None]]:
    """By measure what the release has, and what as many other people have; None where there is nothing to measure.

    ``detection`` is the AUC of a forest that tells released rows from people whom the method never saw: .5 where none
    can be told. Copies of the real table are not told either: it says what a release is good for, not whom it exposes.
    """
    kept = measure_usefulness(tables)
    out: dict[str, tuple[float | None, float | None]] = {
        name: (kept[name][0], kept[name][1] if len(kept[name]) > 1 else None) for name in (PAIRS, TREE)
    }
    return {**out, DETECTION: (_detection(tables, seed), None)}


def _detection(tables: Tables, seed: int) -> float | None:
    if tables.synthetic is None or tables.holdout is None:
        return None
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.metrics import roc_auc_score
    from sklearn.model_selection import StratifiedKFold, cross_val_predict

    released, others = labels(tables.synthetic), labels(tables.holdout)
    rng = stream(seed, "bench", "detection")
    size = min(len(released), len(others))
    rows = np.concatenate([rng.permutation(side)[:size] for side in (released, others)])
    is_released = np.repeat([True, False], size)
    judge: Any = RandomForestClassifier(GROWN, random_state=int(rng.integers(2**31)), n_jobs=1)
    apart = StratifiedKFold(FOLDS, shuffle=True, random_state=int(rng.integers(2**31)))
    belief: Floats = cross_val_predict(judge, rows, is_released, cv=apart, method="predict_proba")[:, 1]
    return float(roc_auc_score(is_released, belief))
