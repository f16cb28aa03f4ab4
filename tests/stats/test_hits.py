"""Hits of guessing and knowing attackers, and copies: laws, tails, intervals that hold as often as they say."""

from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.stats import binomtest, fisher_exact, poisson

from riskkit.errors import ScoreError, TooFewTrainings
from riskkit.stats.copies import (
    FEWEST,
    TINY,
    chance_of_copies,
    copy_rate,
    is_more,
    most_by_chance,
    most_crowd,
    most_near,
)
from riskkit.stats.hits import Draw, best_of_guessing, best_of_random_law, hits, over_rounds

OFFICIAL = Draw(100_000, 10_000, 100)


def test_guessing_is_the_hypergeometric_law_of_the_contest() -> None:
    assert OFFICIAL.expectation == 10
    assert OFFICIAL.upper_tail(14) == pytest.approx(0.1238, abs=5e-5)
    assert OFFICIAL.upper_tail(15) == pytest.approx(0.0725, abs=5e-5)  # the slides print 7.1 % for 14
    law = stats.hypergeom(100_000, 10_000, 100)
    np.testing.assert_allclose(OFFICIAL.law(), law.pmf(OFFICIAL.possible), rtol=1e-9, atol=1e-15)
    assert OFFICIAL.upper_tail(4) - OFFICIAL.upper_tail(18) == pytest.approx(0.982, abs=5e-4)


def test_other_odds_are_fishers_law() -> None:
    small = Draw(30, 12, 9)
    for odds in (0.2, 1.0, 5.0):
        law = stats.nchypergeom_fisher(30, 12, 9, odds)
        np.testing.assert_allclose(small.law(np.log(odds)), law.pmf(small.possible), rtol=1e-7)


def test_counted_by_hand() -> None:
    tiny = Draw(4, 2, 2)  # six pairs: one of two members, four of one, one of none
    np.testing.assert_allclose(tiny.law(), [1 / 6, 4 / 6, 1 / 6])
    assert tiny.upper_tail(2) == pytest.approx(1 / 6)
    np.testing.assert_allclose(Draw(4, 3, 2).possible, [1, 2])


def test_the_best_of_many_random_attackers_is_that_of_the_contest() -> None:
    mean, _ = best_of_random_law(OFFICIAL, 16)
    assert mean == pytest.approx(15.6, abs=0.05)
    independent = 1 - (1 - OFFICIAL.upper_tail(19)) ** 16
    assert independent == pytest.approx(0.07, abs=0.005)
    assert OFFICIAL.lower_tail(12) ** 17 == pytest.approx(0.023, abs=0.001)
    assert independent <= best_of_guessing(19, OFFICIAL, 16) <= 1.05 * independent


def test_the_interval_leaves_out_guessing_just_where_the_exact_test_rejects_it() -> None:
    for count in range(101):
        interval = hits(count, OFFICIAL)
        assert interval.low <= count <= interval.high
        assert (interval.low > 10) == (OFFICIAL.upper_tail(count) < 0.025)
        assert (interval.high < 10) == (OFFICIAL.lower_tail(count) < 0.025)
    assert hits(100, OFFICIAL).high == 100
    assert hits(0, OFFICIAL).low == 0


def coverage(draw: Draw, log_odds: float, tail_of: float = 0.95) -> float:
    """How often, exactly, the interval holds the hits to be expected at these odds."""
    mean, law = draw.mean(log_odds), draw.law(log_odds)
    holds = [(e.low <= mean <= e.high) for e in (hits(int(x), draw, level=tail_of) for x in draw.possible)]
    return float(law @ holds)


@pytest.mark.parametrize("log_odds", [-2.0, -0.5, 0.0, 0.7, 2.0, 4.0])
def test_intervals_hold_as_often_as_they_say(log_odds: float) -> None:
    for draw in (Draw(2_000, 200, 40), Draw(40, 20, 20)):
        assert coverage(draw, log_odds) >= 0.95
        assert coverage(draw, log_odds, 0.8) < 1.0


def test_an_interval_that_took_one_tail_for_two_would_be_caught() -> None:
    narrow = [coverage(Draw(2_000, 200, 40), odds, 0.8) for odds in (-0.5, 0.0, 0.7, 2.0)]
    assert min(narrow) < 0.95


