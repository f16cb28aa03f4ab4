"""The rows of pure chance that the stat generator bends: how they are drawn, and what makes them white."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy.linalg import lapack

from riskkit.core import Bools, Codes, Floats, Ints, Schema
from riskkit.generators._inverse_root import LEAST, inverse_root
from riskkit.table.encode import layout, width

DEPENDENT = 1e-9
"""A dimension of spread 1 that leaves less than this of its variance unexplained by the others counts as their sum."""

BLOCK = 125
"""Rows that are bent together: they stay near the processor until they are read."""


@dataclass(slots=True, eq=False)
class Draws:
    """All that a release draws at random: for each column where its walk starts and how its rows are shuffled.

    ``starts`` is (columns,), ``orders`` (columns, n), categories first. ``normals`` (columns, n) are standard normal
    draws of mean 0 and variance 1; they are made when they are asked for, from ``rng`` as it stood after the others,
    and kept.
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
        return cls(starts, orders, rng, np.empty((0, n)))

    def walked(self, codes: Codes, numbers: Floats) -> tuple[Codes, Floats]:
        """``n`` rows of independent columns with the histograms of sorted ones, as well as ``n`` rows can match them.

        Each sorted column is walked in ``n`` equal strides from a random start and then shuffled. With as many rows as
        the table that is a permutation of the column.
        """
        from riskkit.generators import _stat_kernels

        n, categories = self.orders.shape[1], codes.shape[1]
        out = np.empty((n, categories), dtype=np.int32), np.empty((n, numbers.shape[1]))
        _stat_kernels.walked(codes, self.starts[:categories], self.orders[:categories], out[0])
        _stat_kernels.walked(numbers, self.starts[categories:], self.orders[categories:], out[1])
        return out

    def normal(self, columns: int) -> Floats:
        """(n, columns) of normal draws, each of mean 0 and variance 1; the first ones are the same for any number."""
        if len(self.normals) < columns:
            more = self.rng.standard_normal((columns - len(self.normals), self.orders.shape[1])).T.copy()
            standardise(more)
            self.normals = np.concatenate([self.normals, more.T])
        return self.normals[:columns].T


