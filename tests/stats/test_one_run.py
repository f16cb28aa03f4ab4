"""What one training shows: printed values, loops, closed forms, and a linear programme that shares no code."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import linprog

from riskkit.errors import ParameterError
from riskkit.seeds import stream
from riskkit.stats.epsilon import BOUNDS
from riskkit.stats.one_run import (
    Guesses,
    call_guesses,
    fewest_right,
    grade,
    is_refuted,
    one_run,
    one_run_epsilon,
    one_run_gaussian,
    one_run_mu,
    one_run_p,
    tries,
)
from riskkit.stats.privacy import gaussian_epsilon


@pytest.mark.parametrize(
    ("canaries", "guesses", "right", "delta", "epsilon"),
    [
        (1000, 100, 75, 1e-4, 0.67298),
        (100_000, 1510, 1439, 1e-5, 2.67585),
        (100, 100, 100, 0.0, 3.49),
        (1000, 1000, 1000, 0.0, 5.81),
    ],
)
def test_printed_bounds_of_one_training(canaries: int, guesses: int, right: int, delta: float, epsilon: float) -> None:
    tolerance = 5e-3 if delta == 0 else 1e-4
    assert one_run_epsilon(canaries, guesses, right, delta=delta) == pytest.approx(epsilon, abs=tolerance)


def test_the_p_value_of_one_training_agrees_with_a_loop() -> None:
    """KA15."""
    for epsilon, delta in ((0.0, 1e-3), (0.7, 1e-4), (2.0, 0.0)):
        chance = math.exp(epsilon) / (1 + math.exp(epsilon))
        for right in (12, 20, 25):
            weights = [math.comb(25, v) * chance**v * (1 - chance) ** (25 - v) for v in range(26)]
            slack = max((sum(weights[right - i : right]) / i for i in range(1, right + 1)), default=0.0)
            slow = min(1.0, sum(weights[right:]) + 2 * 40 * delta * slack)
            assert one_run_p(40, 25, right, epsilon, delta) == pytest.approx(slow, abs=1e-12)


@pytest.mark.parametrize(("epsilon", "delta", "level"), [(0.0, 0.0, 0.95), (1.0, 0.0, 0.95), (0.5, 1e-4, 0.983)])
def test_the_fewest_right_guesses_show_an_epsilon_and_one_fewer_do_not(
    epsilon: float, delta: float, level: float
) -> None:
    fewest = fewest_right(300, 200, epsilon, delta=delta, level=level)
    shown = [right for right in range(201) if one_run_epsilon(300, 200, right, delta=delta, level=level) > epsilon]
    assert shown == list(range(fewest or 0, 201))


def test_too_few_guesses_never_show_a_leak() -> None:
    assert fewest_right(8, 4, 0.0) is None
    assert fewest_right(8, 5, 0.0) == 5


def test_guessing_shows_nothing_in_one_training() -> None:
    assert one_run_epsilon(1000, 100, 52) == 0.0
    rng = stream(3, "one run")
    chance = math.e / (1 + math.e)
    over = sum(one_run_epsilon(100, 100, int(v)) > 1 for v in rng.binomial(100, chance, 400))
    assert over <= 0.05 * 400 + 4 * math.sqrt(0.05 * 0.95 * 400)


def test_impossible_counts_are_refused() -> None:
    for wrong in ((10, 5, 6), (10, 11, 5), (10, 0, 0)):
        with pytest.raises(ParameterError, match="no result of an audit"):
            one_run_p(*wrong, 1.0)
        with pytest.raises(ParameterError, match="no result of an audit"):
            one_run_mu(*wrong)
    for called_in, called_out in ((0, 0), (3, 3), (-1, 2)):
        with pytest.raises(ParameterError, match="cannot be made on 5"):
            call_guesses(np.arange(5.0), called_in, called_out, stream(1, "ties"))


def test_the_highest_are_called_in_and_the_lowest_out() -> None:
    scores = np.array([0.3, 9.0, -2.0, 5.0, 0.0, -7.0])
    assert call_guesses(scores, 2, 1, stream(1, "ties")).tolist() == [0, 1, 0, 1, 0, -1]
    is_in = np.array([True, True, False, False, True, True])
    assert grade(scores, is_in, 2, 1, stream(1, "ties")) == Guesses(2, 1, 1)
    assert grade(scores, is_in, 1, 2, stream(1, "ties")) == Guesses(1, 2, 2)
    assert grade(scores, is_in, 3, 3, stream(1, "ties")).n_guesses == 6


def test_equal_scores_are_parted_by_chance_and_never_by_their_order() -> None:
    """The fault planted: the first half of the rows is in, and a stable sort calls it out."""
    is_in = np.arange(400) < 200
    right = [grade(np.zeros(400), is_in, 100, 100, stream(seed, "ties")).right for seed in range(60)]
    assert abs(np.mean(right) - 100) < 4 * math.sqrt(400 / 4 / 2 / 60)
    assert np.std(right) > 3


def test_every_number_of_guesses_that_is_tried_is_allowed_for() -> None:
    assert tries(1000) == (500, 250, 125, 62, 31, 15)
    assert tries(25) == (12,)
    guessed = [Guesses(h, h, round(1.5 * h)) for h in tries(1000)]
    together = one_run(1000, guessed)
    assert together.value == max(
        one_run_epsilon(1000, guesses.n_guesses, guesses.right, level=1 - 0.05 / 6) for guesses in guessed
    )
    assert together.value < one_run(1000, guessed[:1]).value
    assert together.high == one_run_epsilon(1000, 1000, 1000, level=1 - 0.05 / 6)
    assert (together.n, together.low, together.level) == (1000, together.value, 0.95)
    assert together.name in BOUNDS
    assert "Bonferroni over 6" in together.method


def test_abstentions_are_no_guesses_and_not_right() -> None:
    """The fault planted: rows of which nothing was said count as guessed rightly."""
    rng = stream(5, "abstain")
    is_in = rng.random(1000) < 0.5
    own = grade(rng.random(1000), is_in, 50, 50, rng)
    assert one_run(1000, [own]).value == 0.0
    assert one_run(1000, [Guesses(500, 500, own.right + 900)]).value > 2


def highest_chance(canaries: int, guesses: int, right: int, lines: Sequence[tuple[float, float]]) -> float:
    """The largest P(right guesses >= right) of any law that ``h(x) = min over lines of (a + b x)`` allows.

    A linear programme over the chances of each count, with the condition of every count upwards.
    """
    counts = np.arange(guesses + 1)
    named, missed = counts / canaries, (guesses - counts) / canaries
    rows, most = [], []
    for count in range(1, guesses + 1):
        for a, b in lines:
            rows.append(np.where(counts >= count, named, 0.0) - b * np.where(counts >= count - 1, missed, 0.0))
            most.append(a)
    solution = linprog(
        -(counts >= right).astype(float), A_ub=rows, b_ub=most, A_eq=[np.ones(guesses + 1)], b_eq=[1.0], bounds=(0, 1)
    )
    return float(-solution.fun)


@pytest.mark.parametrize("seed", range(40))
def test_the_path_refutes_just_what_no_law_allows(seed: int) -> None:
    rng = stream(seed, "path")
    canaries = int(rng.integers(1, 14))
    guesses = int(rng.integers(1, canaries + 1))
    right = int(rng.integers(max(guesses // 2, 1), guesses + 1))
    epsilon, delta = float(rng.uniform(0, 1.5)), float(rng.choice([0.0, 0.01, 0.1]))
    grown = math.exp(epsilon)
    lines = [(delta, grown), (1 - (1 - delta) / grown, 1 / grown), (1.0, 0.0)]

    def fewest_alarms(share: float) -> float:
        return max(0.0, *((share - a) / b for a, b in lines if b), 0.0)

    most = highest_chance(canaries, guesses, right, lines)
    for tail in (0.9 * most, 1.1 * most):
        if 0 < tail < 1:
            refuted = is_refuted(canaries, guesses, right, fewest_alarms, level=1 - tail)
            assert refuted == (tail > most), (canaries, guesses, right, epsilon, delta, most)
    if not delta:
        assert most >= one_run_p(canaries, guesses, right, epsilon) - 1e-9, "never sharper than the exact law"


def test_one_guess_on_one_row_has_its_closed_form() -> None:
    """Of one row the best guess is right with chance Phi(mu / 2)."""
    for mu in (0.3, 1.0, 2.5):
        tail = float(stats.norm.cdf(mu / 2))

        def normal(share: float, mu: float = mu) -> float:
            return float(stats.norm.cdf(stats.norm.ppf(share) - mu))

        assert is_refuted(1, 1, 1, normal, level=1 - 1.001 * tail)
        assert not is_refuted(1, 1, 1, normal, level=1 - 0.999 * tail)


def test_the_bound_for_normal_noise_says_more_and_says_what_it_assumes() -> None:
    guessed = [Guesses(60, 60, 95)]
    plain, normal = one_run(1000, guessed, delta=1e-5), one_run_gaussian(1000, guessed, delta=1e-5)
    assert normal.value > plain.value > 0
    assert normal.value == pytest.approx(gaussian_epsilon(one_run_mu(1000, 120, 95), 1e-5))
    assert "assumes a Gaussian" in normal.method
    assert normal.labels["mu"] == f"{one_run_mu(1000, 120, 95):.4f}"
    assert normal.high > normal.value
    assert one_run_gaussian(1000, [Guesses(60, 60, 60)]).value == 0.0


def test_delta_costs_what_it_costs_and_never_helps() -> None:
    bounds = [one_run_epsilon(1000, 100, 80, delta=delta) for delta in (0.0, 1e-6, 1e-5, 1e-4, 1e-3)]
    assert bounds == sorted(bounds, reverse=True)
    assert bounds[0] > bounds[3] > bounds[4]
    assert one_run_epsilon(1000, 100, 100, delta=0.01) == 0.0, "2 m delta above 1 leaves nothing to show"
