"""The mean AUC over people: counted by hand, held against the AUC of one game, and covered where the truth is known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from riskkit.core import Scores
from riskkit.errors import ScoreError, TooFewTrainings
from riskkit.stats import summary
from riskkit.stats.mean_auc import mean_auc


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
