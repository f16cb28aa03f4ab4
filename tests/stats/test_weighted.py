"""The score of the SNAKE challenge: by hand, guarded, and covered as often as it says."""

from __future__ import annotations

import numpy as np
import pytest

from riskkit.errors import ScoreError
from riskkit.stats.weighted import snake

IN = np.array([True, True, False, False])


def test_scores_counted_by_hand() -> None:
    assert snake(np.array([1.0, 1.0, 0.0, 0.0]), IN).value == 1.0
    assert snake(np.array([0.0, 0.0, 1.0, 1.0]), IN).value == 0.0
    # in: weights 1 and .5, the first right: TPR 2/3; out: .2 and .6, the first wrong: FPR 1/4
    assert snake(np.array([1.0, 0.25, 0.6, 0.2]), IN).value == pytest.approx((1 + 2 / 3 - 1 / 4) / 2)


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
