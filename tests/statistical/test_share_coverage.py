"""Intervals of advantage, accuracy and TPR at a fixed FPR hold the truth as often as they say."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from riskkit.core import Floats
from riskkit.stats import accuracy, advantage, tpr_at_fpr
from riskkit.stats.arms import Arm
from riskkit.stats.intervals import Interval
from riskkit.stats.roc import tpr_interval
from riskkit.stats.summary import advantage_interval
from tests.statistical.simulate import Binormal, as_scores, covered, fewest, mean_width


def _naive_advantage(inside: Arm, outside: Arm) -> Interval:
    """A mutant: standard errors of two shares, all trials taken for independent."""
    tpr, fpr = (arm.value > 0 for arm in (inside, outside))
    first, second = tpr.mean(axis=-1), fpr.mean(axis=-1)
    reach = 1.96 * np.sqrt(first * (1 - first) / inside.n + second * (1 - second) / outside.n)
    return first - second, first - second - reach, first - second + reach


def _sure_of_its_cut(inside: Arm, outside: Arm, fpr: float) -> Interval:
    """A mutant: the TPR's interval as if the cut were known."""
    cut = np.quantile(outside.value, 1 - fpr, axis=-1, method="weibull")
    tpr = (inside.value > cut[:, None]).mean(axis=-1)
    reach = 1.96 * np.sqrt(tpr * (1 - tpr) / inside.n)
    return tpr, tpr - reach, tpr + reach


def _ideal_width(game: Binormal) -> float:
    """The width that known shares and a known clustering of the answers would give."""
    shared = stats.multivariate_normal([0, 0], [[1, game.icc], [game.icc, 1]], allow_singular=True)
    variance = 0.0
    for mean in (game.shift + game.gap / 2, game.shift - game.gap / 2):
        share = float(stats.norm.cdf(mean))
        same = float(shared.cdf([mean, mean])) - share**2
        scatter = share * (1 - share) + (game.generations - 1) * same
        variance += scatter / (game.trainings * game.generations)
    return float(2 * stats.t.ppf(0.975, game.trainings - 1) * np.sqrt(variance))


@pytest.mark.parametrize(
    "game",
    [
        Binormal(5, auc=0.95),
        Binormal(10, 20, 0.9, 0.95),
        Binormal(15, 20, 0.6, 0.99),
        Binormal(25, 5, 0.3, 0.8, shift=1.0),
        Binormal(50, 20, 0.1, 0.8),
    ],
    ids=str,
)
def test_advantage_is_covered(game: Binormal) -> None:
    assert covered(advantage_interval(*game.play(400), 0.95), game.advantage) >= fewest(400)


def test_taking_generations_for_trainings_does_not_cover_the_advantage() -> None:
    game = Binormal(5, 20, 0.3, 0.5)
    assert covered(_naive_advantage(*game.play(400)), 0.0) < 0.8 * 400


@pytest.mark.parametrize("game", [Binormal(30, auc=0.8), Binormal(50, 20, 0.3, 0.5), Binormal(100, auc=0.95)], ids=str)
def test_share_named_is_covered(game: Binormal) -> None:
    assert covered(tpr_interval(*game.play(400), 0.1, 0.95), game.tpr(0.1)) >= fewest(400)


def test_taking_the_cut_for_known_does_not_cover_the_share_named() -> None:
    game = Binormal(100, auc=0.8)
    arms = game.play(1000)
    assert covered(_sure_of_its_cut(*arms, 0.1), game.tpr(0.1)) < fewest(1000)


def test_one_audit_through_the_public_names_is_one_of_the_many() -> None:
    arms = Binormal(30, 3, 0.4, 0.8).play(10)
    advantages, named = advantage_interval(*arms, 0.95), tpr_interval(*arms, 0.1, 0.95)
    for audit in range(10):
        scores = as_scores(*arms, audit)
        for estimate, many in ((advantage(scores), advantages), (tpr_at_fpr(scores, 0.1), named)):
            assert (estimate.value, estimate.low, estimate.high) == pytest.approx(_one(many, audit), abs=1e-12)
        assert accuracy(scores).low == pytest.approx((1 + advantages[1][audit]) / 2)


def _one(many: tuple[Floats, Floats, Floats], audit: int) -> tuple[float, ...]:
    return tuple(float(part[audit]) for part in many)


@pytest.mark.slow
@pytest.mark.parametrize("truth", [0.5, 0.8, 0.95, 0.99])
@pytest.mark.parametrize("generations", [1, 2, 5, 20])
@pytest.mark.parametrize("trainings", [5, 7, 10, 15, 25, 50])
def test_every_cell_of_the_advantage_is_covered_and_not_vacuous(trainings: int, generations: int, truth: float) -> None:
    for icc in (0.0, 0.1, 0.3, 0.6, 0.9):
        for shift in (0.0, 1.0):
            game = Binormal(trainings, generations, icc, truth, shift)
            intervals = advantage_interval(*game.play(1000), 0.95)
            assert covered(intervals, game.advantage) >= 921, game
            if trainings >= 25 and truth < 0.95:
                assert mean_width(intervals) <= 1.5 * _ideal_width(game), game


@pytest.mark.slow
@pytest.mark.parametrize("truth", [0.5, 0.8, 0.95])
@pytest.mark.parametrize("generations", [1, 2, 5, 20])
@pytest.mark.parametrize(("trainings", "fpr"), [(30, 0.1), (50, 0.1), (60, 0.05), (100, 0.1), (200, 0.05)])
def test_every_cell_of_the_share_named_is_covered(trainings: int, fpr: float, generations: int, truth: float) -> None:
    for icc in (0.0, 0.3, 0.6, 0.9):
        game = Binormal(trainings, generations, icc, truth)
        assert covered(tpr_interval(*game.play(1000), fpr, 0.95), game.tpr(fpr)) >= 930, game
