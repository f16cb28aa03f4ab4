"""The rows of pure chance that the stat generator bends: how they are drawn, and what makes them white."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy.linalg import lapack

from riskkit.core import Bools, Codes, Floats, Ints, Schema
from riskkit.table.encode import layout, width

DEPENDENT = 1e-9
"""A dimension of spread 1 that leaves less than this of its variance unexplained by the others counts as their sum."""

STEEP = 1e-3
"""Below this the smallest variance of a draw costs digits, and its covariance is summed once more after whitening."""


@dataclass(slots=True, eq=False)
class Draws:
    """All that a release draws at random: for each column where its walk starts and how its rows are shuffled.

    ``starts`` is (columns,), ``orders`` (columns, n), categories first. Normal draws are made when they are asked for,
    from ``rng`` as it stood after the others, and kept.
    """

    starts: Floats
    orders: npt.NDArray[np.int32]
    rng: np.random.Generator
    normals: Floats

    @classmethod
    def of(cls, columns: int, n: int, rng: np.random.Generator) -> Draws:
        """The draws of a release of ``n`` rows; ``rng`` is theirs from then on."""
        starts, orders = np.empty(columns), np.empty((columns, n), dtype=np.int32)
        for column in range(columns):
            starts[column] = rng.random()
            orders[column] = rng.permutation(n)
        return cls(starts, orders, rng, np.empty(0))

    def walked(self, codes: Codes, numbers: Floats) -> tuple[Codes, Floats]:
        """``n`` rows of independent columns with the histograms of sorted ones, as well as ``n`` rows can match them.

        Each sorted column is walked in ``n`` equal strides from a random start and then shuffled. With as many rows as
        the table that is a permutation of the column.
        """
        from riskkit.generators import _stat_kernels

        n, at = self.orders.shape[1], codes.shape[1]
        out = np.empty((n, at), dtype=np.int32), np.empty((n, numbers.shape[1]))
        _stat_kernels.walked(codes, self.starts[:at], self.orders[:at], out[0])
        _stat_kernels.walked(numbers, self.starts[at:], self.orders[at:], out[1])
        return out

    def normal(self, columns: int) -> Floats:
        """(n, columns) of standard normal draws, the same ones whenever they are asked for."""
        n = self.orders.shape[1]
        if len(self.normals) < n * columns:
            self.normals = np.append(self.normals, self.rng.standard_normal(n * columns - len(self.normals)))
        return self.normals[: n * columns].reshape(n, columns).copy()


@dataclass(slots=True, eq=False)
class Independent:
    """Rows with every dimension brought to mean 0 and variance 1, or 0 where it is constant.

    Levels stay codes, as a product with zeros and ones is a sum of a few rows: ``held`` (n, categories) is the
    dimension of a row's level and one more, 0 for the dropped level. ``share`` (width,) of the rows have a level's
    dimension and ``unit`` is one over its spread, 0 where it has none and for all that are no level. ``dense`` (n, k)
    are the other dimensions, which lie ``at`` (k,).
    """

    held: Codes
    share: Floats
    unit: Floats
    dense: Floats
    at: Ints

    @classmethod
    def of(cls, schema: Schema, codes: Codes, numbers: Floats) -> Independent:
        """The one-hot form of rows in the layout of :func:`riskkit.table.encode.one_hot`."""
        starts, numeric, at = _places(schema)
        held = np.where(codes > 0, codes + starts, 0)
        dense = np.empty((len(codes), len(at)))
        dense[:, numeric] = numbers
        if len(at) > len(numeric):
            for source, column in enumerate(schema.numeric):
                if column.has_missing:
                    missing = np.isnan(numbers[:, source])
                    dense[missing, numeric[source]] = column.mean
                    dense[:, numeric[source] + 1] = missing
        standardise(dense)
        n, size = len(codes), width(schema)
        count = np.bincount(held.ravel(), minlength=size + 1)[1:]
        varies = (count > 0) & (count < n)
        unit = np.zeros(size)
        unit[varies] = np.sqrt(n * (n - 1.0) / (count * (n - count))[varies])
        return cls(held, count / n, unit, dense, at)

    def covariance(self) -> Floats:
        """(width, width) the covariance, divided by n - 1."""
        from riskkit.generators import _stat_kernels

        n, size = len(self.held), len(self.share)
        pairs = np.zeros((size + 1, size + 1))
        _stat_kernels.pairs(self.held, pairs)
        out = pairs[1:, 1:] / n
        out -= np.outer(self.share, self.share)
        out *= np.outer(self.unit * (n / (n - 1.0)), self.unit)
        self._dense_covariance(out, 0)
        return out

    def replace(self, gone: Ints, fresh: Floats, covariance: Floats) -> None:
        """Put these columns of mean 0 and variance 1 in the place of some dimensions, in the covariance too."""
        self.unit[gone] = 0.0
        kept = ~np.isin(self.at, gone)
        self.dense = np.hstack([self.dense if kept.all() else self.dense[:, kept], fresh])
        self.at = np.append(self.at[kept], gone)
        self._dense_covariance(covariance, len(self.at) - len(gone))

    def _dense_covariance(self, out: Floats, first: int) -> None:
        """Into ``out``: the rows and columns of the dense dimensions from this one on."""
        from riskkit.generators import _stat_kernels

        n, size = len(self.held), len(self.share)
        some, at = np.ascontiguousarray(self.dense[:, first:]), self.at[first:]
        sums = np.zeros((size + 1, len(at)))
        _stat_kernels.sums(self.held, some, sums)
        rows = sums[1:] * self.unit[:, None]
        rows[self.at] = self.dense.T @ some
        rows /= n - 1
        out[:, at], out[at] = rows, rows.T

    def times(self, matrix: Floats) -> Floats:
        """(n, k) the rows times a (width, k) matrix."""
        from riskkit.generators import _stat_kernels

        out: Floats = self.dense @ matrix[self.at]
        worth = np.zeros((len(matrix) + 1, matrix.shape[1]))
        np.multiply(matrix, self.unit[:, None], out=worth[1:])
        out -= self.share @ worth[1:]
        _stat_kernels.add_levels(self.held, worth, out)
        return out


@lru_cache(maxsize=64)
def _places(schema: Schema) -> tuple[Codes, Ints, Ints]:
    """Where categories start; which dense column each number is; and the dimension of every dense column."""
    starts = [block.start for block in layout(schema) if not block.column.is_numeric]
    numeric = [block for block in layout(schema) if block.column.is_numeric]
    at = [block.start + more for block in numeric for more in range(block.width)]
    firsts = np.searchsorted(at, [block.start for block in numeric])
    return np.array(starts, dtype=np.int32), firsts.astype(np.int64), np.array(at, dtype=np.int64)


def whitening(drawn: Independent, normal: Callable[[int], Floats]) -> Floats:
    """(width, width) what turns the rows to mean 0 and covariance I (n - 1) with the smallest symmetric change.

    A dimension that is constant in this draw, or the sum of others (all rows of a category without its dropped
    level), has no direction of its own to stretch. In ``drawn`` it gets standard normal draws instead (``normal(k)`` is
    (n, k)): whitening stays possible, and the moments of the release stay exact, which is what the method promises. A
    level that is in no row of this world keeps its place that way: without it, every later dimension would move to
    another eigenvector, and the release would tell the one row that had the level by an accident.
    """
    covariance = drawn.covariance()
    gone = np.flatnonzero(_dependent(covariance))
    if len(gone):
        fresh = normal(len(gone))
        standardise(fresh)
        drawn.replace(gone, fresh, covariance)
    values, vectors = np.linalg.eigh(covariance)
    root: Floats = vectors / np.sqrt(values) @ vectors.T
    left = covariance_of(drawn.times(root)) if values[0] < STEEP else root @ covariance @ root
    # One Newton step towards the inverse root takes the rounding of an ill-conditioned draw away.
    polished: Floats = root @ (1.5 * np.eye(len(root)) - 0.5 * left)
    return polished


def standardise(matrix: Floats) -> tuple[Floats, Floats]:
    """Bring every column to mean 0 and variance 1 (n - 1), in place; a constant column becomes 0.

    Returns the mean and the standard deviation of each column, 0 for a constant one.
    """
    from riskkit.generators import _stat_kernels

    mean, sd = np.empty(matrix.shape[1]), np.empty(matrix.shape[1])
    _stat_kernels.standardise(matrix, mean, sd)
    return mean, sd


def covariance_of(centred: Floats) -> Floats:
    """Covariance of columns of mean 0, divided by n - 1."""
    covariance: Floats = centred.T @ centred / (len(centred) - 1)
    return covariance


def _dependent(correlation: Floats) -> Bools:
    """(d,) which columns are 0 or linear in the others, by pivoted Cholesky decomposition."""
    out = np.zeros(len(correlation), dtype=bool)
    _, pivots, rank, _ = lapack.dpstrf(correlation, tol=DEPENDENT)
    out[pivots[rank:] - 1] = True
    return out
