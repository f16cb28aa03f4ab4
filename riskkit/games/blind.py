"""Telling members from others without the release: what any attack's success must be held against.

If the two sides can be told apart by themselves, by another year or another source, say, an attack may succeed without
any leak. Nothing of the release comes in here.

Two ridge regressions on the labels: one on the columns and on how far each record lies from others, one on how alike
records are (a Laplace kernel), which sees what no single column shows. Such a fit is linear in the labels. So the score
that a fit without the record would give follows from one fit to all (leave-one-out): the records are split nowhere, no
split can be lucky, and thousands of deals of the labels cost little more than the true one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.linalg import cho_factor, cho_solve, eigh, solve_triangular
from scipy.linalg.blas import dsyrk

from riskkit.base import stages
from riskkit.core import Bools, Floats, Ints
from riskkit.games.bags import rows_of, starts
from riskkit.table.neighbours import nearest
from riskkit.table.points import RowPoints, pool_rare

COLUMNS, ALIKE = 100.0, 3.0
"""Ridge penalties of the two regressions: columns are in standard deviations, and a record is 1 like itself."""
NEIGHBOURS = (1, 5, 10)
"""The distances to these nearest other records say how usual a record is."""
LANDMARKS = 1_000
"""Records that all are compared with; drawn at random where there are more (Nyström's approximation)."""
AT_ONCE = 4_000
"""Records worked on in one go."""
LEAST = 1e-10
"""Directions of the landmarks with a smaller share of the largest eigenvalue are left out."""


@dataclass(frozen=True, slots=True, eq=False)
class BlindClassifier:
    """A classifier of records that is learnt anew for whatever labels it is shown, each record scored without its own.

    ``of_row`` (n,) is the place of each row's record in the order of the records' names.
    """

    of_row: Ints
    ridges: tuple[_Ridge, ...]

    def scores(self, is_in: Bools) -> Floats:
        """(labels, n_records) for labels of the same shape; higher means "in"."""
        first, *others = (ridge.scores(is_in) for ridge in self.ridges)
        for other in others:
            first += other
        return first

    def score(self, is_in: Bools) -> Floats:
        """(n,) the score of each row by the labels (n,) of all rows."""
        labels = np.zeros((1, self.of_row.max() + 1), dtype=bool)
        labels[0, self.of_row] = is_in
        return np.asarray(self.scores(labels)[0, self.of_row])


def blind(targets: RowPoints, record: Ints, rng: np.random.Generator, owner: Ints | None = None) -> BlindClassifier:
    """The classifier of these records; ``record`` (n,) says which record each row is.

    Where people have several rows, ``owner`` (n_rows,) is the place of each row's person and ``record`` (n_people,)
    that of each person. A person is then known by the mean of their rows and by how many they are. Of rows in a second
    table the means and mean squares are known, and how many they are.
    """
    _, first, of_row, rows = np.unique(record, return_index=True, return_inverse=True, return_counts=True)
    chosen = first if owner is None else rows_of(owner, first)
    each = targets.rows(chosen)
    (narrow,) = pool_rare([each], [each])
    columns = np.hstack([narrow.matrix(), _apart(each), *_child_features(each)])
    if owner is not None and len(chosen) > len(first):
        columns = _person_features(columns, owner[chosen])
    columns = _standard(columns)
    alike = _alike(columns, rng)  # before the columns are centred
    ridges = _Ridge.fit(columns, rows, COLUMNS), _Ridge.fit(alike, rows, ALIKE)
    return BlindClassifier(of_row.astype(np.int64), ridges)


def _child_features(records: RowPoints) -> list[Floats]:
    """What each record's rows in a second table are like; nothing where there is none."""
    if records.children is None:
        return []
    bags = records.children.pack()
    (narrow,) = pool_rare([bags.rows], [bags.rows])
    return [bags.features(narrow.matrix())]


def _person_features(columns: Floats, owner: Ints) -> Floats:
    """(people, columns + 1) the mean of each person's rows, and the logarithm of how many they are."""
    start = starts(owner)
    sizes = np.diff(start, append=len(owner))[:, None]
    return np.hstack([np.add.reduceat(columns, start, axis=0) / sizes, np.log(sizes)])


def _apart(records: RowPoints) -> Floats:
    """(n, distances) the logarithms of the distances to other records."""
    near = [k for k in NEIGHBOURS if k < len(records)]
    away = nearest(records, records, max(near, default=0) + 1)[0]
    return np.asarray(np.log(0.01 + away[:, near]))


def _standard(columns: Floats) -> Floats:
    """Columns less their mean, in standard deviations; those that are constant become 0."""
    spread = columns.std(axis=0)
    return np.asarray((columns - columns.mean(axis=0)) / np.where(spread > 0, spread, 1.0))


def _alike(columns: Floats, rng: np.random.Generator) -> Floats:
    """(n, width) features whose products are how alike two records are: exp(-distance / median distance), city block.

    References
    ----------
    .. [1] Williams and Seeger 2001, Using the Nyström method to speed up kernel machines.
    """
    landmarks = columns[np.sort(rng.permutation(len(columns))[:LANDMARKS])]
    lines = np.ascontiguousarray(landmarks.T)
    away = _apart_by_column(landmarks, lines)
    unit = float(np.median(away)) or 1.0
    values, vectors = eigh(np.exp(-away / unit))
    kept = values > LEAST * values.max()
    base = vectors[:, kept] / values[kept] ** 0.5
    features = np.empty((len(columns), base.shape[1]))
    room = np.empty((min(len(columns), AT_ONCE), lines.shape[1]))  # the same for all parts: new pages take time
    for part in _parts(len(columns)):
        stages.part(part.start, len(columns))
        alike = room[: len(columns[part])]
        _apart_by_column(columns[part], lines, alike)
        np.exp(np.divide(alike, -unit, out=alike), out=alike)
        np.matmul(alike, base, out=features[part])
    return features


def _apart_by_column(rows: Floats, lines: Floats, out: Floats | None = None) -> Floats:
    """(n, m) the city-block distances of rows (n, p) to those whose columns are ``lines`` (p, m)."""
    from riskkit.games import _kernels

    away = np.empty((len(rows), lines.shape[1])) if out is None else out
    _kernels.city_blocks(np.ascontiguousarray(rows), lines, away)
    return away


def _parts(n: int) -> list[slice]:
    """Cuts of ``n`` records into parts, between which a signal to stop is heard."""
    return [slice(start, start + AT_ONCE) for start in range(0, n, AT_ONCE)]


@dataclass(frozen=True, slots=True, eq=False)
class _Ridge:
    """A ridge regression on features (n, width), records weighted by their rows, labels yet to come.

    ``own`` (n,) is the weight that each record's label has in its own fitted value.
    """

    features: Floats
    rows: Ints
    factor: tuple[npt.NDArray[np.float64], bool]
    own: Floats

    @classmethod
    def fit(cls, features: Floats, rows: Ints, penalty: float) -> _Ridge:
        """Of these features, which it takes over and centres: they are large."""
        features -= rows @ features / rows.sum()
        weighted = (features * np.sqrt(rows)[:, None]).T  # its own array: the solution takes it over
        products = np.zeros((len(weighted), len(weighted)), order="F")
        for part in _parts(len(rows)):  # the lower half alone: half the work
            products = dsyrk(1.0, weighted[:, part], beta=1.0, c=products, lower=True, overwrite_c=True)
        products[np.diag_indices_from(products)] += penalty
        factor = cho_factor(products, lower=True, overwrite_a=True)
        own = np.empty(len(rows))
        for part in _parts(len(rows)):
            solved = solve_triangular(factor[0], weighted[:, part], lower=True, overwrite_b=True)
            own[part] = np.einsum("wn,wn->n", solved, solved)
        return cls(features, rows, factor, own)

    def scores(self, is_in: Bools) -> Floats:
        """(labels, n) the fitted value of each record by a fit without it, in standard deviations."""
        labels = is_in.astype(np.float64)
        labels -= (labels @ self.rows / self.rows.sum())[:, None]
        weighted = labels * self.rows
        fitted = cho_solve(self.factor, self.features.T @ weighted.T).T @ self.features.T
        fitted -= np.multiply(self.own, labels, out=weighted)
        fitted /= 1 - self.own
        spread = fitted.std(axis=1, keepdims=True)
        fitted /= np.where(spread > 0, spread, 1.0)
        return np.asarray(fitted)
