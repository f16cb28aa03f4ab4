"""Released rows, targets and reference rows that have broken attacks, by name."""

from dataclasses import replace

import numpy as np

from riskkit.table.points import Bags, RowPoints, points_of, points_of_arrays
from tests.tables import mixed


def odd(name: str) -> tuple[RowPoints, RowPoints, RowPoints]:
    """Release, targets and reference that have broken attacks of others."""
    rng = np.random.default_rng(11)
    numbers = rng.normal(size=(180, 3))
    arrays = {
        "constant columns": np.column_stack([numbers, np.full(180, 5.0), np.zeros(180)]),
        "collinear columns": np.column_stack([numbers, numbers @ [1.0, 2.0, 3.0], 7 * numbers[:, 0]]),
        "rows all alike": np.ones((180, 3)),
        "many copies": np.repeat(numbers[:12], 15, axis=0)[rng.permutation(180)],
        "far from nought": 1e9 + numbers,
        "scales far apart": numbers * [1e-9, 1.0, 1e9],
        "missing values": np.where(rng.random((180, 3)) < 0.2, np.nan, numbers),
        "a column of missing values": np.column_stack([numbers, np.full(180, np.nan)]),
        "more columns than rows": rng.normal(size=(180, 200)),
        "one column": numbers[:, :1],
    }
    if name in arrays:
        release, targets, reference = points_of_arrays(np.split(arrays[name], [60, 120]))
    elif name == "one-hot width":
        width = points_of([mixed(180)])[0].matrix()
        release, targets, reference = points_of_arrays(np.split(width, [60, 120]))
    elif name == "categories alone":
        codes = rng.integers(0, 40, (180, 4)).astype(np.int32)
        whole = RowPoints(np.empty((180, 0)), codes, (40, 40, 41, 90))
        release, targets, reference = (whole.rows(part) for part in np.split(np.arange(180), [60, 120]))
    else:
        release, targets, reference = points_of([mixed(60)]) * 3
    return _noted(release), _noted(targets), _noted(reference)


def _noted(points: RowPoints) -> RowPoints:
    """The same rows with odd free texts beside them: none, signs alone, repeated ones, another script, long ones; and
    with no row of a second table, one, two or seven, which are odd as they are."""
    texts = np.array(["", "  .,;", "the same", "the same", "名古屋の人", "a" * 300], dtype=object)
    owner = np.repeat(np.arange(len(points)), np.resize([0, 1, 2, 7], len(points)))
    bags = Bags.build(points.rows(owner), owner, len(points), np.where(owner % 2, np.nan, 7.0))
    return replace(points, texts=np.resize(texts, (len(points), 1)), children=bags)


ODD = (
    "constant columns", "collinear columns", "rows all alike", "many copies", "far from nought", "scales far apart",
    "missing values", "a column of missing values", "more columns than rows", "one column", "one-hot width",
    "categories alone", "all three the same",
)  # fmt: skip
