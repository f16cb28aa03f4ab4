"""Telling members from others without the release: what any attack's success must be held against.

If the two sides can be told apart by themselves, by another year or another source, say, an attack may succeed without
any leak. Nothing of the release comes in here.
"""

from __future__ import annotations

import numpy as np

from riskkit.core import Bools, Floats, Ints
from riskkit.table.points import Points

PARTS = 2
"""Parts of the cross-fit. The interval counts one of them, so more parts would only widen it."""
TREES, LEAF, RIDGE = 100, 5, 10.0


def blind(targets: Points, is_in: Bools, record: Ints, rng: np.random.Generator) -> tuple[Floats, Ints]:
    """Scores of a linear and a forest classifier together, each record scored by a fit that has not seen it.

    Parameters
    ----------
    targets, is_in, record
        The rows, their truth, and which record each is: rows of one record stay in one part.

    Returns
    -------
    score, part : (n,)
        Higher means "in"; scores are comparable within a part only.
    """
    matrix = targets.matrix()
    part = _parts(is_in, record, rng)
    score = np.empty(len(targets))
    for number in range(PARTS):
        asked = part == number
        score[asked] = _linear(matrix[~asked], is_in[~asked], matrix[asked])
        score[asked] = _ranks(score[asked]) + _ranks(_forest(matrix[~asked], is_in[~asked], matrix[asked], rng))
    return score, part


def _parts(is_in: Bools, record: Ints, rng: np.random.Generator) -> Ints:
    """(n,) the part of each row: as many records of either side in each."""
    part = np.empty(len(record), dtype=np.int64)
    for side in (is_in, ~is_in):
        _, which = np.unique(record[side], return_inverse=True)
        part[side] = (rng.permutation(which.max(initial=-1) + 1) % PARTS)[which]
    return part


def _linear(known: Floats, is_in: Bools, asked: Floats) -> Floats:
    """The fitted value of a ridge regression on the truth; columns that are constant or alike do it no harm."""
    centre, spread = known.mean(axis=0), known.std(axis=0)
    spread[spread == 0] = 1.0
    scaled, wanted = (known - centre) / spread, is_in - is_in.mean()
    weights = np.linalg.solve(scaled.T @ scaled + RIDGE * np.eye(scaled.shape[1]), scaled.T @ wanted)
    fitted: Floats = ((asked - centre) / spread) @ weights
    return fitted


def _forest(known: Floats, is_in: Bools, asked: Floats, rng: np.random.Generator) -> Floats:
    from sklearn.ensemble import ExtraTreesClassifier

    forest = ExtraTreesClassifier(
        TREES, min_samples_leaf=LEAF, class_weight="balanced", random_state=int(rng.integers(2**31))
    ).fit(known, is_in)
    chances: Floats = forest.predict_proba(asked)[:, 1]
    return chances


def _ranks(values: Floats) -> Floats:
    """Ranks, ties their mean."""
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    mean: Floats = (ends - (counts - 1) / 2)[which]
    return mean
