"""The lower bound of epsilon against printed values, its ceiling, both directions, and what it never does."""

from __future__ import annotations

import math

import numpy as np
import pytest

from riskkit.errors import ParameterError, ScoreError, TooFewTrainings
from riskkit.seeds import stream
from riskkit.stats.epsilon import epsilon_bound, epsilon_ceiling, epsilon_lower
from tests.stats import make, naive


@pytest.mark.parametrize(
    ("hits", "n_in", "false_alarms", "n_out", "bound"),
    [
        (100, 100, 0, 100, 3.2813),
        (250, 250, 0, 250, 4.2088),
        (500, 500, 0, 500, 4.9056),
        (1000, 1000, 0, 1000, 5.6006),
        (961, 1000, 0, 1000, 5.5499),
        (241, 250, 9, 250, 2.6299),
        (90, 100, 10, 100, 1.5422),
        (300, 500, 200, 500, 0.2232),
        (60, 100, 40, 100, 0.0),
    ],
)
def test_printed_bounds(hits: int, n_in: int, false_alarms: int, n_out: int, bound: float) -> None:
    assert epsilon_bound(hits, n_in, false_alarms, n_out) == pytest.approx(bound, abs=1e-4)
    assert epsilon_lower(make.answers(hits, n_in, false_alarms, n_out)).value == pytest.approx(bound, abs=1e-4)


@pytest.mark.parametrize(
    ("trainings", "ceiling"),
    [(20, 0.81), (50, 1.84), (100, 2.57), (200, 3.28), (500, 4.21), (1000, 4.91), (10_000, 7.21)],
)
def test_printed_ceilings(trainings: int, ceiling: float) -> None:
    assert epsilon_ceiling(trainings // 2, trainings // 2) == pytest.approx(ceiling, abs=5e-3)


@pytest.mark.parametrize(("epsilon", "trainings"), [(1, 24), (3, 152), (5, 1104), (8, 22_010)])
def test_printed_numbers_of_trainings_can_show_their_epsilon(epsilon: float, trainings: int) -> None:
    assert epsilon_ceiling(trainings // 2, trainings // 2) >= epsilon
    assert epsilon_ceiling(trainings * 49 // 100, trainings * 49 // 100) < epsilon


def test_agrees_with_a_search_over_the_privacy_region() -> None:
    rng = stream(1, "epsilon search")
    for _ in range(100):
        n_in, n_out = (int(n) for n in rng.integers(5, 60, 2))
        hits, false_alarms = int(rng.integers(n_in // 2, n_in + 1)), int(rng.integers(0, n_out // 2))
        delta = float(rng.choice([0.0, 1e-5, 0.05, 0.4]))
        searched = naive.epsilon(
            naive.clopper_pearson(hits, n_in, 0.025)[0], naive.clopper_pearson(false_alarms, n_out, 0.025)[1], delta
        )
        assert epsilon_bound(hits, n_in, false_alarms, n_out, delta=delta) == pytest.approx(searched, abs=1e-6)


def test_both_directions_count() -> None:
    # Few false alarms show it through TPR / FPR, few misses through TNR / FNR.
    assert epsilon_bound(50, 100, 0, 100) == pytest.approx(epsilon_bound(100, 100, 50, 100), abs=1e-9)
    assert epsilon_bound(100, 100, 50, 100) > 2


def test_never_infinite_and_never_above_its_ceiling() -> None:
    for trainings in (5, 50, 5000):
        bound = epsilon_lower(make.answers(trainings, trainings, 0, trainings))
        assert math.isfinite(bound.high)
        assert bound.value == bound.low == bound.high


def test_value_is_the_bound_and_the_high_end_the_ceiling() -> None:
    bound = epsilon_lower(make.answers(40, 50, 5, 50))
    assert bound.value == bound.low < 0.6 * math.log(8)
    assert bound.high == pytest.approx(2.57, abs=5e-3)
    assert (bound.name, bound.n) == ("epsilon_lower", 100)


def test_attack_that_points_the_wrong_way_shows_nothing() -> None:
    assert epsilon_lower(make.answers(0, 50, 50, 50)).value == 0


def test_leaky_release_shows_nothing_beyond_its_delta() -> None:
    # Released as it is with chance .3: exactly (0, .3)-private.
    copied = stream(2, "leaky").random((400, 50)) < 0.3
    hits = copied.sum(axis=1)
    shown = sum(epsilon_bound(int(k), 50, 0, 50, delta=0.3) > 0 for k in hits)
    assert shown <= 0.05 * 400 + 4 * math.sqrt(0.05 * 0.95 * 400)
    assert sum(epsilon_bound(int(k), 50, 0, 50) > 0 for k in hits) > 200  # delta ignored is seen


def test_one_release_a_training_counts() -> None:
    rng = stream(3, "first")
    inside, outside = rng.standard_normal((2, 30)) + np.array([[1.0], [-1.0]])
    once = epsilon_lower(make.scores(inside, outside))
    copied = epsilon_lower(make.scores(np.repeat(inside, 50), np.repeat(outside, 50), 50))
    assert copied == once
    as_if_independent = epsilon_lower(make.scores(np.repeat(inside, 50), np.repeat(outside, 50)))
    assert as_if_independent.value > 2 * once.value


def test_score_of_exactly_zero_is_not_an_accusation() -> None:
    assert epsilon_lower(make.scores(np.ones(50), np.zeros(50))).value == pytest.approx(2.57, abs=5e-3)


def test_higher_level_shows_less() -> None:
    bounds = [epsilon_bound(45, 50, 5, 50, level=level) for level in (0.8, 0.9, 0.95, 0.99)]
    assert bounds == sorted(bounds, reverse=True)
    assert bounds[0] > bounds[-1]


def test_refusals() -> None:
    with pytest.raises(TooFewTrainings):
        epsilon_lower(make.answers(4, 4, 0, 50))
    with pytest.raises(ScoreError):
        epsilon_lower(make.answers(50, 50, 0, 0))
    for wrong in ({"delta": 1.0}, {"delta": -0.1}, {"delta": math.nan}, {"level": 1.0}):
        with pytest.raises(ParameterError, match="delta must be in"):
            epsilon_lower(make.answers(50, 50, 0, 50), **wrong)
