"""What a value of 0 tells beyond what anybody knows of a column: counted by hand, null, planted, calibrated."""

from __future__ import annotations

import numpy as np
import pytest

from riskkit.core import Bools
from riskkit.stats.power import detectable_gain
from riskkit.stats.reference import reference_lift


def test_six_victims_counted_by_hand() -> None:
    equal = np.array([[[True], [True], [True], [False], [False], [False]]])
    # Each of the three that are named equals the reference; of the five others two do.
    lift = reference_lift(np.ones((1, 6, 1), dtype=bool), equal)
    assert lift is not None
    assert lift.value == pytest.approx((3 * (1 - 2 / 5) + 3 * (0 - 3 / 5)) / 6)
    few = reference_lift(equal, equal)
    assert few is None, "three victims are too few"


def test_a_column_where_all_are_equal_tells_nothing() -> None:
    equal = np.ones((1, 40, 1), dtype=bool)
    lift = reference_lift(equal, equal)
    assert lift is not None
    assert lift.value == 0.0
    assert lift.low < 0 < lift.high


def made(seed: int, *, at_random: float) -> tuple[Bools, Bools]:
    """Two columns that agree with the reference often and seldom; 0 is said at random, or of equal cells."""
    rng = np.random.default_rng(seed)
    equal = rng.random((1, 60, 2)) < np.array([0.9, 0.2])
    says = rng.random(equal.shape) < np.array([0.8, 0.1])
    return np.where(rng.random(equal.shape) < at_random, equal, says), equal


def test_what_is_said_at_random_is_covered_and_a_planted_leak_is_shown() -> None:
    """Precision is 0.8 at random, too, since most are said of the column where most are equal."""
    nothing = [reference_lift(*made(seed, at_random=0.0)) for seed in range(400)]
    low = sum(lift is not None and lift.low > 0 for lift in nothing)
    high = sum(lift is not None and lift.high < 0 for lift in nothing)
    assert low + high <= 400 * 0.05 + 3 * np.sqrt(400 * 0.05 * 0.95)
    planted = [reference_lift(*made(seed, at_random=1.0)) for seed in range(50)]
    assert all(lift is not None and lift.low > 0 for lift in planted)


def test_precision_without_the_column_is_a_fault_that_is_caught() -> None:
    """Planted: compared with the share over all columns, random zeros look like a leak."""
    naive = []
    for seed in range(50):
        says, equal = made(seed, at_random=0.0)
        naive.append(equal[says].mean() - equal.mean())
    assert np.mean(naive) > 0.2


def test_detectable_gain_by_hand() -> None:
    gain = detectable_gain(200, alpha=0.025)
    at_none, at_gain = np.sqrt(0.5 / 200), np.sqrt((0.5 - gain**2) / 200)
    assert gain == pytest.approx(1.95996 * at_none + 0.84162 * at_gain, abs=1e-5)
    assert detectable_gain(2) == 1.0
