"""STAT: rows of pure chance, bent until their mean and covariance are the table's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from riskkit.core import Bools, Codes, Floats, Schema, Table
from riskkit.errors import DesignError
from riskkit.generators._leaving import leaving
from riskkit.generators._sorted import dropped, in_order
from riskkit.generators._stat_draw import Draws, StandardisedRows, covariance_of, standardise, whitening
from riskkit.parameters import check_parameters, parameter
from riskkit.phrases import phrase
from riskkit.table.encode import from_blocks, from_one_hot, layout, one_hot, width

LOST = 1e-2
"""A number that loses more of its variance than all but this share with one row is summed anew: digits would go."""


@dataclass(frozen=True)
class Stat:
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

    def __post_init__(self) -> None:
        check_parameters(self)

    def fit(self, table: Table, rng: np.random.Generator) -> FittedStat:  # noqa: ARG002  nothing is drawn here
        """Take the moments and the histograms. Draws nothing at random.

        Raises
        ------
        DesignError
            The table has fewer than two rows, so it has no covariance.
        """
        _refuse_one_row(len(table))
        columns = np.sort(table.codes, axis=0), in_order(table.numbers)
        return _fitted(table, self.post, columns, Moments.of(table))


@dataclass(frozen=True, slots=True, eq=False)
class Moments:
    """Mean, standard deviation (both (width,)) and correlation (width, width) of one-hot rows.

    A dimension that is constant has the standard deviation 0 and the correlation 0 with all, itself included.
    """

    mean: Floats
    sd: Floats
    correlation: Floats

    @classmethod
    def of(cls, table: Table) -> Moments:
        """The moments of a table."""
        matrix = one_hot(table)
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
    :func:`riskkit.table.encode.one_hot`; ``root`` (width, width) is ``U L^½`` with each row divided by the
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
            raise DesignError(
                phrase(
                    "The stat generator needs a release of at least {needed} rows for these columns, not {n}. "
                    "Ask for {needed} or more, or leave out columns with many levels.",
                    needed=needed,
                    n=n,
                )
            )
        return Draws.of(self.codes.shape[1] + self.numbers.shape[1], n, rng)

    def sample_from(self, noise: Draws) -> Table:
        """The release of these draws: what :meth:`sample` makes where its generator draws them."""
        drawn = StandardisedRows.of(self.schema, *noise.walked(self.codes, self.numbers))
        bent = whitening(drawn, noise.normal) @ (self.root.T * self.sd)
        if self.post == "round+clip":
            return from_blocks(drawn.blocks(bent, self.mean), len(drawn.held), self.schema)
        return self._published(drawn.times(bent, self.mean))

    def without(self, rows: npt.ArrayLike) -> FittedStat:
        """The fit to the same table without these rows; without one, its moments by a rank-one correction.

        Where several rows leave, or the row alone holds nearly all of a number's spread, the moments are summed anew.
        """
        n, gone = len(self.table), leaving(rows)
        _refuse_one_row(n - len(gone))
        rest = self.table.without(gone)
        if len(gone) != 1:
            columns = np.sort(rest.codes, axis=0), in_order(rest.numbers)
            return _fitted(rest, self.post, columns, Moments.of(rest))
        row = int(gone[0])
        x = one_hot(self.table.rows([row]))[0]
        is_number = _is_number(self.schema) | (self.table.relaxed is not None)
        columns = dropped(self.codes, self.table.codes[row]), dropped(self.numbers, self.table.numbers[row])
        moments = self.moments.without(x, n, is_number) or Moments.of(rest)
        return _fitted(rest, self.post, columns, moments)

    def _published(self, matrix: Floats) -> Table:
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
        raise DesignError(phrase("The stat generator needs at least two rows; the table has {rows}.", rows=rows))


def _fitted(table: Table, post: str, columns: tuple[Codes, Floats], moments: Moments) -> FittedStat:
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


PLUGIN = Stat
