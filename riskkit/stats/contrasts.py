"""Intervals that compare two shares: their difference on the same people, or their ratio; and a mean of several."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from riskkit.core import Floats

_HALVINGS = 60


def tango(
    ahead: npt.ArrayLike, behind: npt.ArrayLike, n: npt.ArrayLike, reach: float | Floats
) -> tuple[Floats, Floats]:
    """Interval of the difference of two shares of the same records: the score interval.

    It stays honest where the two hardly ever differ: without a single difference it is ``reach^2 / (n + reach^2)`` wide
    to either side.

    Parameters
    ----------
    ahead, behind : array_like
        Share of the records where only the first is right, and where only the second is.
    n : array_like
        (Effective) records.
    reach : float
        Standard errors to either side, from :func:`riskkit.stats.intervals.critical`.

    References
    ----------
    .. [1] Tango 1998, Statistics in Medicine 17:891-908.
    """
    b, c, of = np.broadcast_arrays(*(np.asarray(a, dtype=np.float64) for a in (ahead, behind, n)))
    ends = []
    for far in (-1.0, 1.0):
        near, away = b - c, np.full_like(b, far)
        for _ in range(_HALVINGS):
            middle = (near + away) / 2
            held = (b - c - middle) ** 2 * of <= reach**2 * _tango_variance(b, c, middle)
            near, away = np.where(held, middle, near), np.where(held, away, middle)
        ends.append(away)
    return ends[0], ends[1]


def _tango_variance(ahead: Floats, behind: Floats, gap: Floats) -> Floats:
    """Variance of one record's difference if the true one were ``gap``: ``2 q + gap (1 - gap)``.

    ``q`` is the likeliest share where only the second is right.
    """
    half = ((2 - ahead + behind) * gap - ahead - behind) / 4
    q = np.sqrt(np.maximum(half**2 + behind * gap * (1 - gap) / 2, 0.0)) - half
    return np.maximum(2 * q + gap * (1 - gap), 0.0)


def ratio_of_independent(
    top: Floats, top_interval: tuple[Floats, Floats], bottom: Floats, bottom_interval: tuple[Floats, Floats]
) -> tuple[Floats, Floats]:
    """Interval of ``top / bottom``, two shares of different people, from an interval of each (``bottom`` above 0).

    All are of one shape (...,), and so are both ends.

    References
    ----------
    .. [1] Donner and Zou 2012, Statistical Methods in Medical Research 21:347-359 (MOVER-R).
    """
    (low_1, high_1), (low_2, high_2) = top_interval, bottom_interval
    product = top * bottom
    under, divisor = low_1 * (2 * top - low_1), low_2 * (2 * bottom - low_2)
    root = np.sqrt(np.maximum(product**2 - under * high_2 * (2 * bottom - high_2), 0.0))
    low = np.where(under > 0, under / np.where(under > 0, product + root, 1.0), 0.0)
    root = np.sqrt(np.maximum(product**2 - high_1 * (2 * top - high_1) * divisor, 0.0))
    return low, (product + root) / divisor


def difference_of_correlated(
    first: float, first_interval: tuple[float, float], second: float, second_interval: tuple[float, float], alike: float
) -> tuple[float, float]:
    """Interval of ``first - second`` from an interval of each and the correlation of their errors.

    References
    ----------
    .. [1] Zou 2007, Psychological Methods 12:399-413 (MOVER for correlated quantities).
    """
    below, above = first - first_interval[0], first_interval[1] - first
    under, over = second - second_interval[0], second_interval[1] - second
    low = np.sqrt(max(below**2 + over**2 - 2 * alike * below * over, 0.0))
    high = np.sqrt(max(above**2 + under**2 - 2 * alike * above * under, 0.0))
    return first - second - float(low), first - second + float(high)


def ratio_of_correlated(
    top: float, top_interval: tuple[float, float], bottom: float, bottom_interval: tuple[float, float], alike: float
) -> tuple[float, float]:
    """Interval of ``top / bottom`` of either sign: every R for which ``top - R bottom`` may be 0.

    The interval of ``top - R bottom`` is :func:`difference_of_correlated`'s, made of an interval of each and the
    correlation ``alike`` of their errors. With plain standard errors about the two this is Fieller's; the ends of a
    share or an AUC lie at unequal distances, and with those it holds where Fieller's does not.

    The interval of ``bottom`` must lie above 0: the ratio has no end else.

    References
    ----------
    .. [1] Donner and Zou 2012, Statistical Methods in Medical Research 21:347-359 (MOVER-R).
    .. [2] Fieller 1954, Journal of the Royal Statistical Society B 16:175-185.
    """
    under, over = bottom - bottom_interval[0], bottom_interval[1] - bottom
    below, above = top - top_interval[0], top_interval[1] - top
    low = _ratio_end(top, bottom, below, over if top_interval[0] > 0 else under, alike, -1.0)
    high = _ratio_end(top, bottom, above, under if top_interval[1] > 0 else over, alike, 1.0)
    return low, high


def _ratio_end(top: float, bottom: float, of_top: float, of_bottom: float, alike: float, side: float) -> float:
    """The R, on that side of ``top / bottom``, whose ``top - R bottom`` is as far from 0 as its interval reaches.

    ``(top - R bottom)^2 = of_top^2 + R^2 of_bottom^2 - 2 alike R of_top of_bottom``, solved for R.
    """
    square, half = bottom**2 - of_bottom**2, top * bottom - alike * of_top * of_bottom
    rest = top**2 - of_top**2
    root = side * np.sqrt(max(half**2 - square * rest, 0.0))
    if side * half < 0:  # this form has no difference of nearly equal numbers, and no divisor of 0
        return float(rest / (half - root))
    return float((half + root) / square)


def mean_of_levels(value: Floats, low: Floats, high: Floats, together: float) -> tuple[float, float]:
    """Interval of the mean of several shares (k,) from an interval of each.

    ``together`` is the variance of the sum over the sum of the variances: 1 where the shares are independent, their
    number where they move as one.

    References
    ----------
    .. [1] Zou and Donner 2008, Statistics in Medicine 27:1693-1702 (MOVER).
    """
    centre, scale = float(value.mean()), np.sqrt(together) / len(value)
    below, above = (float(scale * np.sqrt((reach**2).sum())) for reach in (value - low, high - value))
    return centre - below, centre + above
