"""Interval formulas against printed values and against second implementations."""

import numpy as np
import pytest
from scipy import stats

from riskkit.errors import ScoreError
from riskkit.seeds import stream
from riskkit.stats.arms import split
from riskkit.stats.intervals import (
    auc_limits,
    clopper_pearson,
    critical,
    design_effect,
    hoeffding,
    korn_graubard,
    newcombe5,
    snake,
    square_and_add,
    sum_variance,
)
from riskkit.stats.roc import placements
from tests.stats import make, naive

Z = float(stats.norm.ppf(0.975))


@pytest.mark.parametrize(
    ("trainings", "low"),
    [(10, 0.643), (20, 0.800), (30, 0.865), (50, 0.919), (100, 0.960), (200, 0.980), (1000, 0.996)],
)
def test_perfect_auc_has_the_printed_lower_end(trainings: int, low: float) -> None:
    ends = newcombe5(1.0, trainings / 2, trainings / 2, Z)
    assert float(ends[0]) == pytest.approx(low, abs=5e-4)
    assert float(ends[1]) == 1


def test_newcombe_agrees_with_the_roots_of_its_polynomial() -> None:
    rng = stream(1, "newcombe")
    for _ in range(300):
        value, (n_in, n_out) = float(rng.uniform(0.01, 0.99)), rng.integers(5, 200, 2).tolist()
        low, high = newcombe5(value, n_in, n_out, Z)
        assert (float(low), float(high)) == pytest.approx(naive.newcombe5(value, n_in, n_out, Z), abs=1e-7)


def test_newcombe_mirrors_at_one_half() -> None:
    low, high = newcombe5([0.8, 0.2], 30, 30, Z)
    np.testing.assert_allclose(low, (1 - high)[::-1], atol=1e-12)


def test_clopper_pearson_agrees_with_a_search() -> None:
    rng = stream(2, "clopper pearson")
    for _ in range(150):
        n = int(rng.integers(1, 60))
        k = int(rng.integers(0, n + 1))
        tail = float(rng.uniform(0.005, 0.1))
        ours = tuple(float(end) for end in clopper_pearson(k, n, tail))
        assert ours == pytest.approx(naive.clopper_pearson(k, n, tail), abs=1e-9)


def test_hoeffding_has_the_half_width_of_the_propositions() -> None:
    """sqrt(log(2 / .05) / (2 * 200))."""
    assert hoeffding(200, 0.95) == pytest.approx(0.0960, abs=5e-5)
    assert hoeffding(800, 0.95) == pytest.approx(hoeffding(200, 0.95) / 2)


def test_five_of_five_right_shows_no_more_than_the_printed_lower_ends() -> None:
    assert float(clopper_pearson(5, 5, 0.025)[0]) == pytest.approx(0.478, abs=1e-3)
    assert float(clopper_pearson(5, 5, 0.05)[0]) == pytest.approx(0.549, abs=1e-3)


def test_no_false_alarm_in_fifty_and_a_hundred_bounds_the_rate() -> None:
    assert float(clopper_pearson(0, 50, 0.05)[1]) == pytest.approx(0.058, abs=5e-4)
    assert float(clopper_pearson(0, 100, 0.05)[1]) == pytest.approx(0.030, abs=5e-4)


def test_korn_graubard_is_clopper_pearson_where_nothing_is_clustered() -> None:
    low, high = korn_graubard(0.3, 20, 0.95, None)
    assert (float(low), float(high)) == pytest.approx(naive.clopper_pearson(6, 20, 0.025), abs=1e-9)


def test_korn_graubard_of_few_trainings_is_clopper_pearson_of_fewer_trials() -> None:
    """By scipy: 40 trials whose clustering six trainings estimate are worth 40 (1.96 / 2.57) squared."""
    worth = 40 * (Z / stats.t.ppf(0.975, 5)) ** 2
    low, high = korn_graubard(0.3, 40, 0.95, 6)
    hits = 0.3 * worth
    assert float(low) == pytest.approx(stats.beta.ppf(0.025, hits, worth - hits + 1))
    assert float(high) == pytest.approx(stats.beta.ppf(0.975, hits + 1, worth - hits))


