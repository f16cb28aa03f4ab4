"""Where the target makes no difference, p-values are spread evenly, also when releases share a training."""

import numpy as np
import pytest
from scipy import stats

from riskkit.seeds import stream
from riskkit.stats.multiplicity import benjamini_hochberg, p_value
from tests.statistical.simulate import Binormal, as_scores
from tests.stats import make

MOST_SMALL = 138
"""Of 2000 at or below .05: more happens less than once in 10,000."""


def _p_values(game: Binormal, times: int) -> list[float]:
    arms = game.play(times)
    return [p_value(as_scores(*arms, audit)) for audit in range(times)]


def test_independent_trainings_without_a_leak_have_even_p_values() -> None:
    p = np.array(_p_values(Binormal(50), 2000))
    assert stats.kstest(p, "uniform").pvalue > 1e-4
    assert (p <= 0.05).sum() <= MOST_SMALL


def test_clustered_trainings_without_a_leak_have_even_p_values() -> None:
    game = Binormal(12, 5, 0.6)
    p = np.array(_p_values(game, 2000))
    assert stats.kstest(p, "uniform").pvalue > 1e-4
    assert (p <= 0.05).sum() <= MOST_SMALL
    inside, outside = game.play(2000)
    by_trial = stats.mannwhitneyu(inside.value, outside.value, axis=1, alternative="greater", method="asymptotic")
    assert (by_trial.pvalue <= 0.05).sum() > 2 * MOST_SMALL  # generations taken for trainings


@pytest.mark.slow
@pytest.mark.parametrize("levels", [2, 4])
def test_tied_trainings_without_a_leak_have_even_p_values(levels: int) -> None:
    """Of few values a p-value has steps: a place drawn within its step is even, and the p-value itself never too small.

    2,000 games of 20 and 20 trainings; a quarter of a minute. What lies beyond the step is the chance of more
    than was seen: 1 less the p-value with the truths exchanged.
    """
    rng = stream(4, "ties", levels)
    p = np.empty((2000, 2))
    for number, values in enumerate(rng.integers(levels, size=(2000, 40)).astype(float)):
        scores = make.scores(values[:20], values[20:])
        p[number] = p_value(scores), 1 - p_value(make.swapped(scores)) if np.ptp(values) else 0.0
    assert (p[:, 0] <= 0.05).sum() <= MOST_SMALL
    placed = p[:, 1] + rng.random(2000) * (p[:, 0] - p[:, 1])
    assert stats.kstest(placed, "uniform").pvalue > 1e-4
    assert (placed <= 0.05).sum() <= MOST_SMALL
    if levels == 2:
        assert stats.kstest(p[:, 0], "uniform").pvalue < 1e-4, "the steps themselves are not even"


def test_leaking_records_are_found_among_the_innocent() -> None:
    p = np.array(_p_values(Binormal(50), 300) + _p_values(Binormal(50, auc=0.8), 30))
    listed = benjamini_hochberg(p, 0.05)
    assert listed[300:].sum() >= 28
    assert listed[:300].sum() <= 6
