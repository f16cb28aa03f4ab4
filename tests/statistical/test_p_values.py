"""Where the target makes no difference, p-values are spread evenly, also when releases share a training."""

from __future__ import annotations

import numpy as np
from scipy import stats

from riskkit.stats.multiplicity import benjamini_hochberg, p_value
from tests.statistical.simulate import Binormal, as_scores

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


def test_leaking_records_are_found_among_the_innocent() -> None:
    p = np.array(_p_values(Binormal(50), 300) + _p_values(Binormal(50, auc=0.8), 30))
    listed = benjamini_hochberg(p, 0.05)
    assert listed[300:].sum() >= 28
    assert listed[:300].sum() <= 6