@pytest.mark.parametrize("level", [0.9, 0.95])
def test_an_end_near_one_is_where_the_beta_law_leaves_half_of_the_error(level: float) -> None:
    """At that end an AUC so low has a chance of 2.5 %, by scipy's beta law of Newcombe's variance."""
    value, n = 0.97, 50
    high = float(auc_limits(value, n, n, level)[1])
    assert high > float(newcombe5(value, n, n, float(stats.norm.ppf((1 + level) / 2)))[1])
    variance = high * (1 - high) * (1 + (n - 1) * ((1 - high) / (2 - high) + high / (1 + high))) / n**2
    worth = high * (1 - high) / variance - 1
    assert stats.beta.cdf(value, high * worth, (1 - high) * worth) == pytest.approx((1 - level) / 2, rel=1e-6)


def test_few_trainings_widen_by_students_t() -> None:
    assert critical(0.95) == pytest.approx(1.95996, abs=1e-5)
    assert critical(0.95, 5) == pytest.approx(2.77645, abs=1e-5)
    assert critical(0.95, 30) == critical(0.95)


def test_square_and_add_by_hand() -> None:
    low, high = square_and_add(
        np.array(0.8), (np.array(0.5), np.array(0.9)), np.array(0.3), (np.array(0.1), np.array(0.7))
    )
    assert float(low) == pytest.approx(0.5 - 0.5)
    assert float(high) == pytest.approx(0.5 + np.hypot(0.1, 0.2))


def test_variances_agree_with_loops_over_pairs_and_trainings() -> None:
    rng = stream(3, "variances")
    for generations in (1, 3):
        inside, outside = np.round(rng.standard_normal((2, 6, generations)), 1)
        arms = split(make.scores(inside.ravel() + 0.3, outside.ravel(), generations))
        placed = placements(*arms)
        ours = np.add(sum_variance(arms[0], placed.inside), sum_variance(arms[1], placed.outside))
        flat = (inside + 0.3).ravel().tolist(), outside.ravel().tolist()
        assert ours[0] == pytest.approx(naive.delong_variance(*flat), abs=1e-12)
        assert ours[1] == pytest.approx(naive.cluster_variance((inside + 0.3).tolist(), outside.tolist()), abs=1e-12)


def test_copies_within_a_training_have_the_worst_design_effect() -> None:
    rng = stream(4, "copies")
    arm = split(make.scores(np.repeat(rng.standard_normal(8), 5), np.repeat(rng.standard_normal(8), 5), 5))[0]
    assert float(design_effect(*sum_variance(arm, arm.value), 99.0)) == pytest.approx(5 * 39 / 40 * 8 / 7)
    assert float(design_effect(*sum_variance(arm, arm.value), arm.worst_design_effect)) == 5


def test_where_nothing_varies_the_worst_is_assumed() -> None:
    assert float(design_effect(np.array(0.0), np.array(0.0), 7.0)) == 7


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (100,)])
@pytest.mark.parametrize("trainings", [None, 12])
def test_limits_of_an_auc_that_are_remembered_are_those_that_are_worked_out(
    shape: tuple[int, ...], trainings: int | None
) -> None:
    """To the last bit, also when asked again; and what somebody does to an answer leaves the next one alone."""
    rng = np.random.default_rng(3)
    numbers = rng.random(shape), rng.uniform(5, 90, shape), rng.uniform(5, 90, shape)
    plain = auc_limits.__wrapped__(*numbers, 0.95, trainings)  # type: ignore[attr-defined]
    for _ in range(2):
        limits = auc_limits(*numbers, 0.95, trainings)
        assert [end.tobytes() for end in limits] == [end.tobytes() for end in plain]
        assert [end.shape for end in limits] == [shape, shape]
        limits[0][...] = 9.0
    assert auc_limits(numbers[0], numbers[1], numbers[2], 0.9, trainings)[0].tobytes() != plain[0].tobytes()


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
