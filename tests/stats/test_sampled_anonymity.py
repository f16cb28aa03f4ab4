"""Delta of sampling and k-anonymity, against the sum of exact fractions, and the figures of the contest's paper."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from riskkit.errors import ScoreError
from riskkit.stats.sampled_anonymity import delta_of


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
