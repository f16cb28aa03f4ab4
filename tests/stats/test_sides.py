"""The difference of two sides, and the smallest residual that can be seen: by hand, at the null, and against counts."""

from __future__ import annotations

import numpy as np
import pytest

from riskkit.errors import ParameterError
from riskkit.stats.guesses import CategoryGuesses
from riskkit.stats.inference import residual
from riskkit.stats.sides import detectable_residual, difference


def guesses(right: np.ndarray) -> CategoryGuesses:
    return CategoryGuesses(np.zeros(len(right)), np.where(right, 0, 1))


def test_by_hand() -> None:
    gap = difference(guesses(np.arange(10) < 8), guesses(np.arange(20) < 10))
    assert gap.value == pytest.approx(0.3)
    assert gap.low < 0.3 < gap.high
    assert (gap.n, gap.labels["metric"]) == (30, "accuracy")
    turned = difference(guesses(np.arange(20) < 10), guesses(np.arange(10) < 8))
    assert turned.value == pytest.approx(-0.3)
    assert turned.low == pytest.approx(-gap.high)


def test_covered_at_the_stated_level() -> None:
    rng = np.random.default_rng(1)
    held = 0
    for _ in range(1000):
        gap = difference(guesses(rng.random(120) < 0.8), guesses(rng.random(80) < 0.7))
        held += gap.low <= 0.1 <= gap.high
    assert 0.93 <= held / 1000 <= 0.97


@pytest.mark.parametrize("right", [0.5, 0.8])
def test_the_residual_that_is_foreseen_is_found_in_four_of_five_audits(right: float) -> None:
    least = detectable_residual(800, 600, right)
    rng = np.random.default_rng(2)
    reached = right + least * (1 - right)
    shown = [residual(guesses(rng.random(800) < reached), guesses(rng.random(600) < right)).low > 0 for _ in range(400)]
    assert 0.74 <= np.mean(shown) <= 0.88
    half = right + least / 2 * (1 - right)  # the fault this is there to catch: a power that is not one
    missed = [residual(guesses(rng.random(800) < half), guesses(rng.random(600) < right)).low > 0 for _ in range(400)]
    assert np.mean(missed) < 0.5


def test_ends_and_refusals() -> None:
    assert detectable_residual(100, 100, 1.0) == 1.0
    assert detectable_residual(100, 100, 0.5, alpha=0.001) > detectable_residual(100, 100, 0.5)
    with pytest.raises(ParameterError):
        detectable_residual(0, 10, 0.5)
    with pytest.raises(ParameterError):
        detectable_residual(10, 10, 1.5)