def test_rounds_count_as_rounds_and_never_shrink_to_a_point() -> None:
    every = over_rounds(np.full(5, 100), OFFICIAL)
    assert every.n == 5
    assert every.low < 100 == every.high == every.value
    apart = over_rounds(np.array([0, 40, 5, 60, 20]), OFFICIAL)
    pooled = hits(125, Draw(500_000, 50_000, 500))
    assert apart.high - apart.low > 3 * (pooled.high - pooled.low) / 5  # trainings differ more than guesses do
    with pytest.raises(ScoreError, match="no spread"):
        over_rounds(np.array([3]), OFFICIAL)


def test_rounds_of_releases_that_differ_are_covered_where_the_pooled_interval_is_not() -> None:
    """The planted fault: hits of one release hang together, so pooled guesses say more than they know."""
    rng, draw = np.random.default_rng(1), Draw(2_000, 200, 50)
    odds = np.log([0.3, 9.0])
    truth = np.mean([draw.mean(o) for o in odds])
    held = {"rounds": 0, "pooled": 0}
    for _ in range(150):
        counts = np.array([rng.choice(draw.possible, p=draw.law(rng.choice(odds))) for _ in range(8)])
        ours, pooled = over_rounds(counts, draw), hits(int(counts.sum()), Draw(16_000, 1_600, 400))
        held["rounds"] += bool(ours.low <= truth <= ours.high)
        held["pooled"] += bool(pooled.low / 8 <= truth <= pooled.high / 8)
    assert held["rounds"] >= 135
    assert held["pooled"] < 105


@pytest.mark.parametrize(("numbers", "count"), [((10, 0, 2), 0), ((10, 11, 2), 0), ((10, 5, 0), 0), ((10, 5, 3), 4)])
def test_what_cannot_be_is_refused(numbers: tuple[int, int, int], count: int) -> None:
    with pytest.raises(ScoreError, match="cannot be"):
        hits(count, Draw(*numbers))


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
    """Where nothing is alike, as many kinds may be twice in either file as make copies likeliest."""
    every = np.linspace(0.01, 9, 2_000)
    chance = [float((np.exp(-2 * every) * poisson.sf(most, 2 * every)).max()) for most in range(8)]
    assert chance[6] <= 3 * TINY < chance[5]
    assert most_by_chance(0, 0) == 6
    assert most_by_chance(0, 0, 0.05) == 2, "exp(-2.4) P(more than 2 of 2.4) is 0.045"
    assert most_by_chance(4, 0) == most_by_chance(0, 4) < most_by_chance(4, 1) < most_by_chance(5, 1)
    assert most_by_chance(300, 300) < 700


def test_the_most_rows_that_chance_puts_about_a_lone_person_hold_their_error() -> None:
    """Cells of one chance each, whatever it is: a lone person's cell has more rows in a tenth of tables at most.

    Rows that were compared with what one person in so many is expected to have would be more in nearly all.
    """
    rng = np.random.default_rng(5)
    people, rows, error = 100, 200, 0.05
    worst = {most_crowd(rows, people, error): 0.0, rows // people + 3: 0.0}
    for cells in (4, 8, 12, 16, 24, 40):
        there = rng.multinomial(people, np.full(cells, 1 / cells), 2_000)
        made = rng.multinomial(rows, np.full(cells, 1 / cells), 2_000)
        most = np.where(there == 1, made, 0).max(axis=1)
        worst = {bound: max(share, float((most > bound).mean())) for bound, share in worst.items()}
    held, naive = worst.values()
    assert most_crowd(50, 5) == 50, "of so few people nobody need be alone by chance alone"
    assert held <= 2 * error
    assert naive > 4 * error


def test_the_most_near_copies_that_chance_makes_hold_their_error() -> None:
    """Whatever the mean count by chance is, and however many more rows the release has."""
    for larger in (0.5, 1.0, 4.0):
        ratio = 3 * max(larger, 1.0)
        most = np.array([most_near(count, larger) for count in range(120)])
        for mean in (0.01, 0.5, 3.0, 20.0):
            above = float(poisson.pmf(np.arange(120), mean) @ poisson.sf(most, ratio * mean))
            assert above <= TINY
    assert most_near(0, 1.0) == 24, "(3/4)^25 is below 0.001, (3/4)^24 is not"


def test_a_kind_of_row_in_both_files_is_rarer_than_twice_the_root_of_two_of_it_in_each() -> None:
    """What the limit stands on, for every pair of mean counts."""
    x, y = np.meshgrid(*[np.geomspace(1e-4, 40, 200)] * 2)
    twice_x, twice_y = (-np.expm1(-z) - z * np.exp(-z) for z in (x, y))
    assert (np.expm1(-x) * np.expm1(-y) <= 2 * np.sqrt(twice_x * twice_y) * (1 + 1e-6)).all()
