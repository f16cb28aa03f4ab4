"""Statistics over many records: by hand, against slow ways, and on scores whose truth is known."""

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from riskkit.core import Bools, Estimate, Floats
from riskkit.stats import campaign
from riskkit.stats.campaign import CampaignAucs, Many, above, compare_risks, curves, p_above, share_of_drawn
from riskkit.stats.intervals import newcombe_variance
from riskkit.stats.multiplicity import benjamini_hochberg
from riskkit.stats.roc import auc_value
from riskkit.stats.summary import auc_interval
from tests.statistical.shapes import SHAPES, Shape
from tests.statistical.simulate import most


def played(auc: Floats, n: int, seed: int, together: float = 0.3) -> Many:
    """Binormal scores with these true AUCs; that share of the variance "in" is common to all records."""
    rng = np.random.default_rng(seed)
    shared = np.sqrt(together) * rng.standard_normal(n)
    own = np.sqrt(1 - together) * rng.standard_normal((len(auc), n))
    gap = np.sqrt(2) * stats.norm.ppf(auc)
    return Many(shared + own + gap[:, None], rng.standard_normal((len(auc), n)))


def test_a_curve_by_hand() -> None:
    """Ten releases without: at a share of .2 two of them may be accused, so the cut is the third highest."""
    many = Many(np.array([[9.5, 7.5, 8.0, 1.0]]), np.arange(1.0, 11.0)[None])
    np.testing.assert_allclose(curves(many, np.array([0.1, 0.2, 1.0])), [[0.25, 0.25, 1.0]])


def test_at_one_half_the_p_value_is_that_of_the_rank_sum_test() -> None:
    many = played(np.array([0.5, 0.6, 0.4]), 200, 1)
    p_values = p_above(many, 0.5)
    for record in range(3):
        exact = stats.mannwhitneyu(
            many.inside[record], many.outside[record], alternative="greater", method="asymptotic", use_continuity=False
        )
        assert p_values[record] == pytest.approx(exact.pvalue, rel=0.1)


def test_nobody_is_above_a_limit_of_one() -> None:
    many = Many(np.array([np.full(30, 2.0), np.arange(30.0)]), np.array([np.zeros(30), np.arange(30.0)]))
    np.testing.assert_array_equal(p_above(many, 1.0), 1.0)


def test_a_record_whose_scores_never_differ_is_never_listed() -> None:
    many = Many(np.zeros((2, 30)), np.vstack([np.zeros(30), np.arange(30.0)]))
    assert p_above(many, 0.5)[0] == 1.0
    assert many.is_decided().tolist() == [False, True]


def test_scores_that_scatter_more_than_newcombe_says_list_nobody_too_often() -> None:
    """Half of the releases with the record far above all others and half far below: an AUC of one half, widely spread.

    The twin takes Newcombe's variance alone.
    """
    rng = np.random.default_rng(5)
    inside = np.where(rng.random((4000, 100)) < 0.5, 9.0, -9.0) + rng.standard_normal((4000, 100))
    many = Many(inside, rng.standard_normal((4000, 100)))
    assert (p_above(many, 0.5) <= 0.025).sum() <= most(4000, 0.025)
    z = (auc_value(*many.arms) - 0.5) / np.sqrt(newcombe_variance(0.5, 100, 100))
    assert (stats.norm.sf(z) <= 0.025).sum() > most(4000, 0.025)


def test_half_of_the_error_of_a_count_belongs_to_either_end() -> None:
    """One record, and a p-value between 2.5 % and 5 %: at 95 % neither end may decide it, the whole error would."""
    for side in (1, -1):
        gap, outside = 0.4 * side, np.sort(np.random.default_rng(8).standard_normal(60))
        many = Many((outside + gap)[None], outside[None])
        assert 0.025 < float(campaign._tail(CampaignAucs.measure(many), 0.5, side)[0]) < 0.05
        (count,) = above(many, np.array([0.5]), 0.95)
        assert (count.low, count.high) == (0, 1)
        (sure,) = above(many, np.array([0.5]), 0.9)
        assert (sure.low, sure.high) == ((1, 1) if side > 0 else (0, 0))


