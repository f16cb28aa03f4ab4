"""How many more members than others have a copy: against shares and tests by other hands."""

from __future__ import annotations

from math import comb, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, chi2, fisher_exact, poisson

from riskkit.errors import TooFewTrainings
from riskkit.stats.copies import FEWEST, TINY, chance_of_copies, copy_rate, is_more, most_by_chance

SIDES = st.tuples(st.integers(FEWEST, 60), st.integers(FEWEST, 60)).flatmap(
    lambda n: st.tuples(st.integers(0, n[0]), st.just(n[0]), st.integers(0, n[1]), st.just(n[1]))
)
"""Copies and records of either side."""


def test_by_hand() -> None:
    """30 of 100 less 2 of 50: 0.30 - 0.04. Each end takes the limits at a quarter of the 5 % from one another."""
    share = copy_rate(30, 100, 2, 50)
    inside, outside = (binomtest(k, n).proportion_ci(0.975, method="exact") for k, n in ((30, 100), (2, 50)))
    assert share.value == pytest.approx(0.26)
    assert share.low == pytest.approx(inside.low - outside.high)
    assert share.high == pytest.approx(inside.high - outside.low)
    assert (share.name, share.level, share.n) == ("copied", 0.95, 150)


def test_the_lower_end_says_what_the_exact_test_says() -> None:
    """6 copies among 100 members and none among 100 others: p = 0.0145, while limits taken apart reach below 0."""
    assert fisher_exact([[6, 94], [0, 100]], alternative="greater").pvalue == pytest.approx(0.0145, abs=1e-4)
    shown, open_ = copy_rate(6, 100, 0, 100), copy_rate(6, 100, 0, 100, level=0.98)
    assert is_more(6, 100, 0, 100)
    assert shown.low == 0.0
    assert not is_more(6, 100, 0, 100, level=0.98)
    assert open_.low < 0


def test_every_member_copied_and_nobody_else_is_one() -> None:
    share = copy_rate(200, 200, 0, 200)
    assert share.value == share.high == 1.0
    assert share.low > 0.95
    nothing = copy_rate(0, 200, 0, 200)
    assert nothing.low < 0 < nothing.high
    assert nothing.value == 0.0


@given(SIDES)
def test_the_interval_holds_its_value_and_reaches_below_nothing_where_chance_may_explain_it(
    sides: tuple[int, int, int, int],
) -> None:
    k_in, n_in, k_out, n_out = sides
    share = copy_rate(*sides)
    assert -1 <= share.low <= share.value <= share.high <= 1
    assert share.low >= 0 if is_more(*sides) else share.low <= 0
    assert share.value == pytest.approx(-copy_rate(k_out, n_out, k_in, n_in).value)
    wider = copy_rate(*sides, level=0.99)
    assert wider.low <= share.low
    assert wider.high >= share.high


@given(SIDES)
def test_the_chance_is_fishers(sides: tuple[int, int, int, int]) -> None:
    k_in, n_in, k_out, n_out = sides
    table = [[k_in, n_in - k_in], [k_out, n_out - k_out]]
    assert chance_of_copies(*sides) == pytest.approx(fisher_exact(table, alternative="greater").pvalue, abs=1e-9)


def test_the_chance_by_hand() -> None:
    """Two copies among four members and four others: both are members' in 6 of 28 deals."""
    assert chance_of_copies(2, 4, 0, 4) == pytest.approx(comb(4, 2) / comb(8, 2))
    assert chance_of_copies(0, 4, 0, 4) == chance_of_copies(0, 4, 3, 4) == pytest.approx(1.0)
    assert chance_of_copies(0, 0, 0, 0) == chance_of_copies(3, 4, 0, 0) == 1.0, "nobody to compare with"
    assert chance_of_copies(2, 3, 0, 13) == chance_of_copies(13, 13, 1, 3) == 1 / 40, "no more than 0.025"


@pytest.mark.parametrize(("n_in", "n_out"), [(FEWEST - 1, 100), (100, FEWEST - 1), (0, 0)])
def test_too_few_records_give_no_number(n_in: int, n_out: int) -> None:
    with pytest.raises(TooFewTrainings, match=f"at least {FEWEST} of each"):
        copy_rate(0, n_in, 0, n_out)
    assert copy_rate(0, FEWEST, 0, FEWEST).n == 2 * FEWEST


def test_the_most_copies_that_chance_makes_by_hand() -> None:
    """Where nothing is alike the limit of either sum is -log(TINY) = 6.9, so 13.8 copies are to be expected at most."""
    expected = -2 * log(TINY)
    assert most_by_chance(0, 0) == poisson.isf(TINY, expected) == 27
    low, high = (chi2.isf(1 - TINY, 2 * 5) / 2, chi2.isf(TINY, 2 * 5) / 2)
    assert low < 4 < high
    assert most_by_chance(4, 4) == poisson.isf(TINY, 2 * high)
    assert most_by_chance(4, 0) < most_by_chance(4, 1) < most_by_chance(5, 1)


def test_a_kind_of_row_in_both_files_is_rarer_than_twice_the_root_of_two_of_it_in_each() -> None:
    """What the limit stands on, for every pair of mean counts."""
    x, y = np.meshgrid(*[np.geomspace(1e-4, 40, 200)] * 2)
    twice_x, twice_y = (-np.expm1(-z) - z * np.exp(-z) for z in (x, y))
    assert (np.expm1(-x) * np.expm1(-y) <= 2 * np.sqrt(twice_x * twice_y) * (1 + 1e-6)).all()
