"""Gaussian kernel densities of rows: in logs, with a covariance that may be singular, in bounded memory."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from riskkit.core import Floats, Ints
from riskkit.errors import DesignError
from riskkit.phrases import phrase
from riskkit.released._caps import DENSITY_ROWS, some
from riskkit.table.points import Points
from riskkit.table.rare import pooled

BLOCK_CELLS = 2_000_000
"""Pairs of rows held at once (16 MB)."""

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
        placed = self.place(matrix) / width
        off = placed[:, : self.thin]
        sums = log_sums(placed[:, self.thin :], self.rows[:, self.thin :] / width) - (off**2).sum(axis=1) / 2
        return np.asarray(sums + self.log_peak - np.log(len(self.rows)))

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
    return Kernels(centre, whiten, rows, int(spanned.sum()), float(log_volume))


def log_sums(queries: Floats, rows: Floats) -> Floats:
    """(m,) log of the sum over rows of exp(-d²/2), d the straight-line distance."""
    from riskkit.released import _density_kernels

    wide = np.vstack([rows.T, -(rows**2).sum(axis=1) / 2])
    out = np.empty(len(queries))
    step = max(1, BLOCK_CELLS // len(rows))
    for start in range(0, len(queries), step):
        block = queries[start : start + step]
        closeness = np.column_stack([block, np.ones(len(block))]) @ wide
        _density_kernels.log_sum(closeness, out[start : start + step])
        out[start : start + step] -= (block**2).sum(axis=1) / 2
    return out


def log_density_with(base: Kernels, targets: Floats, at: Floats, near: Ints) -> Floats:
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
        Of the rows ``at``, (r, p), those in ``near[i]``, (m, k), are asked about when target ``i`` joins.

    Returns
    -------
    (m, k)

    Raises
    ------
    DesignError
        ``base`` has one row only.
    """
    if len(base.rows) < 2:
        raise DesignError(phrase("The reference has one row; a density that one row more can change needs at least 2."))
    joining, asked = base.place(targets), base.place(at)
    out = np.empty(near.shape)
    step = max(1, BLOCK_CELLS // max(near.shape[1], 1))
    for start in range(0, len(targets), step):
        block = slice(start, start + step)
        used, of_used = np.unique(near[block], return_inverse=True)
        out[block] = _joined(base, joining[block], asked[used], of_used.reshape(near[block].shape))
    return out


def _joined(base: Kernels, joining: Floats, asked: Floats, near: Ints) -> Floats:
    """(m, k) log-density at the rows ``near`` (m, k) of those asked about (u, p), once each of (m, p) rows has joined.

    All are in the coordinates of ``base``. An inner product of two rows is made once, whoever asks about them.
    """
    from riskkit.released import _density_kernels

    n, rank = len(base.rows), base.rank
    shrunk, grown = (n - 1) / n, n / ((n + 1) * (n - 1))
    length = (joining**2).sum(axis=1)
    factor = shrunk * silverman(n + 1, rank) ** 2
    relief = grown / (1 + grown * length)
    along, own = _beside(joining, asked, near)
    lengths = (base.rows**2).sum(axis=1), (asked**2).sum(axis=1)
    top, total = np.full(near.shape, -np.inf), np.zeros(near.shape)
    step = max(1, BLOCK_CELLS // (len(asked) + len(joining)))
    for start in range(0, n, step):
        part = slice(start, start + step)
        rows = base.rows[part, base.thin :].T
        inner, along_rows = (side[:, base.thin :] @ rows for side in (asked, joining))
        _density_kernels.add_joined(
            inner, along_rows, lengths[0][part], lengths[1], along, relief, near, factor, top, total
        )
    bumps = top + np.log(total)
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
    release: Points, targets: Points, reference: Points, floor: float, rng: np.random.Generator
) -> Floats:
    """(n_targets,) log-density of the release less that of the reference raised by a floor of so many rows."""
    release, reference = some(release, DENSITY_ROWS, rng), some(reference, DENSITY_ROWS, rng)
    release, targets, reference = pooled([release, targets, reference], [release, reference])
    base, at = kernels(reference.matrix()), targets.matrix()
    return log_ratio(kernels(release.matrix()).log_density(at), base.log_density(at), base.log_floor(floor))
