"""Estimates of attribute inference: counted by hand, the same as others count, and refused in sentences."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics

from riskkit.core import Estimate, Floats
from riskkit.errors import ParameterError, ScoreError
from riskkit.seeds import stream
from riskkit.stats.contrasts import difference_of_correlated, ratio_of_correlated, ratio_of_independent, tango, wilson
from riskkit.stats.gains import Baseline, leakage_ratio
from riskkit.stats.guesses import CategoryGuesses, Guesses, NumberGuesses, Tolerance
from riskkit.stats.inference import accuracy, attributable, delta, estimate, residual, within
from riskkit.stats.measures import LEAST_PROBABILITY, MEASURES

OF_CATEGORY = [measure.name for measure in MEASURES if measure.kind == "category"]
OF_NUMBER = [measure.name for measure in MEASURES if measure.kind == "number"]


def right(hits: int, n: int) -> CategoryGuesses:
    """Guesses of which the first ``hits`` are right."""
    return CategoryGuesses(np.zeros(n), np.arange(n) >= hits)


def categories(n: int, levels: int = 3, sharp: float = 1.0, seed: int = 1) -> CategoryGuesses:
    """Guesses with probabilities that lean to the truth; the truth is that of every seed."""
    truth = stream(7, "truth", n, levels).integers(0, levels, n)
    score = stream(7, "guess", seed).standard_normal((n, levels))
    score[np.arange(n), truth] += sharp
    probability = np.exp(score) / np.exp(score).sum(axis=1, keepdims=True)
    return CategoryGuesses(truth, probability.argmax(axis=1), probability)


def numbers(n: int, noise: float = 1.0, seed: int = 1) -> NumberGuesses:
    """Guesses of numbers of both signs; the truth is that of every seed."""
    truth = 5 * stream(7, "numbers", n).standard_normal(n)
    return NumberGuesses(truth, truth + noise * stream(7, "guess", seed).standard_normal(n), Tolerance(0.1, 0.2))


def everything(guesses: Callable[..., Guesses], names: list[str]) -> list[Estimate]:
    """Every estimate that can be made of guesses of that kind."""
    model, real, control = guesses(200, seed=1), guesses(200, seed=2), guesses(100, seed=3)
    estimates = [estimate(model, name) for name in names] + [delta(model, real, metric=name) for name in names]
    return [*estimates, residual(model, control), attributable(model, control)]


def test_accuracy_of_eight_of_ten() -> None:
    reached = accuracy(right(8, 10))
    exact = stats.binomtest(8, 10).proportion_ci(method="exact")
    assert (reached.value, reached.low, reached.high) == pytest.approx((0.8, exact.low, exact.high))
    assert (reached.name, reached.n) == ("accuracy", 10)


def test_delta_counts_who_only_one_of_the_two_guesses() -> None:
    truth, model, base = np.zeros(10), np.array([0] * 7 + [1] * 3), np.array([0] * 4 + [1] * 5 + [0])
    gained = delta(CategoryGuesses(truth, model), CategoryGuesses(truth, base))
    low, high = tango(0.3, 0.1, 10, stats.norm.ppf(0.975))
    assert (gained.value, gained.low, gained.high) == pytest.approx((0.2, float(low), float(high)))
    assert gained.labels["metric"] == "accuracy"


def test_residual_attributable_and_ratio_by_hand() -> None:
    assert residual(right(90, 100), right(60, 100)).value == pytest.approx(0.75)
    assert attributable(right(90, 100), right(60, 100)).value == pytest.approx(1 / 3)
    assert residual(right(50, 100), right(60, 100)).value == pytest.approx(-0.25)
    assert attributable(right(50, 100), right(60, 100)).value == pytest.approx(-0.2)
    assert leakage_ratio(right(70, 100), right(80, 100), Baseline(right(60, 100))).value == pytest.approx(0.5)
    assert leakage_ratio(right(50, 100), right(80, 100), Baseline(right(60, 100))).value == pytest.approx(-0.5)


def test_every_member_guessed_is_a_residual_of_one_with_room_below() -> None:
    excess = residual(right(100, 100), right(60, 100))
    assert excess.value == excess.high == 1
    assert 0.8 < excess.low < 0.99


def test_the_score_interval_solves_its_equation() -> None:
    n, reach = 56, stats.norm.ppf(0.975)
    low, high = tango(0.0, 1 / n, n, reach)  # 44 times both, 12 times neither or apart: Tango's own kind of case
    for end in (float(low), float(high)):
        q = _likeliest(0.0, 1 / n, end)
        assert (-1 / n - end) ** 2 == pytest.approx(reach**2 * (2 * q + end * (1 - end)) / n, rel=1e-4)
    same = float(tango(0.0, 0.0, n, reach)[1])
    assert same == pytest.approx(reach**2 / (n + reach**2))


def _likeliest(ahead: float, behind: float, gap: float) -> float:
    """By a fine search: the share of "only the second" under which what was seen is likeliest, if the difference is
    ``gap``."""
    q = np.linspace(max(0.0, -gap), (1 - gap) / 2, 2_000_001)[1:-1]
    kept = np.log(np.maximum(1 - 2 * q - gap, 1e-300))
    likelihood = ahead * np.log(q + gap) + behind * np.log(q) + (1 - ahead - behind) * kept
    return float(q[np.argmax(likelihood)])


def test_the_interval_of_a_ratio_of_shares_is_that_of_its_reciprocal_upside_down() -> None:
    first, second = (np.asarray(0.3), wilson(0.3, 80, 1.96)), (np.asarray(0.45), wilson(0.45, 60, 1.96))
    low, high = ratio_of_independent(*first, *second)
    back = ratio_of_independent(*second, *first)
    assert (float(low), float(high)) == pytest.approx((1 / float(back[1]), 1 / float(back[0])))


@pytest.mark.parametrize("top", [1.0, 0.1, -0.1, -1.0])
@pytest.mark.parametrize("alike", [0.9, 0.0, -0.5])
def test_the_interval_of_a_ratio_ends_where_the_difference_may_be_nought(top: float, alike: float) -> None:
    """Of top - R bottom; and with plain standard errors it is Fieller's, of the textbook's equation."""
    of_top, of_bottom = (top - 0.2, top + 0.4), (0.6, 1.4)
    for end, side in zip(ratio_of_correlated(top, of_top, 0.8, of_bottom, alike), (0, 1), strict=True):
        scaled = sorted(end * bound for bound in of_bottom)
        ends = difference_of_correlated(top, of_top, end * 0.8, (scaled[0], scaled[1]), alike * np.sign(end))
        assert ends[side] == pytest.approx(0, abs=1e-12)
    low, high = ratio_of_correlated(top, (top - 0.3, top + 0.3), 0.8, (0.6, 1.0), alike)
    for end in (low, high):
        assert (top - end * 0.8) ** 2 == pytest.approx(0.3**2 + (0.2 * end) ** 2 - 2 * alike * end * 0.3 * 0.2)
    assert low < top / 0.8 < high


@pytest.mark.parametrize("levels", [2, 3, 12])
def test_measures_of_a_category_are_those_of_others(levels: int) -> None:
    guesses = categories(400, levels)
    assert guesses.probability is not None
    binary = levels == 2
    score: Floats = guesses.probability[:, 1] if binary else guesses.probability
    expected = {
        "accuracy": metrics.accuracy_score(guesses.truth, guesses.guess),
        "balanced_accuracy": metrics.balanced_accuracy_score(guesses.truth, guesses.guess),
        "macro_f1": metrics.f1_score(guesses.truth, guesses.guess, average="macro"),
        "auc": metrics.roc_auc_score(guesses.truth, score, multi_class="ovr"),
        "log_loss": metrics.log_loss(guesses.truth, guesses.probability),
    }
    for name, value in expected.items():
        assert estimate(guesses, name).value == pytest.approx(value, abs=1e-12), name


def test_measures_of_a_number_are_those_of_others() -> None:
    guesses = numbers(300)
    assert estimate(guesses, "r2").value == pytest.approx(metrics.r2_score(guesses.truth, guesses.guess))
    assert estimate(guesses, "mae").value == pytest.approx(metrics.mean_absolute_error(guesses.truth, guesses.guess))
    base = NumberGuesses(guesses.truth, np.full(300, np.median(guesses.truth)), guesses.tolerance)
    assert delta(guesses, base, metric="mae").value == pytest.approx(
        metrics.mean_absolute_error(base.truth, base.guess) - metrics.mean_absolute_error(guesses.truth, guesses.guess)
    )


@pytest.mark.parametrize("name", ["balanced_accuracy", "macro_f1", "auc", "log_loss", "r2", "mae"])
def test_the_pull_of_a_record_is_what_the_figure_moves_when_it_is_there_once_more(name: str) -> None:
    guesses: Guesses = numbers(500) if name in OF_NUMBER else categories(500)
    measure = next(measure for measure in MEASURES if measure.name == name)
    figure = measure.of(guesses)
    assert figure.pull.mean() == pytest.approx(0, abs=1e-12)
    for record in range(0, 500, 50):
        more = measure.of(guesses.rows(np.append(np.arange(500), record)))
        assert (more.value - figure.value) * 501 == pytest.approx(
            figure.pull[record], abs=0.02 + 0.02 * abs(figure.pull[record])
        )


def test_a_level_nobody_has_is_left_out_of_the_levels_that_are_averaged() -> None:
    few = CategoryGuesses([0, 0, 0, 1, 1, 1], [0, 0, 2, 1, 1, 0], np.eye(4)[[0, 0, 2, 1, 1, 0]])
    assert estimate(few, "balanced_accuracy").value == pytest.approx(2 / 3)
    assert estimate(few, "macro_f1").value == pytest.approx((2 / 3 + 4 / 5 + 0) / 3)
    assert estimate(few, "auc").value == pytest.approx((2 / 3 + 5 / 6) / 2)


def test_a_sure_error_costs_a_stated_loss_and_no_more() -> None:
    wrong = CategoryGuesses(np.zeros(10), np.ones(10), np.tile([0.0, 1.0], (10, 1)))
    loss = estimate(wrong, "log_loss")
    assert loss.value == loss.high == pytest.approx(-np.log(LEAST_PROBABILITY))
    assert loss.low < loss.value


@pytest.mark.parametrize(
    ("truth", "guess", "is_right"),
    [
        (-100.0, -104.0, True),  # a peer that divides by the signed guess calls every guess below 0 right
        (-100.0, -900.0, False),
        (-100.0, 100.0, False),
        (100.0, 105.0, True),
        (100.0, 105.1, False),
        (100.0, 95.0, True),
        (1.0, 1.05, True),
        (0.0, 0.0, True),
        (0.0, 1e-9, False),
        (100.0, np.nan, False),
        (100.0, np.inf, False),
        (0.0, np.nan, False),
    ],
)
def test_right_is_near_the_true_number(truth: float, guess: float, is_right: bool) -> None:
    assert NumberGuesses([truth], [guess]).right.tolist() == [is_right]


def test_an_absolute_tolerance_makes_room_about_nought() -> None:
    guesses = NumberGuesses([0.0] * 6, [0.0, 0.4, -0.5, 0.51, np.nan, 7.0], Tolerance(0.05, 0.5))
    assert guesses.right.tolist() == [True, True, True, False, False, False]
    assert within(guesses).value == 0.5


@pytest.mark.parametrize("relative", [-0.1, np.inf, np.nan])
def test_no_tolerance_below_nought_or_without_end(relative: float) -> None:
    with pytest.raises(ParameterError, match="tolerance"):
        Tolerance(relative)


@pytest.mark.parametrize(("guesses", "names"), [(categories, OF_CATEGORY), (numbers, OF_NUMBER)])
def test_nothing_depends_on_the_order_of_the_records(guesses: Callable[..., Guesses], names: list[str]) -> None:
    def shuffled(n: int, seed: int) -> Guesses:
        return guesses(n, seed=seed).rows(stream(7, "order", n).permutation(n))

    for first, second in zip(everything(guesses, names), everything(shuffled, names), strict=True):
        assert (first.value, first.low, first.high) == pytest.approx((second.value, second.low, second.high)), (
            first.name
        )


def test_nothing_depends_on_how_the_levels_are_numbered() -> None:
    anew = np.array([2, 0, 1])

    def renamed(n: int, seed: int) -> CategoryGuesses:
        guesses = categories(n, seed=seed)
        assert guesses.probability is not None
        return CategoryGuesses(anew[guesses.truth], anew[guesses.guess], guesses.probability[:, np.argsort(anew)])

    for first, second in zip(everything(categories, OF_CATEGORY), everything(renamed, OF_CATEGORY), strict=True):
        assert (first.value, first.low, first.high) == pytest.approx((second.value, second.low, second.high)), (
            first.name
        )


@pytest.mark.parametrize("name", ["accuracy", "macro_f1", "balanced_accuracy", "auc", "log_loss"])
def test_exchanging_model_and_baseline_turns_the_difference_round(name: str) -> None:
    model, base = categories(300, sharp=1.5), categories(300, seed=2)
    there, back = delta(model, base, metric=name), delta(base, model, metric=name)
    assert (there.value, there.low, there.high) == pytest.approx((-back.value, -back.high, -back.low))


@pytest.mark.parametrize(("guesses", "names"), [(categories, OF_CATEGORY), (numbers, OF_NUMBER)])
def test_every_record_twice_says_what_every_record_once_says(guesses: Callable[..., Guesses], names: list[str]) -> None:
    def twice(n: int, seed: int) -> Guesses:
        return guesses(n, seed=seed).rows(np.repeat(np.arange(n), 2))

    for once, doubled in zip(everything(guesses, names), everything(twice, names), strict=True):
        assert once.value == pytest.approx(doubled.value)
        assert once.n == doubled.n
        assert doubled.high - doubled.low == pytest.approx(once.high - once.low, rel=0.06), once


def test_copies_taken_for_records_would_look_surer() -> None:
    once, twice = categories(200), np.repeat(np.arange(200), 2)
    blind = CategoryGuesses(once.truth[twice], once.guess[twice])
    assert accuracy(blind).high - accuracy(blind).low < 0.75 * (accuracy(once).high - accuracy(once).low)


@pytest.mark.parametrize("name", OF_CATEGORY)
def test_the_same_guesses_differ_by_nought_but_not_surely(name: str) -> None:
    difference = delta(categories(200), categories(200), metric=name)
    assert difference.value == 0
    assert difference.low < -0.01 < 0.01 < difference.high


@pytest.mark.parametrize("name", OF_CATEGORY)
def test_an_unbroken_row_of_right_guesses_is_not_certainty(name: str) -> None:
    truth = np.arange(60) % 3
    reached = estimate(CategoryGuesses(truth, truth, np.eye(3)[truth]), name)
    assert reached.value == (0 if name == "log_loss" else 1)
    assert reached.high - reached.low > 0.01


def test_scores_that_are_all_the_same_have_an_auc_of_one_half_and_add_no_doubt_to_a_difference() -> None:
    model = categories(200, 2)
    base = CategoryGuesses(model.truth, np.zeros(200), np.tile([0.6, 0.4], (200, 1)))
    alone, difference = estimate(model, "auc"), delta(model, base, metric="auc")
    assert estimate(base, "auc").value == 0.5
    assert (difference.low, difference.high) == pytest.approx((alone.low - 0.5, alone.high - 0.5))


def test_a_higher_level_is_wider() -> None:
    for narrow, wide in (
        (accuracy(right(80, 100), level=0.8), accuracy(right(80, 100), level=0.99)),
        (residual(right(90, 100), right(80, 100), level=0.8), residual(right(90, 100), right(80, 100), level=0.99)),
    ):
        assert wide.low < narrow.low < narrow.high < wide.high


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda: accuracy(right(3, 4)), "at least 5"),
        (lambda: accuracy(CategoryGuesses(np.zeros(9), np.zeros(9), cluster=np.zeros(9))), "1 different records"),
        (lambda: residual(right(90, 100), right(100, 100)), "nothing is left"),
        (lambda: attributable(right(0, 100), right(50, 100)), "No guess about a member is right"),
        (lambda: leakage_ratio(right(80, 100), right(61, 100), Baseline(right(60, 100))), "no leakage ratio"),
        (lambda: leakage_ratio(right(80, 100), right(30, 100), Baseline(right(60, 100))), "no leakage ratio"),
        (lambda: delta(right(80, 100), right(80, 99)), "same records"),
        (lambda: delta(categories(100), CategoryGuesses(np.zeros(100), np.zeros(100))), "same records"),
        (lambda: estimate(right(80, 100), "auc"), "needs the probabilities"),
        (lambda: estimate(right(80, 100), "log_loss"), "needs the probabilities"),
        (lambda: estimate(CategoryGuesses([0] * 9, [0] * 9, np.full((9, 2), 0.5)), "auc"), "same true level"),
        (lambda: estimate(NumberGuesses([2.0] * 9, [1.0] * 9), "r2"), "same true number"),
        (lambda: estimate(NumberGuesses(np.arange(9), np.arange(9)), "mae"), "exactly right"),
        (lambda: estimate(NumberGuesses(np.arange(9), [np.nan] * 9), "mae"), "9 of 9 guesses are no number"),
        (lambda: delta(NumberGuesses(range(9), [1] * 9), NumberGuesses(range(9), [1] * 9), metric="mae"), "alike"),
        (lambda: delta(numbers(9), NumberGuesses(numbers(9).truth, [1] * 9)), "same tolerance"),
        (lambda: residual(right(0, 0), right(0, 0)), "0 different records"),
        (lambda: attributable(right(9, 9), right(0, 0)), "0 different records"),
        (lambda: NumberGuesses([1.0, np.nan], [1.0, 1.0]), "1 of 2 records have no true number"),
        (lambda: CategoryGuesses([0, 1], [0]), "differ in length"),
        (lambda: CategoryGuesses([0, 1], [0, 1], cluster=[1]), "differ in length"),
        (lambda: CategoryGuesses([0, 1], [0, 1], np.ones((2, 2))), "add up to 1"),
        (lambda: CategoryGuesses([0, 1], [0, 1], np.full((2, 2), np.nan)), "add up to 1"),
        (lambda: CategoryGuesses([0, 2], [0, 1], np.full((2, 2), 0.5)), "no column"),
    ],
)
def test_what_cannot_be_said_is_refused_in_a_sentence(ask: Callable[[], object], sentence: str) -> None:
    with pytest.raises(ScoreError, match=sentence):
        ask()


def test_a_measure_of_another_kind_is_refused_with_those_there_are() -> None:
    with pytest.raises(ParameterError, match="within, r2, mae"):
        estimate(numbers(20), "accuracy")


@pytest.mark.parametrize("copies", [1, 3])
def test_a_level_that_one_record_has_makes_the_interval_wide_and_breaks_nothing(copies: int) -> None:
    """One person with a rare illness, perhaps listed more than once."""
    truth = np.array([0] * 30 + [1] * 30 + [2] * copies)
    guess = np.where(np.arange(len(truth)) % 3 == 0, (truth + 1) % 3, truth)
    guess[60:] = 2  # copies of one record get one guess
    person = np.array([*range(60), *[60] * copies])
    model = CategoryGuesses(truth, guess, np.eye(3)[guess], person)
    common = estimate(model.rows(person < 60), "balanced_accuracy")
    rare = estimate(model, "balanced_accuracy")
    assert rare.high - rare.low > common.high - common.low
    gain = delta(model, CategoryGuesses(truth, np.zeros_like(truth), None, person), metric="balanced_accuracy")
    assert gain.high - gain.low > 0.3
    assert 0 <= estimate(model, "macro_f1").low < estimate(model, "macro_f1").high <= 1