@dataclass(slots=True, eq=False)
class StandardisedRows:
    """Rows with every dimension brought to mean 0 and variance 1, or 0 where it is constant.

    Levels stay codes, as a product with zeros and ones is a sum of a few rows: ``held`` (n, categories) is the
    dimension of a row's level and one more, 0 for the dropped level. ``share`` (width,) of the rows have a level's
    dimension and ``unit`` is one over its spread, 0 where it has none and for all that are no level. ``dense`` (n, k)
    are the other dimensions, which lie ``at`` (k,). ``varies`` (width,) says which dimensions differ between rows, and
    ``bits`` (width + 1, words) which rows hold a level, as :func:`riskkit.generators._stat_kernels.held_of` does.
    """

    held: Codes
    bits: npt.NDArray[np.uint64]
    share: Floats
    unit: Floats
    dense: Floats
    at: Ints
    varies: Bools

    @classmethod
    def of(cls, schema: Schema, codes: Codes, numbers: Floats) -> StandardisedRows:
        """The one-hot form of rows in the layout of :func:`riskkit.table.encode.one_hot`."""
        from riskkit.generators import _stat_kernels

        starts, numeric, places = _places(schema)
        n, size = len(codes), width(schema)
        held, bits = np.empty(codes.shape, dtype=np.int32), np.zeros((size + 1, n // 64 + 1), dtype=np.uint64)
        _stat_kernels.held_of(codes, starts, held, bits)
        dense = np.empty((n, len(places)))
        dense[:, numeric] = numbers
        if len(places) > len(numeric):
            for source, column in enumerate(schema.numeric):
                if column.has_missing:
                    missing = np.isnan(numbers[:, source])
                    dense[missing, numeric[source]] = column.mean
                    dense[:, numeric[source] + 1] = missing
        _, spread = standardise(dense)
        count, unit = np.empty(size), np.zeros(size)
        _stat_kernels.counts(bits, count)
        varies = (count > 0) & (count < n)
        unit[varies] = np.sqrt(n * (n - 1.0) / (count * (n - count))[varies])
        varies[places] = spread > 0
        return cls(held, bits, count / n, unit, dense, places, varies)

    def covariance(self) -> Floats:
        """(width, width) the covariance, divided by n - 1."""
        from riskkit.generators import _stat_kernels

        n, size = len(self.held), len(self.share)
        out, sums = np.empty((size, size)), np.zeros((size + 1, len(self.at)))
        _stat_kernels.covariance(self.bits, self.share, self.unit, n, out)
        _stat_kernels.sums(self.held, self.dense, sums)
        rows = sums[1:] * self.unit[:, None]
        rows[self.at] = self.dense.T @ self.dense
        rows /= n - 1
        out[:, self.at], out[self.at] = rows, rows.T
        return out

    def replace(self, gone: Ints, fresh: Floats) -> None:
        """Put these columns of mean 0 and variance 1 in the place of some dimensions."""
        self.unit[gone], self.varies[gone] = 0.0, True
        replaced = np.zeros(len(self.unit), dtype=bool)
        replaced[gone] = True
        kept = ~replaced[self.at]
        self.dense = np.hstack([self.dense if kept.all() else self.dense[:, kept], fresh])
        self.at = np.append(self.at[kept], gone)

    def times(self, matrix: Floats, plus: Floats | float = 0.0) -> Floats:
        """(n, k) the rows times a (width, k) matrix, and ``plus`` (k,)."""
        out = np.empty((len(self.held), matrix.shape[1]))
        for start, rows in self.blocks(matrix, plus):
            out[start : start + len(rows)] = rows
        return out

    def blocks(self, matrix: Floats, plus: Floats | float = 0.0) -> Iterator[tuple[int, Floats]]:
        """The rows of :meth:`times`, so many at a time, and where they start; each block is gone with the next."""
        from riskkit.generators import _stat_kernels

        worth = np.zeros((len(matrix) + 1, matrix.shape[1]))
        np.multiply(matrix, self.unit[:, None], out=worth[1:])
        base, own = plus - self.share @ worth[1:], matrix[self.at]
        room = np.empty((min(BLOCK, len(self.held)), matrix.shape[1]))
        for start in range(0, len(self.held), BLOCK):
            held, dense = self.held[start : start + BLOCK], self.dense[start : start + BLOCK]
            rows = room[: len(held)]
            np.matmul(dense, own, out=rows)
            _stat_kernels.add_levels(held, worth, base, rows)
            yield start, rows


@lru_cache(maxsize=64)
def _places(schema: Schema) -> tuple[Codes, Ints, Ints]:
    """Where categories start; which dense column each number is; and the dimension of every dense column."""
    starts = [block.start for block in layout(schema) if not block.column.is_numeric]
    numeric = [block for block in layout(schema) if block.column.is_numeric]
    columns = [block.start + more for block in numeric for more in range(block.width)]
    firsts = np.searchsorted(columns, [block.start for block in numeric])
    return np.array(starts, dtype=np.int32), firsts.astype(np.int64), np.array(columns, dtype=np.int64)


def whitening(drawn: StandardisedRows, normal: Callable[[int], Floats]) -> Floats:
    """(width, width) what turns the rows to mean 0 and covariance I (n - 1) with the smallest symmetric change.

    A dimension that is constant in this draw, or the sum of others (all rows of a category without its dropped
    level), has no direction of its own to stretch. In ``drawn`` it gets standard normal draws instead (``normal(k)`` is
    (n, k)): whitening stays possible, and the moments of the release stay exact, which is what the method promises. A
    level that is in no row of this world keeps its place that way: without it, every later dimension would move to
    another eigenvector, and the release would tell the one row that had the level by an accident.
    """
    gone = np.flatnonzero(~drawn.varies)
    if len(gone):
        drawn.replace(gone, normal(len(gone)))
    covariance = drawn.covariance()
    quick = inverse_root(covariance) if len(covariance) > 1 else None
    return _whitening_of_steep(drawn, normal, covariance, gone) if quick is None else quick


def _whitening_of_steep(
    drawn: StandardisedRows, normal: Callable[[int], Floats], covariance: Floats, constant: Ints
) -> Floats:
    """The same where some dimension may be the sum of others, or nearly so."""
    covariance[constant] = covariance[:, constant] = 0.0
    gone = np.flatnonzero(_dependent(covariance))
    drawn.replace(gone, normal(len(gone)))
    covariance = drawn.covariance()
    values, vectors = np.linalg.eigh(covariance)
    root: Floats = vectors / np.sqrt(values) @ vectors.T
    left = covariance_of(drawn.times(root)) if values[0] < LEAST else root @ covariance @ root
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
