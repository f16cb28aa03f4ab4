"""Scores of people of two sides by many looks: against slow counts that share no code, and planted faults."""

import itertools
from typing import Any

import numpy as np
import pytest
from scipy import stats

from riskkit.errors import ScoreError
from riskkit.seeds import stream
from riskkit.stats import looks
from riskkit.stats.looks import ScoredLooks, score_together

WEIGHTS = np.array([0.4, 1.2, 3.0])
LEVELS = np.array([0.6, 0.3, 0.1])


def drawn(n_in: int, n_out: int, shares: tuple[float, float], n_looks: int = 1, seed: int = 0) -> tuple[Any, Any, Any]:
    """Weighted hits of so many independent looks, the weights, and the truth."""
    rng = np.random.default_rng(seed)
    is_in = np.arange(n_in + n_out) < n_in
    weight = rng.choice(WEIGHTS, size=(n_looks, len(is_in)), p=LEVELS)
    return weight * (rng.random(weight.shape) < np.where(is_in, *shares)), weight, is_in


def asked(scores: Any, most: Any, is_in: Any, seed: int = 1) -> Any:
    return score_together(scores, most, is_in, stream(seed))


def test_p_values_are_those_of_every_way_to_deal_the_labels() -> None:
    scores, most, is_in = drawn(6, 5, (0.8, 0.3), n_looks=3, seed=4)
    looks = asked(scores, most, is_in)

    def largest(labels: Any) -> list[float]:
        out = []
        for score, full in zip(scores, most, strict=True):
            row = score - score.sum() / full.sum() * full
            gap = row[labels].mean() - row[~labels].mean()
            out.append(gap / (np.std(row, ddof=1) * np.sqrt(1 / 6 + 1 / 5)))
        return out

    every = [max(largest(np.isin(np.arange(11), chosen))) for chosen in itertools.combinations(range(11), 6)]
    for look, own in enumerate(largest(is_in)):
        exact = float(np.mean(np.array(every) >= own - 1e-9))
        assert looks.p[look] == pytest.approx(exact, abs=4 * (exact * (1 - exact) / looks.deals) ** 0.5 + 1e-3)


def test_a_lower_end_lies_above_nothing_just_where_the_test_says_so() -> None:
    for seed in range(8):
        scores, most, is_in = drawn(80, 50, (0.45, 0.25), n_looks=5, seed=seed)
        looks = asked(scores, most, is_in, seed)
        value, low, high = looks.residual
        assert ((low > 0) == (looks.p <= 0.025)).all()
        assert ((high < 0) == (looks.p_fewer <= 0.025)).all()
        assert ((low <= value) & (value <= high)).all()


def test_shares_and_their_difference_are_counted_by_hand() -> None:
    """Members score 7.2 of the 10 that they can, the others 0.8 of 4."""
    is_in = np.arange(12) < 6
    scores = np.array([[3.0, 3.0, 1.2, 0, 0, 0, 0.4, 0, 0, 0, 0, 0.4]])
    most = np.array([[3.0, 3.0, 1.2, 1.2, 1.2, 0.4, 0.4, 1.2, 0.8, 0.8, 0.4, 0.4]])
    members, holdout, residual = asked(scores, most, is_in).estimates(0, "reconstructed")
    assert (members.value, holdout.value, residual.value) == pytest.approx((0.72, 0.2, 0.52))
    assert (members.labels["tested_on"], holdout.labels["tested_on"]) == ("members", "holdout")


@pytest.mark.parametrize("rarer", [True, False])
def test_who_has_rare_values_and_is_wholly_right_has_all_and_never_more(*, rarer: bool) -> None:
    """A side of rarer values scored 1.4 times what the mean of both can: an end above 1, and no picture of it."""
    is_in = np.arange(60) < 30
    most = np.where(is_in == rarer, 1.4, 0.6)[None]
    members, holdout, residual = asked(most, most, is_in).estimates(0, "reconstructed")
    for share in (members, holdout):
        assert share.value == share.high == 1
        assert 0.8 < share.low < 1
    assert residual.value == 0
    assert residual.low < 0 < residual.high


def test_sides_of_unlike_weights_that_are_right_alike_are_not_told_apart() -> None:
    """Of every weight half is right on both sides. Planted fault: the means of the scores, of which one is double."""
    is_in = np.arange(400) < 200
    most = np.where(is_in, 2.0, 1.0)[None]
    looks = asked(most * (np.arange(400) % 2), most, is_in)
    assert looks.residual[0][0] == 0
    assert looks.p[0] > 0.3


