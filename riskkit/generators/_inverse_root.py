"""The inverse square root of a covariance matrix without its eigenvectors, which are most of the work."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.linalg import lapack
from scipy.special import ellipj, ellipkm1

from riskkit.core import Floats

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
    from riskkit.generators import _stat_kernels

    reflected, diagonal, beside, scales, _ = lapack.dsytrd(matrix, lower=1)
    root = np.empty(matrix.shape)
    if not _stat_kernels.root_of_tridiagonal(diagonal, beside, *_shifts(), LEAST, MOST, root):
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
