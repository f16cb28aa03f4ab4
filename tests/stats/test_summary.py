"""What an attack achieved, over trainings and over records of one file: by hand, known in closed form, or refused."""

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats
from scipy.stats import norm

from riskkit.core import Estimate, Scores
from riskkit.errors import ParameterError, ScoreError, TooFewTrainings
from riskkit.seeds import stream
from riskkit.stats import accuracy, advantage, auc, is_degenerate, records, summary, tpr_at_fpr
from riskkit.stats.power import auc_standard_error, detectable_auc, detectable_auc_of_records
from riskkit.stats.summary import mean_auc
from tests.stats import make, naive

Statistic = Callable[..., Estimate]

# At the cut 0: "in" of 3 2 2 1 0 are 4.5 of 5, "in" of 2 1 0 -1 -2 are 2.5 of 5.
TEN = make.scores([3, 2, 2, 1, 0], [2, 1, 0, -1, -2])


def test_ten_rows_counted_by_hand() -> None:
    assert advantage(TEN).value == pytest.approx(4.5 / 5 - 2.5 / 5)
    assert accuracy(TEN).value == pytest.approx(7 / 10)


def test_score_of_exactly_zero_counts_one_half() -> None:
    scores = make.scores([1, 1, 0, 0, -1], [-1, -1, -1, -1, -1])
    assert advantage(scores).value == pytest.approx(3 / 5)
    assert advantage(make.swapped(scores)).value == pytest.approx(-3 / 5)


def test_accuracy_is_that_of_a_fair_coin_even_in_a_lopsided_game() -> None:
    scores = make.answers(6, 6, 9, 18)
    assert accuracy(scores).value == pytest.approx((1 + 0.5) / 2)
    assert advantage(scores).value == pytest.approx(1 - 0.5)


def test_advantage_of_independent_trials_is_square_and_add_of_exact_limits() -> None:
    gained, (low_in, high_in), (low_out, high_out) = (
        advantage(make.answers(30, 40, 8, 40)),
        naive.clopper_pearson(30, 40, 0.025),
        naive.clopper_pearson(8, 40, 0.025),
    )
    assert gained.low == pytest.approx(0.55 - np.hypot(0.75 - low_in, high_out - 0.2), abs=1e-9)
    assert gained.high == pytest.approx(0.55 + np.hypot(high_in - 0.75, 0.2 - low_out), abs=1e-9)


def test_share_named_at_a_false_positive_rate_counted_by_hand() -> None:
    # .1 of 30 lies at number .1 (30 + 1/3) + 1/3 = 3.3667 from the top, between 28 and 27. Above 28, and by lot half of
    # those at 28, are 1.5 of 5; above 27 likewise 4.5 of 5.
    outside = np.arange(1.0, 31.0)
    inside = np.array([27.0, 27.89, 27.91, 28.0, 40.0])
    share = tpr_at_fpr(make.scores(inside, outside), 0.1)
    assert share.value == pytest.approx(0.3 + (0.1 * (30 + 1 / 3) + 1 / 3 - 3) * 0.6)
    assert share.labels == {"fpr": "0.1"}


def test_share_named_where_scores_tie_counted_by_hand() -> None:
    """Two scores: .7 of 30 "in" and .2 of 30 "out" are called "in". Lots among them name half of each at a rate of .1.

    Six "out" trials share the top. So many of 30 have 1/36 of a trial less than they seem to above them in the median.
    """
    scores = make.answers(21, 30, 6, 30)
    share = tpr_at_fpr(scores, 0.1)
    assert share.value == pytest.approx(0.7 * (0.1 * (30 + 1 / 18) - 1 / 36) / 6)
    assert 0 < share.low < 0.35 < share.high < 0.85


