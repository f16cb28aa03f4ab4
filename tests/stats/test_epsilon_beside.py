"""Readings beside the bound, against printed values, by simulation, and where each of them is wrong."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from riskkit.errors import ParameterError
from riskkit.seeds import stream
from riskkit.stats.epsilon import epsilon_bound, epsilon_lower
from riskkit.stats.epsilon_beside import (
    epsilon_bayesian,
    epsilon_gaussian,
    gaussian_bound,
    joint_beta,
)
from riskkit.stats.privacy import gaussian_epsilon, trade_off
from tests.stats import make

COUNTS = (
    (100, 100, 0, 100), (250, 250, 0, 250), (500, 500, 0, 500), (1000, 1000, 0, 1000), (961, 1000, 0, 1000),
    (241, 250, 9, 250), (90, 100, 10, 100), (300, 500, 200, 500), (60, 100, 40, 100),
)  # fmt: skip


@pytest.mark.parametrize(
    ("counts", "mu"),
    list(zip(COUNTS, (3.593, 4.359, 4.879, 5.360, 4.297, 2.993, 1.860, 0.280, 0.0), strict=True)),
)
def test_printed_gaussian_bounds(counts: tuple[int, int, int, int], mu: float) -> None:
    assert gaussian_bound(*counts) == pytest.approx(mu, abs=1e-3)


@pytest.mark.parametrize(
    ("counts", "low", "high"),
    list(
        zip(
            COUNTS,
            # 3.015 stands in print as 3.02; the integral gives 3.015.
            (4.90, 5.82, 6.51, 7.21, 6.22, 3.015, 1.91, 0.31, 0.18),
            (12.2, 13.1, 13.8, 14.5, 13.1, 3.98, 2.83, 0.53, 0.68),
            strict=True,
        )
    ),
)
def test_printed_bayesian_intervals(counts: tuple[int, int, int, int], low: float, high: float) -> None:
    """They are printed to two digits, and leave 5 % of the posterior outside on either side."""
    assert joint_beta(*counts, 0.05) == pytest.approx(low, abs=5e-3)
    assert joint_beta(*counts, 0.95) == pytest.approx(high, abs=5e-2 if high > 10 else 5e-3)


@pytest.mark.parametrize("delta", [0.0, 0.02])
def test_the_posterior_mass_of_the_region_is_that_of_drawn_rates(delta: float) -> None:
    rng = stream(1, "posterior")
    fnr, fpr = rng.beta(9.5, 241.5, 400_000), rng.beta(20.5, 230.5, 400_000)
    for mass in (0.05, 0.5, 0.95):
        epsilon = joint_beta(241 - 0, 250, 20, 250, mass, delta=delta)
        private = (fnr >= trade_off(fpr, epsilon, delta)) & (1 - fnr >= trade_off(1 - fpr, epsilon, delta))
        assert private.mean() == pytest.approx(mass, abs=5e-3)


def test_the_bayesian_interval_says_that_it_is_one_and_lies_above_the_bound() -> None:
    scores = make.answers(45, 50, 5, 50)
    bayesian = epsilon_bayesian(scores)
    assert bayesian.method.startswith("Bayesian")
    assert epsilon_lower(scores).value < bayesian.low < bayesian.value < bayesian.high
    assert (bayesian.n, bayesian.level) == (100, 0.95)
    assert epsilon_bayesian(make.answers(25, 50, 25, 50)).low < 0.1


def test_a_gaussian_release_is_seldom_overstated_by_its_own_bound() -> None:
    rng = stream(2, "gaussian")
    truth, n = gaussian_epsilon(1.0, 1e-5), 250
    hits, alarms = rng.binomial(n, stats.norm.cdf(0.5), 400), rng.binomial(n, stats.norm.cdf(-0.5), 400)
    bounds = [gaussian_epsilon(gaussian_bound(int(h), n, int(a), n), 1e-5) for h, a in zip(hits, alarms, strict=True)]
    assert sum(bound > truth for bound in bounds) <= 0.05 * 400 + 4 * math.sqrt(0.05 * 0.95 * 400)
    plain = [epsilon_bound(int(h), n, int(a), n, delta=1e-5) for h, a in zip(hits, alarms, strict=True)]
    assert np.median(bounds) > 2 * np.median(plain), "it is there because it shows more"


def test_the_gaussian_bound_overstates_what_is_not_gaussian() -> None:
    """The fault planted (M9): randomised response with epsilon 1, read as if it were Gaussian."""
    right = round(math.e / (1 + math.e) * 10_000)
    gaussian = epsilon_gaussian(make.answers(right, 10_000, 10_000 - right, 10_000))
    assert gaussian.value > 5
    assert "assumes a Gaussian" in gaussian.method
    assert math.isfinite(gaussian.high)
    assert epsilon_lower(make.answers(right, 10_000, 10_000 - right, 10_000)).value < 1


def test_an_impossible_mass_is_refused() -> None:
    with pytest.raises(ParameterError, match="mass"):
        joint_beta(1, 2, 1, 2, 1.0)
