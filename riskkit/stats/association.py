"""How much each feature has to do with the target: correlation ratio squared, Cramer's V, and squared correlation.

Beside the error of an attack they say whether what the model needs most is also what its explanations give away. The
intervals come from the pull of each row on the figure; near 0 they are only a guide.
"""

from __future__ import annotations

import numpy as np

from riskkit.core import Codes, Estimate, Floats, Ints
from riskkit.errors import ScoreError
from riskkit.phrases import phrase
from riskkit.stats.recovery import Spread, mean_interval

METHOD = "Korn-Graubard of a bounded figure, by row"
FEWEST_ROWS = 5


def correlation_ratio(values: Floats, groups: Codes | Ints, *, level: float = 0.95) -> Estimate:
    """The share of the variance of a number that lies between groups (eta squared), 0 to 1.

    ``values`` and ``groups`` are (n,); rows whose number is missing are left out.

    Raises
    ------
    ScoreError
        Fewer than five rows have a number, or all have the same.
    """
    there = ~np.isnan(values)
    _check(there.sum())
    y, group = values[there] - values[there].mean(), np.unique(groups[there], return_inverse=True)[1]
    total = y.var()
    if not total > 0:
        raise ScoreError(phrase("All rows have the same number, so there is no variance to explain."))
    mean = (np.bincount(group, y) / np.bincount(group))[group]
    between = (mean**2).mean()
    value = between / total
    pull = (2 * mean * y - mean**2 - between - value * (y**2 - total)) / total
    return _estimate("correlation_ratio", value, pull, level)


def cramers_v(codes: Codes | Ints, groups: Codes | Ints, *, level: float = 0.95) -> Estimate:
    """Association of two categories, 0 (independent) to 1 (one decides the other); not corrected for its bias.

    Levels that no row has do not count.

    Raises
    ------
    ScoreError
        There are fewer than five rows, or one of the two has one level only.
    """
    _check(len(codes))
    first, second = (np.unique(part, return_inverse=True)[1] for part in (codes, groups))
    rows, columns = first.max() + 1, second.max() + 1
    if min(rows, columns) < 2:
        raise ScoreError(phrase("A category has one level only, so there is no association to speak of."))
    cells = np.bincount(first * columns + second, minlength=rows * columns).reshape(rows, columns) / len(codes)
    p, q = cells.sum(axis=1), cells.sum(axis=0)
    ratio = cells / np.outer(p, q)
    square = (cells * ratio).sum() - 1
    by_row, by_column = (cells * ratio).sum(axis=1) / p, (cells * ratio).sum(axis=0) / q
    pull = 2 * ratio[first, second] - by_row[first] - by_column[second]
    most = min(rows, columns) - 1
    squared = _estimate("squared", square / most, (pull - pull.mean()) / most, level)
    value, low, high = (float(np.sqrt(max(end, 0.0))) for end in (squared.value, squared.low, squared.high))
    return Estimate("cramers_v", value, low, high, level, METHOD, len(codes))


def squared_correlation(values: Floats, others: Floats, *, level: float = 0.95) -> Estimate:
    """The share of the variance of a number (n,) that a straight line through another (n,) explains, 0 to 1.

    Raises
    ------
    ScoreError
        Fewer than five rows have both, or one of the two does not vary.
    """
    there = ~np.isnan(values) & ~np.isnan(others)
    _check(there.sum())
    x, y = values[there] - values[there].mean(), others[there] - others[there].mean()
    if not (x.any() and y.any()):
        raise ScoreError(phrase("One of the two numbers is the same in all rows, so there is no correlation."))
    x, y = x / x.std(), y / y.std()
    r = (x * y).mean()
    return _estimate("squared_correlation", r**2, 2 * r * (x * y - r * (x**2 + y**2) / 2), level)


def _check(n: int) -> None:
    if n < FEWEST_ROWS:
        raise ScoreError(
            phrase(
                "Only {rows} rows have both values; an interval needs at least {fewest}.", rows=n, fewest=FEWEST_ROWS
            )
        )


def _estimate(name: str, value: float, pull: Floats, level: float) -> Estimate:
    """The figure with its interval."""
    n = len(pull)
    spread = Spread(np.asarray(value), np.asarray((pull**2).mean() / (n - 1)), np.asarray(n - 1.0), n)
    low, high = mean_interval(spread, level)
    return Estimate(name, float(value), float(low), float(high), level, METHOD, n)
