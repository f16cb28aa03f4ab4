"""The epsilon bound is seldom above the truth, and not far below it where the attack is as strong as can be."""

import numpy as np
import pytest
from scipy import stats

from riskkit.core import Ints
from riskkit.seeds import stream
from riskkit.stats.epsilon import epsilon_bound, epsilon_lower
from riskkit.stats.intervals import clopper_pearson
from tests.stats import make

MOST_VIOLATIONS = 77
"""Of 1000, at a true rate of 5 %: more than this happens less than once in 10,000."""


def _counts(tpr: float, fpr: float, n: int, *labels: str | int) -> tuple[Ints, Ints]:
    """A thousand games of ``n`` trainings: how many were called "in" in either arm."""
    rng = stream(1, "epsilon", n, *labels)
    return rng.binomial(n // 2, tpr, 1000), rng.binomial(n // 2, fpr, 1000)


def _bounds(counts: tuple[Ints, Ints], n: int, delta: float = 0.0) -> list[float]:
    return [epsilon_bound(int(h), n // 2, int(f), n // 2, delta=delta) for h, f in zip(*counts, strict=True)]


def _right(epsilon: float) -> float:
    return float(np.exp(epsilon) / (1 + np.exp(epsilon)))


@pytest.mark.parametrize(
    ("epsilon", "n", "floor"),
    [(1, 100, 0.30), (1, 1000, 0.75), (1, 10_000, 0.92), (2, 100, 1.05), (2, 1000, 1.65), (2, 10_000, 1.88)],
)
def test_bound_of_randomised_response_is_close_below_the_truth(epsilon: int, n: int, floor: float) -> None:
    bounds = _bounds(_counts(_right(epsilon), 1 - _right(epsilon), n, epsilon), n)
    assert sum(bound > epsilon for bound in bounds) <= MOST_VIOLATIONS
    assert np.median(bounds) >= floor


def test_ratio_of_the_observed_rates_is_above_the_truth_half_the_time() -> None:
    hits, alarms = _counts(_right(1), 1 - _right(1), 1000, 1)
    assert (np.log(hits / np.maximum(alarms, 1)) > 1).sum() > 5 * MOST_VIOLATIONS


def test_the_luckiest_of_a_hundred_records_overstates_unless_corrected() -> None:
    rng = stream(2, "luckiest")
    counts = rng.binomial(500, _right(1), (60, 100)), rng.binomial(500, 1 - _right(1), (60, 100))

    def overstated(level: float) -> int:
        tail = (1 - level) / 2
        lows, highs = clopper_pearson(counts[0], 500, tail)[0], clopper_pearson(counts[1], 500, tail)[1]
        bounds = np.maximum(np.log(lows / highs), np.log((1 - highs) / (1 - lows)))
        return int((bounds.max(axis=1) > 1).sum())

    assert overstated(0.95) > 15
    assert overstated(1 - 0.05 / 100) <= 9


def test_scores_of_randomised_response_give_the_bound_of_their_counts() -> None:
    hits, alarms = _counts(_right(2), 1 - _right(2), 100, 2)
    for h, f in zip(hits[:20].tolist(), alarms[:20].tolist(), strict=True):
        assert epsilon_lower(make.answers(h, 50, f, 50)).value == epsilon_bound(h, 50, f, 50)


@pytest.mark.slow
@pytest.mark.parametrize("n", [100, 1000, 10_000])
@pytest.mark.parametrize("epsilon", [0.5, 1, 2, 3])
def test_randomised_response_is_seldom_overstated(epsilon: float, n: int) -> None:
    bounds = _bounds(_counts(_right(epsilon), 1 - _right(epsilon), n, int(10 * epsilon)), n)
    assert sum(bound > epsilon for bound in bounds) <= MOST_VIOLATIONS


@pytest.mark.slow
@pytest.mark.parametrize("n", [100, 1000, 10_000])
@pytest.mark.parametrize(("mu", "epsilon"), [(0.5, 1.99), (1.0, 4.38), (2.0, 10.00)])
def test_gaussian_release_is_seldom_overstated(mu: float, epsilon: float, n: int) -> None:
    tpr = float(stats.norm.cdf(mu / 2))
    bounds = _bounds(_counts(tpr, 1 - tpr, n, int(10 * mu)), n, delta=1e-5)
    assert sum(bound > epsilon for bound in bounds) <= MOST_VIOLATIONS