def test_the_interval_of_the_share_named_does_not_take_the_cut_for_known() -> None:
    """By scipy's beta law: of ten thousand "in" the share at any cut is as good as known; of 30 "out" the cut is not.

    The cut that k of 30 "out" exceed may let pass as many as Clopper and Pearson's limits of k and k + 1 of 30, half
    way between; read at that rate, the shares seen are the ends.
    """
    outside, inside = stats.norm.ppf((np.arange(30) + 0.5) / 30), stats.norm.ppf((np.arange(10_000) + 0.5) / 10_000) + 1
    share = tpr_at_fpr(make.scores(inside, outside), 0.1)
    k, above = np.arange(31), np.array([(inside > cut).mean() for cut in outside[::-1]])
    upper = np.where(k < 30, stats.beta.ppf(0.975, k + 1, 30 - k), 1.0)
    lower = np.where(k > 0, stats.beta.ppf(0.025, k, 31 - k), 0.0)
    low = np.interp(0.1, np.append(0, (upper[1:] + upper[:-1]) / 2), np.append(0, above))
    high = np.interp(0.1, (lower[1:] + lower[:-1]) / 2, above)
    assert (share.low, share.high) == pytest.approx((low, high), abs=1e-3)
    assert high - low > 0.5


def test_share_named_of_two_equal_sides_is_the_share_of_false_alarms_but_for_one_trial() -> None:
    rng = stream(1, "false alarms")
    for n in range(10, 60):
        outside = rng.standard_normal(n)
        assert abs(tpr_at_fpr(make.scores(outside, outside), 0.3).value - 0.3) < 0.5 / n


def test_rate_that_three_trainings_cannot_show_is_refused() -> None:
    rng = stream(2, "refused")
    scores = make.scores(rng.standard_normal(100), rng.standard_normal(29))
    with pytest.raises(TooFewTrainings, match="at least 30 trainings without the target; there are 29"):
        tpr_at_fpr(scores, 0.1)
    assert tpr_at_fpr(make.scores(rng.standard_normal(100), rng.standard_normal(30)), 0.1).n == 130


def test_generations_do_not_help_against_the_refusal() -> None:
    rng = stream(3, "generations")
    with pytest.raises(TooFewTrainings, match="there are 20"):
        tpr_at_fpr(make.scores(rng.standard_normal(2000), rng.standard_normal(2000), generations=100), 0.1)


@pytest.mark.parametrize("fpr", [0.0, 1.0, -0.1, float("nan")])
def test_impossible_rate_is_refused(fpr: float) -> None:
    with pytest.raises(ParameterError, match="between 0 and 1"):
        tpr_at_fpr(TEN, fpr)


@pytest.mark.parametrize("statistic", [auc, accuracy, advantage])
def test_five_trainings_an_arm_have_an_interval_and_four_do_not(statistic: Statistic) -> None:
    rng = stream(4, "five")
    assert statistic(make.scores(rng.standard_normal(50), rng.standard_normal(50), 10)).n == 10
    for n_in, n_out in ((40, 50), (50, 40)):
        with pytest.raises(TooFewTrainings):
            statistic(make.scores(rng.standard_normal(n_in), rng.standard_normal(n_out), 10))


@pytest.mark.parametrize("statistic", [auc, accuracy, advantage])
def test_n_counts_trainings_and_copies_of_a_release_narrow_nothing(statistic: Statistic) -> None:
    rng = stream(5, "copies")
    inside, outside = rng.standard_normal(40) + 0.8, rng.standard_normal(40)
    once = statistic(make.scores(inside, outside))
    copied = statistic(make.scores(np.repeat(inside, 20), np.repeat(outside, 20), 20))
    as_if_independent = statistic(make.scores(np.repeat(inside, 20), np.repeat(outside, 20)))
    assert (once.n, copied.n) == (80, 80)
    assert copied.value == pytest.approx(once.value)
    assert copied.high - copied.low == pytest.approx(once.high - once.low, rel=0.03)
    assert as_if_independent.high - as_if_independent.low < 0.5 * (once.high - once.low)


