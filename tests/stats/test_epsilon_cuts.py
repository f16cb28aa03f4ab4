"""Looking for a better cut: never above its ceiling, better than a bad cut, and paid for."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import ndtri

from riskkit.core import Scores
from riskkit.errors import TooFewTrainings
from riskkit.seeds import stream
from riskkit.stats.arms import split
from riskkit.stats.epsilon import epsilon_bound, epsilon_ceiling, epsilon_lower
from riskkit.stats.epsilon_cuts import SHARES, epsilon_any_cut, epsilon_split
from riskkit.stats.privacy import gaussian_epsilon
from tests.statistical.simulate import most
from tests.stats import make

BOTH = (epsilon_any_cut, epsilon_split)


def observed(fpr: float, fnr: float) -> float:
    """The epsilon of a point of the trade-off, were its rates the true ones: what must not be reported."""
    with np.errstate(divide="ignore", invalid="ignore"):
        needed = np.log(np.divide([1 - fpr, 1 - fnr], [fnr, fpr]))
    return float(np.nanmax(np.append(needed, 0.0)))


def normal(gap: float, n: int, *labels: int, shift: float = 0.0) -> Scores:
    inside, outside = stream(1, "cuts", *labels).standard_normal((2, n // 2)) + shift
    return make.scores(inside + gap, outside)


def test_every_answer_right_prints_the_ceiling_of_the_correction() -> None:
    """KA1: 1.84 where half of 100 trainings choose the cut, against 2.57 where it was fixed before."""
    perfect = make.scores(3.0 + np.arange(50) / 50, -3.0 - np.arange(50) / 50)
    halved = epsilon_split(perfect)
    assert halved.value == halved.high == pytest.approx(1.84, abs=5e-3)
    assert halved.n == 50
    corrected = epsilon_any_cut(perfect)
    assert corrected.value == corrected.high == pytest.approx(epsilon_ceiling(50, 50, level=1 - 0.05 / 10), abs=1e-12)
    assert halved.value < corrected.value < epsilon_lower(perfect).value == pytest.approx(2.57, abs=5e-3)


def test_two_scores_have_one_cut_and_pay_nothing_for_it() -> None:
    bound = epsilon_any_cut(make.answers(50, 50, 0, 50))
    assert bound.value == bound.high == pytest.approx(2.57, abs=5e-3)
    assert "best of 1 cut," in bound.method
    mixed = make.answers(36, 50, 14, 50)
    assert epsilon_any_cut(mixed).value == epsilon_lower(mixed).value > 0


def test_one_score_for_everything_has_no_cut_and_shows_nothing() -> None:
    assert epsilon_any_cut(make.answers(50, 50, 50, 50)).value == 0


@pytest.mark.parametrize(
    ("epsilon", "n", "floor"),
    [(1, 100, 0.30), (1, 1000, 0.75), (1, 10_000, 0.92), (2, 100, 1.05), (2, 1000, 1.65), (2, 10_000, 1.88)],
)
def test_randomised_response_is_bounded_as_closely_as_by_its_own_cut(epsilon: int, n: int, floor: float) -> None:
    """CAL3. Cut by rank alone, its two scores let nothing through and the bound is 0 whatever epsilon is."""
    rng, right, audits = stream(6, "response", epsilon, n), math.exp(epsilon) / (1 + math.exp(epsilon)), 200
    counts = rng.binomial(n // 2, [right, 1 - right], (audits, 2)).tolist()
    bounds = [epsilon_any_cut(make.answers(hits, n // 2, alarms, n // 2)).value for hits, alarms in counts]
    assert sum(bound > epsilon for bound in bounds) <= most(audits, 0.05)
    assert np.median(bounds) >= floor


@pytest.mark.slow
@pytest.mark.parametrize("n", [100, 1000])
@pytest.mark.parametrize("expected", [0.5, 1.0, 3.0])
def test_a_score_that_is_seen_in_some_audits_alone_breaks_no_promise(n: int, expected: float) -> None:
    """The number of cuts, and with it the correction, then depends on the audit."""
    audits = 2000
    rare = expected / (n // 2)
    low = (1 - rare) / (1 + math.e)
    outside = [rare, low, 1 - rare - low]
    inside = [rare * math.e, low * math.e, 1 - (rare + low) * math.e]
    above_in, above_out = np.cumsum(inside)[:2], np.cumsum(outside)[:2]
    truth = float(np.log(np.maximum(above_in / above_out, (1 - above_out) / (1 - above_in))).max())
    rng = stream(7, "rare", n, f"{expected:g}")
    over = sum(
        epsilon_any_cut(
            make.scores(rng.choice(3, n // 2, p=inside[::-1]), rng.choice(3, n // 2, p=outside[::-1]))
        ).value
        > truth
        for _ in range(audits)
    )
    assert over <= most(audits, 0.05)


def test_the_cut_of_a_split_is_chosen_on_the_half_that_is_not_counted() -> None:
    """In the half that chooses every answer above 1 is right; in the counted one nobody is above 1, but above 0."""
    chooses, counted = np.arange(40) % 2 == 0, np.arange(40) % 2 == 1
    inside, outside = np.zeros(40), np.zeros(40)
    inside[chooses], inside[counted] = 2.0, 0.5
    outside[chooses], outside[counted] = 0.9, -0.5
    bound = epsilon_split(make.scores(inside, outside))
    assert bound.value == 0
    assert bound.high == pytest.approx(epsilon_ceiling(20, 20))
    turned = epsilon_split(make.scores(np.roll(inside, 1), np.roll(outside, 1)))
    assert turned.value == 0, "above 0 would be chosen; of the others everybody is above 0"


@pytest.mark.parametrize("find", BOTH)
def test_an_attack_with_a_useless_cut_of_its_own_is_still_heard(find: object) -> None:
    lost = normal(4.0, 200, 1, shift=-50.0)
    assert epsilon_lower(lost).value == 0
    assert find(lost).value > 1.5


@pytest.mark.parametrize("find", BOTH)
def test_a_monotone_change_of_scores_moves_no_bound(find: object) -> None:
    """KA16."""
    scores = normal(1.5, 100, 2)
    bent = Scores(np.exp(scores.value) + 7, scores.is_in, scores.training, scores.target, scores.attack)
    assert find(scores) == find(bent)


def test_both_directions_are_looked_at() -> None:
    # Half of the "in" scores stand out and no "out" score does; then half of the "out" scores stand out below.
    above = make.scores(np.arange(100) % 2 * 9.0, np.arange(100) % 2 * 0.5)
    below = make.scores(10 - np.arange(100) % 2 * 0.5, 10 - np.arange(100) % 2 * 9.0)
    assert epsilon_any_cut(above).value == pytest.approx(epsilon_any_cut(below).value, abs=1e-9)
    assert epsilon_any_cut(above).value > 1


@pytest.mark.parametrize("find", BOTH)
def test_a_gaussian_release_is_seldom_overstated(find: object) -> None:
    """Worlds one standard deviation apart have an epsilon of 4.38 at delta 1e-5, and less at a larger one."""
    delta, audits = 0.05, 200
    truth = gaussian_epsilon(1.0, delta)
    over = sum(find(normal(1.0, 200, audit, 3), delta=delta).value > truth for audit in range(audits))
    assert over <= 0.05 * audits + 4 * math.sqrt(0.05 * 0.95 * audits)


def test_the_rates_at_the_best_cut_overstate_where_there_is_no_leak() -> None:
    """The fault planted (M7, M13): the ratio of the rates at the cut that did best, with nothing set aside."""
    audits, n = 150, 30
    rng = stream(4, "uncorrected")
    caught, honest = 0, dict.fromkeys(BOTH, 0)
    for _ in range(audits):
        inside, outside = rng.standard_normal((2, n))
        cuts = np.quantile(np.concatenate([inside, outside]), [0.2, 0.4, 0.6, 0.8])
        caught += max(observed((outside > cut).mean(), (inside <= cut).mean()) for cut in cuts) > 0.3
        for find in BOTH:
            honest[find] += find(make.scores(inside, outside)).value > 0
    assert caught > audits / 2
    assert max(honest.values()) <= 0.05 * audits + 4 * math.sqrt(0.05 * 0.95 * audits)


def test_a_leaky_release_shows_nothing_beyond_its_delta() -> None:
    """KA4: released as it is with chance .3, which is exactly (0, .3)-private."""
    rng = stream(5, "leaky")
    shown = {True: 0, False: 0}
    for _ in range(100):
        scores = make.scores(np.where(rng.random(50) < 0.3, 1.0, 0.0), np.zeros(50))
        for ignored in shown:
            shown[ignored] += epsilon_any_cut(scores, delta=0.0 if ignored else 0.3).value > 0
    assert shown[False] <= 0.05 * 100 + 4 * math.sqrt(0.05 * 0.95 * 100)
    assert shown[True] > 50, "delta ignored (M18) is seen"


def test_cuts_are_settled_before_scores_are_seen() -> None:
    small, large = (
        make.scores(np.arange(50.0), np.arange(50.0)),
        make.scores(ndtri(np.arange(1, 51) / 60), np.zeros(50)),
    )
    assert epsilon_any_cut(small).method == epsilon_any_cut(large).method
    assert f"best of {2 * len(SHARES)} cuts" in epsilon_any_cut(small).method
    assert len(split(small)[0].value) == 50


def test_a_cut_by_rank_names_nobody_who_ties_with_whom_it_spares() -> None:
    """20 of 30 "in" trainings score just what the highest "out" training does: no cut tells these from it.

    Were they named and it not, 20 hits would stand beside no false alarm.
    """
    outside = np.arange(30.0)
    inside = np.where(np.arange(30) < 20, 29.0, np.arange(30) / 2 - 20.0)
    tied = make.scores(inside, outside)
    bound = epsilon_any_cut(tied)
    assert f"best of {2 * len(SHARES)} cuts" in bound.method
    level = 1 - 0.05 / (2 * len(SHARES))
    real = [((inside > cut).sum(), (outside > cut).sum()) for cut in np.unique([inside, outside])]
    most_shown = max(epsilon_bound(int(hits), 30, int(alarms), 30, level=level) for hits, alarms in real)
    assert bound.value <= most_shown < epsilon_bound(20, 30, 0, 30, level=level) - 0.1


def test_too_few_trainings_to_spare_half_are_refused() -> None:
    with pytest.raises(TooFewTrainings, match="at least 10 of each"):
        epsilon_split(make.answers(9, 9, 0, 50))
