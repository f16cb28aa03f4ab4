"""Estimates of what was recovered, by hand: eight victims, two columns."""

import numpy as np
import pytest
from scipy import stats

from riskkit.core import Bools, Floats
from riskkit.errors import ScoreError, TooFewTrainings
from riskkit.stats.power import detectable_gain
from riskkit.stats.recovery import (
    Recovered,
    acceptance,
    accepted_mae,
    correlation_ratio,
    cramers_v,
    crossed_spread,
    estimate,
    gain,
    is_successful,
    join,
    membership,
    reference_leak,
    reference_lift,
    squared_correlation,
    victim_estimates,
)

COLUMNS = ("age", "ward")
ERROR = np.array([[0.0, 0.1], [0.2, 0.1], [0.0, 0.3], [0.2, 0.3], [0.0, 0.0], [0.0, 0.0], [0.4, 0.0], [0.0, 0.0]])


def recovered(error: Floats, accepted: Floats | None = None) -> Recovered:
    """Under one seed or several; right is an error below .15."""
    stacked = error if error.ndim == 3 else error[None]
    right = np.where(np.isnan(stacked), np.nan, stacked < 0.15)
    stands_by = np.ones(stacked.shape, dtype=bool) if accepted is None else np.asarray(accepted, dtype=bool)[None]
    return Recovered(COLUMNS, stacked, right, stands_by)


def test_eight_victims() -> None:
    victims = recovered(ERROR)
    assert estimate(victims, "mae").value == pytest.approx(0.1)
    assert estimate(victims, "mae", "age").value == pytest.approx(0.1)
    assert estimate(victims, "success_rate").value == pytest.approx(11 / 16)
    made = estimate(victims, "success_rate", "ward")
    assert (made.value, made.n) == (0.75, 8)
    assert made.labels == {"feature": "ward", "seeds": "1"}
    assert made.low < 0.4
    assert made.high > 0.95


def test_a_share_of_one_column_has_the_exact_interval() -> None:
    """Of values that are 0 or 1 it is Clopper and Pearson's, but for what n - 1 and Student's t add."""
    right = np.zeros((1, 400, 1))
    right[0, :40] = 1
    made = estimate(Recovered(("ward",), 1 - right, right, right == 1), "success_rate")
    assert made.low == pytest.approx(stats.beta.ppf(0.025, 40, 361), abs=2e-3)
    assert made.high == pytest.approx(stats.beta.ppf(0.975, 41, 360), abs=2e-3)


def test_all_right_still_leaves_room() -> None:
    made = estimate(recovered(np.zeros((500, 2))), "success_rate")
    assert (made.value, made.high) == (1.0, 1.0)
    assert made.low == pytest.approx(0.025 ** (1 / 500), abs=1e-4)


def alike(value: float, spread: float, victims: int = 50) -> Recovered:
    """Every victim has that value, but for so little to either side."""
    error = np.clip(value + spread * np.linspace(-1, 1, victims), 0, 1)[None, :, None]
    return Recovered(("race",), error, (error < 0.1).astype(np.float64), error < 2)


SPREADS = 10.0 ** -np.arange(1, 18)


@pytest.mark.parametrize("value", [0.0, 1e-9, 0.0625, 0.5, 1.0])
def test_the_interval_of_an_error_narrows_with_its_spread_and_never_jumps(value: float) -> None:
    """One-hot levels that a network gives up: all of fifty victims err by one level in sixteen, but for rounding."""
    made = [estimate(alike(value, spread), "mae") for spread in (*SPREADS, 0.0)]
    ends = np.array([(estimated.low, estimated.high) for estimated in made])
    assert np.isfinite(ends).all()
    if value in (0.0625, 0.5):
        assert (np.diff(ends[:, 0]) >= -1e-15).all()
        assert (np.diff(ends[:, 1]) <= 1e-15).all()
    falls = np.abs(np.diff(ends, axis=0)).max(axis=1)
    assert (falls <= 50 * np.array([*SPREADS]) + 1e-12).all()  # no end moves by more than fifty times the spread


def test_fifty_equal_errors_leave_room_for_one_victim_more_by_hand() -> None:
    for spread in (1e-4, 1e-9, 1e-12, 0.0):
        made = estimate(alike(0.0625, spread), "mae")
        assert made.low == pytest.approx(50 * 0.0625 / 51, abs=1e-12)
        assert made.high == pytest.approx((50 * 0.0625 + 1) / 51, abs=1e-12)


