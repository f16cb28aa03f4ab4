"""The score of the SNAKE challenge: by hand, guarded, and covered as often as it says."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from riskkit.errors import ScoreError
from riskkit.stats.weighted import snake

beta = stats.beta.ppf
IN = np.array([True, True, False, False])


def test_scores_counted_by_hand() -> None:
    assert snake(np.array([1.0, 1.0, 0.0, 0.0]), IN).value == 1.0
    assert snake(np.array([0.0, 0.0, 1.0, 1.0]), IN).value == 0.0
    # in: weights 1 and .5, the first right: TPR 2/3; out: .2 and .6, the first wrong: FPR 1/4
    assert snake(np.array([1.0, 0.25, 0.6, 0.2]), IN).value == pytest.approx((1 + 2 / 3 - 1 / 4) / 2)


def test_the_interval_is_that_of_as_many_answers_as_the_weights_are_worth() -> None:
    """By hand: of each side weights 1, 1, .5 and .1 are worth 2.6 squared over 2.26, by scipy's beta law."""
    inside, outside = np.array([1.0, 0.0, 0.75, 0.55]), np.array([0.0, 0.0, 0.75, 0.55])
    estimate = snake(np.concatenate([inside, outside]), np.arange(8) < 4)
    worth = 2.6**2 / 2.26

    def ends(share: float) -> tuple[float, float]:
        hits = share * worth
        return float(beta(0.025, hits, worth - hits + 1)), float(beta(0.975, hits + 1, worth - hits))

    tpr, fpr = 1.6 / 2.6, 0.6 / 2.6
    low = tpr - fpr - np.hypot(tpr - ends(tpr)[0], ends(fpr)[1] - fpr)
    high = tpr - fpr + np.hypot(ends(tpr)[1] - tpr, fpr - ends(fpr)[0])
    assert (estimate.value, estimate.low, estimate.high) == pytest.approx(
        ((1 + tpr - fpr) / 2, (1 + low) / 2, (1 + high) / 2)
    )


def test_answers_without_weight_make_nothing_surer() -> None:
    answers, is_in = np.array([0.9, 0.8, 0.3, 0.2, 0.1, 0.7]), np.arange(6) < 3
    few = snake(answers, is_in)
    many = snake(np.append(answers, np.full(100, 0.5)), np.append(is_in, np.arange(100) < 50))
    assert (many.value, many.low, many.high) == pytest.approx((few.value, few.low, few.high))
    assert (few.n, many.n) == (6, 106)


def test_answers_that_weigh_nothing_get_a_sentence() -> None:
    with pytest.raises(ScoreError, match="weighs nothing"):
        snake(np.full(4, 0.5), IN)
    with pytest.raises(ScoreError, match="weighs nothing"):
        snake(np.array([0.5, 0.5, 1.0, 0.0]), IN)
    with pytest.raises(ScoreError, match="between 0 and 1"):
        snake(np.array([1.2, 0.5, 1.0, 0.0]), IN)


@pytest.mark.parametrize("shift", [0.0, 0.8, 2.5])
def test_intervals_hold_as_often_as_they_say(shift: float) -> None:
    rng = np.random.default_rng(3)
    is_in = np.arange(100) < 50

    def answers() -> np.ndarray:
        return 1 / (1 + np.exp(-(rng.normal(size=100) + shift * (is_in - 0.5))))

    truth = np.mean([snake(answers(), is_in).value for _ in range(1_000)])
    estimates = [snake(answers(), is_in) for _ in range(300)]
    held = np.mean([e.low <= truth <= e.high for e in estimates])
    assert held >= 0.93
    assert all(0 <= e.low <= e.value <= e.high <= 1 for e in estimates)
