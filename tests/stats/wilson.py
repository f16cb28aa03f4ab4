"""The interval of a share that several intervals of riskkit are laid beside."""

import numpy as np
import numpy.typing as npt

from riskkit.core import Floats


def wilson(share: npt.ArrayLike, n: npt.ArrayLike, reach: float) -> tuple[Floats, Floats]:
    """Interval of a share: every P with ``(share - P)^2 <= reach^2 P (1 - P) / n``; (...,) as ``share`` and ``n`` are.

    References
    ----------
    .. [1] Wilson 1927, Journal of the American Statistical Association 22:209-212.
    """
    p, of = np.broadcast_arrays(np.asarray(share, dtype=np.float64), np.asarray(n, dtype=np.float64))
    square = reach**2
    middle = (p * of + square / 2) / (of + square)
    half = reach / (of + square) * np.sqrt(p * (1 - p) * of + square / 4)
    return np.clip(middle - half, 0.0, p), np.clip(middle + half, p, 1.0)
