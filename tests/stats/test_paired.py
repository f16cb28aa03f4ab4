"""Two attacks on the same releases: the difference, its interval, and what pairing is worth."""

from __future__ import annotations

import numpy as np
import pytest

from riskkit.core import Floats, Scores
from riskkit.errors import ScoreError, TooFewTrainings
from riskkit.seeds import stream
from riskkit.stats.arms import Arm
from riskkit.stats.paired import auc_difference, correlation, difference_interval
from riskkit.stats.summary import auc
from tests.statistical.simulate import covered, fewest, mean_width
from tests.stats import make

Side = tuple[Arm, Arm]


def played(times: int, trainings: int, gaps: tuple[float, float], shared: float, generations: int = 1) -> list[Side]:
    """Two attacks' arms: normal scores, a share of their variance the same for both, half of it by training."""
    rng = stream(1, "paired", times, trainings, generations, int(100 * shared), *(int(100 * gap) for gap in gaps))
    sides: list[list[Arm]] = [[], []]
    for side in (1, 0):
        shape = times, trainings, generations
        both = rng.standard_normal(shape) / 2 + rng.standard_normal((*shape[:2], 1)) * np.sqrt(3) / 2
        for attack, gap in enumerate(gaps):
            own = rng.standard_normal(shape)
            value: Floats = np.sqrt(shared) * both + np.sqrt(1 - shared) * own + side * gap
            sides[attack].append(Arm(value.reshape(times, -1), np.full(trainings, generations)))
    return [(arms[0], arms[1]) for arms in sides]


def truth(gap: float, times: int = 200_000) -> float:
    """The AUC of normal scores that lie so far apart."""
    rng = stream(2, "truth", int(100 * gap))
    return float((rng.standard_normal(times) * np.sqrt(2) + gap > 0).mean())


def test_six_releases_by_hand() -> None:
    first, second = make.scores(np.arange(5) + 3.5, np.arange(5)), make.scores(np.arange(5), np.arange(5) + 0.0)
    difference = auc_difference(first, second)
    assert difference.value == pytest.approx(auc(first).value - 0.5)
    assert difference.low < difference.value < difference.high
    assert difference.n == 10
    turned = auc_difference(second, first)
    assert (turned.value, turned.low, turned.high) == pytest.approx(
        (-difference.value, -difference.high, -difference.low)
    )


def test_an_attack_does_no_better_than_itself() -> None:
    """The two ends of its own interval are not alike, so that a little width is left."""
    scores = make.scores(np.arange(20) + 5.0, np.arange(20))
    difference, own = auc_difference(scores, scores), auc(scores)
    assert difference.value == 0
    assert difference.high == -difference.low < (own.high - own.low) / 4


def test_two_attacks_that_are_always_right_are_not_known_to_be_equal() -> None:
    perfect = make.scores(np.ones(20) * 5, np.zeros(20))
    difference = auc_difference(perfect, make.scores(np.ones(20) * 9, np.zeros(20)))
    assert difference.value == 0
    assert difference.low < -0.05
    assert difference.high > 0.05


@pytest.mark.parametrize("generations", [1, 4])
@pytest.mark.parametrize("shared", [0.0, 0.8])
@pytest.mark.parametrize("gaps", [(0.0, 0.0), (1.2, 0.6), (2.3, 0.0)])
def test_the_interval_covers_at_its_level(gaps: tuple[float, float], shared: float, generations: int) -> None:
    first, second = played(500, 25, gaps, shared, generations)
    intervals = difference_interval(first, second, 0.95)
    assert covered(intervals, truth(gaps[0]) - truth(gaps[1])) >= fewest(500, 0.94)
    assert mean_width(intervals) < 0.75


def test_pairing_narrows_the_interval_where_releases_are_hard_for_both() -> None:
    """The fault planted: attacks that are compared as if they had seen different releases."""
    first, second = played(300, 25, (1.0, 0.6), 0.8)
    paired = difference_interval(first, second, 0.95)
    shuffled = tuple(Arm(arm.value[:, ::-1], arm.sizes) for arm in second)
    apart = difference_interval(first, shuffled, 0.95)
    assert mean_width(paired) < 0.8 * mean_width(apart)
    assert correlation(first, second).mean() > 0.6 > 0.3 > correlation(first, shuffled).mean()


def test_what_was_not_seen_together_is_not_compared() -> None:
    first, second = make.scores(np.ones(6), np.zeros(6)), make.scores(np.ones(7), np.zeros(5))
    with pytest.raises(ScoreError, match="saw different ones"):
        auc_difference(first, second)
    short = Scores(np.arange(6.0), np.arange(6) < 3, np.arange(6), np.zeros(6, dtype=int))
    with pytest.raises(TooFewTrainings):
        auc_difference(short, short)
