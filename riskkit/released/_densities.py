"""Gaussian kernel densities of rows: in logs, with a covariance that may be singular, in bounded memory."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from riskkit.core import Codes, Floats, Ints
from riskkit.errors import DesignError
from riskkit.released._attack import DENSITY_ROWS, some
from riskkit.table.points import RowPoints, pool_rare

BLOCK_CELLS = 2_000_000
"""Numbers held at once (16 MB)."""
PAIRS_A_CALL = 30_000_000
"""Pairs of rows at most that are summed over in one go: in between, a signal to stop is heard."""
TOGETHER = 256
"""Targets that share inner products with the rows they ask about: these stay in the processor's cache."""
LANES = 256
"""Rows of a block in compiled loops."""
SPARSE = 0.01
"""A column with a larger share of zeros keeps them, so that they are passed over: its mean is then at most ten standard
deviations, which loses one digit. Of all others the mean is taken off first."""

THIN = 1e-10
"""A direction with less than this share of the largest variance, columns standardised, is one the rows do not span."""

FLAT = 1e-12
"""A column whose standard deviation is below this share of its mean is constant but for rounding."""

FLOOR_ROWS = 1.6
"""How many rows' worth of density is added to the reference's own, see :meth:`Kernels.log_floor`."""


@dataclass(frozen=True, slots=True, eq=False)
class Kernels:
    """One Gaussian bump on each row, shaped like the covariance of all and narrowed by Silverman's factor.

    ``rows`` (n, p) are the rows in coordinates of unit covariance: ``(matrix - centre) @ whiten``. The last ``rank`` of
    them are directions the rows span. Off these the bumps have a width of the root of ``THIN`` standard deviations
    instead of none, so that a row the others cannot reach has a density that is finite and very low, the lower the
    farther.
    ``log_volume`` is half the log-determinant of the covariance where the rows span it, so on rows of full rank this
    is ``scipy.stats.gaussian_kde(..., "silverman")``; it does not depend on the units of columns but for a constant.
    """

    centre: Floats
    whiten: Floats
    rows: Floats
    rank: int
    log_volume: float
    shift: Floats

    @property
    def thin(self) -> int:
        """How many coordinates, the first ones, are directions off the rows: all rows are 0 there."""
        return int(self.rows.shape[1] - self.rank)

    def place(self, matrix: Floats) -> Floats:
        """(m, p) these rows in the same coordinates."""
        return (matrix - self.centre) @ self.whiten

    @property
    def log_peak(self) -> float:
        """Log-density of a single row's bump at its top."""
        width = silverman(len(self.rows), self.rank)
        return float(-self.rank * (np.log(width) + np.log(2 * np.pi) / 2) - self.log_volume)

    def log_density(self, matrix: Floats) -> Floats:
        """(m,) log-density at each of these rows."""
        width = silverman(len(self.rows), self.rank)
        offset = self.past() - (self.rows**2).sum(axis=1) / 2
        sums = log_sums(self.entries(matrix), self.lines() / width**2, offset / width**2)
        length = (self.place(matrix) ** 2).sum(axis=1)
        return np.asarray(sums - length / (2 * width**2) + self.log_peak - np.log(len(self.rows)))

    def lines(self) -> Floats:
        """(p, n) the rows such that the inner product with another row, before it is placed, is that of placed rows."""
        return np.asarray(self.whiten[:, self.thin :] @ self.rows[:, self.thin :].T)

    def past(self) -> Floats:
        """(n,) what is to be added to that product, because columns that are mostly 0 keep their zeros."""
        return np.asarray((self.shift - self.centre) @ self.lines())

    def entries(self, matrix: Floats) -> tuple[Codes, Floats]:
        """The rows (m, p) as :func:`entries` gives them: numbers less their mean, flags as they are."""
        return entries(matrix, self.shift)

    def log_floor(self, rows: float) -> float:
        """Log-density that this many rows lying right at a target would give it.

        Added to a density one divides by, it keeps a target that the reference merely happened to miss from winning
        over all others. The published 1e-20 has the unit of a density, so it drowns every density of wide or
        large-scale data and does nothing on narrow ones; on the housing example it is 1.6 rows' worth.
        """
        return float(np.log(rows) + self.log_peak - np.log(len(self.rows))) if rows > 0 else -np.inf


def silverman(n: int, rank: int) -> float:
    """How much narrower than the data each bump is."""
    return float((n * (rank + 2) / 4) ** (-1 / (rank + 4)))


def kernels(matrix: Floats) -> Kernels:
    """The kernel density of these rows, (n, p), whatever their covariance."""
    centre = matrix.mean(axis=0)
    spread = matrix.std(axis=0, ddof=1) if len(matrix) > 1 else np.zeros(matrix.shape[1])
    spread = np.where(spread > FLAT * np.abs(centre), spread, 0.0)
    scale = np.where(spread > 0, spread, 1.0)
    standard = np.where(spread > 0, (matrix - centre) / scale, 0.0)
    variance, directions = np.linalg.eigh(standard.T @ standard / max(1, len(matrix) - 1))
    thin = THIN * max(1.0, variance[-1])
    spanned = variance > thin
    whiten = directions / np.sqrt(np.where(spanned, variance, thin)) / scale[:, None]
    log_volume = np.log(scale[spread > 0]).sum() + np.log(variance[spanned]).sum() / 2
    rows = (matrix - centre) @ whiten
    rows[:, ~spanned] = 0.0  # but for rounding they were
    shift = np.where((matrix == 0).mean(axis=0) > SPARSE, 0.0, centre)
    return Kernels(centre, whiten, rows, int(spanned.sum()), float(log_volume), shift)


