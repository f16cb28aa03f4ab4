"""Association of a feature with the target, by hand and against scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from riskkit.errors import ScoreError
from riskkit.stats.association import correlation_ratio, cramers_v, squared_correlation

MANY = 400


def test_the_correlation_ratio_is_the_share_between_groups() -> None:
    values, groups = np.array([0.0, 2.0, 4.0, 6.0, 8.0]), np.array([0, 0, 0, 1, 1])
    # means 2 and 7, overall 4: (3 * 4 + 2 * 9) / 40
    assert correlation_ratio(values, groups).value == pytest.approx(30 / 40)


def test_cramers_v_is_that_of_scipy() -> None:
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 4, 500)
    groups = np.where(rng.random(500) < 0.4, codes % 3, rng.integers(0, 3, 500))
    table = np.histogram2d(codes, groups, bins=(4, 3))[0].astype(int)
    assert cramers_v(codes, groups).value == pytest.approx(stats.contingency.association(table, method="cramer"))
    assert cramers_v(codes, codes).value == pytest.approx(1.0)


def test_the_squared_correlation_is_that_of_numpy_and_leaves_missing_out() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=200)
    y = x + rng.normal(size=200)
    x[:5] = np.nan
    assert squared_correlation(x, y).value == pytest.approx(np.corrcoef(x[5:], y[5:])[0, 1] ** 2)


@pytest.mark.parametrize("which", ["ratio", "v", "line"])
def test_intervals_hold_the_truth(which: str) -> None:
    """Truths .2 (eta squared), .3 (V) and .25 (r squared), n = 300."""
    rng = np.random.default_rng(3)
    held = 0
    for _ in range(MANY):
        group = rng.integers(0, 2, 300)
        if which == "ratio":
            made, truth = correlation_ratio(group + rng.normal(size=300), group), 0.25 / 1.25
        elif which == "v":
            made, truth = cramers_v(np.where(rng.random(300) < 0.65, group, 1 - group), group), 0.3
        else:
            x = rng.normal(size=300)
            made, truth = squared_correlation(x, x + np.sqrt(3) * rng.normal(size=300)), 0.25
        held += made.low <= truth <= made.high
    assert stats.binom.ppf(1e-4, MANY, 0.95) <= held < MANY


def test_what_has_no_association_is_refused() -> None:
    same, two = np.zeros(10), np.arange(10) % 2
    with pytest.raises(ScoreError, match=r"same number"):
        correlation_ratio(same, two)
    with pytest.raises(ScoreError, match=r"one level only"):
        cramers_v(same.astype(int), two)
    with pytest.raises(ScoreError, match=r"same in all rows"):
        squared_correlation(same, two.astype(float))
    with pytest.raises(ScoreError, match=r"Only 3 rows"):
        squared_correlation(np.arange(3.0), np.arange(3.0))
