"""Who may be listed, and how surprising one record is."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy import stats

from riskkit.core import Estimate, Scores
from riskkit.errors import ParameterError, ScoreError, TooFewTrainings
from riskkit.seeds import stream
from riskkit.stats import multiplicity as module
from riskkit.stats.intervals import auc_limits, auc_tail, clopper_pearson, newcombe_variance
from riskkit.stats.multiplicity import (
    benjamini_hochberg,
    conformal_p,
    holm,
    list_members,
    p_of_interval,
    p_value,
    simes,
)
from tests.stats import make, naive


def test_ten_p_values_by_hand() -> None:
    # Lines at .005 .010 .015 ...: the largest that passes is .019 at place 4, and it takes .0155 with it.
    p = [0.9, 0.001, 0.0155, 0.009, 0.019, 0.3, 0.04, 0.5, 0.6, 0.7]
    np.testing.assert_array_equal(np.flatnonzero(benjamini_hochberg(p, 0.05)), [1, 2, 3, 4])


def test_agrees_with_adjusted_p_values() -> None:
    rng = stream(1, "bh")
    for _ in range(200):
        p = np.round(rng.random(40) ** 3, 3)
        np.testing.assert_array_equal(benjamini_hochberg(p, 0.1), stats.false_discovery_control(p) <= 0.1 + 1e-12)


def test_a_thousand_innocent_records_are_seldom_listed() -> None:
    p = stream(2, "innocent").random((300, 1000))
    listed = np.array([benjamini_hochberg(row).any() for row in p])
    assert listed.mean() <= 0.05 + 4 * np.sqrt(0.05 * 0.95 / 300)
    assert (p <= 0.05).any(axis=1).all()  # uncorrected, every one of the 300 lists somebody


def test_no_records_list_nobody() -> None:
    assert benjamini_hochberg([]).shape == (0,)


@pytest.mark.parametrize("p", [[-0.1], [1.1], [float("nan")]])
def test_impossible_p_values_are_refused(p: list[float]) -> None:
    with pytest.raises(ParameterError):
        benjamini_hochberg(p)


@pytest.mark.parametrize("levels", [3, 8, 10_000])
def test_p_value_agrees_with_dealing_every_hand(levels: int) -> None:
    rng = stream(3, "hands", levels)
    for _ in range(15):
        value = rng.integers(0, levels, 12).astype(float)
        dealt = naive.rank_sum_tail(stats.rankdata(value), 6)
        assert p_value(make.scores(value[:6], value[6:])) == pytest.approx(dealt, abs=1e-9)


def test_every_generation_of_a_training_is_heard() -> None:
    value = stream(6, "generations").standard_normal((10, 3))
    dealt = naive.rank_sum_tail(stats.rankdata(stats.rankdata(value.ravel()).reshape(10, 3).mean(axis=1)), 5)
    assert p_value(make.scores(value[:5].ravel(), value[5:].ravel(), 3)) == pytest.approx(dealt, abs=1e-9)


@pytest.mark.parametrize("arm", [51, 120])
def test_large_games_agree_with_the_usual_approximation(arm: int) -> None:
    """To the last digits, so that the continuity correction is seen: half a rank moves the third of them."""
    value = stream(4, "large").standard_normal(2 * arm)
    value[:arm] += 0.2
    usual = stats.mannwhitneyu(value[:arm], value[arm:], alternative="greater", method="asymptotic").pvalue
    assert p_value(make.scores(value[:arm], value[arm:])) == pytest.approx(usual, rel=1e-9)


@pytest.mark.parametrize("arm", [60, 300])
@pytest.mark.parametrize("hits", [0.55, 0.6, 0.65])
def test_large_games_of_two_scores_agree_with_the_hypergeometric_law(arm: int, hits: float) -> None:
    right, wrong = round(hits * arm), round(arm / 2)
    exact = float(stats.hypergeom.sf(right - 1, 2 * arm, right + wrong, arm))
    assert p_value(make.answers(right, arm, wrong, arm)) == pytest.approx(exact, rel=0.03, abs=1e-5)
    z = (right - wrong) / np.sqrt((right + wrong) * (2 * arm - right - wrong) / (2 * arm - 1) / 2 * 1.0)
    assert float(stats.norm.sf(z)) < 0.9 * exact, "the twin: no correction for the step of the sum"


def test_large_game_of_one_score_is_no_surprise() -> None:
    assert p_value(make.scores(np.zeros(120), np.zeros(120))) == 1


def test_p_value_counts_trainings_and_not_copies() -> None:
    inside, outside = stream(5, "copies").standard_normal((2, 10)) + np.array([[0.8], [0.0]])
    copied = make.scores(np.repeat(inside, 9), np.repeat(outside, 9), 9)
    assert p_value(copied) == pytest.approx(p_value(make.scores(inside, outside)))


def test_two_trainings_an_arm_have_no_p_value() -> None:
    with pytest.raises(TooFewTrainings):
        p_value(make.scores(np.ones(20), np.zeros(20), 10))


# ---------------------------------------------------------------------------------------------------------------------
# Several questions


def test_three_p_values_after_holm_by_hand() -> None:
    # in order .01 .02 .04: three times, twice and once as much, and none below the one before it
    np.testing.assert_allclose(holm([0.02, 0.01, 0.04]), [0.04, 0.03, 0.04])
    np.testing.assert_allclose(holm([0.5, 0.9]), [1.0, 1.0])
    assert holm([]).shape == (0,)


def test_holm_is_every_set_of_questions_allowed_for() -> None:
    """Closed testing: one is shown where every set of questions that it is in is refuted by its smallest, times all."""
    rng = stream(4, "holm")
    for _ in range(50):
        p = np.round(rng.random(5) ** 3, 3)
        sets = [list(s) for size in range(1, 6) for s in combinations(range(5), size)]
        every = [max(min(len(s) * p[s].min(), 1.0) for s in sets if place in s) for place in range(5)]
        np.testing.assert_allclose(holm(p), every)


@pytest.mark.parametrize("questions", [1, 5, 7])
def test_how_often_holm_is_wrong_counted_out(questions: int) -> None:
    """Questions that hang together in no way, each with 1,000 equally likely p-values: none is wrongly shown too often,
    and hardly less often than is allowed."""
    steps, alpha = 1_000, 0.025
    p = np.arange(1, steps + 1) / steps
    worst = np.array([holm([low, *np.ones(questions - 1)]).min() for low in p])
    wrong = 1 - (1 - (worst <= alpha).mean()) ** questions  # any of them is that small
    assert 0.7 * alpha <= wrong <= alpha + 1e-12
    assert questions == 1 or 1 - (1 - alpha) ** questions > 4 * alpha  # each by itself


def test_a_list_has_somebody_on_it_exactly_at_the_chance_of_simes() -> None:
    rng = stream(5, "simes")
    for _ in range(100):
        p = np.round(rng.random(12) ** 2, 3)
        for q in (0.01, 0.05, 0.2):
            assert benjamini_hochberg(p, q).any() == (simes(p) <= q + 1e-12)
    assert simes([]) == 1.0


@pytest.mark.parametrize("side", [20, 60, 300])
@pytest.mark.parametrize("tail", [0.005, 0.025, 0.05])
def test_an_interval_of_an_auc_tells_how_likely_a_lower_bar_is(side: int, tail: float) -> None:
    """Beside the test of which the interval is the inverse."""
    tried = 0
    for value in (0.6, 0.7, 0.8, 0.9, 0.97):
        low = float(auc_limits(np.array(value), side, side, 1 - 2 * tail)[0])
        own = Estimate("auc", value, low, 1.0, 1 - 2 * tail, "test", 2 * side)
        assert p_of_interval(own, low) == pytest.approx(tail)
        assert p_of_interval(own, low, looks=5) == pytest.approx(5 * tail)
        for bar in np.arange(0.5, low, 0.01):
            variance = newcombe_variance(bar, side, side)
            exact = max(
                stats.norm.sf((value - bar) / np.sqrt(variance)),
                auc_tail(np.array([value]), bar, variance, 1)[0],
            )
            if 0.001 < exact < tail:
                tried += 1
                assert 0.85 * exact < p_of_interval(own, bar) < 4 * exact
    assert tried


@pytest.mark.parametrize("n", [20, 100])
@pytest.mark.parametrize("tail", [0.005, 0.025])
def test_an_interval_of_a_share_tells_how_likely_a_lower_bar_is(n: int, tail: float) -> None:
    """Beside the binomial law."""
    for right in range(1, n + 1):
        low = float(clopper_pearson(right, n, tail)[0])
        own = Estimate("hits", right / n, low, 1.0, 1 - 2 * tail, "test", n)
        for bar in np.arange(0.05, low, 0.05):
            exact = float(stats.binom.sf(right - 1, n, bar))
            if 0.001 < exact < tail:
                assert 0.75 * exact < p_of_interval(own, bar) < 4 * exact


def test_what_is_no_higher_than_the_bar_or_has_no_interval_is_sure() -> None:
    own = Estimate("auc", 0.6, 0.55, 0.65, 0.95, "test", 100)
    assert p_of_interval(own, 0.6) == p_of_interval(own, 0.7) == 1.0
    assert p_of_interval(Estimate("auc", 0.6, 0.6, 0.6, 0.95, "exact", 0), 0.5) == 0.0
    assert p_of_interval(Estimate("auc", 1.0, 0.97, 1.0, 0.95, "all", 400), 0.7) < 1e-3  # nobody mistaken


def drawn(leaking: int, n_in: int = 200, n_out: int = 200, attacks: int = 6, seed: int = 0, shift: float = 6) -> Any:
    """Attacks of which the first sees the first so many members; all others see nothing."""
    rng = np.random.default_rng(seed)
    is_in = np.arange(n_in + n_out) < n_in
    values = rng.normal(size=(attacks, len(is_in)))
    values[0, :leaking] += shift
    people = np.arange(len(is_in))
    return [Scores(scored, is_in, people, people * 0, str(number)) for number, scored in enumerate(values)]


def test_a_p_value_is_the_share_of_others_that_score_as_high_with_oneself() -> None:
    p = conformal_p(np.array([5.0, 2.0, 0.0]), np.array([1.0, 2.0, 3.0, 4.0]))
    assert p == pytest.approx([1 / 5, 4 / 5, 5 / 5])


def test_those_who_leak_are_listed_by_the_attack_that_sees_them() -> None:
    members = list_members(drawn(100, n_in=400, n_out=400), stream(1))
    assert members.asked == 400
    assert set(range(100)) <= set(members.at.tolist())
    assert (members.at >= 100).mean() < 0.1
    assert set(members.attack.tolist()) == {0}
    assert (np.diff(members.at) > 0).all()


def test_equal_rows_are_listed_once() -> None:
    scores = drawn(60)
    doubled = [
        Scores(np.repeat(s.value, 2), np.repeat(s.is_in, 2), np.repeat(s.training, 2), np.zeros(800, int), s.attack)
        for s in scores
    ]
    members = list_members(doubled, stream(1))
    assert members.asked == 200
    assert (members.at % 2 == 0).all()


class InOrder:
    """Deals nobody: the first half of a side is the one, the other half the other."""

    def permutation(self, people: Any) -> Any:
        return people


def plain(seen: list[range], each: int = 40) -> list[Scores]:
    """So many members and others; an attack scores those members above all others whom it sees, the rest below."""
    people, is_in = np.arange(2 * each), np.arange(2 * each) < each
    scored = [np.where(is_in, np.where(np.isin(people, members), 2.0, 0.0), 1.0) for members in seen]
    return [Scores(value, is_in, people, people * 0, str(number)) for number, value in enumerate(scored)]


@pytest.mark.parametrize(("leaking", "a_half"), [(9, 0), (10, 10)])
def test_each_half_gives_away_half_of_the_error(leaking: int, a_half: int) -> None:
    """By hand: of 20 in a half with p = 1/21 so many k are listed as 1/21 <= .2/2 k/20 allows: ten, and no fewer."""
    both = [*range(leaking), *range(20, 20 + leaking)]
    members = list_members(plain([range(0), both]), InOrder(), q=0.2)  # type: ignore[list-item, arg-type]
    assert len(members) == 2 * a_half
    assert members.fewest == 2 * 10


def test_an_attack_lists_nobody_in_the_half_that_chose_it() -> None:
    """One sees the members of one half alone, the other those of the other half: each is chosen where it sees none."""
    assert len(list_members(plain([range(20), range(20, 40)]), InOrder(), q=0.2)) == 0  # type: ignore[arg-type]
    assert len(list_members(plain([range(0), range(40)]), InOrder(), q=0.2)) == 40  # type: ignore[arg-type]


def luck(leaking: int, runs: int = 200, **settings: Any) -> float:
    """The mean share of a list that is there by luck."""
    shares = []
    for seed in range(runs):
        members = module.list_members(drawn(leaking, seed=seed, **settings), stream(seed))
        shares.append(float((members.at >= leaking).mean()) if len(members) else 0.0)
    return float(np.mean(shares))


@pytest.mark.second
@pytest.mark.parametrize("leaking", [0, 80])
def test_few_are_listed_by_luck_however_many_attacks_look(leaking: int) -> None:
    """Of 200 lists the mean share is at most 5 %; its own error is below 1.6 points, that of a yes or no."""
    assert luck(leaking) <= 0.05 + 3 * 0.016


@pytest.mark.second
def test_a_p_value_that_forgets_oneself_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted fault: the share of others alone is 0 for whoever tops them, and every list takes that one in."""

    def forgetful(inside: Any, outside: Any) -> Any:
        return np.array([(outside >= score).mean() for score in inside])

    monkeypatch.setattr(module, "conformal_p", forgetful)
    assert luck(0, runs=60) > 0.2


def test_too_few_people_and_no_attack_are_refused() -> None:
    with pytest.raises(ScoreError, match="too few"):
        list_members(drawn(0, n_in=9, n_out=50), stream(1))
    with pytest.raises(ScoreError, match="No attack"):
        list_members([], stream(1))