def test_each_share_of_a_difference_gives_half_of_an_ends_error() -> None:
    """By scipy's beta law: shares .6 and .1 that are worth 50 and 40 people, an end wrong once in 40 and once in 20."""
    whole = np.array([1.0])
    looks = ScoredLooks(
        0.6 * whole, 0.1 * whole, 60, 60, 0 * whole, whole, (0.025, 0.05), 0.95, 0, 50 * whole, 40 * whole
    )
    _, low, high = (float(part[0]) for part in looks.residual)
    beta = stats.beta.ppf
    assert low == pytest.approx(beta(0.0125, 30, 21) - beta(1 - 0.0125, 5, 36))
    assert high == pytest.approx(beta(1 - 0.025, 31, 20) - beta(0.025, 4, 37))


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_one_look_has_half_of_the_error_at_either_end(level: float) -> None:
    half = (1 - level) / 2
    for tail in score_together(*drawn(3_000, 3_000, (0.3, 0.3)), stream(1), level=level).tails:
        assert 0.8 * half < tail <= half


def test_scores_out_of_range_too_few_people_and_no_look_are_refused() -> None:
    scores, most, is_in = drawn(20, 20, (0.5, 0.5))
    with pytest.raises(ScoreError, match="largest there can be"):
        score_together(scores, most / 2, is_in, stream(1))
    with pytest.raises(ScoreError, match="too few"):
        score_together(scores[:, 17:], most[:, 17:], is_in[17:], stream(1))
    with pytest.raises(ScoreError, match="Nothing was looked at"):
        score_together(scores[:0], most[:0], is_in, stream(1))


def alarms(monkeypatch: pytest.MonkeyPatch, nulls: int, n_looks: int = 8) -> int:
    """Of releases that tell nothing, those with a lower end above 0."""
    monkeypatch.setattr(looks, "DEALS", 399)
    monkeypatch.setattr(looks, "BEYOND", 10)
    shown = 0
    for seed in range(nulls):
        scores, most, is_in = drawn(60, 40, (0.3, 0.3), n_looks=n_looks, seed=seed)
        shown += bool((asked(scores, most, is_in, seed).residual[1] > 0).any())
    return shown


@pytest.mark.second
@pytest.mark.parametrize(("nulls", "most"), [(150, 11), pytest.param(400, 22, marks=pytest.mark.slow)])
def test_many_looks_raise_no_more_alarms_than_one_and_uncorrected_ones_do(
    monkeypatch: pytest.MonkeyPatch, nulls: int, most: int
) -> None:
    """2.5 % of 400 are 10; more than 22 have a chance below 5e-4. Planted fault: each look judged by itself."""
    assert alarms(monkeypatch, nulls) <= most
    alone = looks.score_together

    def uncorrected(scores: Any, most: Any, is_in: Any, rng: Any) -> Any:
        singles = [alone(scores[[look]], most[[look]], is_in, rng) for look in range(len(scores))]
        return max(singles, key=lambda look: float(look.residual[1][0]))

    monkeypatch.setitem(globals(), "score_together", uncorrected)
    assert alarms(monkeypatch, nulls) > most


@pytest.mark.slow
@pytest.mark.parametrize("shares", [(0.98, 0.1), (0.9, 0.1), (0.5, 0.3), (0.3, 0.3)])
def test_ends_hold_the_true_difference_for_all_looks_together(
    shares: tuple[float, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 500 each end may be wrong in 2.5 % (12.5); more than 26 have a chance below 5e-4."""
    monkeypatch.setattr(looks, "DEALS", 399)
    monkeypatch.setattr(looks, "BEYOND", 10)
    true = shares[0] - shares[1]
    wrong = np.zeros(2)
    for seed in range(500):
        scores, most, is_in = drawn(100, 70, shares, n_looks=4, seed=seed)
        _, low, high = asked(scores, most, is_in, seed).residual
        wrong += [(low > true).any(), (high < true).any()]
    assert (wrong <= 26).all(), wrong


def test_limits_of_a_normal_law_alone_would_be_wrong_where_few_score(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted fault: Wald's ends. Of people who hardly ever score the holdout often has none, and no width at all."""

    def wrong() -> int:
        out = 0
        for seed in range(60):
            scores, most, is_in = drawn(60, 60, (0.12, 0.02), seed=seed)
            low, high = (float(end[0]) for end in asked(scores, most, is_in, seed).residual[1:])
            out += not low <= 0.1 <= high
        return out

    monkeypatch.setattr(looks, "DEALS", 399)
    monkeypatch.setattr(looks, "BEYOND", 10)
    assert wrong() <= 8
    monkeypatch.setattr(looks, "_limits", lambda share, worth, tail: (share - 0.03, share + 0.03))
    assert wrong() > 8