def test_errors_of_rounding_have_the_interval_of_no_error() -> None:
    t = stats.t.ppf(0.975, 199) / stats.norm.ppf(0.975)
    for size in (0.0, 1e-15):
        error = size * np.random.default_rng(0).random((200, 2))
        made = estimate(recovered(error), "mae")
        assert made.low <= made.value <= size
        assert made.high == pytest.approx(1 - 0.025 ** (t**2 / 200), abs=1e-9)
        seeds = size * np.random.default_rng(0).random((5, 200, 2))  # five models that differ by rounding alone
        assert estimate(recovered(seeds), "mae").high == pytest.approx(1 - 0.025 ** (t**2 / 200), abs=1e-9)


def test_a_gain_that_is_the_same_for_everybody_leaves_room_for_one_victim_more_by_hand() -> None:
    """Ends that go with the spread, however small: (50 g -/+ 1) / 51; without any gain, those of fifty ties."""
    for spread in (*SPREADS[3:], 0.0):
        made = gain(alike(0.0625, spread), alike(0.1125, 0.0), "mae")
        assert made.low == pytest.approx((50 * 0.05 - 1) / 51, abs=5 * spread + 1e-12)
        assert made.high == pytest.approx((50 * 0.05 + 1) / 51, abs=5 * spread + 1e-12)
    reach = stats.t.ppf(0.975, 49)
    for spread in (1e-9, 1e-13, 0.0):
        made = gain(alike(0.0625, spread), alike(0.0625, 0.0), "mae")
        assert made.high == pytest.approx(reach**2 / (50 + reach**2), abs=100 * spread + 1e-12)
        assert made.low == pytest.approx(-made.high, abs=100 * spread + 1e-12)


def test_missing_truths_are_left_out() -> None:
    error = ERROR.copy()
    error[0, 0] = error[1] = np.nan
    victims = recovered(error)
    assert estimate(victims, "mae", "age").n == 6
    assert estimate(victims, "mae", "age").value == pytest.approx(0.1)
    assert estimate(victims, "mae").n == 7
    assert estimate(victims, "mae").value == pytest.approx((0.1 + 0.15 + 0.25 + 0.2) / 7)


def test_the_spread_of_seeds_and_victims_by_hand() -> None:
    """Two seeds apart by 2 and victims by 1, without rest: the two variances add up."""
    values = np.array([0.0, 2.0])[:, None] + np.array([0.0, 1.0, 2.0])
    spread = crossed_spread(values)
    assert spread.mean == 2
    assert spread.variance == pytest.approx(2 / 2 + 1 / 3)  # sample variance over their number, each
    assert crossed_spread(values[:1]).variance == pytest.approx(1 / 3)


def test_seeds_that_differ_widen_the_interval() -> None:
    rng = np.random.default_rng(0)
    error = rng.random((100, 2)) * 0.2
    alike = estimate(recovered(np.stack([error] * 5)), "mae")
    apart = estimate(recovered(np.stack([error * factor for factor in (0.5, 0.8, 1, 1.2, 1.5)])), "mae")
    assert alike.value == pytest.approx(apart.value)
    assert apart.high - apart.low > 3 * (alike.high - alike.low)
    alone = estimate(recovered(error), "mae")  # five copies of one model say no more than one
    assert alike.high - alike.low == pytest.approx(alone.high - alone.low, rel=0.05)


def test_one_victim_over_five_models_by_hand() -> None:
    """Five models find 2, 2, 2, 1 and 1 of two values of the first victim, all of the second, none of the third."""
    right = np.array([[[1, 1], [1, 1], [0, 0]]] * 3 + [[[1, 0], [1, 1], [0, 0]]] * 2, dtype=float)
    five = np.concatenate([right, right[:, :2]], axis=1)  # an audit has five victims or more
    first, every, none, again, _ = victim_estimates(Recovered(COLUMNS, 1 - five, five, five == 1), "success_rate")
    assert (first.value, first.n, first.labels["victim"]) == (0.8, 5, "0")
    t = stats.t.ppf(0.975, 4) / stats.norm.ppf(0.975)
    worth = 0.8 * 0.2 / (0.3 * 1 / 4 / 5) / t**2  # the variance of five shares of 1, 1, 1, .5 and .5, over five
    assert first.low == pytest.approx(stats.beta.ppf(0.025, 0.8 * worth, 0.2 * worth + 1))
    assert first.high == pytest.approx(stats.beta.ppf(0.975, 0.8 * worth + 1, 0.2 * worth))
    assert (again.low, again.high) == (first.low, first.high)
    assert (every.value, every.high, none.value, none.low) == (1.0, 1.0, 0.0, 0.0)
    assert every.low == pytest.approx(1 - none.high)
    assert every.low == pytest.approx(0.025 ** (t**2 / 5))
    with pytest.raises(TooFewTrainings, match="at least 5 model seeds"):
        victim_estimates(recovered(ERROR), "success_rate")