@pytest.mark.slow
@pytest.mark.parametrize("arm", [25, 100])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_p_values_of_either_side_hold_far_out_whatever_the_shape(shape: Shape, arm: int) -> None:
    """A count of a thousand records takes p-values of one in forty thousand at its word."""
    for limit in (0.75, 0.9, 0.97):
        inside, outside = shape.play(20_000, arm, limit)
        many = Many(inside.value, outside.value)
        achieved = CampaignAucs.measure(many)
        for side in (1, -1):
            p = campaign._tail(achieved, limit, side)
            for chance in (0.025, 0.0025, 0.00025):
                assert (p <= chance).sum() <= most(20_000, chance), (limit, side, chance)


@pytest.mark.parametrize(("limit", "arm", "times"), [(0.75, 50, 2.0), (0.9, 50, 4.0), (0.97, 25, 11.0)])
def test_an_auc_far_below_a_limit_is_not_as_rare_as_the_normal_law_says(limit: float, arm: int, times: float) -> None:
    """Near 1 an AUC falls far short more often: three standard errors down the beta law gives several times as much."""
    variance = limit * (1 - limit) * (1 + (arm - 1) * ((1 - limit) / (2 - limit) + limit / (1 + limit))) / arm**2
    seen, worth = limit - 3 * np.sqrt(variance), limit * (1 - limit) / variance - 1
    chance = stats.beta.cdf(seen, limit * worth, (1 - limit) * worth)
    assert chance > times * stats.norm.cdf(-3)
    short = CampaignAucs(np.array([seen]), np.zeros(1), arm, arm, np.ones(1, dtype=bool))
    assert campaign._tail(short, limit, -1)[0] == pytest.approx(chance, rel=1e-9)
    assert campaign._tail(short, limit, 1)[0] > 0.99


def test_the_p_value_of_a_limit_is_the_level_at_which_the_interval_ends_there() -> None:
    many = played(np.array([0.7, 0.8, 0.9, 0.55]), 40, 11)
    ends = 0
    for limit in (0.5, 0.6, 0.8):
        for record, p in enumerate(p_above(many, limit).tolist()):
            if 1e-6 < p < 0.4:
                (low,) = auc_interval(*many.only(np.array([record])).arms, 1 - 2 * p)[1]
                assert low == pytest.approx(limit, abs=1e-6)
                ends += 1
    assert ends >= 4


def simes(p: Floats) -> float:
    return float((len(p) * np.sort(p) / np.arange(1, len(p) + 1)).min())


def test_the_largest_set_that_may_be_true_is_found_as_by_trying_every_set() -> None:
    rng = np.random.default_rng(3)
    for _ in range(40):
        p = rng.random(7) ** rng.integers(1, 6)
        every = (set_ for size in range(8) for set_ in combinations(range(7), size))
        most = max(len(set_) for set_ in every if not set_ or simes(p[list(set_)]) > 0.1)
        assert campaign._most_true(p, 0.1) == most


@pytest.mark.slow
@pytest.mark.parametrize("together", [0.0, 0.6])
def test_the_count_above_a_limit_holds_the_truth(together: float) -> None:
    """CAL7, at the size that fits here: 200 campaigns of 200 records, of which 20 lie at .85 and the rest near .6.

    The plain count of estimates above the limit is the twin that must fail: luck is in it.
    """
    truth = np.where(np.arange(200) < 20, 0.85, 0.58)
    held = plain = 0
    widths = []
    for seed in range(200):
        many = played(truth, 60, seed, together)
        (count,) = above(many, np.array([0.6]), 0.95)
        held += count.low <= 20 <= count.high
        widths.append(count.high - count.low)
        plain += int((auc_value(*many.arms) > 0.6).sum()) <= 40
    assert held >= 186
    assert plain <= 40


def test_the_count_is_certain_where_nothing_is_in_doubt() -> None:
    truth = np.where(np.arange(200) < 20, 0.85, 0.58)
    (far,) = above(played(truth, 500, 1), np.array([0.75]), 0.95)
    assert (far.low, far.value, far.high) == (20, 20, 20)


def test_of_no_drawn_record_above_the_limit_some_may_still_be_there() -> None:
    (none,) = above(played(np.full(50, 0.5), 200, 2), np.array([0.9]), 0.95)
    count = share_of_drawn(none, 50, 10_000, 0.95)
    assert (count.value, count.low) == (0, 0)
    assert count.high == pytest.approx(10_000 * (1 - 0.025 ** (1 / 50)), rel=1e-6)


def named(estimates: list[Estimate]) -> dict[tuple[str, str], Estimate]:
    return {(e.name, e.labels.get("limit", "")): e for e in estimates}