def entries(matrix: Floats, shift: Floats) -> tuple[Codes, Floats]:
    """(n, most) places and (n, most) values of what is not 0 in ``matrix - shift``; zeros fill up a row of fewer."""
    moved = matrix - shift
    filled = moved != 0
    most = max(int(filled.sum(axis=1).max(initial=0)), 1)
    place = np.argsort(~filled, axis=1, kind="stable")[:, :most]
    return place.astype(np.int32), np.take_along_axis(moved, place, axis=1)


def in_blocks(values: Floats, fill: float) -> Floats:
    """(..., n) as (blocks, ..., :data:`LANES`), the last block filled up."""
    rest = -values.shape[-1] % LANES
    filled = np.concatenate([values, np.full((*values.shape[:-1], rest), fill)], axis=-1)
    cut = filled.reshape(*values.shape[:-1], -1, LANES)
    return np.ascontiguousarray(np.moveaxis(cut, -2, 0))


def log_sums(asked: tuple[Codes, Floats], lines: Floats, offset: Floats) -> Floats:
    """(m,) log of the sum over n rows of e to (inner product + offset).

    Parameters
    ----------
    asked
        The m rows, as :func:`entries` gives them.
    lines, offset : (columns, n), (n,)
        The rows summed over, column by column, and what is added for each.
    """
    from riskkit.released import _density_kernels

    place, value = asked
    rows = in_blocks(lines, 0.0), in_blocks(offset, -np.inf)
    out = np.empty(len(place))
    step = max(1, PAIRS_A_CALL // lines.shape[1])
    for start in range(0, len(place), step):
        part = slice(start, start + step)
        _density_kernels.log_sums(place[part], value[part], *rows, out[part])
    return out


def log_density_with(base: Kernels, targets: Floats, points: Floats, near: Ints) -> Floats:
    """Log-density at some rows once a target has joined: bumps, bandwidth and covariance all follow.

    One row more changes the covariance by one direction, so its inverse and determinant follow by the
    Sherman-Morrison formula and no density is fitted anew.

    Parameters
    ----------
    base
        The density without any target, of at least 2 rows.
    targets
        (m, p) each joins alone.
    at, near
        Of the rows ``points``, (r, p), those in ``near[i]``, (m, k), are asked about when target ``i`` joins.

    Returns
    -------
    (m, k)

    Raises
    ------
    DesignError
        ``base`` has one row only.
    """
    if len(base.rows) < 2:
        raise DesignError.phrase("The reference has one row; a density that one row more can change needs at least 2.")
    rows = in_blocks(base.lines(), 0.0), in_blocks(base.past(), 0.0), in_blocks((base.rows**2).sum(axis=1), np.inf)
    out = np.empty(near.shape)
    step = max(1, min(TOGETHER, PAIRS_A_CALL // (len(base.rows) * near.shape[1])))
    for start in range(0, len(targets), step):
        part = slice(start, start + step)
        here, of_here = np.unique(near[part], return_inverse=True)
        out[part] = _join_densities(base, rows, targets[part], points[here], of_here.reshape(near[part].shape))
    return out


def _join_densities(
    base: Kernels, rows: tuple[Floats, Floats, Floats], targets: Floats, points: Floats, near: Ints
) -> Floats:
    """(m, k) log-density at the rows ``near`` (m, k) of those asked about (u, p), once each of (m, p) rows has joined.

    An inner product of two rows is made once, whoever asks about them.
    """
    from riskkit.released import _density_kernels

    n, rank = len(base.rows), base.rank
    shrunk, grown = (n - 1) / n, n / ((n + 1) * (n - 1))
    joining, asked = base.place(targets), base.place(points)
    length = (joining**2).sum(axis=1)
    factor = shrunk * silverman(n + 1, rank) ** 2
    relief = grown / (1 + grown * length)
    along, own = _beside(joining, asked, near)
    bumps = np.empty(near.shape)
    sides = (*base.entries(points), (asked**2).sum(axis=1)), (*base.entries(targets), relief)
    _density_kernels.log_sums_joined(*sides, *rows, along, near, factor, bumps)
    own -= (along - length[:, None]) ** 2 * relief[:, None]
    height = rank * (np.log(factor) + np.log(2 * np.pi)) / 2 + np.log1p(grown * length) / 2 + base.log_volume
    return np.asarray(np.logaddexp(bumps, own * (-0.5 / factor)) - np.log(n + 1) - height[:, None])


def _beside(joining: Floats, asked: Floats, near: Ints) -> tuple[Floats, Floats]:
    """(m, k) the inner product of each joining row with the rows it asks about, and their squared distance."""
    along, squared = np.empty(near.shape), np.empty(near.shape)
    step = max(1, BLOCK_CELLS // max(near.shape[1] * joining.shape[1], 1))
    for start in range(0, len(near), step):
        part = slice(start, start + step)
        rows = asked[near[part]]
        along[part] = np.einsum("mkp,mp->mk", rows, joining[part])
        squared[part] = ((rows - joining[part, None]) ** 2).sum(axis=2)
    return along, squared


def log_ratio(above: Floats, below: Floats, floor: float) -> Floats:
    """Log of a density over another one that is raised by a floor, all in logs."""
    return np.asarray(above - np.logaddexp(below, floor))


def density_ratio(
    release: RowPoints, targets: RowPoints, reference: RowPoints, floor: float, rng: np.random.Generator
) -> Floats:
    """(n_targets,) log-density of the release less that of the reference raised by a floor of so many rows."""
    release, reference = some(release, DENSITY_ROWS, rng), some(reference, DENSITY_ROWS, rng)
    release, targets, reference = pool_rare([release, targets, reference], [release, reference])
    base, asked = kernels(reference.matrix()), targets.matrix()
    return log_ratio(kernels(release.matrix()).log_density(asked), base.log_density(asked), base.log_floor(floor))