def test_a_gain_is_paired_and_above_0_where_the_attack_is_better() -> None:
    rng = np.random.default_rng(1)
    base = rng.random((300, 2))
    attack, constant = recovered(0.95 * base), recovered(base)
    made = gain(attack, constant, "mae")
    assert made.value == pytest.approx(0.05 * base.mean())
    assert made.low > 0
    assert estimate(attack, "mae").high > estimate(constant, "mae").low  # what is not paired does not tell
    assert gain(constant, attack, "mae").value == pytest.approx(-made.value)


def test_only_what_beats_every_constant_in_both_measures_is_a_success() -> None:
    rng = np.random.default_rng(2)
    base = rng.random((300, 2)) * 0.5
    constant = recovered(base)
    assert is_successful(recovered(base * 0.5), constant)
    assert not is_successful(constant, constant)
    assert not is_successful(recovered(base * 0.5), constant, recovered(base * 0.4))
    nearer = np.where(base < 0.15, base, np.maximum(base * 0.9, 0.15))  # smaller errors, none of them right now
    assert gain(recovered(nearer), constant, "mae").low > 0
    assert not is_successful(recovered(nearer), constant)


def test_what_is_accepted_is_no_success() -> None:
    stands_by = np.zeros(ERROR.shape)
    stands_by[:4] = 1
    victims = recovered(ERROR, stands_by)
    assert acceptance(victims).value == 0.5
    assert acceptance(victims).name == "acceptance"
    with pytest.raises(ScoreError, match=r"stands by no answer"):
        accepted_mae(recovered(ERROR, np.zeros(ERROR.shape)))
    stands_by[4:, 0] = 1
    assert accepted_mae(recovered(ERROR, stands_by)).value == pytest.approx(1.6 / 12)


def test_precision_and_recall_of_a_value_of_0() -> None:
    says = np.zeros((1, 10, 2), dtype=bool)
    equal = np.zeros((1, 10, 2), dtype=bool)
    says[0, :6], equal[0, :5], equal[0, 6:, 0] = True, True, True
    precision, recall = reference_leak(says, equal)
    assert precision is not None
    assert recall is not None
    assert precision.value == pytest.approx(10 / 12)
    assert recall.value == pytest.approx(10 / 14)
    assert precision.low < 10 / 12 < precision.high
    assert reference_leak(says & False, equal)[0] is None


def test_answers_of_several_seeds_are_put_together_for_the_same_victims_only() -> None:
    class One:
        columns = COLUMNS

        def __init__(self, error: Floats) -> None:
            self.error, self.right, self.accepted = error, (error < 0.15).astype(np.float64), error >= 0

    assert join([One(ERROR)] * 5).seeds == 5
    with pytest.raises(ScoreError, match=r"same victims"):
        join([One(ERROR), One(ERROR[:6])])


def test_what_cannot_be_estimated_is_refused() -> None:
    with pytest.raises(TooFewTrainings, match=r"3 model seeds.*at least 5"):
        recovered(np.stack([ERROR] * 3))
    with pytest.raises(ScoreError, match=r"4 victims"):
        recovered(ERROR[:4])
    with pytest.raises(ScoreError, match=r"No column named 'pay'"):
        estimate(recovered(ERROR), "mae", "pay")
    with pytest.raises(ScoreError, match=r"same victims"):
        gain(recovered(ERROR), recovered(ERROR[:6]), "mae")


def test_six_victims_counted_by_hand() -> None:
    equal = np.array([[[True], [True], [True], [False], [False], [False]]])
    # Each of the three that are named equals the reference; of the five others two do.
    lift = reference_lift(np.ones((1, 6, 1), dtype=bool), equal)
    assert lift is not None
    assert lift.value == pytest.approx((3 * (1 - 2 / 5) + 3 * (0 - 3 / 5)) / 6)
    few = reference_lift(equal, equal)
    assert few is None, "three victims are too few"


def test_a_column_where_all_are_equal_tells_nothing() -> None:
    equal = np.ones((1, 40, 1), dtype=bool)
    lift = reference_lift(equal, equal)
    assert lift is not None
    assert lift.value == 0.0
    assert lift.low < 0 < lift.high


def made(seed: int, *, at_random: float) -> tuple[Bools, Bools]:
    """Two columns that agree with the reference often and seldom; 0 is said at random, or of equal cells."""
    rng = np.random.default_rng(seed)
    equal = rng.random((1, 60, 2)) < np.array([0.9, 0.2])
    says = rng.random(equal.shape) < np.array([0.8, 0.1])
    return np.where(rng.random(equal.shape) < at_random, equal, says), equal


