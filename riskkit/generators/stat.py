"""STAT: rows of pure chance, bent until their mean and covariance are the table's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from scipy.linalg import lapack
from scipy.special import ellipj, ellipkm1

from riskkit.core import Bools, Codes, Floats, Ints, Schema, Table
from riskkit.errors import DesignError
from riskkit.generators.engines.leave_one_out import drop_row, in_order, leaving
from riskkit.parameters import CheckedPlugin, parameter
from riskkit.table.encode import from_blocks, from_one_hot, layout, onehot, width

LOST = 1e-2
"""A number that loses more of its variance than all but this share with one row is summed anew: digits would go."""


@dataclass(frozen=True)
class Stat(CheckedPlugin):
    """Releases rows whose mean and covariance are exactly the table's, before post-processing.

    The table's one-hot form (first level of each category dropped) has mean ``m`` and covariance ``S = U L U'``,
    divided by n - 1. A release draws every column independently from its histogram, whitens
    the draw to mean 0 and covariance I exactly, multiplies it by ``(U L^½)'`` and adds ``m``. A number's unit in ``S``
    is the width of its domain, eigenvalues are in falling order and the largest component of each eigenvector is
    positive: the method leaves these open, and the release depends on them.

    References
    ----------
    .. [1] OMTH17, the data synthesis of the PWS Cup 2020 rules (version 2, page 9); the STAT of Miura et al.
    """

    name: ClassVar[str] = "stat"
    title: ClassVar[str] = "Mean and covariance (OMTH17)"
    card: ClassVar[str] = (
        "Shuffles every column by itself, then transforms the shuffled rows so that their mean and covariance are "
        "exactly the table's. Fitting has no randomness, each release shuffles anew; a fit and a release of 30,000 "
        "rows by 100 dimensions take less than a second. The statistics-based method of the PWS Cup 2020 (OMTH17); "
        "whether the transformed rows are rounded before they are published decides how much an attacker can read from "
        "them."
    )

    post: str = parameter(
        "round+clip",
        label="Before publishing",
        help=(
            "Without a change, real-valued rows have the exact moments. Rounding makes whole numbers and the column's "
            "decimals, but values outside the domain stay. Clipping takes the nearest valid rows inside the domain."
        ),
        choices={"none": "No change", "round": "Round", "round+clip": "Round and clip"},
    )

    def fit(self, table: Table, rng: np.random.Generator) -> FittedStat:  # noqa: ARG002  nothing is drawn here
        """Take the moments and the histograms. Draws nothing at random.

        Raises
        ------
        DesignError
            The table has fewer than two rows, so it has no covariance.
        """
        _refuse_one_row(len(table))
        columns = np.sort(table.codes, axis=0), in_order(table.numbers)
        return _fit(table, self.post, columns, Moments.measure(table))


@dataclass(frozen=True, slots=True, eq=False)
class Moments:
    """Mean, standard deviation (both (width,)) and correlation (width, width) of one-hot rows.

    A dimension that is constant has the standard deviation 0 and the correlation 0 with all, itself included.
    """

    mean: Floats
    sd: Floats
    correlation: Floats

    @classmethod
    def measure(cls, table: Table) -> Moments:
        """The moments of a table."""
        matrix = onehot(table)
        mean, sd = standardise(matrix)
        return cls(mean, sd, covariance_of(matrix))

    def without(self, x: Floats, n: int, is_number: Bools) -> Moments | None:
        """The moments of ``n`` rows after the row ``x`` has left; None where that would cost digits.

        A rank-one correction: the sum of products loses ``n / (n - 1)`` times the product of the row's deviations. A
        zero-or-one becomes constant exactly when its count says so; rounding is not asked.
        """
        z = np.divide(x - self.mean, self.sd, out=np.zeros_like(x), where=self.sd > 0)
        covariance = ((n - 1) * self.correlation - np.outer(z, z) * (n / (n - 1))) / (n - 2)
        variance = np.diag(covariance)
        if np.any((variance < LOST) & is_number & (self.sd > 0)):
            return None
        count = np.round(self.mean * n) - x
        settled = ~is_number & ((count == 0) | (count == n - 1))
        unit = np.where(settled | (self.sd == 0), 0.0, np.sqrt(np.maximum(variance, 0.0)))
        mean = np.where(settled, count > 0, self.mean - (x - self.mean) / (n - 1))
        units = np.outer(unit, unit)
        correlation = np.divide(covariance, units, out=np.zeros_like(units), where=units > 0)
        return Moments(mean, self.sd * unit, correlation)


@dataclass(frozen=True, slots=True, eq=False)
class FittedStat:
    """The histograms and moments of a table.

    ``codes`` and ``numbers`` are the columns of ``table``, each sorted. ``moments`` are in the layout of
    :func:`riskkit.table.encode.onehot`; ``root`` (width, width) is ``U L^½`` with each row divided by the
    dimension's standard deviation, where a salary and a zero-or-one weigh alike and no digit is lost.
    """

    table: Table
    post: str
    codes: Codes
    numbers: Floats
    moments: Moments
    root: Floats

    @property
    def schema(self) -> Schema:
        """The schema of its releases."""
        return self.table.schema

    @property
    def mean(self) -> Floats:
        """(width,) what every release has as its mean before post-processing."""
        return self.moments.mean

    @property
    def sd(self) -> Floats:
        """(width,) the same for the standard deviation."""
        return self.moments.sd

    def sample(self, n: int, rng: np.random.Generator) -> Table:
        """``n`` rows, post-processed as the generator says.

        Without clipping the release carries its real-valued form as ``relaxed``.

        Raises
        ------
        DesignError
            No more rows than dimensions, so they cannot all be uncorrelated; says how many are needed. The frozen
            domain alone decides, never the rows of this world.
        """
        return self.sample_from(self.noise(n, rng))

    def noise(self, n: int, rng: np.random.Generator) -> Draws:
        """What a release of ``n`` rows draws at random: it is the same for all fits to tables of one schema.

        Raises
        ------
        DesignError
            As :meth:`sample`.
        """
        needed = len(self.mean) + 1
        if n < needed:
            raise DesignError.phrase(
                "The stat generator needs a release of at least {needed} rows for these columns, not {n}. "
                "Ask for {needed} or more, or leave out columns with many levels.",
                needed=needed,
                n=n,
            )
        return Draws.draw(self.codes.shape[1] + self.numbers.shape[1], n, rng)

    def sample_from(self, noise: Draws) -> Table:
        """The release of these draws: what :meth:`sample` makes where its generator draws them."""
        drawn = StandardisedRows.standardise(self.schema, *noise.walk(self.codes, self.numbers))
        bent = whitening(drawn, noise.normal) @ (self.root.T * self.sd)
        if self.post == "round+clip":
            return from_blocks(drawn.blocks(bent, self.mean), len(drawn.held), self.schema)
        return self._publish(drawn.times(bent, self.mean))

    def without(self, rows: npt.ArrayLike) -> FittedStat:
        """The fit to the same table without these rows; without one, its moments by a rank-one correction.

        Where several rows leave, or the row alone holds nearly all of a number's spread, the moments are summed anew.
        """
        n, gone = len(self.table), leaving(rows)
        _refuse_one_row(n - len(gone))
        rest = self.table.without(gone)
        if len(gone) != 1:
            columns = np.sort(rest.codes, axis=0), in_order(rest.numbers)
            return _fit(rest, self.post, columns, Moments.measure(rest))
        row = int(gone[0])
        x = onehot(self.table.rows([row]))[0]
        is_number = _is_number(self.schema) | (self.table.relaxed is not None)
        columns = drop_row(self.codes, self.table.codes[row]), drop_row(self.numbers, self.table.numbers[row])
        moments = self.moments.without(x, n, is_number) or Moments.measure(rest)
        return _fit(rest, self.post, columns, moments)

    def _publish(self, matrix: Floats) -> Table:
        """The real-valued rows with their nearest valid ones, rounded where the ``post`` parameter wants it."""
        if self.post == "round":
            for block in layout(self.schema):
                decimals = block.column.decimals if block.column.is_numeric else 0
                matrix[:, block.start] = np.round(matrix[:, block.start], decimals)
                rest = matrix[:, block.start + 1 : block.start + block.width]
                np.round(rest, out=rest)
        nearest = from_one_hot(matrix, self.schema)
        return Table(self.schema, nearest.codes, nearest.numbers, matrix)


def _refuse_one_row(rows: int) -> None:
    """Refuse a table that has no covariance."""
    if rows < 2:
        raise DesignError.phrase("The stat generator needs at least two rows; the table has {rows}.", rows=rows)


def _fit(table: Table, post: str, columns: tuple[Codes, Floats], moments: Moments) -> FittedStat:
    """The fit of sorted columns and moments."""
    root = _root(moments.correlation, moments.sd / _units(table.schema))
    return FittedStat(table, post, *columns, moments, root)


def _units(schema: Schema) -> Floats:
    """(width,) what 1 is in each dimension: the width of a number's domain, else 1."""
    units = np.ones(width(schema))
    for block in layout(schema):
        if block.column.is_numeric and block.column.high > block.column.low:
            units[block.start] = block.column.high - block.column.low
    return units


