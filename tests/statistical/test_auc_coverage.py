"""AUC, advantage, accuracy and TPR at a fixed FPR: intervals hold the truth as often as they say, and are no wider."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from riskkit.core import Floats
from riskkit.seeds import stream
from riskkit.stats import accuracy, advantage, auc, tpr_at_fpr
from riskkit.stats.arms import Arm
from riskkit.stats.intervals import Interval, critical, newcombe5, sum_variance
from riskkit.stats.power import auc_standard_error
from riskkit.stats.roc import placements, tpr_interval
from riskkit.stats.summary import advantage_interval, auc_interval
from tests.statistical.simulate import Binormal, as_scores, covered, fewest, ideal_width, mean_width

Z = critical(0.95)


def _delong(inside: Arm, outside: Arm) -> Interval:
    """A mutant: value plus or minus z standard errors, all trials taken for independent."""
    placed = placements(inside, outside)
    alone = sum_variance(inside, placed.inside)[0] + sum_variance(outside, placed.outside)[0]
    return placed.auc, placed.auc - Z * np.sqrt(alone), placed.auc + Z * np.sqrt(alone)


@pytest.mark.parametrize(("truth", "trainings"), [(0.5, 10), (0.9, 50), (0.99, 10)])
def test_independent_trainings_are_covered(truth: float, trainings: int) -> None:
    game = Binormal(trainings, auc=truth)
    arms = game.play(400)
    assert covered(auc_interval(*arms, 0.95), truth) >= fewest(400)


def test_standard_errors_around_an_extreme_auc_do_not_cover_it() -> None:
    assert covered(_delong(*Binormal(10, auc=0.99).play(400)), 0.99) < 0.6 * 400


@pytest.mark.parametrize(
    "game",
    [
        Binormal(5, 20, 0.3, 0.5),
        Binormal(10, 20, 0.9, 0.95),
        Binormal(25, 5, 0.6, 0.8),
        Binormal(50, 20, 0.1, 0.8),
        Binormal(50, 2, 0.0, 0.5),
    ],
    ids=str,
)
def test_clustered_trainings_are_covered(game: Binormal) -> None:
    assert covered(auc_interval(*game.play(400), 0.95), game.auc) >= fewest(400)


def test_taking_generations_for_trainings_does_not_cover() -> None:
    game = Binormal(5, 20, 0.3, 0.5)
    assert covered(_delong(*game.play(400)), 0.5) < 0.7 * 400


def test_the_level_means_what_it_says() -> None:
    arms = Binormal(50, auc=0.8).play(1000)
    for level in (0.5, 0.8, 0.9):
        held = covered(auc_interval(*arms, level), 0.8)
        assert fewest(1000, level) <= held <= fewest(1000, level, 1 - 1e-4) + 25


def test_one_audit_through_the_public_name_is_one_of_the_many() -> None:
    arms = Binormal(10, 3, 0.4, 0.8).play(20)
    value, low, high = auc_interval(*arms, 0.95)
    for audit in range(20):
        audited = auc(as_scores(*arms, audit))
        assert (audited.value, audited.low, audited.high) == pytest.approx(
            (value[audit], low[audit], high[audit]), abs=1e-12
        )


@pytest.mark.parametrize("generations", [1, 5])
@pytest.mark.parametrize("truth", [0.5, 0.8])
def test_twice_the_trainings_narrow_the_interval_by_the_root_of_two(truth: float, generations: int) -> None:
    widths = []
    for trainings in (50, 100):
        _, low, high = auc_interval(*Binormal(trainings, generations, 0.3, truth).play(300), 0.95)
        widths.append(np.median(high - low))
    assert widths[1] / widths[0] == pytest.approx(np.sqrt(0.5), rel=0.1)


@pytest.mark.slow
@pytest.mark.parametrize("trainings", [20, 50, 100, 200, 1000])
@pytest.mark.parametrize("truth", [0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99])
def test_every_independent_cell_is_covered_and_not_vacuous(truth: float, trainings: int) -> None:
    arm = trainings // 2
    intervals = auc_interval(*Binormal(arm, auc=truth).play(2000), 0.95)
    assert covered(intervals, truth) >= 1860
    low, high = newcombe5(truth, arm, arm, Z)
    assert mean_width(intervals) <= 1.5 * float(high - low)


Draw = Callable[[np.random.Generator, tuple[int, int], bool], Floats]


def _response(rng: np.random.Generator, shape: tuple[int, int], truth: bool) -> Floats:
    """Randomised response at epsilon 1: two scores, heavily tied."""
    return np.where((rng.random(shape) < 0.7311) == truth, 1.0, -1.0)


def _leak(rng: np.random.Generator, shape: tuple[int, int], truth: bool) -> Floats:
    """Zero, unless the release is the table itself, which one in two is."""
    return np.where(truth & (rng.random(shape) < 0.5), 1.0, np.maximum(rng.standard_normal(shape) - 0.5, 0.0) / 10)


@pytest.mark.slow
@pytest.mark.parametrize("trainings", [10, 50, 500])
@pytest.mark.parametrize(("draw", "truth"), [(_response, 0.7311), (_leak, 0.75)])
def test_tied_scores_are_covered(draw: Draw, truth: float, trainings: int) -> None:
    rng = stream(2, "ties", draw.__name__, trainings)
    sizes = np.ones(trainings, dtype=np.int64)
    inside, outside = (Arm(draw(rng, (2000, trainings), side), sizes) for side in (True, False))
    assert covered(auc_interval(inside, outside, 0.95), truth) >= 1860


@pytest.mark.slow
@pytest.mark.parametrize("truth", [0.5, 0.8, 0.95])
@pytest.mark.parametrize("generations", [1, 2, 5, 20])
@pytest.mark.parametrize("trainings", [5, 10, 25, 50])
def test_every_clustered_cell_is_covered_and_not_vacuous(trainings: int, generations: int, truth: float) -> None:
    for icc in (0.0, 0.1, 0.3, 0.6, 0.9):
        game = Binormal(trainings, generations, icc, truth)
        arms = game.play(1000)
        intervals = auc_interval(*arms, 0.95)
        assert covered(intervals, truth) >= 921, game
        if trainings >= 25:
            n = trainings * generations
            ideal = ideal_width(game, float(stats.t.ppf(0.975, trainings - 1)), auc_standard_error(truth, n, n) ** 2)
            assert mean_width(intervals) <= 1.5 * ideal, game


@pytest.mark.slow
@pytest.mark.parametrize(("icc", "held"), [(0.1, 0.749), (0.3, 0.537), (0.6, 0.425), (0.9, 0.351)])
def test_taking_generations_for_trainings_covers_as_little_as_printed(icc: float, held: float) -> None:
    share = covered(_delong(*Binormal(5, 20, icc, 0.5).play(2000)), 0.5) / 2000
    assert share == pytest.approx(held, abs=0.045)


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
