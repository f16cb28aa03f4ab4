"""The region that differential privacy leaves to attacks, against printed values and against each other."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from riskkit.errors import ParameterError
from riskkit.stats.privacy import (
    auc_cap,
    gaussian_delta,
    gaussian_epsilon,
    tpr_cap,
    trade_off,
)


@pytest.mark.parametrize(("epsilon", "auc"), [(0.5, 0.6225), (1, 0.7311), (2, 0.8808), (3, 0.9526), (5, 0.9933)])
def test_printed_auc_of_pure_epsilon(epsilon: float, auc: float) -> None:
    """A1.2: what randomised response on one bit reaches, and nothing of the same epsilon exceeds."""
    assert auc_cap(epsilon) == pytest.approx(auc, abs=5e-5)
    assert auc_cap(epsilon) == pytest.approx(math.exp(epsilon) / (1 + math.exp(epsilon)), abs=1e-12)


@pytest.mark.parametrize(
    ("fpr", "epsilon", "tpr"), [(0.01, 1, 0.0272), (0.01, 2, 0.0739), (0.1, 1, 0.2718), (0.1, 2, 0.7389)]
)
def test_printed_share_named_at_a_share_of_false_alarms(fpr: float, epsilon: float, tpr: float) -> None:
    assert float(tpr_cap(fpr, epsilon)) == pytest.approx(tpr, abs=5e-5)


def test_printed_points_of_the_calibration_library() -> None:
    assert float(trade_off(0.8, 1.0, 0.001)) == pytest.approx(0.073, abs=1e-3)
    assert float(trade_off(0.001, 5.293, 0.001)) == pytest.approx(0.8, abs=1e-3)


@pytest.mark.parametrize(("epsilon", "advantage"), [(0.5, 0.2449), (1, 0.4621), (2, 0.7616), (5, 0.9866)])
def test_printed_advantage(epsilon: float, advantage: float) -> None:
    """The height of the region over the diagonal, (e^epsilon - 1) / (e^epsilon + 1)."""
    fpr = np.linspace(0, 1, 100_001)
    assert (tpr_cap(fpr, epsilon) - fpr).max() == pytest.approx(advantage, abs=6e-5)


@pytest.mark.parametrize("delta", [0.0, 0.01, 0.3])
@pytest.mark.parametrize("epsilon", [0.0, 0.5, 2.0])
def test_area_and_height_of_the_region_are_those_of_its_edge(epsilon: float, delta: float) -> None:
    fpr = np.linspace(0, 1, 200_001)
    edge = tpr_cap(fpr, epsilon, delta)
    assert np.trapezoid(edge, fpr) == pytest.approx(auc_cap(epsilon, delta), abs=1e-6)
    advantage = (math.expm1(epsilon) + 2 * delta) / (math.exp(epsilon) + 1)
    assert (edge - fpr).max() == pytest.approx(advantage, abs=1e-5)


@pytest.mark.parametrize(("mu", "epsilon"), [(0.5, 1.99), (1.0, 4.38), (2.0, 10.00)])
def test_printed_epsilons_of_a_gaussian_method(mu: float, epsilon: float) -> None:
    assert gaussian_epsilon(mu, 1e-5) == pytest.approx(epsilon, abs=5e-3)
    assert gaussian_delta(mu, gaussian_epsilon(mu, 1e-5)) == pytest.approx(1e-5, rel=1e-6)


def test_the_gaussian_region_touches_its_own_trade_off_and_never_crosses_it() -> None:
    fpr = np.linspace(1e-4, 1 - 1e-4, 2001)
    curve = ndtr(ndtri(1 - fpr) - 1.0)
    for epsilon in (0.5, 1.0, 2.0):
        gap = curve - trade_off(fpr, epsilon, gaussian_delta(1.0, epsilon))
        assert -1e-9 <= gap.min() < 1e-4
    assert gaussian_delta(1.0, 0.0) == pytest.approx(2 * ndtr(0.5) - 1)
    assert gaussian_epsilon(1.0, 0.5) == 0.0


def test_claims_that_are_none_are_refused() -> None:
    for wrong in ({"epsilon": -1.0}, {"epsilon": 1.0, "delta": 1.5}, {"epsilon": math.nan}):
        with pytest.raises(ParameterError, match="0 or more"):
            auc_cap(**wrong)
    with pytest.raises(ParameterError, match="between 0 and 1"):
        gaussian_epsilon(1.0, 0.0)