def test_what_is_said_at_random_is_covered_and_a_planted_leak_is_shown() -> None:
    """Precision is 0.8 at random, too, since most are said of the column where most are equal."""
    nothing = [reference_lift(*made(seed, at_random=0.0)) for seed in range(400)]
    low = sum(lift is not None and lift.low > 0 for lift in nothing)
    high = sum(lift is not None and lift.high < 0 for lift in nothing)
    assert low + high <= 400 * 0.05 + 3 * np.sqrt(400 * 0.05 * 0.95)
    planted = [reference_lift(*made(seed, at_random=1.0)) for seed in range(50)]
    assert all(lift is not None and lift.low > 0 for lift in planted)


def test_precision_without_the_column_is_a_fault_that_is_caught() -> None:
    """Planted: compared with the share over all columns, random zeros look like a leak."""
    naive = []
    for seed in range(50):
        says, equal = made(seed, at_random=0.0)
        naive.append(equal[says].mean() - equal.mean())
    assert np.mean(naive) > 0.2


def test_detectable_gain_by_hand() -> None:
    gain = detectable_gain(200, alpha=0.025)
    at_none, at_gain = np.sqrt(0.5 / 200), np.sqrt((0.5 - gain**2) / 200)
    assert gain == pytest.approx(1.95996 * at_none + 0.84162 * at_gain, abs=1e-5)
    assert detectable_gain(2) == 1.0


MANY = 400


def test_the_correlation_ratio_is_the_share_between_groups() -> None:
    values, groups = np.array([0.0, 2.0, 4.0, 6.0, 8.0]), np.array([0, 0, 0, 1, 1])
    # means 2 and 7, overall 4: (3 * 4 + 2 * 9) / 40
    assert correlation_ratio(values, groups).value == pytest.approx(30 / 40)


def test_cramers_v_is_that_of_scipy() -> None:
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 4, 500)
    groups = np.where(rng.random(500) < 0.4, codes % 3, rng.integers(0, 3, 500))
    table = np.histogram2d(codes, groups, bins=(4, 3))[0].astype(int)
    assert cramers_v(codes, groups).value == pytest.approx(stats.contingency.association(table, method="cramer"))
    assert cramers_v(codes, codes).value == pytest.approx(1.0)


def test_the_squared_correlation_is_that_of_numpy_and_leaves_missing_out() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=200)
    y = x + rng.normal(size=200)
    x[:5] = np.nan
    assert squared_correlation(x, y).value == pytest.approx(np.corrcoef(x[5:], y[5:])[0, 1] ** 2)


@pytest.mark.parametrize("which", ["ratio", "v", "line"])
def test_intervals_hold_the_truth(which: str) -> None:
    """Truths .2 (eta squared), .3 (V) and .25 (r squared), n = 300."""
    rng = np.random.default_rng(3)
    held = 0
    for _ in range(MANY):
        group = rng.integers(0, 2, 300)
        if which == "ratio":
            made, truth = correlation_ratio(group + rng.normal(size=300), group), 0.25 / 1.25
        elif which == "v":
            made, truth = cramers_v(np.where(rng.random(300) < 0.65, group, 1 - group), group), 0.3
        else:
            x = rng.normal(size=300)
            made, truth = squared_correlation(x, x + np.sqrt(3) * rng.normal(size=300)), 0.25
        held += made.low <= truth <= made.high
    assert stats.binom.ppf(1e-4, MANY, 0.95) <= held < MANY


def test_what_has_no_association_is_refused() -> None:
    same, two = np.zeros(10), np.arange(10) % 2
    with pytest.raises(ScoreError, match=r"same number"):
        correlation_ratio(same, two)
    with pytest.raises(ScoreError, match=r"one level only"):
        cramers_v(same.astype(int), two)
    with pytest.raises(ScoreError, match=r"same in all rows"):
        squared_correlation(same, two.astype(float))
    with pytest.raises(ScoreError, match=r"Only 3 rows"):
        squared_correlation(np.arange(3.0), np.arange(3.0))


def test_members_by_hand() -> None:
    """Of 25 pairs 15 are right and one is a tie; with one model the variance is DeLong's."""
    inside, outside = np.array([[1.0, 3, 5, 7, 9]]), np.array([[0.0, 2, 4, 5, 8]])
    auc = membership(inside, outside)
    right = (outside < inside.T) + 0.5 * (outside == inside.T)
    assert auc.value == right.mean() == 0.62
    assert auc.low < 0.5 < 0.8 < auc.high
    assert (auc.n, auc.labels["seeds"]) == (5, "1")
    many = membership(np.tile(inside, (5, 1)), np.tile(outside, (5, 1)))
    assert (many.value, many.labels["seeds"]) == (0.62, "5")
    with pytest.raises(ScoreError, match="4 victims"):
        membership(inside[:, :4], outside)
