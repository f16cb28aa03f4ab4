"""The lower bound of epsilon against printed values, its ceiling, both directions, and what it never does."""

import math

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtri

from riskkit.core import Scores
from riskkit.errors import ParameterError, ScoreError, TooFewTrainings
from riskkit.seeds import stream
from riskkit.stats.arms import split
from riskkit.stats.epsilon import (
    SHARES,
    epsilon_any_cut,
    epsilon_bayesian,
    epsilon_bound,
    epsilon_ceiling,
    epsilon_gaussian,
    epsilon_lower,
    epsilon_split,
    gaussian_bound,
    joint_beta,
)
from riskkit.stats.privacy import gaussian_epsilon, trade_off
from tests.statistical.simulate import most
from tests.stats import make, naive


@pytest.mark.parametrize(
    ("hits", "n_in", "false_alarms", "n_out", "bound"),
    [
        (100, 100, 0, 100, 3.2813),
        (250, 250, 0, 250, 4.2088),
        (500, 500, 0, 500, 4.9056),
        (1000, 1000, 0, 1000, 5.6006),
        (961, 1000, 0, 1000, 5.5499),
        (241, 250, 9, 250, 2.6299),
        (90, 100, 10, 100, 1.5422),
        (300, 500, 200, 500, 0.2232),
        (60, 100, 40, 100, 0.0),
    ],
)
def test_printed_bounds(hits: int, n_in: int, false_alarms: int, n_out: int, bound: float) -> None:
    assert epsilon_bound(hits, n_in, false_alarms, n_out) == pytest.approx(bound, abs=1e-4)
    assert epsilon_lower(make.answers(hits, n_in, false_alarms, n_out)).value == pytest.approx(bound, abs=1e-4)