def test_two_games_that_are_the_same_differ_as_luck_alone_has_it() -> None:
    """A1.3: with 100 and 100 releases two estimates of one risk have an RMSD of .052 to .058."""
    truth = np.clip(np.random.default_rng(0).normal(0.62, 0.08, 600), 0.5, 0.95)
    estimates = named(compare_risks(played(truth, 100, 1, 0.0), played(truth, 100, 2, 0.0), np.array([0.8]), 0.95))
    assert 0.046 <= estimates["rmsd", ""].value <= 0.064
    assert estimates["rmsd_corrected", ""].value <= 0.02
    assert 0.01 <= estimates["rmsd_corrected", ""].high <= 0.06, "nothing left is not known exactly"
    assert estimates["miss_rate", "0.8"].value >= 0.2  # although nobody is missed: luck above the limit does not last
    assert estimates["rmsd_null", ""].value == pytest.approx(estimates["rmsd_halves", ""].value, abs=0.01)


def test_a_true_difference_is_what_is_left_after_the_correction() -> None:
    first = np.full(400, 0.8)
    estimates = named(compare_risks(played(first, 150, 1), played(first - 0.15, 150, 2), np.array([0.7]), 0.95))
    assert estimates["rmsd_corrected", ""].value == pytest.approx(0.15, abs=0.02)
    assert 0.1 <= estimates["rmsd_corrected", ""].low <= 0.15 <= estimates["rmsd_corrected", ""].high <= 0.2
    assert estimates["miss_rate", "0.7"].value >= 0.8
    assert estimates["miss_rate_null", "0.7"].value <= 0.1


def listed(many: Many) -> Bools:
    return benjamini_hochberg(p_above(many, 0.5))


@pytest.mark.slow
def test_the_list_keeps_its_promise_where_records_share_releases() -> None:
    """CAL5: 100 campaigns of 1,000 records, 50 of them at .8, N = 100."""
    truth = np.where(np.arange(1000) < 50, 0.8, 0.5)
    false, power, any_of_null = [], [], 0
    for seed in range(100):
        leaking = listed(played(truth, 50, seed))
        false.append(leaking[50:].sum() / max(leaking.sum(), 1))
        power.append(leaking[:50].mean())
        any_of_null += bool(listed(played(np.full(1000, 0.5), 50, 1000 + seed)).any())
    assert np.mean(false) <= 0.07
    assert np.mean(power) >= 0.95
    assert any_of_null <= 15


def test_the_highest_of_many_innocent_records_is_as_order_statistics_say() -> None:
    """A2.2: of 1,000 innocent records at N = 100 the highest AUC is .687 on average."""
    top = [float(auc_value(*played(np.full(1000, 0.5), 50, seed, 0.0).arms).max()) for seed in range(20)]
    assert np.mean(top) == pytest.approx(0.687, abs=0.012)


def test_the_chosen_record_needs_fresh_trainings() -> None:
    """CAL6 in small, and its mutant: intervals of the first look miss the truth of whoever came out on top."""
    truth = np.full(200, 0.55)
    first = fresh = 0
    for seed in range(200):
        look, again = played(truth, 50, seed, 0.0), played(truth, 50, 10_000 + seed, 0.0)
        top = int(np.argmax(auc_value(*look.arms)))
        for name, many in (("first", look), ("fresh", again)):
            _, low, high = campaign_interval(many.only(np.array([top])))
            first += name == "first" and low <= 0.55 <= high
            fresh += name == "fresh" and low <= 0.55 <= high
    assert fresh >= 184
    assert first <= 100


@pytest.mark.slow
def test_the_chosen_record_is_held_in_a_thousand_campaigns() -> None:
    """CAL6: 1,000 campaigns of 200 records that differ, N = 100; half a minute.

    Whoever comes out on top is played again; that interval holds its true AUC as often as it says.
    """
    held = flattered = 0
    for seed in range(1000):
        truth = np.clip(np.random.default_rng(seed).normal(0.55, 0.05, 200), 0.5, 0.95)
        look = played(truth, 50, seed, 0.0)
        first = auc_value(*look.arms)
        top = int(np.argmax(first))
        _, low, high = campaign_interval(played(truth[[top]], 50, 10_000 + seed, 0.0))
        held += low <= truth[top] <= high
        flattered += bool(first[top] > truth[top])
    assert held >= 921
    assert flattered >= 980, "the first look is no estimate of whom it chose"


def campaign_interval(many: Many) -> tuple[float, float, float]:
    value, low, high = auc_interval(*many.arms, 0.95)
    return float(value[0]), float(low[0]), float(high[0])