def test_perfect_attack_on_many_generations_is_no_surer_than_its_trainings() -> None:
    scores = make.scores(np.arange(1000) + 5000.0, np.arange(1000.0), generations=100)
    assert auc(scores).low < 0.800
    assert accuracy(scores).low < accuracy(make.answers(10, 10, 0, 10)).low


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0, 3.0])
def test_randomised_response_has_its_closed_form(epsilon: float) -> None:
    truth = np.exp(epsilon) / (1 + np.exp(epsilon))
    right = stream(6, "randomised response", int(10 * epsilon)).random((2, 5000)) < truth
    scores = make.scores(np.where(right[0], 1, -1), np.where(right[1], -1, 1))
    error = 4 * auc_standard_error(truth, 5000, 5000)
    assert auc(scores).value == pytest.approx(truth, abs=error)
    assert accuracy(scores).value == pytest.approx(truth, abs=error)
    assert advantage(scores).value == pytest.approx(2 * truth - 1, abs=2 * error)


@pytest.mark.parametrize("mu", [0.25, 0.5, 1.0, 2.0, 3.0])
def test_gaussian_release_has_its_closed_form(mu: float) -> None:
    noise = stream(7, "gaussian", int(100 * mu)).standard_normal((2, 5000))
    scores = make.scores(noise[0] + mu / 2, noise[1] - mu / 2)
    truth = float(stats.norm.cdf(mu / np.sqrt(2)))
    assert auc(scores).value == pytest.approx(truth, abs=4 * auc_standard_error(truth, 5000, 5000))
    assert advantage(scores).value == pytest.approx(2 * stats.norm.cdf(mu / 2) - 1, abs=4 * np.sqrt(0.5 / 5000))
    named = float(stats.norm.cdf(stats.norm.ppf(0.1) + mu))
    slope = stats.norm.pdf(stats.norm.ppf(0.1) + mu) / stats.norm.pdf(stats.norm.ppf(0.1))
    error = np.sqrt((named * (1 - named) + slope**2 * 0.09) / 5000)
    assert tpr_at_fpr(scores, 0.1).value == pytest.approx(named, abs=4 * error)


def test_one_truth_only_is_an_error_never_one_half() -> None:
    for statistic in (auc, accuracy, advantage, tpr_at_fpr):
        with pytest.raises(ScoreError, match="same truth"):
            statistic(make.scores(np.arange(20.0), []))


def test_scores_that_are_not_numbers_are_an_error() -> None:
    with pytest.raises(ScoreError, match="not finite"):
        make.scores(np.full(10, np.nan), np.full(10, np.nan))


@pytest.mark.parametrize("value", [0.0, 0.1, -3.0])
def test_one_score_for_everything_is_an_error_never_one_half(value: float) -> None:
    scores = make.scores(np.full(40, value), np.full(40, value))
    for statistic in (auc, tpr_at_fpr):
        with pytest.raises(ScoreError, match="same score"):
            statistic(scores)


@pytest.mark.parametrize("answer", [-1.0, 0.0, 1.0])
def test_constant_answer_is_right_half_the_time_and_flagged(answer: float) -> None:
    scores = make.scores(answer * np.arange(1.0, 21.0), answer * np.arange(1.0, 21.0))
    assert accuracy(scores).value == 0.5
    assert is_degenerate(scores)


def test_answers_of_both_kinds_are_not_degenerate() -> None:
    assert not is_degenerate(TEN)
    assert not is_degenerate(make.answers(1, 5, 0, 5))


def test_each_estimate_carries_its_name_level_and_method() -> None:
    rng = stream(8, "names")
    scores = make.scores(rng.standard_normal(40), rng.standard_normal(40))
    estimates: list[Estimate] = [auc(scores), accuracy(scores), advantage(scores), tpr_at_fpr(scores)]
    assert [estimate.name for estimate in estimates] == ["auc", "accuracy", "advantage", "tpr_at_fpr"]
    assert all(estimate.level == 0.95 and estimate.method and estimate.n == 80 for estimate in estimates)


@pytest.mark.parametrize("statistic", [auc, accuracy, advantage, tpr_at_fpr])
def test_higher_level_is_wider(statistic: Statistic) -> None:
    rng = stream(9, "levels")
    scores = make.scores(rng.standard_normal(60) + 1, rng.standard_normal(60), 2)
    widths = [statistic(scores, level=level) for level in (0.8, 0.9, 0.95, 0.99)]
    assert all(a.low > b.low and a.high < b.high for a, b in pairwise(widths))


