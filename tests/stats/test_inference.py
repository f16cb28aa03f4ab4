"""Estimates of attribute inference: counted by hand, the same as others count, and refused in sentences."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics

from riskkit.core import Bools, Estimate, Floats, Ints
from riskkit.errors import ParameterError, ScoreError, TooFewTrainings
from riskkit.seeds import stream
from riskkit.stats.contrasts import difference_of_correlated, ratio_of_correlated, ratio_of_independent, tango
from riskkit.stats.gains import Baseline, leakage_ratio
from riskkit.stats.guesses import CategoryGuesses, Guesses, NumberGuesses, Tolerance
from riskkit.stats.inference import (
    accuracy,
    attributable,
    choose_by_earlier,
    delta,
    detectable_residual,
    difference,
    estimate,
    randomised_estimates,
    residual,
    within,
)
from riskkit.stats.measures import LEAST_PROBABILITY, MEASURES
from tests.stats.wilson import wilson

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


def right_of(right: np.ndarray) -> CategoryGuesses:
    return CategoryGuesses(np.zeros(len(right)), np.where(right, 0, 1))


def test_by_hand() -> None:
    gap = difference(right_of(np.arange(10) < 8), right_of(np.arange(20) < 10))
    assert gap.value == pytest.approx(0.3)
    assert gap.low < 0.3 < gap.high
    assert (gap.n, gap.labels["metric"]) == (30, "accuracy")
    turned = difference(right_of(np.arange(20) < 10), right_of(np.arange(10) < 8))
    assert turned.value == pytest.approx(-0.3)
    assert turned.low == pytest.approx(-gap.high)


def test_covered_at_the_stated_level() -> None:
    rng = np.random.default_rng(1)
    held = 0
    for _ in range(1000):
        gap = difference(right_of(rng.random(120) < 0.8), right_of(rng.random(80) < 0.7))
        held += gap.low <= 0.1 <= gap.high
    assert 0.93 <= held / 1000 <= 0.97


@pytest.mark.parametrize("right", [0.5, 0.8])
def test_the_residual_that_is_foreseen_is_found_in_four_of_five_audits(right: float) -> None:
    least = detectable_residual(800, 600, right)
    rng = np.random.default_rng(2)
    reached = right + least * (1 - right)
    shown = [
        residual(right_of(rng.random(800) < reached), right_of(rng.random(600) < right)).low > 0 for _ in range(400)
    ]
    assert 0.74 <= np.mean(shown) <= 0.88
    half = right + least / 2 * (1 - right)  # the fault this is there to catch: a power that is not one
    missed = [residual(right_of(rng.random(800) < half), right_of(rng.random(600) < right)).low > 0 for _ in range(400)]
    assert np.mean(missed) < 0.5


def test_ends_and_refusals() -> None:
    assert detectable_residual(100, 100, 1.0) == 1.0
    assert detectable_residual(100, 100, 0.5, alpha=0.001) > detectable_residual(100, 100, 0.5)
    with pytest.raises(ParameterError):
        detectable_residual(0, 10, 0.5)
    with pytest.raises(ParameterError):
        detectable_residual(10, 10, 1.5)


FOLD = np.arange(100) % 5


def category(right: Bools) -> CategoryGuesses:
    return CategoryGuesses(np.ones(len(right), dtype=int), right.astype(int))


def some(*of_fold: int) -> Bools:
    """So many of the twenty people of each part are guessed rightly."""
    right = np.zeros(100, dtype=bool)
    for fold, hits in enumerate(of_fold):
        right[np.flatnonzero(fold == FOLD)[:hits]] = True
    return right


def chosen(members: list[Bools], control: list[Bools], fold: Ints = FOLD) -> tuple[int, ...]:
    return choose_by_earlier([category(right) for right in members], [category(right) for right in control], fold, fold)


def test_each_part_takes_what_is_best_for_those_before() -> None:
    """The second way is right of few in the first two parts and of everybody then: only the last part may know it."""
    steady, late = some(10, 10, 10, 10, 10), some(0, 5, 20, 20, 20)
    nothing = some(4, 4, 4, 4, 4)
    assert chosen([steady, late], [nothing, nothing])[1:] == (0, 0, 0, 1)
    assert chosen([steady, late], [nothing, nothing])[0] == 1, "who only chooses has the choice of all others"


def test_a_part_has_no_say_in_its_own_choice_nor_in_one_before() -> None:
    rng = np.random.default_rng(3)
    members, control = ([rng.random(100) < 0.4 for _ in range(4)] for _ in "ab")
    before = chosen(members, control)
    for part in range(1, 5):
        turned = [right.copy() for right in members]
        for right in turned:
            right[part <= FOLD] = rng.random(int((part <= FOLD).sum())) < 0.5
        assert chosen(turned, control)[1 : part + 1] == before[1 : part + 1]


def test_equal_ways_give_the_first_and_those_without_a_number_are_passed_over() -> None:
    half, everybody = some(10, 10, 10, 10, 10), np.ones(100, dtype=bool)
    assert chosen([half, half], [some(2, 2, 2, 2, 2)] * 2) == (0,) * 5
    assert chosen([everybody, half], [everybody, some(2, 2, 2, 2, 2)]) == (1,) * 5
    assert chosen([everybody, everybody], [everybody, everybody]) == (0,) * 5


def test_nothing_to_choose_from_is_refused() -> None:
    with pytest.raises(ScoreError, match="no way to guess"):
        choose_by_earlier([], [], FOLD, FOLD)


def test_drawn_secrets_by_hand() -> None:
    success = np.array([1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0])
    chance = np.full(10, 0.25)
    estimates = randomised_estimates(success, chance, np.repeat(np.arange(5), 2), is_category=True)
    assert [estimate.value for estimate in estimates] == pytest.approx([0.6, 0.25, 0.35])
    assert [estimate.n for estimate in estimates] == [5, 5, 5]
    assert all(estimate.low <= estimate.value <= estimate.high for estimate in estimates)
    errors = randomised_estimates(-success, -chance, np.repeat(np.arange(5), 2), is_category=False)[-1]
    gaps = np.array([-0.25, -0.75, 0.25, -0.25, -0.75])
    reach = 2.7764451 * gaps.std(ddof=1) / np.sqrt(5)  # t with 4 degrees of freedom
    assert errors.value == pytest.approx(-0.35)
    assert errors.high - errors.value == pytest.approx(reach, rel=1e-6)


def test_where_nothing_varies_the_interval_is_no_point() -> None:
    success, _, gain = randomised_estimates(
        np.ones(50), np.full(50, 0.5), np.repeat(np.arange(5), 10), is_category=True
    )
    assert success.low < 0.5
    reach = 2.7764451 * 0.5 / np.sqrt(50)  # as if 50 guesses at chance were independent
    assert (gain.low, gain.high) == pytest.approx((0.5 - reach, 0.5 + reach))
    with pytest.raises(ScoreError, match="same gain"):
        randomised_estimates(-np.ones(50), -np.full(50, 0.5), np.repeat(np.arange(5), 10), is_category=False)


def test_trainings_that_nearly_agree_are_no_surer_than_chance_allows() -> None:
    """Four trainings with 5 of 10 right and one with 6: they scatter by less than guesses at chance do."""
    right = np.array([5, 5, 5, 5, 6])
    success = (np.arange(10) < right[:, None]).astype(float).ravel()
    gain = randomised_estimates(success, np.full(50, 0.5), np.repeat(np.arange(5), 10), is_category=True)[-1]
    seen = 2.7764451 * (right / 10).std(ddof=1) / np.sqrt(5)
    chance = 2.7764451 * 0.5 / np.sqrt(50)
    assert seen < chance / 3
    assert (gain.low, gain.high) == pytest.approx((0.02 - chance, 0.02 + chance))


def test_too_few_trainings_have_no_number() -> None:
    with pytest.raises(TooFewTrainings, match="4 trainings"):
        randomised_estimates(np.ones(8), np.ones(8), np.repeat(np.arange(4), 2), is_category=True)


def audits(rng: np.random.Generator, trainings: int, targets: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """No leak: each training says one level of everybody, so its guesses are right or wrong together."""
    share = np.array([0.5, 0.3, 0.2])
    answer = rng.choice(3, trainings)
    drawn = rng.choice(3, (trainings, targets), p=share)
    pulled = rng.random((trainings, 1)) < 0.3  # in some trainings, draws of all go one way
    drawn = np.where(pulled & (rng.random((trainings, targets)) < 0.5), rng.choice(3, (trainings, 1), p=share), drawn)
    success = (drawn == answer[:, None]).astype(float)
    chance = np.broadcast_to(share[answer][:, None], success.shape)
    return success.ravel(), chance.ravel(), np.repeat(np.arange(trainings), targets)


@pytest.mark.parametrize(("trainings", "targets"), [(5, 50), (20, 50), (20, 1), (60, 10)])
def test_no_gain_is_held_as_often_as_said(trainings: int, targets: int) -> None:
    rng = np.random.default_rng(trainings + targets)
    held = []
    for _ in range(200):
        gained = randomised_estimates(*audits(rng, trainings, targets), is_category=True)[-1]
        held.append(gained.low <= 0 <= gained.high)
    assert np.mean(held) >= 0.92


@pytest.mark.parametrize("trainings", [5, 40])
def test_no_gain_of_a_number_is_held_as_often_as_said(trainings: int) -> None:
    rng = np.random.default_rng(trainings)
    held = []
    training = np.repeat(np.arange(trainings), 20)
    for _ in range(400):
        gain = 0.2 * rng.standard_normal(trainings)[training] + rng.exponential(1.0, len(training)) - 1.0
        gained = randomised_estimates(gain, np.zeros(len(gain)), training, is_category=False)[-1]
        held.append(gained.low <= 0 <= gained.high)
    assert 0.925 <= np.mean(held) <= 0.975


def test_counting_guesses_for_trainings_is_seen() -> None:
    rng = np.random.default_rng(3)
    held = []
    for _ in range(100):
        success, chance, _ = audits(rng, 20, 50)
        gained = randomised_estimates(success, chance, np.arange(1000), is_category=True)[2]
        held.append(gained.low <= 0 <= gained.high)
    assert np.mean(held) < 0.8