@pytest.mark.parametrize(
    ("trainings", "ceiling"),
    [(20, 0.81), (50, 1.84), (100, 2.57), (200, 3.28), (500, 4.21), (1000, 4.91), (10_000, 7.21)],
)
def test_printed_ceilings(trainings: int, ceiling: float) -> None:
    assert epsilon_ceiling(trainings // 2, trainings // 2) == pytest.approx(ceiling, abs=5e-3)


@pytest.mark.parametrize(("epsilon", "trainings"), [(1, 24), (3, 152), (5, 1104), (8, 22_010)])
def test_printed_numbers_of_trainings_can_show_their_epsilon(epsilon: float, trainings: int) -> None:
    assert epsilon_ceiling(trainings // 2, trainings // 2) >= epsilon
    assert epsilon_ceiling(trainings * 49 // 100, trainings * 49 // 100) < epsilon


def test_agrees_with_a_search_over_the_privacy_region() -> None:
    rng = stream(1, "epsilon search")
    for _ in range(100):
        n_in, n_out = (int(n) for n in rng.integers(5, 60, 2))
        hits, false_alarms = int(rng.integers(n_in // 2, n_in + 1)), int(rng.integers(0, n_out // 2))
        delta = float(rng.choice([0.0, 1e-5, 0.05, 0.4]))
        searched = naive.epsilon(
            naive.clopper_pearson(hits, n_in, 0.025)[0], naive.clopper_pearson(false_alarms, n_out, 0.025)[1], delta
        )
        assert epsilon_bound(hits, n_in, false_alarms, n_out, delta=delta) == pytest.approx(searched, abs=1e-6)


def test_both_directions_count() -> None:
    # Few false alarms show it through TPR / FPR, few misses through TNR / FNR.
    assert epsilon_bound(50, 100, 0, 100) == pytest.approx(epsilon_bound(100, 100, 50, 100), abs=1e-9)
    assert epsilon_bound(100, 100, 50, 100) > 2


def test_never_infinite_and_never_above_its_ceiling() -> None:
    for trainings in (5, 50, 5000):
        bound = epsilon_lower(make.answers(trainings, trainings, 0, trainings))
        assert math.isfinite(bound.high)
        assert bound.value == bound.low == bound.high


def test_value_is_the_bound_and_the_high_end_the_ceiling() -> None:
    bound = epsilon_lower(make.answers(40, 50, 5, 50))
    assert bound.value == bound.low < 0.6 * math.log(8)
    assert bound.high == pytest.approx(2.57, abs=5e-3)
    assert (bound.name, bound.n) == ("epsilon_lower", 100)


def test_attack_that_points_the_wrong_way_shows_nothing() -> None:
    assert epsilon_lower(make.answers(0, 50, 50, 50)).value == 0


def test_leaky_release_shows_nothing_beyond_its_delta() -> None:
    # Released as it is with chance .3: exactly (0, .3)-private.
    copied = stream(2, "leaky").random((400, 50)) < 0.3
    hits = copied.sum(axis=1)
    shown = sum(epsilon_bound(int(k), 50, 0, 50, delta=0.3) > 0 for k in hits)
    assert shown <= 0.05 * 400 + 4 * math.sqrt(0.05 * 0.95 * 400)
    assert sum(epsilon_bound(int(k), 50, 0, 50) > 0 for k in hits) > 200  # delta ignored is seen


def test_one_release_a_training_counts() -> None:
    rng = stream(3, "first")
    inside, outside = rng.standard_normal((2, 30)) + np.array([[1.0], [-1.0]])
    once = epsilon_lower(make.scores(inside, outside))
    copied = epsilon_lower(make.scores(np.repeat(inside, 50), np.repeat(outside, 50), 50))
    assert copied == once
    as_if_independent = epsilon_lower(make.scores(np.repeat(inside, 50), np.repeat(outside, 50)))
    assert as_if_independent.value > 2 * once.value


def test_score_of_exactly_zero_is_not_an_accusation() -> None:
    assert epsilon_lower(make.scores(np.ones(50), np.zeros(50))).value == pytest.approx(2.57, abs=5e-3)


def test_higher_level_shows_less() -> None:
    bounds = [epsilon_bound(45, 50, 5, 50, level=level) for level in (0.8, 0.9, 0.95, 0.99)]
    assert bounds == sorted(bounds, reverse=True)
    assert bounds[0] > bounds[-1]


def test_refusals() -> None:
    with pytest.raises(TooFewTrainings):
        epsilon_lower(make.answers(4, 4, 0, 50))
    with pytest.raises(ScoreError):
        epsilon_lower(make.answers(50, 50, 0, 0))
    for wrong in ({"delta": 1.0}, {"delta": -0.1}, {"delta": math.nan}, {"level": 1.0}):
        with pytest.raises(ParameterError, match="delta must be in"):
            epsilon_lower(make.answers(50, 50, 0, 50), **wrong)


BOTH = (epsilon_any_cut, epsilon_split)


def observed(fpr: float, fnr: float) -> float:
    """The epsilon of a point of the trade-off, were its rates the true ones: what must not be reported."""
    with np.errstate(divide="ignore", invalid="ignore"):
        needed = np.log(np.divide([1 - fpr, 1 - fnr], [fnr, fpr]))
    return float(np.nanmax(np.append(needed, 0.0)))


def normal(gap: float, n: int, *labels: int, shift: float = 0.0) -> Scores:
    inside, outside = stream(1, "cuts", *labels).standard_normal((2, n // 2)) + shift
    return make.scores(inside + gap, outside)


def test_every_answer_right_prints_the_ceiling_of_the_correction() -> None:
    """KA1: 1.84 where half of 100 trainings choose the cut, against 2.57 where it was fixed before."""
    perfect = make.scores(3.0 + np.arange(50) / 50, -3.0 - np.arange(50) / 50)
    halved = epsilon_split(perfect)
    assert halved.value == halved.high == pytest.approx(1.84, abs=5e-3)
    assert halved.n == 50
    corrected = epsilon_any_cut(perfect)
    assert corrected.value == corrected.high == pytest.approx(epsilon_ceiling(50, 50, level=1 - 0.05 / 10), abs=1e-12)
    assert halved.value < corrected.value < epsilon_lower(perfect).value == pytest.approx(2.57, abs=5e-3)


def test_two_scores_have_one_cut_and_pay_nothing_for_it() -> None:
    bound = epsilon_any_cut(make.answers(50, 50, 0, 50))
    assert bound.value == bound.high == pytest.approx(2.57, abs=5e-3)
    assert "best of 1 cut," in bound.method
    mixed = make.answers(36, 50, 14, 50)
    assert epsilon_any_cut(mixed).value == epsilon_lower(mixed).value > 0


def test_one_score_for_everything_has_no_cut_and_shows_nothing() -> None:
    assert epsilon_any_cut(make.answers(50, 50, 50, 50)).value == 0


@pytest.mark.parametrize(
    ("epsilon", "n", "floor"),
    [(1, 100, 0.30), (1, 1000, 0.75), (1, 10_000, 0.92), (2, 100, 1.05), (2, 1000, 1.65), (2, 10_000, 1.88)],
)
def test_randomised_response_is_bounded_as_closely_as_by_its_own_cut(epsilon: int, n: int, floor: float) -> None:
    """CAL3. Cut by rank alone, its two scores let nothing through and the bound is 0 whatever epsilon is."""
    rng, right, audits = stream(6, "response", epsilon, n), math.exp(epsilon) / (1 + math.exp(epsilon)), 200
    counts = rng.binomial(n // 2, [right, 1 - right], (audits, 2)).tolist()
    bounds = [epsilon_any_cut(make.answers(hits, n // 2, alarms, n // 2)).value for hits, alarms in counts]
    assert sum(bound > epsilon for bound in bounds) <= most(audits, 0.05)
    assert np.median(bounds) >= floor


@pytest.mark.slow
@pytest.mark.parametrize("n", [100, 1000])
@pytest.mark.parametrize("expected", [0.5, 1.0, 3.0])
def test_a_score_that_is_seen_in_some_audits_alone_breaks_no_promise(n: int, expected: float) -> None:
    """The number of cuts, and with it the correction, then depends on the audit."""
    audits = 2000
    rare = expected / (n // 2)
    low = (1 - rare) / (1 + math.e)
    outside = [rare, low, 1 - rare - low]
    inside = [rare * math.e, low * math.e, 1 - (rare + low) * math.e]
    above_in, above_out = np.cumsum(inside)[:2], np.cumsum(outside)[:2]
    truth = float(np.log(np.maximum(above_in / above_out, (1 - above_out) / (1 - above_in))).max())
    rng = stream(7, "rare", n, f"{expected:g}")
    over = sum(
        epsilon_any_cut(
            make.scores(rng.choice(3, n // 2, p=inside[::-1]), rng.choice(3, n // 2, p=outside[::-1]))
        ).value
        > truth
        for _ in range(audits)
    )
    assert over <= most(audits, 0.05)


def test_the_cut_of_a_split_is_chosen_on_the_half_that_is_not_counted() -> None:
    """In the half that chooses every answer above 1 is right; in the counted one nobody is above 1, but above 0."""
    chooses, counted = np.arange(40) % 2 == 0, np.arange(40) % 2 == 1
    inside, outside = np.zeros(40), np.zeros(40)
    inside[chooses], inside[counted] = 2.0, 0.5
    outside[chooses], outside[counted] = 0.9, -0.5
    bound = epsilon_split(make.scores(inside, outside))
    assert bound.value == 0
    assert bound.high == pytest.approx(epsilon_ceiling(20, 20))
    turned = epsilon_split(make.scores(np.roll(inside, 1), np.roll(outside, 1)))
    assert turned.value == 0, "above 0 would be chosen; of the others everybody is above 0"


@pytest.mark.parametrize("find", BOTH)
def test_an_attack_with_a_useless_cut_of_its_own_is_still_heard(find: object) -> None:
    lost = normal(4.0, 200, 1, shift=-50.0)
    assert epsilon_lower(lost).value == 0
    assert find(lost).value > 1.5


@pytest.mark.parametrize("find", BOTH)
def test_a_monotone_change_of_scores_moves_no_bound(find: object) -> None:
    """KA16."""
    scores = normal(1.5, 100, 2)
    bent = Scores(np.exp(scores.value) + 7, scores.is_in, scores.training, scores.target, scores.attack)
    assert find(scores) == find(bent)


def test_both_directions_are_looked_at() -> None:
    # Half of the "in" scores stand out and no "out" score does; then half of the "out" scores stand out below.
    above = make.scores(np.arange(100) % 2 * 9.0, np.arange(100) % 2 * 0.5)
    below = make.scores(10 - np.arange(100) % 2 * 0.5, 10 - np.arange(100) % 2 * 9.0)
    assert epsilon_any_cut(above).value == pytest.approx(epsilon_any_cut(below).value, abs=1e-9)
    assert epsilon_any_cut(above).value > 1


@pytest.mark.parametrize("find", BOTH)
def test_a_gaussian_release_is_seldom_overstated(find: object) -> None:
    """Worlds one standard deviation apart have an epsilon of 4.38 at delta 1e-5, and less at a larger one."""
    delta, audits = 0.05, 200
    truth = gaussian_epsilon(1.0, delta)
    over = sum(find(normal(1.0, 200, audit, 3), delta=delta).value > truth for audit in range(audits))
    assert over <= 0.05 * audits + 4 * math.sqrt(0.05 * 0.95 * audits)


def test_the_rates_at_the_best_cut_overstate_where_there_is_no_leak() -> None:
    """The fault planted (M7, M13): the ratio of the rates at the cut that did best, with nothing set aside."""
    audits, n = 150, 30
    rng = stream(4, "uncorrected")
    caught, honest = 0, dict.fromkeys(BOTH, 0)
    for _ in range(audits):
        inside, outside = rng.standard_normal((2, n))
        cuts = np.quantile(np.concatenate([inside, outside]), [0.2, 0.4, 0.6, 0.8])
        caught += max(observed((outside > cut).mean(), (inside <= cut).mean()) for cut in cuts) > 0.3
        for find in BOTH:
            honest[find] += find(make.scores(inside, outside)).value > 0
    assert caught > audits / 2
    assert max(honest.values()) <= 0.05 * audits + 4 * math.sqrt(0.05 * 0.95 * audits)


def test_a_leaky_release_shows_nothing_beyond_its_delta() -> None:
    """KA4: released as it is with chance .3, which is exactly (0, .3)-private."""
    rng = stream(5, "leaky")
    shown = {True: 0, False: 0}
    for _ in range(100):
        scores = make.scores(np.where(rng.random(50) < 0.3, 1.0, 0.0), np.zeros(50))
        for ignored in shown:
            shown[ignored] += epsilon_any_cut(scores, delta=0.0 if ignored else 0.3).value > 0
    assert shown[False] <= 0.05 * 100 + 4 * math.sqrt(0.05 * 0.95 * 100)
    assert shown[True] > 50, "delta ignored (M18) is seen"


def test_cuts_are_settled_before_scores_are_seen() -> None:
    small, large = (
        make.scores(np.arange(50.0), np.arange(50.0)),
        make.scores(ndtri(np.arange(1, 51) / 60), np.zeros(50)),
    )
    assert epsilon_any_cut(small).method == epsilon_any_cut(large).method
    assert f"best of {2 * len(SHARES)} cuts" in epsilon_any_cut(small).method
    assert len(split(small)[0].value) == 50


def test_a_cut_by_rank_names_nobody_who_ties_with_whom_it_spares() -> None:
    """20 of 30 "in" trainings score just what the highest "out" training does: no cut tells these from it.

    Were they named and it not, 20 hits would stand beside no false alarm.
    """
    outside = np.arange(30.0)
    inside = np.where(np.arange(30) < 20, 29.0, np.arange(30) / 2 - 20.0)
    tied = make.scores(inside, outside)
    bound = epsilon_any_cut(tied)
    assert f"best of {2 * len(SHARES)} cuts" in bound.method
    level = 1 - 0.05 / (2 * len(SHARES))
    real = [((inside > cut).sum(), (outside > cut).sum()) for cut in np.unique([inside, outside])]
    most_shown = max(epsilon_bound(int(hits), 30, int(alarms), 30, level=level) for hits, alarms in real)
    assert bound.value <= most_shown < epsilon_bound(20, 30, 0, 30, level=level) - 0.1


def test_too_few_trainings_to_spare_half_are_refused() -> None:
    with pytest.raises(TooFewTrainings, match="at least 10 of each"):
        epsilon_split(make.answers(9, 9, 0, 50))


COUNTS = (
    (100, 100, 0, 100), (250, 250, 0, 250), (500, 500, 0, 500), (1000, 1000, 0, 1000), (961, 1000, 0, 1000),
    (241, 250, 9, 250), (90, 100, 10, 100), (300, 500, 200, 500), (60, 100, 40, 100),
)  # fmt: skip


@pytest.mark.parametrize(
    ("counts", "mu"),
    list(zip(COUNTS, (3.593, 4.359, 4.879, 5.360, 4.297, 2.993, 1.860, 0.280, 0.0), strict=True)),
)
def test_printed_gaussian_bounds(counts: tuple[int, int, int, int], mu: float) -> None:
    assert gaussian_bound(*counts) == pytest.approx(mu, abs=1e-3)


@pytest.mark.parametrize(
    ("counts", "low", "high"),
    list(
        zip(
            COUNTS,
            # 3.015 stands in print as 3.02; the integral gives 3.015.
            (4.90, 5.82, 6.51, 7.21, 6.22, 3.015, 1.91, 0.31, 0.18),
            (12.2, 13.1, 13.8, 14.5, 13.1, 3.98, 2.83, 0.53, 0.68),
            strict=True,
        )
    ),
)
def test_printed_bayesian_intervals(counts: tuple[int, int, int, int], low: float, high: float) -> None:
    """They are printed to two digits, and leave 5 % of the posterior outside on either side."""
    assert joint_beta(*counts, 0.05) == pytest.approx(low, abs=5e-3)
    assert joint_beta(*counts, 0.95) == pytest.approx(high, abs=5e-2 if high > 10 else 5e-3)


@pytest.mark.parametrize("delta", [0.0, 0.02])
def test_the_posterior_mass_of_the_region_is_that_of_drawn_rates(delta: float) -> None:
    rng = stream(1, "posterior")
    fnr, fpr = rng.beta(9.5, 241.5, 400_000), rng.beta(20.5, 230.5, 400_000)
    for mass in (0.05, 0.5, 0.95):
        epsilon = joint_beta(241 - 0, 250, 20, 250, mass, delta=delta)
        private = (fnr >= trade_off(fpr, epsilon, delta)) & (1 - fnr >= trade_off(1 - fpr, epsilon, delta))
        assert private.mean() == pytest.approx(mass, abs=5e-3)


def test_the_bayesian_interval_says_that_it_is_one_and_lies_above_the_bound() -> None:
    scores = make.answers(45, 50, 5, 50)
    bayesian = epsilon_bayesian(scores)
    assert bayesian.method.startswith("Bayesian")
    assert epsilon_lower(scores).value < bayesian.low < bayesian.value < bayesian.high
    assert (bayesian.n, bayesian.level) == (100, 0.95)
    assert epsilon_bayesian(make.answers(25, 50, 25, 50)).low < 0.1


def test_a_gaussian_release_is_seldom_overstated_by_its_own_bound() -> None:
    rng = stream(2, "gaussian")
    truth, n = gaussian_epsilon(1.0, 1e-5), 250
    hits, alarms = rng.binomial(n, stats.norm.cdf(0.5), 400), rng.binomial(n, stats.norm.cdf(-0.5), 400)
    bounds = [gaussian_epsilon(gaussian_bound(int(h), n, int(a), n), 1e-5) for h, a in zip(hits, alarms, strict=True)]
    assert sum(bound > truth for bound in bounds) <= 0.05 * 400 + 4 * math.sqrt(0.05 * 0.95 * 400)
    plain = [epsilon_bound(int(h), n, int(a), n, delta=1e-5) for h, a in zip(hits, alarms, strict=True)]
    assert np.median(bounds) > 2 * np.median(plain), "it is there because it shows more"


def test_the_gaussian_bound_overstates_what_is_not_gaussian() -> None:
    """The fault planted (M9): randomised response with epsilon 1, read as if it were Gaussian."""
    right = round(math.e / (1 + math.e) * 10_000)
    gaussian = epsilon_gaussian(make.answers(right, 10_000, 10_000 - right, 10_000))
    assert gaussian.value > 5
    assert "assumes a Gaussian" in gaussian.method
    assert math.isfinite(gaussian.high)
    assert epsilon_lower(make.answers(right, 10_000, 10_000 - right, 10_000)).value < 1


def test_an_impossible_mass_is_refused() -> None:
    with pytest.raises(ParameterError, match="mass"):
        joint_beta(1, 2, 1, 2, 1.0)
