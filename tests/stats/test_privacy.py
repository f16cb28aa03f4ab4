"""What privacy leaves to attacks: its region, and the best attack on composed noise, by closed forms and by loops."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy.special import ndtr, ndtri
from scipy.stats import norm

from riskkit.errors import ParameterError, ScoreError
from riskkit.stats import composition
from riskkit.stats.composition import compose, delta_of
from riskkit.stats.privacy import (
    auc_cap,
    gaussian_delta,
    gaussian_epsilon,
    tpr_cap,
    trade_off,
)


@pytest.mark.parametrize(("epsilon", "auc"), [(0.5, 0.6225), (1, 0.7311), (2, 0.8808), (3, 0.9526), (5, 0.9933)])
def test_printed_auc_of_pure_epsilon(epsilon: float, auc: float) -> None:
    """A1.2: what randomised response on one bit reaches, and nothing of the same epsilon exceeds."""
    assert auc_cap(epsilon) == pytest.approx(auc, abs=5e-5)
    assert auc_cap(epsilon) == pytest.approx(math.exp(epsilon) / (1 + math.exp(epsilon)), abs=1e-12)


@pytest.mark.parametrize(
    ("fpr", "epsilon", "tpr"), [(0.01, 1, 0.0272), (0.01, 2, 0.0739), (0.1, 1, 0.2718), (0.1, 2, 0.7389)]
)
def test_printed_share_named_at_a_share_of_false_alarms(fpr: float, epsilon: float, tpr: float) -> None:
    assert float(tpr_cap(fpr, epsilon)) == pytest.approx(tpr, abs=5e-5)


def test_printed_points_of_the_calibration_library() -> None:
    assert float(trade_off(0.8, 1.0, 0.001)) == pytest.approx(0.073, abs=1e-3)
    assert float(trade_off(0.001, 5.293, 0.001)) == pytest.approx(0.8, abs=1e-3)


@pytest.mark.parametrize(("epsilon", "advantage"), [(0.5, 0.2449), (1, 0.4621), (2, 0.7616), (5, 0.9866)])
def test_printed_advantage(epsilon: float, advantage: float) -> None:
    """The height of the region over the diagonal, (e^epsilon - 1) / (e^epsilon + 1)."""
    fpr = np.linspace(0, 1, 100_001)
    assert (tpr_cap(fpr, epsilon) - fpr).max() == pytest.approx(advantage, abs=6e-5)


@pytest.mark.parametrize("delta", [0.0, 0.01, 0.3])
@pytest.mark.parametrize("epsilon", [0.0, 0.5, 2.0])
def test_area_and_height_of_the_region_are_those_of_its_edge(epsilon: float, delta: float) -> None:
    fpr = np.linspace(0, 1, 200_001)
    edge = tpr_cap(fpr, epsilon, delta)
    assert np.trapezoid(edge, fpr) == pytest.approx(auc_cap(epsilon, delta), abs=1e-6)
    advantage = (math.expm1(epsilon) + 2 * delta) / (math.exp(epsilon) + 1)
    assert (edge - fpr).max() == pytest.approx(advantage, abs=1e-5)


@pytest.mark.parametrize(("mu", "epsilon"), [(0.5, 1.99), (1.0, 4.38), (2.0, 10.00)])
def test_printed_epsilons_of_a_gaussian_method(mu: float, epsilon: float) -> None:
    assert gaussian_epsilon(mu, 1e-5) == pytest.approx(epsilon, abs=5e-3)
    assert gaussian_delta(mu, gaussian_epsilon(mu, 1e-5)) == pytest.approx(1e-5, rel=1e-6)


def test_the_gaussian_region_touches_its_own_trade_off_and_never_crosses_it() -> None:
    fpr = np.linspace(1e-4, 1 - 1e-4, 2001)
    curve = ndtr(ndtri(1 - fpr) - 1.0)
    for epsilon in (0.5, 1.0, 2.0):
        gap = curve - trade_off(fpr, epsilon, gaussian_delta(1.0, epsilon))
        assert -1e-9 <= gap.min() < 1e-4
    assert gaussian_delta(1.0, 0.0) == pytest.approx(2 * ndtr(0.5) - 1)
    assert gaussian_epsilon(1.0, 0.5) == 0.0


def test_claims_that_are_none_are_refused() -> None:
    for wrong in ({"epsilon": -1.0}, {"epsilon": 1.0, "delta": 1.5}, {"epsilon": math.nan}):
        with pytest.raises(ParameterError, match="0 or more"):
            auc_cap(**wrong)
    with pytest.raises(ParameterError, match="between 0 and 1"):
        gaussian_epsilon(1.0, 0.0)


@pytest.mark.parametrize("sizes", [(0.1,), (0.5,), (3.0,), (0.3, 0.4), (0.2, 0.2, 0.2, 0.2)])
def test_normal_noise_composes_to_normal_noise(sizes: tuple[float, ...]) -> None:
    whole, mu = compose(tuple(("gaussian", size) for size in sizes)), math.hypot(*sizes)
    assert whole.auc == pytest.approx(ndtr(mu / math.sqrt(2)), abs=2e-5)
    assert whole.auc >= ndtr(mu / math.sqrt(2)) - 1e-9
    np.testing.assert_allclose(whole.tpr([0.01, 0.1, 0.5]), ndtr(norm.ppf([0.01, 0.1, 0.5]) + mu), atol=1e-4)
    at_one = float(np.interp(math.e, np.exp(whole.epsilon), whole.delta))
    assert gaussian_delta(mu, 1.0) - 1e-9 <= at_one <= gaussian_delta(mu, 1.0) + 5e-4


@pytest.mark.parametrize("epsilon", [0.05, 0.7, 1.0, 4.0])
def test_one_step_has_its_closed_form(epsilon: float) -> None:
    assert compose((("laplace", epsilon),)).auc == pytest.approx(1 - math.exp(-epsilon) * (2 + epsilon) / 4, abs=2e-5)
    assert compose((("pure", epsilon),)).auc == pytest.approx(auc_cap(epsilon), abs=1e-9)


def best_auc(inside: dict[object, float], outside: dict[object, float]) -> float:
    """The AUC of the likelihood ratio between two laws of finitely many outcomes, pair by pair."""
    ratio = {outcome: math.log(inside[outcome] / outside[outcome]) for outcome in inside}
    return sum(
        p * q * (1.0 if ratio[a] > ratio[b] + 1e-12 else 0.5 * (abs(ratio[a] - ratio[b]) <= 1e-12))
        for (a, p), (b, q) in product(inside.items(), outside.items())
    )


def test_answers_at_random_compose_as_they_are_enumerated() -> None:
    """Three of different epsilon: eight outcomes."""
    sizes, inside, outside = (0.3, 0.8, 1.1), {}, {}
    for right in product((True, False), repeat=3):
        true = [math.exp(size) / (1 + math.exp(size)) for size in sizes]
        inside[right] = math.prod(t if is_right else 1 - t for t, is_right in zip(true, right, strict=True))
        outside[right] = math.prod(1 - t if is_right else t for t, is_right in zip(true, right, strict=True))
    exact = best_auc(inside, outside)
    whole = compose(tuple(("pure", size) for size in sizes)).auc
    assert exact - 1e-9 <= whole <= exact + 2e-4


def plain(epsilon: float, sizes: tuple[float, ...], mu: float) -> float:
    """Delta at an epsilon of selections before one normal step, by a plain recursion over losses that are tried."""
    if not sizes:
        return gaussian_delta(mu, epsilon)
    size, after, worst = sizes[0], sizes[1:], 0.0
    for part in range(1, 24):
        loss = size * part / 24
        chance = (math.exp(size) - math.exp(loss)) / math.expm1(size)
        mean = chance * plain(epsilon - loss, after, mu) + (1 - chance) * plain(epsilon - loss + size, after, mu)
        worst = max(worst, mean)
    return worst


@pytest.mark.parametrize("epsilon", [-0.4, 0.0, 0.5, 1.0])
def test_selections_that_lean_on_each_other_are_those_of_a_plain_recursion(epsilon: float) -> None:
    whole = compose((("selection", 0.6), ("selection", 0.4), ("gaussian", 0.7)))
    assert np.interp(epsilon, whole.epsilon, whole.delta) == pytest.approx(plain(epsilon, (0.6, 0.4), 0.7), abs=5e-5)


def test_a_selection_says_more_than_half_its_epsilon_and_less_than_all_of_it() -> None:
    assert auc_cap(0.5) < compose((("selection", 1.0),)).auc < auc_cap(1.0)
    normal = ndtr(0.5 / math.sqrt(2))  # what its share of concentrated privacy would be as normal noise
    assert compose((("selection", 1.0),)).auc > normal  # so that share is no bound by itself


def test_a_finer_grid_says_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    losses = (("gaussian", 0.26), *[("selection", 0.14)] * 5, ("laplace", 0.2))
    coarse = compose(losses).auc
    monkeypatch.setattr(composition, "FINE", 3 * composition.FINE)
    compose.cache_clear()
    assert compose(losses).auc == pytest.approx(coarse, abs=2e-5)
    compose.cache_clear()


@pytest.mark.parametrize("losses", [(("uniform", 1.0),), (("gaussian", 0.0),), (("laplace", math.inf),)])
def test_other_losses_are_refused(losses: tuple[tuple[str, float], ...]) -> None:
    with pytest.raises(ParameterError, match="positive"):
        compose(losses)


def test_what_says_nearly_everything_is_no_error() -> None:
    assert compose((("pure", 1e6), ("gaussian", 500.0))).auc == pytest.approx(1.0, abs=1e-9)
    assert compose((("gaussian", 1e-4), ("laplace", 1e-4))).auc == pytest.approx(0.5, abs=1e-3)


def exactly(k: int, rate: Fraction, epsilon: float) -> float:
    """The maximum over group sizes, every tail a sum of exact fractions."""
    gamma = (Fraction(math.exp(epsilon)) - 1 + rate) / Fraction(math.exp(epsilon))
    tails = []
    start = max(math.ceil(k / gamma - 1), 1)
    for n in range(start, start + 80):
        least = math.floor(gamma * n) + 1
        tails.append(sum(math.comb(n, j) * rate**j * (1 - rate) ** (n - j) for j in range(least, n + 1)))
    return float(max(tails))


@pytest.mark.parametrize("k", [1, 2, 5, 10, 20])
@pytest.mark.parametrize(("rate", "epsilon"), [(Fraction(1, 10), 0.8), (Fraction(1, 4), 1.5), (Fraction(1, 20), 0.1)])
def test_the_bound_is_that_of_exact_fractions(k: int, rate: Fraction, epsilon: float) -> None:
    assert delta_of(k, float(rate), epsilon) == pytest.approx(exactly(k, rate, epsilon), rel=1e-9)


def test_a_group_of_eight_by_hand() -> None:
    # gamma = (2.2255 - 0.9) / 2.2255 = .5956, 5 / gamma - 1 = 7.39: groups of 8 and more, of 8 five or more are in:
    # 56 .1^5 .9^3 + 28 .1^6 .9^2 + 8 .1^7 .9 + .1^8
    assert delta_of(5, 0.1, 0.8) == pytest.approx(56e-5 * 0.729 + 28e-6 * 0.81 + 8e-7 * 0.9 + 1e-8)


def test_the_delta_that_the_paper_gives_does_not_follow_from_its_k() -> None:
    assert delta_of(5, 0.1, 0.8) == pytest.approx(4.3e-4, rel=0.02)
    assert delta_of(10, 0.1, 0.8) == pytest.approx(4.5e-7, rel=0.02)
    assert delta_of(9, 0.1, 0.8) > 1e-6 > delta_of(10, 0.1, 0.8), "k = 10 is the least for which 1e-6 is proved"


def test_nothing_is_proved_for_an_epsilon_below_what_sampling_gives() -> None:
    assert delta_of(50, 0.5, 0.69) == 1 > delta_of(50, 0.5, 0.70)
    for asked in ((0, 0.1, 1.0), (5, 0.0, 1.0), (5, 1.0, 1.0), (5, 0.1, 0.0)):
        with pytest.raises(ScoreError, match="A bound is asked for"):
            delta_of(*asked)
