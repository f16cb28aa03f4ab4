"""Gain over chance by training: by hand, at the null, and with the fault of counting guesses."""

from __future__ import annotations

import numpy as np
import pytest

from riskkit.errors import ScoreError, TooFewTrainings
from riskkit.stats.randomised import randomised


def test_by_hand() -> None:
    success = np.array([1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0])
    chance = np.full(10, 0.25)
    estimates = randomised(success, chance, np.repeat(np.arange(5), 2), is_category=True)
    assert [estimate.value for estimate in estimates] == pytest.approx([0.6, 0.25, 0.35])
    assert [estimate.n for estimate in estimates] == [5, 5, 5]
    assert all(estimate.low <= estimate.value <= estimate.high for estimate in estimates)
    errors = randomised(-success, -chance, np.repeat(np.arange(5), 2), is_category=False)[-1]
    gaps = np.array([-0.25, -0.75, 0.25, -0.25, -0.75])
    reach = 2.7764451 * gaps.std(ddof=1) / np.sqrt(5)  # t with 4 degrees of freedom
    assert errors.value == pytest.approx(-0.35)
    assert errors.high - errors.value == pytest.approx(reach, rel=1e-6)


def test_where_nothing_varies_the_interval_is_no_point() -> None:
    success, _, gain = randomised(np.ones(50), np.full(50, 0.5), np.repeat(np.arange(5), 10), is_category=True)
    assert success.low < 0.5
    reach = 2.7764451 * 0.5 / np.sqrt(50)  # as if 50 guesses at chance were independent
    assert (gain.low, gain.high) == pytest.approx((0.5 - reach, 0.5 + reach))
    with pytest.raises(ScoreError, match="same gain"):
        randomised(-np.ones(50), -np.full(50, 0.5), np.repeat(np.arange(5), 10), is_category=False)


def test_trainings_that_nearly_agree_are_no_surer_than_chance_allows() -> None:
    """Four trainings with 5 of 10 right and one with 6: they scatter by less than guesses at chance do."""
    right = np.array([5, 5, 5, 5, 6])
    success = (np.arange(10) < right[:, None]).astype(float).ravel()
    gain = randomised(success, np.full(50, 0.5), np.repeat(np.arange(5), 10), is_category=True)[-1]
    seen = 2.7764451 * (right / 10).std(ddof=1) / np.sqrt(5)
    chance = 2.7764451 * 0.5 / np.sqrt(50)
    assert seen < chance / 3
    assert (gain.low, gain.high) == pytest.approx((0.02 - chance, 0.02 + chance))


def test_too_few_trainings_have_no_number() -> None:
    with pytest.raises(TooFewTrainings, match="4 trainings"):
        randomised(np.ones(8), np.ones(8), np.repeat(np.arange(4), 2), is_category=True)


def audits(rng: np.random.Generator, trainings: int, targets: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """No leak: each training says one level of everybody, so its guesses are right or wrong together."""
    share = np.array([0.5, 0.3, 0.2])
    answer = rng.choice(3, trainings)
    drawn = rng.choice(3, (trainings, targets), p=share)
    pulled = rng.random((trainings, 1)) < 0.3  # in some trainings, draws of all go one way
    drawn = np.where(pulled & (rng.random((trainings, targets)) < 0.5), rng.choice(3, (trainings, 1), p=share), drawn)
    success = (drawn == answer[:, None]).astype(float)
    chance = np.broadcast_to(share[answer][:, None], success.shape)
    return success.ravel(), chance.ravel(), np.repeat(np.arange(trainings), targets)


@pytest.mark.parametrize(("trainings", "targets"), [(5, 50), (20, 50), (20, 1), (60, 10)])
def test_no_gain_is_held_as_often_as_said(trainings: int, targets: int) -> None:
    rng = np.random.default_rng(trainings + targets)
    held = []
    for _ in range(200):
        gained = randomised(*audits(rng, trainings, targets), is_category=True)[-1]
        held.append(gained.low <= 0 <= gained.high)
    assert np.mean(held) >= 0.92


@pytest.mark.parametrize("trainings", [5, 40])
def test_no_gain_of_a_number_is_held_as_often_as_said(trainings: int) -> None:
    rng = np.random.default_rng(trainings)
    held = []
    training = np.repeat(np.arange(trainings), 20)
    for _ in range(400):
        gain = 0.2 * rng.standard_normal(trainings)[training] + rng.exponential(1.0, len(training)) - 1.0
        gained = randomised(gain, np.zeros(len(gain)), training, is_category=False)[-1]
        held.append(gained.low <= 0 <= gained.high)
    assert 0.925 <= np.mean(held) <= 0.975


def test_counting_guesses_for_trainings_is_seen() -> None:
    rng = np.random.default_rng(3)
    held = []
    for _ in range(100):
        success, chance, _ = audits(rng, 20, 50)
        gained = randomised(success, chance, np.arange(1000), is_category=True)[2]
        held.append(gained.low <= 0 <= gained.high)
    assert np.mean(held) < 0.8