def test_unequal_numbers_of_generations_weigh_by_trial() -> None:
    training = np.concatenate([np.repeat(np.arange(6), [1, 2, 3, 4, 5, 6]), np.repeat(np.arange(6, 12), 3)])
    value = stream(10, "unequal").standard_normal(39) + (training < 6)
    scores = Scores(value, training < 6, training, np.zeros(39, dtype=np.int64))
    assert auc(scores).value == pytest.approx(naive.auc(value[:21].tolist(), value[21:].tolist()), abs=1e-12)
    assert auc(scores).n == 12


def game(inside: list[float], outside: list[float], each: int = 1) -> Scores:
    """Trials of which ``each`` side by side are of one training."""
    value = np.array([*inside, *outside], dtype=float)
    is_in = np.arange(len(value)) < len(inside)
    return Scores(value, is_in, np.arange(len(value)) // each, np.zeros(len(value), dtype=np.int64), "a")


def drawn(auc: float, n: int, rng: np.random.Generator) -> Scores:
    return game(list(rng.standard_normal(n) + norm.ppf(auc) * np.sqrt(2)), list(rng.standard_normal(n)))


def test_the_value_is_the_mean_counted_by_hand() -> None:
    sure = game([6, 7, 8, 9, 10], [1, 2, 3, 4, 5])
    none = game([1, 2, 3, 4, 5], [1, 2, 3, 4, 5])
    mean = mean_auc([sure, none])
    assert mean.value == pytest.approx((1.0 + 0.5) / 2)
    assert mean.n == 20
    assert mean.low < 0.75 < mean.high < 1


@pytest.mark.parametrize("auc", [0.5, 0.7, 0.93, 1.0])
def test_of_one_person_it_is_the_auc_of_that_game(auc: float) -> None:
    person = drawn(min(auc, 0.99), 12, np.random.default_rng(5))
    if auc == 1.0:
        person = game(list(range(20, 32)), list(range(12)))
    own, alone = mean_auc([person]), summary.auc(person)
    assert (own.value, own.low, own.high, own.n) == pytest.approx((alone.value, alone.low, alone.high, alone.n))


def test_more_people_make_it_narrower_as_the_root_of_their_number() -> None:
    rng = np.random.default_rng(8)
    games = [drawn(0.7, 40, rng) for _ in range(16)]
    widths = [mean.high - mean.low for mean in (mean_auc(games[:4]), mean_auc(games))]
    assert widths[0] / widths[1] == pytest.approx(2.0, rel=0.1)


def test_releases_of_one_training_are_no_trainings() -> None:
    rng = np.random.default_rng(2)
    apart = [drawn(0.8, 10, rng) for _ in range(4)]
    copied = [game(list(np.repeat(s.value[:10], 5)), list(np.repeat(s.value[10:], 5)), each=5) for s in apart]
    once, copies = mean_auc(apart), mean_auc(copied)
    assert copies.value == pytest.approx(once.value)
    assert copies.n == once.n
    assert copies.high - copies.low > 0.95 * (once.high - once.low), "as copies they say nothing new"


def test_what_decides_nothing_is_refused() -> None:
    same = game([1.0] * 6, [1.0] * 6)
    with pytest.raises(ScoreError):
        mean_auc([same, same])
    with pytest.raises(TooFewTrainings):
        mean_auc([game([1, 2, 3], [1, 2, 4])])
    half = mean_auc([same, game([6, 7, 8, 9, 10, 11], [0, 1, 2, 3, 4, 5])])
    assert half.value == pytest.approx(0.75), "of a person whose scores never differ it is one half"


@pytest.mark.second
@pytest.mark.parametrize(
    "aucs", [(0.5,) * 5, (0.75,) * 5, (0.55, 0.6, 0.7, 0.9, 0.99), (0.5, 0.5, 0.999, 0.999)], ids=str
)
def test_each_end_is_wrong_as_seldom_as_it_says(aucs: tuple[float, ...]) -> None:
    """400 audits of 10 trainings an arm: 2.5 % are 10, and more than 22 come by chance once in 2,000."""
    rng = np.random.default_rng(11)
    means = [mean_auc([drawn(auc, 10, rng) for auc in aucs]) for _ in range(400)]
    truth = float(np.mean(aucs))
    assert sum(mean.low > truth for mean in means) <= 22
    assert sum(mean.high < truth for mean in means) <= 22
    assert np.mean([mean.high - mean.low for mean in means]) < 0.27, "nor is it as wide as to say nothing"


def scores(inside: list[float], outside: list[float], record: list[int] | None = None) -> Scores:
    value = np.array([*inside, *outside], dtype=float)
    named = np.arange(len(value)) if record is None else np.array(record)
    return Scores(value, np.arange(len(value)) < len(inside), named, np.zeros(len(value), dtype=int), "made")


def test_values_are_those_of_the_statistics_and_the_method_counts_records() -> None:
    played = scores([3, 4, 5, 6, 2.5, 7], [1, 2, 3.5, 0, 4.5, -1])
    by_records, plain = records.auc(played), summary.auc(played)
    assert (by_records.value, by_records.low, by_records.high, by_records.n) == (plain.value, plain.low, plain.high, 12)
    assert "record" in by_records.method
    assert "training" not in by_records.method


def test_copies_of_a_record_do_not_narrow_the_interval() -> None:
    rng = np.random.default_rng(1)
    inside, outside = rng.normal(1, 1, 30), rng.normal(0, 1, 30)
    once = records.auc(scores(inside.tolist(), outside.tolist()))
    twice = records.auc(
        scores(np.repeat(inside, 4).tolist(), np.repeat(outside, 4).tolist(), np.repeat(np.arange(60), 4).tolist())
    )
    taken_apart = records.auc(scores(np.repeat(inside, 4).tolist(), np.repeat(outside, 4).tolist()))
    assert twice.n == once.n == 60
    assert twice.high - twice.low == pytest.approx(once.high - once.low, rel=0.05)
    assert taken_apart.high - taken_apart.low < 0.6 * (once.high - once.low)


def test_too_few_records_and_constant_scores_are_sentences_about_records() -> None:
    with pytest.raises(TooFewTrainings, match="4 different records of members") as few:
        records.auc(scores([1, 2, 3, 4], [0] * 9))
    assert "training" not in str(few.value)
    with pytest.raises(ScoreError, match="every record the same score") as same:
        records.auc(scores([1] * 9, [1] * 9))
    assert "release" not in str(same.value)
    with pytest.raises(TooFewTrainings, match="at least 30 records from outside the data") as greyed:
        records.tpr_at_fpr(scores(list(range(29)), list(range(29))), 0.1)
    assert "training" not in str(greyed.value)
    with pytest.raises(ParameterError):
        records.tpr_at_fpr(scores([1] * 9, [2] * 9), 1.0)
    assert records.tpr_at_fpr(scores(list(range(30)), list(range(30))), 0.1).labels["fpr"] == "0.1"


def test_the_level_of_each_look() -> None:
    assert records.level_of_each(0.95, 1) == pytest.approx(0.95)
    assert records.level_of_each(0.95, 10) == pytest.approx(0.995)


def test_power_with_unequal_sides() -> None:
    assert detectable_auc_of_records(50, 50) == pytest.approx(detectable_auc(100), abs=1e-12)
    assert detectable_auc_of_records(1000, 100) == pytest.approx(detectable_auc_of_records(100, 1000), abs=0.003)
    assert detectable_auc_of_records(1000, 100) < detectable_auc_of_records(100, 100)
    least = detectable_auc_of_records(300, 100)
    null = np.sqrt(401 / (12 * 300 * 100))
    assert least == pytest.approx(0.5 + 1.96 * null + 0.8416 * auc_standard_error(least, 300, 100), abs=2e-3)
    with pytest.raises(ParameterError, match="1 of others"):
        detectable_auc_of_records(100, 1)


def test_printed_upper_ends_when_one_half_is_observed() -> None:
    for n, upper in ((100, 0.593), (500, 0.542), (1000, 0.53)):
        assert records.upper_if_half(n // 2, n // 2, level=0.9) == pytest.approx(upper, abs=4e-3)