def _is_number(schema: Schema) -> Bools:
    """(width,) whether a dimension is a number; all others are zeros and ones."""
    out = np.zeros(width(schema), dtype=bool)
    out[[block.start for block in layout(schema) if block.column.is_numeric]] = True
    return out


def _root(correlation: Floats, spread: Floats) -> Floats:
    """``D^-1 U L^½`` for ``D C D = U L U'``, C the correlation and D the diagonal of the spreads.

    Taken from the singular vectors of ``D C^½``, it is ``C^½`` times a rotation: its square is C to the last digit
    however unequal the spreads are, which an eigendecomposition of ``D C D`` itself would not give.
    """
    values, vectors = np.linalg.eigh(correlation)
    half = vectors * np.sqrt(np.maximum(values, 0.0)) @ vectors.T
    left, _, right = np.linalg.svd(half * spread[:, None])
    # LAPACK leaves signs open: one row more or less could flip one, and the release would tell it by an accident.
    largest = np.take_along_axis(left, np.abs(left).argmax(axis=0)[None], axis=0)
    root: Floats = half @ (right.T * np.sign(largest))
    return root


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
    def draw(cls, columns: int, n: int, rng: np.random.Generator) -> Draws:
        """The draws of a release of ``n`` rows; ``rng`` is theirs from then on."""
        starts, orders = np.empty(columns), np.empty((columns, n), dtype=np.int32)
        for column in range(columns):
            starts[column] = rng.random()
            orders[column] = rng.permutation(n)
        return cls(starts, orders, rng, np.empty((0, n)))

    def walk(self, codes: Codes, numbers: Floats) -> tuple[Codes, Floats]:
        """``n`` rows of independent columns with the histograms of sorted ones, as well as ``n`` rows can match them.

        Each sorted column is walked in ``n`` equal strides from a random start and then shuffled. With as many rows as
        the table that is a permutation of the column.
        """
        from riskkit.generators.engines import stat_kernels

        n, categories = self.orders.shape[1], codes.shape[1]
        out = np.empty((n, categories), dtype=np.int32), np.empty((n, numbers.shape[1]))
        stat_kernels.walk_strides(codes, self.starts[:categories], self.orders[:categories], out[0])
        stat_kernels.walk_strides(numbers, self.starts[categories:], self.orders[categories:], out[1])
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
    ``bits`` (width + 1, words) which rows hold a level, as :func:`riskkit.generators.engines.stat_kernels.find_held`
    does.
    """

    held: Codes
    bits: npt.NDArray[np.uint64]
    share: Floats
    unit: Floats
    dense: Floats
    at: Ints
    varies: Bools

    @classmethod
    def standardise(cls, schema: Schema, codes: Codes, numbers: Floats) -> StandardisedRows:
        """The one-hot form of rows in the layout of :func:`riskkit.table.encode.onehot`."""
        from riskkit.generators.engines import stat_kernels

        starts, numeric, places = _places(schema)
        n, size = len(codes), width(schema)
        held, bits = np.empty(codes.shape, dtype=np.int32), np.zeros((size + 1, n // 64 + 1), dtype=np.uint64)
        stat_kernels.find_held(codes, starts, held, bits)
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
        stat_kernels.counts(bits, count)
        varies = (count > 0) & (count < n)
        unit[varies] = np.sqrt(n * (n - 1.0) / (count * (n - count))[varies])
        varies[places] = spread > 0
        return cls(held, bits, count / n, unit, dense, places, varies)

    def covariance(self) -> Floats:
        """(width, width) the covariance, divided by n - 1."""
        from riskkit.generators.engines import stat_kernels

        n, size = len(self.held), len(self.share)
        out, sums = np.empty((size, size)), np.zeros((size + 1, len(self.at)))
        stat_kernels.covariance(self.bits, self.share, self.unit, n, out)
        stat_kernels.sums(self.held, self.dense, sums)
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
        from riskkit.generators.engines import stat_kernels

        worth = np.zeros((len(matrix) + 1, matrix.shape[1]))
        np.multiply(matrix, self.unit[:, None], out=worth[1:])
        base, own = plus - self.share @ worth[1:], matrix[self.at]
        room = np.empty((min(BLOCK, len(self.held)), matrix.shape[1]))
        for start in range(0, len(self.held), BLOCK):
            held, dense = self.held[start : start + BLOCK], self.dense[start : start + BLOCK]
            rows = room[: len(held)]
            np.matmul(dense, own, out=rows)
            stat_kernels.add_levels(held, worth, base, rows)
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
    from riskkit.generators.engines import stat_kernels

    mean, sd = np.empty(matrix.shape[1]), np.empty(matrix.shape[1])
    stat_kernels.standardise(matrix, mean, sd)
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


LEAST, MOST = 1e-3, 64.0
"""Eigenvalues between which the shifts below are right; beyond them the ordinary way is taken."""
SHIFTS = 24
"""An error of e^-1.4 a shift: with so many only rounding is left."""


def inverse_root(matrix: Floats) -> Floats | None:
    """The symmetric inverse root of a symmetric matrix; None unless all eigenvalues lie between LEAST and MOST.

    ``A^-½`` is a sum over shifts of ``w (A + s)^-1``. Made tridiagonal by reflections, every term is written down from
    the pivots of an elimination from either end; the sum is then reflected back.

    Parameters
    ----------
    matrix
        (d, d) with d at least 2.

    Returns
    -------
    (d, d), right to about 1e-13 of its largest entry.

    References
    ----------
    .. [1] Hale, Higham and Trefethen 2008, Computing A^α, log(A), and related matrix functions by contour integrals,
       https://doi.org/10.1137/070700607 (their third method)
    """
    from riskkit.generators.engines import stat_kernels

    reflected, diagonal, beside, scales, _ = lapack.dsytrd(matrix, lower=1)
    root = np.empty(matrix.shape)
    if not stat_kernels.root_of_tridiagonal(diagonal, beside, *_shifts(), LEAST, MOST, root):
        return None
    back = np.zeros(matrix.shape)
    back[0, 0] = 1.0
    back[1:, 1:] = lapack.dorgqr(reflected[1:, :-1], scales)[0]
    out: Floats = back @ root @ back.T
    return out


@lru_cache(maxsize=1)
def _shifts() -> tuple[Floats, Floats]:
    """Shifts and weights of the sum."""
    most = ellipkm1(LEAST / MOST)
    sn, cn, dn, _ = ellipj((np.arange(SHIFTS) + 0.5) * most / SHIFTS, 1.0 - LEAST / MOST)
    shifts = np.asarray(LEAST * (sn / cn) ** 2, dtype=np.float64)
    weights = 2.0 * most * np.sqrt(LEAST) / (np.pi * SHIFTS) * dn / cn**2
    return shifts, np.asarray(weights, dtype=np.float64)


PLUGIN = Stat
