"""Train on the synthetic, test on the real: does a model learnt from the release work on people?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from riskkit.core import Bools, Codes, Floats, Ints, Kind, Table
from riskkit.errors import DesignError
from riskkit.phrases import phrase

LEVELS = 255
"""Levels of a category that the classifier tells apart, a limit of its own; rarer ones count as one level."""


@dataclass(frozen=True, slots=True)
class Learnt:
    """How well the secret of ``n`` test rows was told.

    ``accuracy`` is the share that was told right, ``balanced`` the mean of that share over the levels that the test
    rows have: it is no better for a frequent level that is always said. ``majority`` is the accuracy of saying the
    release's most frequent level of everyone, which is learnt from one number.
    """

    accuracy: float
    balanced: float
    majority: float
    n: int


def train_on_synthetic(release: Table, test: Table, secret: str, rng: np.random.Generator) -> Learnt:
    """Train gradient-boosted trees on the release to tell the secret from all other columns, and test them.

    The trees are scikit-learn's histogram kind with its defaults but for early stopping, which would set rows aside: a
    hundred rounds. They split categories by sets of levels, and missing numbers go their own way. A level that the
    release does not hold is to them as good as missing. A release in which everyone has the same secret teaches that
    one answer; so does one without other columns teach the most frequent.

    Parameters
    ----------
    release
        What is learnt from. To learn from the real training rows instead gives the ceiling. Of a release with
        real-valued rows the nearest valid ones are taken.
    test
        Real rows that no release was trained on, under the same schema.
    secret
        The name of a modelled category.
    rng
        Where the trees' chance comes from.

    Raises
    ------
    DesignError
        The tables have different schemas or no row, or the secret is no modelled category.
    """
    position = _place(release, test, secret)
    released, truth = release.codes[:, position], test.codes[:, position]
    most = int(np.bincount(released).argmax())
    answers = _answers(release, test, position, rng) if len(np.unique(released)) > 1 else np.full(len(truth), most)
    right: Bools = answers == truth
    balanced = np.mean([right[truth == level].mean() for level in np.unique(truth)])
    return Learnt(float(right.mean()), float(balanced), float((truth == most).mean()), len(test))


def _place(release: Table, test: Table, secret: str) -> int:
    """Where the secret stands among the categories, of tables that it can be learnt from."""
    if release.schema != test.schema:
        raise DesignError(phrase("The release and the test rows have different schemas. Load both files together."))
    if not len(release) or not len(test):
        raise DesignError(
            phrase("There is nothing to learn from no rows, and nothing to test on none. Load more rows.")
        )
    column = release.schema.column(secret)
    if column.kind is not Kind.CATEGORICAL or not column.is_modelled:
        raise DesignError(
            phrase(
                "Column {secret!r} is not a category with the role known or secret, so trees cannot be asked "
                "for its level. Choose such a category, or give the column that kind and role on the Data page.",
                secret=secret,
            )
        )
    return release.schema.categorical.index(column)


def _answers(release: Table, test: Table, position: int, rng: np.random.Generator) -> Ints:
    """(n,) the level of the secret that the trees say of each test row."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    rows, asked, categories = _features(release, test, position)
    if not rows.shape[1]:
        most: Ints = np.full(len(test), np.bincount(release.codes[:, position]).argmax())
        return most
    trees = HistGradientBoostingClassifier(
        categorical_features=np.arange(rows.shape[1]) < categories,
        early_stopping=False,
        random_state=int(rng.integers(2**32)),
    )
    answers: Ints = trees.fit(rows, release.codes[:, position]).predict(asked)
    return answers


def _features(release: Table, test: Table, position: int) -> tuple[Floats, Floats, int]:
    """All columns but the secret, categories first, of both tables; and how many of them are categories."""
    others = [j for j in range(release.codes.shape[1]) if j != position]
    pairs = [_ranked(release.codes[:, j], test.codes[:, j], len(release.schema.categorical[j].levels)) for j in others]
    ours = [ranked for ranked, _ in pairs]
    theirs = [ranked for _, ranked in pairs]
    return np.column_stack([*ours, release.numbers]), np.column_stack([*theirs, test.numbers]), len(others)


def _ranked(codes: Codes, asked: Codes, levels: int) -> tuple[Floats, Floats]:
    """Both columns by rank of each level in the first, most frequent first; NaN for a level that it does not hold."""
    counts = np.bincount(codes, minlength=levels)
    rank = np.empty(levels)
    rank[np.argsort(-counts, kind="stable")] = np.minimum(np.arange(levels), LEVELS - 1)
    rank[counts == 0] = np.nan
    return rank[codes], rank[asked]
